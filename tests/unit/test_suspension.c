/* Suspensions: words, sealing, the mirror, what silence does. */
#include "base/clock_text.h"
#include "base/crypt.h"
#include "domain/question/suspension.h"
#include "domain/question/suspension_seal.h"

#include "suite.h"

SUITE(suspension);

/* 2026-11-20T09:26:13.510233Z */
#define NOW INT64_C(1795166773510233)

static struct suspension pending(void)
{
    return (struct suspension){
        .id = STR("s-1"),
        .record = json_of("{'id':'s-1','question':'Q?'}"),
        .question = STR("Q?"),
        .subject = STR("{}"),
        .context = STR("{}"),
        .choices = STR("[]"),
        .asked_by = STR("bot"),
        .suspended_at = NOW};
}

/* ---- words ---------------------------------------------------------- */

Test(suspension, words)
{
    static const char *const types[] = {"choice", "confirm", "text", "form"};
    static const char *const states[] = {"pending", "resolved", "expired",
                                         "cancelled"};
    static const char *const policies[] = {"fail", "complete_with_fallback",
                                           "use_default_and_continue"};
    cr_assert_eq(countof(types), ANSWER_TYPE__MAX);
    cr_assert_eq(countof(states), SUSPENSION_STATE__MAX);
    cr_assert_eq(countof(policies), FALLBACK_POLICY__MAX);
    for (int i = 0; i < ANSWER_TYPE__MAX; i++) {
        const enum answer_type t = (enum answer_type)i;
        cr_assert_str_eq(vocabulary_answer_type(t)->wire.p, types[i]);
        cr_assert_eq(vocabulary_answer_type_of(str_of(types[i])), t);
    }
    for (int i = 0; i < SUSPENSION_STATE__MAX; i++) {
        const enum suspension_state s = (enum suspension_state)i;
        cr_assert_str_eq(vocabulary_suspension_state(s)->wire.p, states[i]);
        cr_assert_eq(vocabulary_suspension_state_of(str_of(states[i])), s);
    }
    for (int i = 0; i < FALLBACK_POLICY__MAX; i++) {
        const enum fallback_policy p = (enum fallback_policy)i;
        cr_assert_str_eq(vocabulary_fallback_policy(p)->wire.p, policies[i]);
        cr_assert_eq(vocabulary_fallback_policy_of(str_of(policies[i])), p);
    }
    cr_assert(ANSWER_CHOICE == 0 && ANSWER_FORM == 3);
    cr_assert(SUSPENSION_PENDING == 0 && SUSPENSION_CANCELLED == 3);
    cr_assert(FALLBACK_FAIL == 0 && FALLBACK_CONTINUE == 2);
}

/* ---- time ----------------------------------------------------------- */

Test(suspension, due)
{
    static const struct {
        int64_t expires_at, now;
        bool due; /* while it is pending */
    } cases[] = {
        {0, NOW, false},       {0, INT64_MAX, false}, {NOW, NOW - 1, false},
        {NOW, NOW, true},      {NOW, NOW + 1, true},  {NOW, INT64_MAX, true},
    };
    for (size_t i = 0; i < countof(cases); i++) {
        for (int state = 0; state < SUSPENSION_STATE__MAX; state++) {
            const struct suspension s = {
                .state = (enum suspension_state)state,
                .expires_at = cases[i].expires_at};
            cr_assert_eq(suspension_due(&s, cases[i].now),
                         cases[i].due && state == SUSPENSION_PENDING,
                         "case %zu state %d", i, state);
        }
    }
}

/* RFC-0026: the window is interval times attempts; a single attempt without
 * an interval is a plain timeout. */
static const struct {
    int64_t timeout;
    const char *retry; /* NULL: none */
    int64_t seconds;   /* 0: never */
} windows[] = {
    {0, NULL, 0},
    {1, NULL, 1},
    {600, NULL, 600},
    {SUSPENSION_TIMEOUT_MAX, NULL, SUSPENSION_TIMEOUT_MAX},
    {0, "{'max_attempts':1}", 0},
    {600, "{'max_attempts':1}", 600},
    {0, "{'max_attempts':1,'interval_seconds':0}", 0},
    {600, "{'max_attempts':1,'interval_seconds':0}", 600},
    {600, "{'max_attempts':1,'interval_seconds':60}", 60},
    {0, "{'max_attempts':3,'interval_seconds':3600}", 10800},
    {3600, "{'max_attempts':3,'interval_seconds':3600}", 10800},
    {60, "{'max_attempts':2,'interval_seconds':45}", 90},
    {600, "{'max_attempts':100,'interval_seconds':1}", 100},
    {600, "{'interval_seconds':60}", 60},
    {600, "{}", 600},
    {0, "{'max_attempts':100,'interval_seconds':31622400}",
     SUSPENSION_TIMEOUT_MAX},
};

