/* The search for questions. */
#include "domain/search/search.h"

#include "base/id.h"
#include "domain/search/search_text.h"

#define MARK_MAX 400 /* bytes of a name in a mark */
#define CALLS_MAX 10 /* whose tools are marks */
#define SEEN ((size_t)512) /* places of the words that are there */
#define VALUES_MAX 2000 /* of facts and context that are looked at */

/* ---- the words of a question ------------------------------------------ */

struct search_list {
    struct arena *arena;
    struct buf text;
    struct {
        size_t at, n; /* in text; n 0: none */
    } seen[SEEN];
    size_t n, max;
    size_t values; /* that were looked at */
};

static struct search_list *search_list(struct arena *a, size_t max)
{
    struct search_list *l = arena_new(a, struct search_list);
    l->arena = a;
    l->text = buf_make(a, SEARCH_BYTES_MAX + MARK_MAX * 4 + 256);
    l->max = max;
    return l;
}

static bool search_list_full(const struct search_list *l)
{
    return l->n >= l->max || l->text.n >= SEARCH_BYTES_MAX;
}

/* Each once. */
static void search_list_add(struct search_list *l, struct str word)
{
    size_t i = str_hash(word) % SEEN;
    if (search_list_full(l))
        return;
    while (l->seen[i].n > 0) {
        if (str_eq((struct str){l->text.p + l->seen[i].at, l->seen[i].n},
                   word))
            return;
        i = (i + 1) % SEEN;
    }
    if (l->text.n > 0)
        buf_char(&l->text, ' ');
    l->seen[i].at = l->text.n;
    l->seen[i].n = word.n;
    l->n++;
    buf_str(&l->text, word);
}

static void search_list_text(struct search_list *l, struct str text)
{
    for (struct search_text t = search_text(l->arena, text);
         !search_list_full(l) && search_text_next(&t);)
        search_list_add(l, t.word);
}

/* A name without spaces: other characters than visible ones, and '%', are
 * spelt. */
static struct str search_mark(struct arena *a, enum search_mark mark,
                              struct str name)
{
    struct buf b = buf_make(a, MARK_MAX * 3 + 8);
    buf_char(&b, (char)mark);
    buf_char(&b, '=');
    for (size_t i = 0; i < name.n && i < MARK_MAX; i++) {
        const unsigned char c = (unsigned char)name.p[i];
        if (c <= ' ' || c == '%' || c == 0x7F)
            buf_printf(&b, "%%%02X", c);
        else
            buf_char(&b, (char)c);
    }
    /* A character that was cut is no character. */
    struct str text = buf_text(&b);
    while (name.n > MARK_MAX && !str_utf8(text))
        text.n--;
    return text;
}

static void search_list_mark(struct search_list *l, enum search_mark mark,
                             struct str name)
{
    if (name.n > 0)
        search_list_add(l, search_mark(l->arena, mark, name));
}

/* The values of a tree, not its keys. */
static void search_list_values(struct search_list *l, const struct json *v)
{
    if (search_list_full(l) || l->values++ >= VALUES_MAX)
        return;
    switch (json_type(v)) {
    case JSON_STRING:
        search_list_text(l, json_text(v));
        break;
    case JSON_INT:
        search_list_text(l, arena_number(l->arena, json_int(v)));
        break;
    case JSON_DOUBLE:
        search_list_text(l, json_digits(v));
        break;
    case JSON_ARRAY:
        for (size_t i = 0; i < json_count(v) && l->values < VALUES_MAX; i++)
            search_list_values(l, json_at(v, i));
        break;
    case JSON_OBJECT:
        for (struct json_iter i = json_iter(v);
             l->values < VALUES_MAX && json_next(&i);)
            search_list_values(l, i.value);
        break;
    case JSON_NULL:
    case JSON_BOOL:
    case JSON__MAX:
        break;
    }
}

