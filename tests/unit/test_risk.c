/* How grave a question is at the least, and what a grave yes asks for. */
#include "domain/kind/effect.h"
#include "domain/question/risk.h"

#include "suite.h"

SUITE(risk);

#define SHA "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define BOTH                                                                   \
    "[{'value':'y','effect':'authorize'},{'value':'n','effect':'veto'},"       \
    "{'value':'m','effect':'authorize_modified'},"                             \
    "{'value':'t','effect':'accept'},{'value':'o','effect':'none'},"           \
    "{'value':'c','effect':'request_changes'}]"

static struct suspension asked(const char *severity, const char *subject)
{
    const enum severity said = vocabulary_severity_of(str_of(severity));
    return (struct suspension){.severity = said,
                               .severity_said = said,
                               .subject = json_of(subject),
                               .subject_sha256 = STR(SHA),
                               .response_type = ANSWER_CHOICE,
                               .choices = json_of(BOTH)};
}

/* ---- floors --------------------------------------------------------- */

static const struct {
    const char *said; /* NULL: nothing */
    enum severity kind, key;
    const char *subject;
    const char *counts, *kept; /* NULL: nothing; not raised */
} floors[] = {
    {NULL, SEVERITY_UNSAID, SEVERITY_UNSAID, "{}", NULL, NULL},
    {"low", SEVERITY_UNSAID, SEVERITY_UNSAID, "{}", "low", NULL},
    {"critical", SEVERITY_UNSAID, SEVERITY_UNSAID, "{}", "critical", NULL},
    /* A floor counts for what is not said too, */
    {NULL, SEVERITY_LOW, SEVERITY_UNSAID, "{}", "low", "none"},
    {NULL, SEVERITY_UNSAID, SEVERITY_HIGH, "{}", "high", "none"},
    /* the highest of them counts, */
    {"low", SEVERITY_MEDIUM, SEVERITY_HIGH, "{}", "high", "low"},
    {"low", SEVERITY_CRITICAL, SEVERITY_HIGH, "{}", "critical", "low"},
    /* and none lowers the agent's word. */
    {"high", SEVERITY_MEDIUM, SEVERITY_LOW, "{}", "high", NULL},
    {"high", SEVERITY_HIGH, SEVERITY_UNSAID, "{}", "high", NULL},
    /* An action that cannot be undone is high at least. */
    {NULL, SEVERITY_UNSAID, SEVERITY_UNSAID, "{'reversible':false}", "high",
     "none"},
    {"low", SEVERITY_UNSAID, SEVERITY_UNSAID, "{'reversible':false}", "high",
     "low"},
    {"low", SEVERITY_CRITICAL, SEVERITY_UNSAID, "{'reversible':false}",
     "critical", "low"},
    {"critical", SEVERITY_UNSAID, SEVERITY_UNSAID, "{'reversible':false}",
     "critical", NULL},
    {"low", SEVERITY_UNSAID, SEVERITY_UNSAID, "{'reversible':true}", "low",
     NULL},
    {"low", SEVERITY_UNSAID, SEVERITY_UNSAID, "{'reversible':null}", "low",
     NULL},
    {"low", SEVERITY_UNSAID, SEVERITY_UNSAID, "{'reversible':'false'}", "low",
     NULL},
    {"low", SEVERITY_UNSAID, SEVERITY_UNSAID, "{'reversible':0}", "low", NULL},
};

Test(risk, the_agents_word_is_only_raised)
{
    for (size_t i = 0; i < countof(floors); i++) {
        struct suspension s = asked(floors[i].said, floors[i].subject);
        const struct terms key = {.floor = floors[i].key};
        struct terms both = {.floor = floors[i].kind};
        principal_terms_add(&both, &key);
        risk_settle(a, &s, &both);
        cr_assert_eq(s.severity,
                     vocabulary_severity_of(str_of(floors[i].counts)),
                     "case %zu", i);
        cr_assert_eq(s.severity_said,
                     vocabulary_severity_of(str_of(floors[i].said)),
                     "case %zu", i);
        const struct str kept =
            json_get_text(suspension_payload(a, &s), "severity_said");
        cr_assert(str_eq(kept, str_of(floors[i].kept)), "case %zu: %.*s", i,
                  STR_FMT(kept));
    }
}