Test(suspension, seal_knows_when_it_ends)
{
    for (size_t i = 0; i < countof(windows); i++) {
        struct suspension s = pending();
        s.timeout_seconds = windows[i].timeout;
        if (windows[i].retry)
            s.retry_policy = json_of(windows[i].retry);
        cr_assert(!suspension_seal(a, &s, NOW + 5));
        const int64_t wanted =
            windows[i].seconds
                ? NOW + 5 + windows[i].seconds * CLOCK_SECOND
                : 0;
        cr_assert_eq(s.expires_at, wanted, "case %zu: %lld s", i,
                     (long long)((s.expires_at - NOW - 5) / CLOCK_SECOND));
        struct json *r = tree_of(s.record);
        cr_assert(wanted ? str_eq(json_get_text(r, "expires_at"),
                                  clock_naive(a, wanted))
                         : !json_has(r, "expires_at"),
                  "case %zu", i);
    }
}

/* ---- sealing -------------------------------------------------------- */

Test(suspension, seal_writes_the_servers_part)
{
    struct suspension s = pending();
    s.id = STR("s-2");
    s.state = SUSPENSION_RESOLVED;
    s.subject = STR("{ \"a\" : 1.50 }");
    s.record = json_of("{'id':'other','question':'Q?','x':1,"
                       "'suspended_at':'1999-01-01T00:00:00',"
                       "'expires_at':'2999-01-01T00:00:00'}");
    cr_assert(!suspension_seal(a, &s, NOW));
    cr_assert(s.state == SUSPENSION_PENDING && s.suspended_at == NOW);
    cr_assert(s.expires_at == 0);
    cr_assert(str_eq(s.subject_sha256, crypt_sha256_hex(a, s.subject)));
    cr_assert_eq(s.subject_sha256.n, 64);
    struct json *r = tree_of(s.record);
    same(r, "{'id':'s-2','question':'Q?','x':1,"
            "'suspended_at':'2026-11-20T09:26:13.510233'}");
}

Test(suspension, seal_digests_the_bytes_as_they_were_sent)
{
    struct suspension s = pending();
    cr_assert(!suspension_seal(a, &s, NOW));
    cr_assert(str_is(
        s.subject_sha256,
        "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"));
    s = pending();
    s.subject = STR("{ }");
    cr_assert(!suspension_seal(a, &s, NOW));
    cr_assert(!str_is(
        s.subject_sha256,
        "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"));
}

Test(suspension, seal_has_a_ceiling)
{
    for (size_t over = 0; over < 2; over++) {
        struct suspension s = pending();
        struct json *r = json_object(a);
        json_set_text(r, "id", s.id);
        json_set_text(r, "suspended_at", clock_naive(a, NOW));
        json_set_text(r, "x", STR(""));
        const size_t n =
            SUSPENSION_RECORD_MAX - json_dump(a, r, 1 << 20).n + over;
        char *text = arena_alloc(a, n);
        memset(text, 'x', n);
        json_set_text(r, "x", (struct str){text, n});
        s.record = json_dump(a, r, 1 << 20);
        const struct err *e = suspension_seal(a, &s, NOW);
        cr_assert_eq(e != NULL, over == 1);
        cr_assert(!e || e->kind == ERR_TOO_LARGE);
        cr_assert(!e || strcmp(e->code, "suspension.too_large") == 0);
        cr_assert(e || s.record.n == SUSPENSION_RECORD_MAX);
    }
}

Test(suspension, seal_refuses_a_record_that_is_no_json)
{
    struct suspension s = pending();
    s.record = STR("{");
    cr_assert(suspension_seal(a, &s, NOW));
}