static void search_list_tools(struct search_list *l,
                              const struct json *subject)
{
    const struct json *calls = json_get(subject, "calls");
    for (size_t i = 0; i < json_count(calls) && i < CALLS_MAX; i++)
        search_list_mark(l, SEARCH_TOOL,
                         json_get_text(json_at(calls, i), "tool"));
}

struct str search_asked(struct arena *a, const struct suspension *s)
{
    struct search_list *l = search_list(a, SEARCH_ASKED_MAX);
    const struct json *subject = suspension_subject(a, s);
    search_list_mark(l, SEARCH_ID, s->id);
    search_list_mark(l, SEARCH_ID, s->intent_id);
    search_list_mark(l, SEARCH_KIND, vocabulary_key(kind_words(s->kind)));
    search_list_mark(l, SEARCH_RISK,
                     vocabulary_key(vocabulary_severity(s->severity)));
    search_list_mark(l, SEARCH_AGENT, s->asked_by);
    search_list_mark(l, SEARCH_FOR, s->initiated_by);
    search_list_tools(l, subject);
    if (!id_uuid(s->id))
        search_list_text(l, s->id);
    search_list_text(l, s->title);
    search_list_text(l, s->question);
    search_list_text(l, s->asked_by);
    search_list_text(l, s->initiated_by);
    search_list_values(l, subject);
    search_list_text(l, s->explanation);
    if (!search_list_full(l))
        search_list_values(l, json_read(a, s->context));
    return buf_text(&l->text);
}

static struct str search_end(struct search_list *l, enum outcome outcome,
                             enum via via, struct str who)
{
    search_list_mark(l, SEARCH_OUTCOME, vocabulary_outcome(outcome)->wire);
    search_list_mark(l, SEARCH_VIA, vocabulary_key(vocabulary_via(via)));
    search_list_mark(l, SEARCH_WHO, who);
    search_list_text(l, who);
    return buf_text(&l->text);
}

struct str search_ended(struct arena *a, const struct suspension *s)
{
    struct search_list *l = search_list(a, SEARCH_ENDED_MAX);
    (void)search_end(l, suspension_ending(s), s->responded_via,
                     s->responded_by);
    search_list_text(l, s->responded_by_claimed);
    search_list_text(l, s->reason);
    if (s->state == SUSPENSION_RESOLVED && suspension_worded(s))
        search_list_values(l, json_read(a, s->response));
    search_list_values(l, suspension_approved(a, s));
    search_list_values(l, json_read(a, s->constraints));
    return buf_text(&l->text);
}

struct str search_ended_by(struct arena *a, enum outcome outcome, enum via via,
                           struct str who)
{
    return search_end(search_list(a, SEARCH_ENDED_MAX), outcome, via, who);
}

/* ---- what is searched for --------------------------------------------- */

static struct search_term *search_add(struct search_query *q)
{
    return q->n < SEARCH_TERMS_MAX ? &q->terms[q->n++] : NULL;
}

static void search_mark_term(struct arena *a, struct search_query *q,
                             struct search_term *t, enum search_mark mark,
                             struct str name)
{
    if (q->marks >= SEARCH_MARKS_MAX)
        return;
    t->marks[t->n++] = search_mark(a, mark, name);
    q->marks++;
}

void search_add_mark(struct arena *a, struct search_query *q,
                     enum search_mark mark, struct str name)
{
    struct search_term *t = search_add(q);
    if (t)
        search_mark_term(a, q, t, mark, name);
}

void search_add_person(struct arena *a, struct search_query *q, size_t i,
                       struct str name)
{
    struct search_term *t = &q->terms[i];
    search_mark_term(a, q, t, SEARCH_WHO, name);
    if (!t->who)
        search_mark_term(a, q, t, SEARCH_FOR, name);
}

/* Adds a term for each word; one of a letter is no part of a name. */
static void search_add_words(struct arena *a, struct search_query *q,
                             struct str typed, struct str who)
{
    for (struct search_text t = search_text(a, typed);
         q->n < SEARCH_TERMS_MAX && search_text_next(&t);) {
        struct search_term *term = search_add(q);
        const struct str word = t.word;
        term->word = who.p ? STR_NONE : word;
        term->part = t.letters > 1 ? word : STR_NONE;
        term->who = who.p != NULL;
        if (who.p)
            search_mark_term(a, q, term, SEARCH_WHO, who);
    }
}