Test(risk, how_many_presses)
{
    static const struct {
        const char *severity, *choices;
        bool two;
    } rows[] = {{"low", BOTH, false},
                {"medium", BOTH, true},
                {"medium", "[{'value':'o','effect':'none'}]", true},
                {"critical", "[]", true},
                {NULL, BOTH, true},
                {NULL, "[{'value':'t','effect':'accept'}]", true},
                {NULL, "[{'value':'n','effect':'veto'}]", false},
                {NULL, "[{'value':'o','effect':'none'}]", false},
                {NULL, "[]", false}};
    for (size_t i = 0; i < countof(rows); i++) {
        struct suspension s = asked(rows[i].severity, "{}");
        s.choices = json_of(rows[i].choices);
        cr_assert_eq(risk_two_step(a, &s), rows[i].two, "case %zu", i);
    }
}

/* ---- the typed yes -------------------------------------------------- */

#define FINAL "'reversible':false"

static const struct {
    enum kind kind;
    const char *severity, *subject, *choice;
    const char *word; /* NULL: nothing has to be typed */
} words[] = {
    {KIND_NONE, "critical", "{'target':'order 12'}", "y", "order 12"},
    {KIND_NONE, "critical", "{'target':' order 12 '}", "m", "order 12"},
    {KIND_APPROVAL, "critical", "{'target':'order 12'}", "t", "order 12"},
    {KIND_NONE, "high", "{" FINAL ",'target':'order 12'}", "y", "order 12"},
    {KIND_PERMISSION, "high", "{'target':'order 12'}", "y", "order 12"},
    /* Where there is no target it is the server's word, */
    {KIND_NONE, "critical", "{}", "y", "Approve"},
    {KIND_NONE, "critical", "{'target':''}", "m", "Approve with changes"},
    {KIND_NONE, "critical", "{'target':5}", "t", "Accept"},
    /* and digits where no keyboard has it. */
    {KIND_NONE, "critical", "{'target':'a\\nb'}", "y", "01234567"},
    {KIND_NONE, "critical", "{'target':'a\xE2\x80\x8B" "b'}", "y", "01234567"},
    {KIND_NONE, "critical",
     "{'target':'1234567890123456789012345678901234567890"
     "123456789012345678901'}", "y", "01234567"},
    /* Only a yes is typed, */
    {KIND_NONE, "critical", "{" FINAL ",'target':'x'}", "n", NULL},
    {KIND_NONE, "critical", "{" FINAL ",'target':'x'}", "o", NULL},
    {KIND_NONE, "critical", "{" FINAL ",'target':'x'}", "c", NULL},
    /* and a grave one. */
    {KIND_NONE, "high", "{'target':'x'}", "y", NULL},
    {KIND_APPROVAL, "high", "{'target':'x','reversible':true}", "y", NULL},
    {KIND_PERMISSION, "medium", "{'target':'x'}", "y", NULL},
    {KIND_NONE, NULL, "{'target':'x'}", "y", NULL},
};

/* Changes of {'target':'order 12','amount':5} with a limit of 9. */
Test(risk, what_exceeds_is_typed)
{
    static const struct {
        const char *allowed, *word;
    } rows[] = {
        {"{'target':'order 12','amount':4,'constraints':{'amount':9}}", NULL},
        {"{'target':'order 12','amount':7,'constraints':{'amount':9}}", NULL},
        {"{'target':'order 12','amount':10,'constraints':{'amount':9}}",
         "order 12"},
        {"{'target':'order 12','amount':5,'constraints':{'amount':99}}",
         "order 12"},
        {"{'target':'order 13','amount':5,'constraints':{'amount':9}}",
         "order 13"},
        {"{'target':'a\\nb','amount':5,'constraints':{'amount':9}}",
         "fedcba98"},
    };
    struct json *choice = tree("{'value':'m','effect':'authorize_modified'}");
    for (size_t i = 0; i < countof(rows); i++) {
        struct suspension s = asked(
            "low",
            "{'target':'order 12','amount':5,'constraints':{'amount':9}}");
        s.approved_subject = json_of(rows[i].allowed);
        s.approved_sha256 = STR("fedcba9876543210");
        const struct str word = risk_typed(a, &s, choice);
        cr_assert(rows[i].word ? str_is(word, rows[i].word) : !word.p,
                  "case %zu: %.*s", i, STR_FMT(word));
    }
}