/* ---- mirror --------------------------------------------------------- */

Test(suspension, the_mirror_of_an_open_question_is_its_record)
{
    struct suspension s = pending();
    same(suspension_mirror(a, &s), "{'id':'s-1','question':'Q?'}");
    s.record = STR_NONE;
    same(suspension_mirror(a, &s), "{}");
    s.record = STR("[]");
    same(suspension_mirror(a, &s), "{}");
}

static struct suspension decided(enum suspension_state state,
                                 const char *outcome)
{
    struct suspension s = pending();
    s.state = state;
    s.outcome = vocabulary_outcome_of(str_of(outcome));
    s.responded_by = STR("ada@example.com");
    s.responded_at = NOW + 60 * CLOCK_SECOND;
    return s;
}

Test(suspension, the_mirror_of_an_answer)
{
    struct suspension s = decided(SUSPENSION_RESOLVED, "authorized");
    s.response = json_of("'approve'");
    same(suspension_mirror(a, &s),
         "{'id':'s-1','question':'Q?','resolution':'responded',"
         "'outcome':'authorized','response':'approve',"
         "'responded_at':'2026-11-20T09:27:13.510233',"
         "'responded_by':'ada@example.com','decided_by':'ada@example.com'}");
    s.reason = STR("fine");
    s.metadata = json_of("{'channel':'x'}");
    s.responded_by_claimed = STR("bob");
    same(suspension_mirror(a, &s),
         "{'id':'s-1','question':'Q?','resolution':'responded',"
         "'outcome':'authorized','response':'approve','reason':'fine',"
         "'metadata':{'channel':'x'},"
         "'responded_at':'2026-11-20T09:27:13.510233',"
         "'responded_by':'bob','decided_by':'ada@example.com'}");
}

Test(suspension, the_mirror_keeps_every_kind_of_answer)
{
    static const char *const values[] = {"'x'", "5", "1.50", "true", "null",
                                         "{'a':[1]}", "[]"};
    for (size_t i = 0; i < countof(values); i++) {
        struct suspension s = decided(SUSPENSION_RESOLVED, "answered");
        s.response = json_of(values[i]);
        const struct json *m = suspension_mirror(a, &s);
        cr_assert(json_has(m, "response"));
        same(json_get(m, "response"), values[i]);
    }
}

Test(suspension, the_mirror_of_silence)
{
    struct suspension s = decided(SUSPENSION_EXPIRED, "none");
    s.responded_by = STR("clock");
    same(suspension_mirror(a, &s),
         "{'id':'s-1','question':'Q?','resolution':'expired',"
         "'outcome':'none','responded_at':'2026-11-20T09:27:13.510233',"
         "'responded_by':'clock','decided_by':'clock'}");
    s.outcome = OUTCOME_FALLBACK;
    s.response = json_of("'deny'");
    cr_assert(str_is(json_get_text(suspension_mirror(a, &s), "response"),
                     "deny"));
}

Test(suspension, the_mirror_of_a_question_taken_back)
{
    struct suspension s = decided(SUSPENSION_CANCELLED, "none");
    s.responded_by = STR("bot");
    s.reason = STR("no longer needed");
    same(suspension_mirror(a, &s),
         "{'id':'s-1','question':'Q?','resolution':'cancelled',"
         "'outcome':'none','responded_at':'2026-11-20T09:27:13.510233',"
         "'responded_by':'bot','decided_by':'bot',"
         "'reason':'no longer needed'}");
}

Test(suspension, the_mirror_stands_in_the_state)
{
    const struct suspension s = pending();
    struct intent i = {.state = json_of("{'z':1.50,'_suspension':{'id':'old',"
                                        "'response':'x'},'a':[]}")};
    cr_assert(!suspension_put_mirror(a, &s, &i));
    cr_assert(str_eq(i.state, json_of("{'z':1.50,'_suspension':{'id':'s-1',"
                                      "'question':'Q?'},'a':[]}")),
              "%.*s", STR_FMT(i.state));
    i.state = STR("{}");
    cr_assert(!suspension_put_mirror(a, &s, &i));
    cr_assert(str_eq(i.state, json_of("{'_suspension':{'id':'s-1',"
                                      "'question':'Q?'}}")));
}