void search_add_who(struct arena *a, struct search_query *q, struct str typed)
{
    const size_t before = q->n;
    if (str_find(typed, '@', 0) == typed.n && !id_uuid(typed))
        search_add_words(a, q, typed, typed);
    if (q->n == before)
        search_add_mark(a, q, SEARCH_WHO, typed);
}

void search_type(struct arena *a, struct search_query *q, struct str typed)
{
    const size_t before = q->n;
    /* Ids are words of their own: they have so many that each question would
     * be longer by half. */
    if (id_uuid(str_trim(typed))) {
        search_add_mark(a, q, SEARCH_ID, str_trim(typed));
        return;
    }
    search_add_words(a, q, typed, STR_NONE);
    if (q->n == before)
        search_add_mark(a, q, SEARCH_NOTHING, STR(""));
}

/* A lexeme as PostgreSQL reads one. */
static void search_quote(struct buf *b, struct str word)
{
    buf_char(b, '\'');
    for (size_t i = 0; i < word.n; i++) {
        if (word.p[i] == '\'' || word.p[i] == '\\')
            buf_char(b, word.p[i]);
        buf_char(b, word.p[i]);
    }
    buf_char(b, '\'');
}

struct str search_text_of(struct arena *a, const struct search_query *q)
{
    struct buf b = buf_make(a, (size_t)256 << 10);
    for (size_t i = 0; i < q->n; i++) {
        const struct search_term *t = &q->terms[i];
        buf_put(&b, i ? " & (" : "(");
        if (t->word.p) {
            search_quote(&b, t->word);
            buf_put(&b, ":*");
        }
        for (size_t k = 0; k < t->n; k++) {
            buf_put(&b, k > 0 || t->word.p ? " | " : "");
            search_quote(&b, t->marks[k]);
        }
        buf_char(&b, ')');
    }
    return q->n > 0 ? buf_text(&b) : STR_NONE;
}

/* ---- summaries -------------------------------------------------------- */

#define BITS 8 /* of a word */

/* The starts of a word that have bits, in letters. */
static const size_t starts[] = {1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24};

struct search_bits {
    size_t slice;
    size_t v[BITS];
};

static uint64_t search_mix(uint64_t x)
{
    x ^= x >> 30;
    x *= UINT64_C(0xBF58476D1CE4E5B9);
    x ^= x >> 27;
    x *= UINT64_C(0x94D049BB133111EB);
    return x ^ x >> 31;
}

/* The same on every host, and for ever: they are stored. */
static struct search_bits search_bits(struct str word)
{
    const uint64_t hash = str_hash(word);
    uint64_t mixed[2] = {search_mix(hash),
                         search_mix(hash + UINT64_C(0x9E3779B97F4A7C15))};
    struct search_bits b = {.slice = (size_t)(search_mix(~hash) %
                                              SEARCH_SLICES)};
    for (size_t i = 0; i < BITS; i++) {
        uint64_t *from = &mixed[i / 4];
        b.v[i] = (size_t)(*from % SEARCH_SLICE);
        *from /= SEARCH_SLICE;
    }
    return b;
}

static void search_set(struct search_summary *m, struct str word)
{
    const struct search_bits b = search_bits(word);
    for (size_t i = 0; i < BITS; i++) {
        uint64_t *at = &m->bits[b.slice][b.v[i] / 64];
        const uint64_t bit = UINT64_C(1) << b.v[i] % 64;
        m->set += (*at & bit) == 0;
        *at |= bit;
    }
}

/* Was the word added before? Few are new in a question. */
static bool search_seen(struct search_summary *m, struct str word)
{
    const uint64_t hash = str_hash(word);
    uint64_t *at = &m->seen[hash % countof(m->seen)];
    const bool before = *at == hash;
    *at = hash;
    return before;
}