Test(risk, what_is_typed)
{
    for (size_t i = 0; i < countof(words); i++) {
        struct suspension s = asked(words[i].severity, words[i].subject);
        s.kind = words[i].kind;
        const struct json *choice = suspension_choice(
            suspension_choices(a, &s), str_of(words[i].choice));
        const struct str word = risk_typed(a, &s, choice);
        cr_assert(words[i].word ? str_is(word, words[i].word) : !word.p,
                  "case %zu: %.*s", i, STR_FMT(word));
        const struct err *e = risk_typed_check(a, &s, choice, STR_NONE);
        cr_assert_eq(e != NULL, words[i].word != NULL, "case %zu", i);
        if (!e)
            continue;
        cr_assert(e->kind == ERR_INVALID);
        cr_assert_str_eq(e->code, "typed.differs");
        cr_assert(str_is(e->at, "typed"));
        cr_assert(str_eq(json_get_text(e->more, "wanted"), word));
        cr_assert(str_search_nocase(e->say, word) < e->say.n);
        cr_assert(!risk_typed_check(a, &s, choice, word));
        cr_assert(risk_typed_check(a, &s, choice, STR("else")) != NULL);
    }
}

/* Surrounding space is no difference, case is one. */
Test(risk, how_it_is_typed)
{
    const struct suspension s = asked("critical", "{'target':'Order 12'}");
    const struct json *yes =
        suspension_choice(suspension_choices(a, &s), STR("y"));
    cr_assert(!risk_typed_check(a, &s, yes, STR(" Order 12\n")));
    cr_assert(!risk_typed_check(a, &s, yes, STR("Order\xC2\xA0 12")));
    cr_assert(risk_typed_check(a, &s, yes, STR("Order12")) != NULL);
    cr_assert(risk_typed_check(a, &s, yes, STR("order 12")) != NULL);
    cr_assert(risk_typed_check(a, &s, yes, STR("")) != NULL);
    const struct suspension composed =
        asked("critical", "{'target':'Zo\xC3\xAB'}");
    const struct json *sure = suspension_choice(
        suspension_choices(a, &composed), STR("y"));
    cr_assert(!risk_typed_check(a, &composed, sure, STR("Zoe\xCC\x88")));
    cr_assert(risk_typed_check(a, &composed, sure, STR("Zoe")) != NULL);
}

/* ---- terms since ------------------------------------------------------ */

Test(risk, terms_that_are_stricter)
{
    static const struct {
        const char *severity, *mode, *who; /* of the question */
        bool proven;
        enum severity floor;
        const char *by;
        bool stricter;
    } rows[] = {
        {"high", "operators", NULL, false, SEVERITY_HIGH, "", false},
        {"high", "operators", NULL, false, SEVERITY_CRITICAL, "", true},
        /* A severity that is not said counts as high. */
        {NULL, "operators", NULL, false, SEVERITY_HIGH, "", false},
        {NULL, "operators", NULL, false, SEVERITY_CRITICAL, "", true},
        {"low", "operators", NULL, false, SEVERITY_UNSAID, "operators", false},
        {"low", "named", "ines", false, SEVERITY_UNSAID, "operators", false},
        {"low", "initiator", NULL, true, SEVERITY_UNSAID, "operators", true},
        {"low", "operators", NULL, false, SEVERITY_UNSAID, "group:pay", true},
        {"low", "group", "pay", false, SEVERITY_UNSAID, "group:pay", false},
        {"low", "group", "ops", false, SEVERITY_UNSAID, "group:pay", true},
        {"low", "initiator", NULL, true, SEVERITY_UNSAID, "initiator", false},
        {"low", "initiator", NULL, false, SEVERITY_UNSAID, "initiator", true},
        {"low", "operators", NULL, true, SEVERITY_UNSAID, "initiator", true},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        struct suspension s = asked(rows[i].severity, "{}");
        struct terms t = {.floor = rows[i].floor};
        s.responder.mode = vocabulary_responder_mode_of(str_of(rows[i].mode));
        s.responder.who = rows[i].who ? str_of(rows[i].who) : STR_NONE;
        s.initiator_id = rows[i].proven ? STR("p") : STR_NONE;
        cr_assert(principal_by(str_of(rows[i].by), &t.by));
        cr_expect_eq(risk_stricter(a, &s, &t), rows[i].stricter, "row %zu", i);
    }
}

Test(risk, how_much_a_claimed_person_decides)
{
    const struct conf conf = {.claimed_initiator =
                                  SEVERITY_MEDIUM - SEVERITY_LOW};
    static const struct {
        const char *severity;
        bool over;
    } rows[] = {{"low", false}, {"medium", false}, {"high", true},
                {"critical", true}, {NULL, true}};
    for (size_t i = 0; i < countof(rows); i++) {
        struct suspension s = asked(rows[i].severity, "{}");
        cr_expect(!risk_claimed(&conf, &s));
        s.responder.mode = RESPONDER_INITIATOR;
        cr_expect_eq(risk_claimed(&conf, &s), rows[i].over, "row %zu", i);
        s.initiator_id = STR("p");
        cr_expect(!risk_claimed(&conf, &s));
    }
}
