/* The search: how texts fall into words, what a question is found by, what
 * somebody types, and summaries that never deny what is there. */
#include "domain/search/search.h"
#include "domain/search/search_found.h"
#include "domain/search/search_text.h"

#include "suite.h"

SUITE(search);

/* The words of a text, with a space between two. */
static const char *words(const char *text)
{
    struct buf b = buf_make(a, 4096);
    for (struct search_text t = search_text(a, str_of(text));
         search_text_next(&t);) {
        buf_put(&b, b.n ? " " : "");
        buf_str(&b, t.word);
        cr_assert_eq(t.letters, str_runes(t.word));
    }
    return arena_z(a, buf_text(&b));
}

static const struct {
    const char *text, *words;
} texts[] = {
    {"", ""},
    {"  -- !!", ""},
    {"Refund 18.40 EUR", "refund 18 40 eur"},
    {"refunds_agent/KES-EU-1", "refunds agent kes eu 1"},
    {"ALICE, Alice; alice", "alice alice alice"},
    /* Accents, and letters that are two. */
    {"\u00dcber-Gr\u00f6\u00dfe", "uber grosse"},
    {"caf\u00e9 cafe\u0301 CAF\u00c9", "cafe cafe cafe"},
    {"\u0141\u00f3d\u017a \u00c6r\u00f8 \u0130stanbul", "lodz aero istanbul"},
    {"Vi\u1ec7t Nguy\u1ec5n", "viet nguyen"},
    {"\u0391\u03b8\u03ae\u03bd\u03b1 \u03a3\u039f\u03a6\u039f\u03a3",
     "\u03b1\u03b8\u03b7\u03bd\u03b1 \u03c3\u03bf\u03c6\u03bf\u03c3"},
    {"\u0401\u041b\u041a\u0410 \u0451\u043b\u043a\u0430",
     "\u0435\u043b\u043a\u0430 \u0435\u043b\u043a\u0430"},
    /* Wide forms, and characters that nobody sees. */
    {"\uff21\uff22\uff13", "ab3"},
    {"ref\u200bund pay\u00adment", "refund payment"},
    /* Each two letters, and the last. */
    {"\u8fd4\u91d1", "\u8fd4\u91d1 \u91d1"},
    {"\u8fd4", "\u8fd4"},
    {"\u6ce8\u6587123\u306e\u8fd4\u91d1",
     "\u6ce8\u6587 \u6587 123 \u306e\u8fd4 \u8fd4\u91d1 \u91d1"},
    {"\u8fd4\u91d1\u3001\u78ba\u8a8d", "\u8fd4\u91d1 \u91d1 \u78ba\u8a8d \u8a8d"},
    {"\u0e04\u0e37\u0e19", "\u0e04\u0e37 \u0e37\u0e19 \u0e19"},
    /* Narrow Katakana, and its marks. */
    {"\uff76\uff9e\uff78", "\u30ac\u30af \u30af"},
    {"\u304b\u3099\u304f", "\u304c\u304f \u304f"},
    /* Bytes that cannot be read separate words. */
    {"a\xff" "b", "a b"},
    {"\xf0\x9f\x98\x80 ok", "ok"},
};

Test(search, a_text_falls_into_words)
{
    for (size_t i = 0; i < countof(texts); i++)
        cr_expect_str_eq(words(texts[i].text), texts[i].words, "%s",
                         texts[i].text);
}

Test(search, a_word_has_an_end)
{
    struct buf b = buf_make(a, 4096);
    for (int i = 0; i < 1000; i++)
        buf_char(&b, 'x');
    struct search_text t = search_text(a, buf_text(&b));
    cr_assert(search_text_next(&t));
    cr_expect_eq(t.letters, SEARCH_TEXT_LETTERS);
    cr_expect(!search_text_next(&t));
}

/* ---- questions ---------------------------------------------------------- */

/* Is the word among those, which have a space between two? */
static bool has(struct str all, const char *word)
{
    return str_listed(all, str_of(word));
}

static struct suspension asked(const char *subject)
{
    struct suspension s = {
        .id = STR("0198e0d2-0000-7000-8000-000000000001"),
        .intent_id = STR("0198e0d2-0000-7000-8000-000000000002"),
        .kind = KIND_APPROVAL,
        .severity = SEVERITY_HIGH,
        .title = STR("Refund 240.00 EUR to Alice Martin"),
        .question = STR("Refund?"),
        .explanation = STR("Goodwill after a delay"),
        .context = STR("{\"channel\":\"photo\"}"),
        .asked_by = STR("refund agent"),
        .initiated_by = STR("ines@example.com"),
        .subject = json_of(subject)};
    return s;
}