static bool search_is_mark(struct str word)
{
    return word.n > 1 && word.p[1] == '=';
}

/* The powers of ten that the amount has reached, from 1 on; 0: it is below
 * 1. */
static int search_powers(struct decimal amount)
{
    int n = 0;
    for (int64_t left = amount.whole; left > 0; left /= 10)
        n++;
    return n;
}

static struct str search_power(struct arena *a, struct str unit, int power)
{
    return arena_join(a, STR("m="), unit, STR("/"), arena_number(a, power));
}

void search_sum(struct arena *a, struct search_summary *m, struct str words,
                struct str amount, struct str unit)
{
    struct decimal d;
    while (words.p) {
        const struct str word = str_cut(&words, ' ');
        if (search_seen(m, word))
            continue;
        if (search_is_mark(word)) {
            search_set(m, word);
            continue;
        }
        const size_t letters = str_runes(word);
        for (size_t i = 0; i < countof(starts) && starts[i] <= letters; i++)
            search_set(m, str_head(word, starts[i]));
    }
    if (unit.n > 0 && decimal_read(amount, &d)) {
        for (int i = search_powers(d); i >= 0; i--) {
            search_set(m, search_power(a, unit, i));
            search_set(m, search_power(a, STR_NONE, i));
        }
    }
}

bool search_full(const struct search_summary *m)
{
    return m->set > (size_t)SEARCH_SLICES * SEARCH_SLICE / 2;
}

/* Bits as PostgreSQL reads them: "x" and a digit for each four. */
static struct str search_digits(struct arena *a,
                                const uint64_t bits[SEARCH_SLICE / 64])
{
    static const char digits[] = "0123456789abcdef";
    char *text = arena_alloc(a, SEARCH_SLICE / 4 + 2);
    text[0] = 'x';
    for (size_t i = 0; i < SEARCH_SLICE / 4; i++)
        text[i + 1] = digits[bits[i / 16] >> i % 16 * 4 & 15];
    return (struct str){text, SEARCH_SLICE / 4 + 1};
}

struct str search_slice(struct arena *a, const struct search_summary *m,
                        size_t slice)
{
    static const uint64_t none[SEARCH_SLICE / 64];
    return memcmp(m->bits[slice], none, sizeof none) == 0
               ? STR_NONE
               : search_digits(a, m->bits[slice]);
}

static void search_places_add(struct arena *a, struct search_places *out,
                              size_t term, struct str word)
{
    const struct search_bits b = search_bits(word);
    uint64_t bits[SEARCH_SLICE / 64] = {0};
    for (size_t i = 0; i < BITS; i++)
        bits[b.v[i] / 64] |= UINT64_C(1) << b.v[i] % 64;
    out->v[out->n++] =
        (struct search_place){term, b.slice, search_digits(a, bits)};
}

/* The longest start of a word that has bits. */
static struct str search_start(struct str word)
{
    const size_t letters = str_runes(word);
    size_t i = countof(starts) - 1;
    while (i > 0 && starts[i] > letters)
        i--;
    return str_head(word, starts[i]);
}

struct search_places search_places(struct arena *a,
                                   const struct search_query *q)
{
    struct search_places out = {.n = 0};
    size_t term = 0;
    if (q->priced)
        search_places_add(
            a, &out, ++term,
            search_power(a, q->unit, search_powers(q->over)));
    for (size_t i = 0; i < q->n; i++) {
        const struct search_term *t = &q->terms[i];
        const size_t n = t->n + (t->word.p != NULL);
        if (n > SEARCH_PLACES_MAX / 2 || out.n + n > SEARCH_PLACES_MAX)
            continue;
        term++;
        if (t->word.p)
            search_places_add(a, &out, term, search_start(t->word));
        for (size_t k = 0; k < t->n; k++)
            search_places_add(a, &out, term, t->marks[k]);
    }
    return out;
}