Test(suspension, a_full_state_has_room_for_the_mirror)
{
    const size_t n = INTENT_STATE_MAX - 8;
    char *text = arena_alloc(a, n);
    memset(text, 'x', n);
    struct json *state = json_object(a), *answer = json_object(a);
    json_set_text(state, "a", (struct str){text, n});
    struct intent i = {.state = json_dump(a, state, INTENT_STATE_MAX)};
    cr_assert_eq(i.state.n, INTENT_STATE_MAX);
    struct suspension s = decided(SUSPENSION_RESOLVED, "answered");
    struct json *r = json_object(a);
    json_set_text(r, "x", (struct str){text, SUSPENSION_RECORD_MAX - 8});
    s.record = json_dump(a, r, SUSPENSION_RECORD_MAX);
    json_set_text(answer, "x", (struct str){text, SUSPENSION_RESPONSE_MAX - 8});
    s.response = json_dump(a, answer, SUSPENSION_RESPONSE_MAX);
    cr_assert(s.record.p && s.response.p);
    cr_assert(!suspension_put_mirror(a, &s, &i));
}

/* ---- choices -------------------------------------------------------- */

#define YES_NO                                                                 \
    "[{'value':'yes','label':'Yes','style':'primary','effect':'none'},"       \
    "{'value':'no','label':'No','style':'default','effect':'none'}]"

Test(suspension, choices)
{
    static const struct {
        enum answer_type type;
        const char *choices, *offered;
    } cases[] = {
        {ANSWER_CHOICE, "[{'value':'a','label':'A'}]",
         "[{'value':'a','label':'A'}]"},
        {ANSWER_CHOICE, "[]", "[]"},
        {ANSWER_CONFIRM, "[]", YES_NO},
        {ANSWER_CONFIRM, "", YES_NO},
        {ANSWER_CONFIRM, "[{'value':'go','label':'Go'}]",
         "[{'value':'go','label':'Go'}]"},
        {ANSWER_TEXT, "[]", "[]"},
        {ANSWER_FORM, "[]", "[]"},
        {ANSWER_TEXT, "{}", "[]"},
    };
    for (size_t i = 0; i < countof(cases); i++) {
        struct suspension s = pending();
        s.response_type = cases[i].type;
        s.choices = json_of(cases[i].choices);
        same(suspension_choices(a, &s), cases[i].offered);
    }
}

Test(suspension, keeps_its_trees)
{
    struct suspension s = pending();
    const struct json *none = NULL;
    s.subject = json_of("{'n':1.50}");
    s.choices = json_of("[{'value':'a','label':'A'}]");
    cr_assert(suspension_subject(a, &s) != suspension_subject(a, &s));
    suspension_keep(a, &s);
    const struct json *subject = suspension_subject(a, &s);
    const struct json *choices = suspension_choices(a, &s);
    cr_assert(str_is(json_digits(json_get(subject, "n")), "1.50"));
    const struct suspension other = s;
    cr_assert_eq(suspension_subject(a, &other), subject);
    cr_assert_eq(suspension_choices(a, &other), choices);
    cr_assert_eq(suspension_final(a, &s), subject);
    cr_assert_null(suspension_approved(a, &s));
    s.approved_subject = json_of("{'n':1}");
    cr_assert_eq(suspension_final(a, &s), suspension_approved(a, &s));
    cr_assert_neq(suspension_final(a, &s), subject);
    /* Another text, and one that cannot be parsed. */
    s.subject = json_of("{'n':2}");
    same(suspension_subject(a, &s), "{'n':2}");
    same(suspension_subject(a, &other), "{'n':1.5}");
    s.subject = STR("{\"n\":1,\"n\":2}");
    cr_assert_null(suspension_subject(a, &s));
    cr_assert_str_eq(suspension_parse_subject(a, &s, &none)->code,
                     "json.duplicate_key");
    cr_assert_null(none);
    s.subject = STR_NONE;
    cr_assert_null(suspension_subject(a, &s));
    cr_assert_not_null(suspension_parse_subject(a, &s, &none));
}