Test(search, a_question_is_found_by_all_that_it_says)
{
    const struct suspension s =
        asked("{'target':'KES-EU-1','calls':[{'tool':'payments.refund_create',"
              "'args':{'amount':240,'rate':1.5,'yes':true,'to':['Martin',"
              "{'deep':'M\u00fcnchen'}]}}]}");
    const struct str all = search_asked(a, &s);
    static const char *const there[] = {
        "refund", "alice", "martin", "goodwill", "photo", "kes", "eu", "240",
        "payments", "create", "munchen", "ines", "agent", "5",
        "a=refund%20agent", "f=ines@example.com", "k=approval", "r=high",
        "t=payments.refund_create",
        "i=0198e0d2-0000-7000-8000-000000000001",
        "i=0198e0d2-0000-7000-8000-000000000002"};
    for (size_t i = 0; i < countof(there); i++)
        cr_expect(has(all, there[i]), "%s in %.*s", there[i], STR_FMT(all));
    static const char *const not[] = {"true", "target", "args", "0198e0d2"};
    for (size_t i = 0; i < countof(not); i++)
        cr_expect(!has(all, not[i]), "%s", not[i]);
}

Test(search, an_end_is_found_by_who_and_why)
{
    struct suspension s = asked("{}");
    s.state = SUSPENSION_RESOLVED;
    s.outcome = OUTCOME_VETOED;
    s.responded_via = VIA_BROWSER;
    s.responded_by = STR("ines@example.com");
    s.reason = STR("Outside the 30-day window");
    s.approved_subject = json_of("{'target':'KES-EU-2'}");
    const struct str all = search_ended(a, &s);
    static const char *const there[] = {
        "o=vetoed", "v=browser", "w=ines@example.com", "outside", "30", "2"};
    for (size_t i = 0; i < countof(there); i++)
        cr_expect(has(all, there[i]), "%s in %.*s", there[i], STR_FMT(all));
    s.state = SUSPENSION_EXPIRED;
    cr_expect(has(search_ended(a, &s), "o=expired"));
    cr_expect(has(search_ended_by(a, OUTCOME_WITHDRAWN, VIA_NATIVE,
                                  STR("sayso")),
                  "o=withdrawn"));
}

Test(search, hostile_facts_cost_no_more)
{
    struct buf b = buf_make(a, 1 << 20);
    buf_put(&b, "{\"calls\":[");
    for (int i = 0; i < 20000; i++)
        buf_printf(&b, "%s{\"tool\":\"t%d\",\"args\":\"w%d x%d\"}",
                   i ? "," : "", i, i, i);
    buf_put(&b, "]}");
    struct suspension s = asked("{}");
    s.subject = buf_text(&b);
    const struct str all = search_asked(a, &s);
    cr_expect_leq(str_count(all, ' ') + 1, SEARCH_ASKED_MAX);
    cr_expect_leq(all.n, SEARCH_BYTES_MAX + 4 * SEARCH_TEXT_LETTERS + 1);
    /* Names of many bytes, and such that are not visible. */
    s = asked("{}");
    char *name = arena_alloc(a, 4000);
    memset(name, '\n', 4000);
    s.asked_by = (struct str){name, 4000};
    const struct str spelt = search_asked(a, &s);
    cr_expect_leq(spelt.n, SEARCH_BYTES_MAX * 2);
    cr_expect_eq(str_find(spelt, '\n', 0), spelt.n);
    cr_expect(str_utf8(spelt));
}

/* ---- what is searched for ------------------------------------------------ */

static const char *typed(const char *text)
{
    struct search_query *q = arena_new(a, struct search_query);
    search_type(a, q, str_of(text));
    return arena_z(a, search_text_of(a, q));
}

Test(search, what_was_typed_is_never_a_query_of_its_own)
{
    cr_expect_str_eq(typed("alice Refund"), "('alice':*) & ('refund':*)");
    cr_expect_str_eq(typed("a'b \\c"), "('a':*) & ('b':*) & ('c':*)");
    cr_expect_str_eq(typed("& | ! <-> :*"), "('n=')");
    cr_expect_str_eq(typed("'); DROP TABLE x; --"),
                     "('drop':*) & ('table':*) & ('x':*)");
    cr_expect_str_eq(typed("0198e0d2-0000-7000-8000-000000000001"),
                     "('i=0198e0d2-0000-7000-8000-000000000001')");
    cr_expect_str_eq(typed("\u8fd4\u91d1"),
                     "('\u8fd4\u91d1':*) & ('\u91d1':*)");
    /* At most so many words count. */
    struct buf b = buf_make(a, 1 << 20);
    for (int i = 0; i < 50000; i++)
        buf_printf(&b, "w%d ", i);
    struct search_query *q = arena_new(a, struct search_query);
    search_type(a, q, buf_text(&b));
    cr_expect_eq(q->n, SEARCH_TERMS_MAX);
}