Test(suspension, a_decision_is_not_kept_in_the_record)
{
    struct suspension s = pending();
    struct json *record = NULL;
    cr_assert(!suspension_seal(a, &s, NOW));
    cr_assert(!suspension_parse_record(a, &s, &record));
    cr_assert_eq(suspension_mirror(a, &s), record);
    cr_assert(str_eq(json_dump(a, record, 1 << 16), s.record));
    s.state = SUSPENSION_RESOLVED;
    s.responded_by = STR("anna");
    cr_assert(json_has(suspension_mirror(a, &s), "responded_by"));
    cr_assert(!json_has(record, "responded_by"));
    /* Another text is parsed. */
    s.record = json_of("{'id':'other'}");
    cr_assert(!suspension_parse_record(a, &s, &record));
    same(record, "{'id':'other'}");
    s.record = STR("{");
    cr_assert_str_eq(suspension_parse_record(a, &s, &record)->code,
                     "json.syntax");
}

Test(suspension, keeps_no_tree_of_a_shorter_arena)
{
    struct suspension s = pending();
    struct arena *row = arena_within(a);
    s.subject = json_of("{'n':1}");
    suspension_keep(a, &s);
    const struct json *there = suspension_subject(row, &s);
    same(there, "{'n':1}");
    cr_assert_neq(suspension_subject(row, &s), there);
    arena_free(row);
    const struct json *kept = suspension_subject(a, &s);
    same(kept, "{'n':1}");
    cr_assert_eq(suspension_subject(a, &s), kept);
}

Test(suspension, offers_a_list_and_its_text)
{
    struct suspension s = pending();
    const struct json *list = tree("[{'value':'a','label':'A'}]");
    suspension_keep(a, &s);
    suspension_offer(a, &s, list, 100);
    cr_assert(str_eq(s.choices, json_dump(a, list, 100)));
    cr_assert_eq(suspension_choices(a, &s), list);
    suspension_offer(a, &s, list, 10);
    cr_assert(!s.choices.p);
    cr_assert_eq(json_count(suspension_choices(a, &s)), 0);
    /* A list that is empty offers the yes and no of a confirm. */
    s.response_type = ANSWER_CONFIRM;
    suspension_offer(a, &s, tree("[]"), 100);
    same(suspension_choices(a, &s), YES_NO);
}

Test(suspension, choice_of_a_value)
{
    const struct json *list = tree("[{'value':'a','label':'A'},"
                                   "{'value':'b','label':'B'}]");
    cr_assert_eq(suspension_choice(list, STR("a")), json_at(list, 0));
    cr_assert_eq(suspension_choice(list, STR("b")), json_at(list, 1));
    static const char *const others[] = {"", "A", "a ", "ab", "c"};
    for (size_t i = 0; i < countof(others); i++)
        cr_assert(!suspension_choice(list, str_of(others[i])), "%s",
                  others[i]);
    cr_assert(!suspension_choice(list, STR_NONE));
    cr_assert(!suspension_choice(json_array(a), STR("a")));
    cr_assert(!suspension_choice(NULL, STR("a")));
}

/* ---- what silence will do ------------------------------------------- */

#define BY "If nobody answers by 2026-11-20 09:26:13 UTC, "
#define CHOICES "[{'value':'deny','label':'Deny it'}]"

static const struct {
    bool ends;
    enum answer_type type;
    enum fallback_policy policy;
    const char *value; /* NULL: none */
    const char *says;
} silence[] = {
    {false, ANSWER_CHOICE, FALLBACK_FAIL, NULL,
     "This request waits until somebody answers it."},
    {false, ANSWER_CHOICE, FALLBACK_COMPLETE, "'deny'",
     "This request waits until somebody answers it."},
    {true, ANSWER_CHOICE, FALLBACK_FAIL, NULL,
     BY "nothing is approved and the task stops."},
    {true, ANSWER_CHOICE, FALLBACK_FAIL, "'deny'",
     BY "nothing is approved and the task stops."},
    {true, ANSWER_CHOICE, FALLBACK_COMPLETE, "'deny'",
     BY "the agent continues with its default, \"Deny it\"."},
    {true, ANSWER_CHOICE, FALLBACK_CONTINUE, "'deny'",
     BY "the agent continues with its default, \"Deny it\"."},
    {true, ANSWER_CHOICE, FALLBACK_CONTINUE, "'other'",
     BY "the agent continues with its default, \"other\"."},
    {true, ANSWER_CONFIRM, FALLBACK_COMPLETE, "'no'",
     BY "the agent continues with its default, \"No\"."},
    {true, ANSWER_TEXT, FALLBACK_COMPLETE, "'as before'",
     BY "the agent continues with its default, \"as before\"."},
    {true, ANSWER_TEXT, FALLBACK_COMPLETE, "5",
     BY "the agent continues with its default, 5."},
    {true, ANSWER_FORM, FALLBACK_COMPLETE, "{'a':1.50}",
     BY "the agent continues with its default, {\"a\":1.50}."},
    {true, ANSWER_TEXT, FALLBACK_COMPLETE, "null",
     BY "the agent continues without an answer."},
    {true, ANSWER_TEXT, FALLBACK_COMPLETE, NULL,
     BY "the agent continues without an answer."},
    {true, ANSWER_TEXT, FALLBACK_CONTINUE, NULL,
     BY "the agent continues without an answer."},
};

Test(suspension, on_expiry)
{
    for (size_t i = 0; i < countof(silence); i++) {
        struct suspension s = pending();
        s.expires_at = silence[i].ends ? NOW : 0;
        s.response_type = silence[i].type;
        s.fallback_policy = silence[i].policy;
        if (silence[i].type == ANSWER_CHOICE)
            s.choices = json_of(CHOICES);
        if (silence[i].value)
            s.fallback_value = json_of(silence[i].value);
        const struct str said = suspension_on_expiry(a, &s);
        cr_assert(str_is(said, silence[i].says), "case %zu: %.*s", i,
                  STR_FMT(said));
    }
}

Test(suspension, on_expiry_shortens_a_long_answer)
{
    for (size_t n = 198; n < 200; n++) {
        struct suspension s = pending();
        struct buf b = buf_make(a, 4096), wanted = buf_make(a, 4096);
        buf_char(&b, '"');
        for (size_t i = 0; i < n; i++)
            buf_put(&b, "\xC3\xA9");
        buf_char(&b, '"');
        s.expires_at = NOW;
        s.response_type = ANSWER_TEXT;
        s.fallback_policy = FALLBACK_COMPLETE;
        s.fallback_value = buf_text(&b);
        buf_put(&wanted, BY "the agent continues with its default, ");
        buf_str(&wanted, str_head(s.fallback_value, 200));
        buf_put(&wanted, n > 198 ? " ...." : ".");
        cr_assert(str_eq(suspension_on_expiry(a, &s), buf_text(&wanted)));
    }
}

/* ---- the event ------------------------------------------------------ */

Test(suspension, payload_of_a_bare_question)
{
    struct suspension s = pending();
    s.subject_sha256 = STR("abc");
    same(suspension_payload(a, &s),
         "{'suspension_id':'s-1','question':'Q?','response_type':'choice',"
         "'choices':[],'channel_hint':null,'timeout_seconds':null,"
         "'fallback_policy':'fail','confidence_at_suspension':null,"
         "'retry_policy':null,'subject_sha256':'abc','severity':null}");
}

Test(suspension, payload_of_a_full_question)
{
    struct suspension s = pending();
    s.subject_sha256 = STR("abc");
    s.response_type = ANSWER_CONFIRM;
    s.channel_hint = STR("slack");
    s.timeout_seconds = 600;
    s.expires_at = NOW;
    s.fallback_policy = FALLBACK_CONTINUE;
    s.confidence = STR("0.55");
    s.retry_policy = json_of("{'max_attempts':2}");
    s.severity = s.severity_said = SEVERITY_HIGH;
    same(suspension_payload(a, &s),
         "{'suspension_id':'s-1','question':'Q?','response_type':'confirm',"
         "'choices':" YES_NO ",'channel_hint':'slack','timeout_seconds':600,"
         "'fallback_policy':'use_default_and_continue',"
         "'confidence_at_suspension':0.55,'retry_policy':{'max_attempts':2},"
         "'subject_sha256':'abc','severity':'high',"
         "'expires_at':'2026-11-20T09:26:13.510233'}");
    s.confidence = STR("0");
    cr_assert(json_has(suspension_payload(a, &s),
                       "confidence_at_suspension"));
    same(json_get(suspension_payload(a, &s), "confidence_at_suspension"),
         "0");
}