Test(search, a_mark_is_quoted)
{
    struct search_query *q = arena_new(a, struct search_query);
    search_add_mark(a, q, SEARCH_AGENT, STR("o'b \\x%"));
    cr_expect_str_eq(arena_z(a, search_text_of(a, q)),
                     "('a=o''b%20\\\\x%25')");
    cr_expect(!search_text_of(a, &(struct search_query){.n = 0}).p);
}

Test(search, a_person_is_found_by_a_part_of_the_name)
{
    struct search_query *q = arena_new(a, struct search_query);
    search_add_who(a, q, STR("nes"));
    cr_expect(str_is(q->terms[0].part, "nes"));
    search_add_person(a, q, 0, STR("ines@example.com"));
    cr_expect_str_eq(arena_z(a, search_text_of(a, q)),
                     "('w=nes' | 'w=ines@example.com')");
    q = arena_new(a, struct search_query);
    search_type(a, q, STR("nes"));
    search_add_person(a, q, 0, STR("ines@example.com"));
    cr_expect_str_eq(arena_z(a, search_text_of(a, q)),
                     "('nes':* | 'w=ines@example.com' | "
                     "'f=ines@example.com')");
    /* An address is whole. */
    q = arena_new(a, struct search_query);
    search_add_who(a, q, STR("ines@example.com"));
    cr_expect(!q->terms[0].part.p);
    for (int i = 0; i < 1000; i++)
        search_add_person(a, q, 0, STR("x"));
    cr_expect_eq(q->terms[0].n, SEARCH_MARKS_MAX);
}

/* ---- summaries ----------------------------------------------------------- */

/* Has the summary all that the query looks for? */
static bool may(const struct search_summary *m, const struct search_query *q)
{
    const struct search_places p = search_places(a, q);
    bool found[SEARCH_TERMS_MAX + 2] = {false};
    size_t terms = 0;
    for (size_t i = 0; i < p.n; i++) {
        const struct str bits = search_slice(a, m, p.v[i].slice);
        bool all = bits.p != NULL;
        for (size_t k = 1; k < bits.n && all; k++) {
            const int want = str_hex(p.v[i].bits.p[k]);
            all = (str_hex(bits.p[k]) & want) == want;
        }
        found[p.v[i].term] = found[p.v[i].term] || all;
        terms = p.v[i].term > terms ? p.v[i].term : terms;
    }
    for (size_t i = 1; i <= terms; i++) {
        if (!found[i])
            return false;
    }
    return true;
}

static bool may_word(const struct search_summary *m, struct str text)
{
    struct search_query *q = arena_new(a, struct search_query);
    search_type(a, q, text);
    return may(m, q);
}

Test(search, a_summary_never_denies_what_is_there)
{
    struct search_summary *m = arena_new(a, struct search_summary);
    size_t false_hits = 0;
    for (int i = 0; i < 500; i++) {
        struct buf b = buf_make(a, 4096);
        buf_printf(&b, "refund order %d to customer%d o=vetoed w=p%d", i * 7,
                   i * 13, i % 9);
        search_sum(a, m, buf_text(&b), STR("499.99"), STR("eur"));
    }
    cr_expect(!search_full(m));
    for (int i = 0; i < 500; i += 37) {
        struct buf b = buf_make(a, 64);
        buf_printf(&b, "customer%d", i * 13);
        for (size_t n = 1; n <= b.n; n++)
            cr_assert(may_word(m, str_sub(buf_text(&b), 0, n)), "%.*s",
                      STR_FMT(buf_text(&b)));
    }
    for (int i = 0; i < 2000; i++) {
        struct buf b = buf_make(a, 64);
        buf_printf(&b, "nowhere%d", i);
        false_hits += may_word(m, buf_text(&b));
    }
    cr_expect_leq(false_hits, 10);
    static const struct {
        const char *over, *unit;
        bool may;
    } amounts[] = {{"0", "eur", true},   {"100", "eur", true},
                   {"499", NULL, true},  {"1000", "eur", false},
                   {"100", "usd", false}, {"5000", NULL, false}};
    for (size_t i = 0; i < countof(amounts); i++) {
        struct search_query q = {.priced = true,
                                 .unit = str_of(amounts[i].unit)};
        cr_assert(decimal_read(str_of(amounts[i].over), &q.over));
        cr_expect_eq(may(m, &q), amounts[i].may, "%s %s", amounts[i].over,
                     amounts[i].unit);
    }
}

Test(search, a_summary_is_full_at_last)
{
    struct search_summary *m = arena_new(a, struct search_summary);
    int i = 0;
    while (!search_full(m) && i < 1000000) {
        struct buf b = buf_make(a, 64);
        buf_printf(&b, "x=%d", i++);
        search_sum(a, m, buf_text(&b), STR_NONE, STR_NONE);
    }
    cr_expect_gt(i, 20000);
    cr_expect_lt(i, 27000);
}

/* ---- what is marked ----------------------------------------------------- */

/* The text with [ and ] around what is found. */
static const char *marked(const char *typed, const char *text)
{
    struct search_query q = {.n = 0};
    struct search_found f[SEARCH_FOUND_MAX];
    struct buf b = buf_make(a, 4096);
    const struct str s = str_of(text);
    size_t at = 0;
    search_type(a, &q, str_of(typed));
    const size_t n = search_found(a, &q, s, f);
    for (size_t i = 0; i < n; i++) {
        buf_str(&b, str_sub(s, at, f[i].from));
        buf_put(&b, "[");
        buf_str(&b, str_sub(s, f[i].from, f[i].to));
        buf_put(&b, "]");
        at = f[i].to;
    }
    buf_str(&b, str_sub(s, at, s.n));
    return arena_z(a, buf_text(&b));
}

static const struct {
    const char *typed, *text, *marked;
} founds[] = {
    {"alice refund", "Refund 18 EUR to Alice Martin",
     "[Refund] 18 EUR to [Alice] Martin"},
    /* By the start of a word, and the longest of two. */
    {"ref", "Refunds, not a preference", "[Ref]unds, not a preference"},
    {"re refu", "Refund again", "[Refu]nd again"},
    {"zzz", "Refund", "Refund"},
    {"--", "-- Refund", "-- Refund"},
    {"refund", "", ""},
    /* In the letters of the text, with what is drawn on them. */
    {"uber grosse", "\u00dcber Gr\u00f6\u00dfe",
     "[\u00dcber] [Gr\u00f6\u00dfe]"},
    {"cafe", "cafe\u0301s", "[cafe\u0301]s"},
    {"gros", "Gro\u00dfe", "[Gro\u00df]e"},
    {"of", "o\ufb03ce", "[o\ufb03]ce"},
    {"refund", "ref\u200bund pay", "[ref\u200bund] pay"},
    {"\u0435\u043b\u043a", "\u0401\u043b\u043a\u0430",
     "[\u0401\u043b\u043a]\u0430"},
    {"\uff21b", "ab \uff21\uff22", "[ab] [\uff21\uff22]"},
    /* Without spaces: each two letters, together where they touch. */
    {"\u8fd4\u91d1", "\u6ce8\u6587\u306e\u8fd4\u91d1\u3002",
     "\u6ce8\u6587\u306e[\u8fd4\u91d1]\u3002"},
    {"\u6ce8\u6587\u8fd4", "\u6ce8\u6587\u8fd4\u91d1",
     "[\u6ce8\u6587\u8fd4]\u91d1"},
    {"\u304c\u304f", "\u304b\u3099\u304f", "[\u304b\u3099\u304f]"},
    {"\u30ac\u30af", "\uff76\uff9e\uff78", "[\uff76\uff9e\uff78]"},
    {"\ud55c\uad6d", "\u1112\u1161\u11ab\u1100\u116e\u11a8",
     "[\u1112\u1161\u11ab\u1100\u116e\u11a8]"},
    {"\U0001F600", "\U0001F600 ok", "\U0001F600 ok"},
    {"a", "a\xff", "a\xff"},
};

Test(search, what_is_found_is_marked_in_the_text)
{
    for (size_t i = 0; i < countof(founds); i++)
        cr_expect_str_eq(marked(founds[i].typed, founds[i].text),
                         founds[i].marked, "%s in %s", founds[i].typed,
                         founds[i].text);
}

Test(search, the_places_have_a_bound)
{
    struct search_query q = {.n = 0};
    struct search_found f[SEARCH_FOUND_MAX];
    struct buf b = buf_make(a, 4096);
    for (int i = 0; i < 1000; i++)
        buf_put(&b, "a b ");
    search_type(a, &q, STR("a"));
    cr_expect_eq(search_found(a, &q, buf_text(&b), f), SEARCH_FOUND_MAX);
}
