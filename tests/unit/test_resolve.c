/* The one way in which a question ends. */
#include <stdio.h>

#include "base/clock.h"
#include "base/crypt.h"
#include "domain/answer/resolve.h"
#include "domain/kind/effect.h"
#include "domain/question/suspension_read.h"
#include "domain/question/suspension_seal.h"

#include "suite.h"

SUITE(resolve);

/* ---- a question, and who answers ------------------------------------ */

/* 2026-11-20T09:26:13.510233Z, and a minute and a half later. */
#define ASKED INT64_C(1795166773510233)
#define NOW (ASKED + 90 * CLOCK_SECOND)
#define SHA "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"

struct scene {
    struct intent intent;
    struct suspension s;
    struct event_list events;
    struct decision d;
};

static struct scene *scene(const char *body)
{
    struct scene *c = arena_new(a, struct scene);
    c->intent = (struct intent){.id = STR("i-1"),
                                .status = INTENT_SUSPENDED,
                                .state = json_of("{'kept':1.50}"),
                                .tail = {.sequence = 2,
                                         .hash = STR("sha256:two")}};
    const struct err *e = suspension_read(a, tree(body), json_of(body), &c->s);
    cr_assert(!e, "%s: %s %.*s", body, e ? e->code : "",
              STR_FMT(e ? e->at : STR_NONE));
    c->s.id = STR("s-1");
    c->s.intent_id = c->intent.id;
    c->s.asked_by = STR("bot");
    c->s.asked_by_key = STR("key-of-bot");
    cr_assert(!suspension_seal(a, &c->s, ASKED));
    c->d = (struct decision){.intent = &c->intent,
                             .suspension = &c->s,
                             .dependencies_done = true,
                             .events = &c->events,
                             .now = NOW};
    return c;
}

#define CHOICES                                                                \
    "{'question':'Q?','choices':["                                            \
    "{'value':'go','label':'Go on','description':'D','effect':'authorize'},"  \
    "{'value':'stop','label':'Stop','effect':'veto'}]}"

static const struct principal ada = {.role = ROLE_OPERATOR,
                                     .person = true,
                                     .id = {"p-1", 3},
                                     .name = {"ada@example.com", 15},
                                     .title = {"Ada", 3}};

static struct answer saying(const char *value)
{
    struct answer w = {.via = VIA_BROWSER};
    w.value = value ? tree(value) : NULL;
    return w;
}

static struct json *payload(const struct scene *c, size_t i)
{
    cr_assert(i < c->events.n);
    return json_get(tree_of(c->events.v[i].canonical), "payload");
}

static void event_is(const struct scene *c, size_t i, const char *type,
                     const char *actor)
{
    cr_assert(i < c->events.n, "event %zu", i);
    const struct json *o = tree_of(c->events.v[i].canonical);
    cr_assert(str_is(json_get_text(o, "event_type"), type));
    cr_assert(str_is(json_get_text(o, "actor"), actor));
    cr_assert(str_is(json_get_text(o, "intent_id"), "i-1"));
    cr_assert_eq(json_int(json_get(o, "sequence")), (int64_t)i + 3);
    cr_assert(str_is(json_get_text(o, "created_at"),
                     "2026-11-20T09:27:43.510233"));
}

static struct json *mirror(const struct scene *c)
{
    return json_get(tree_of(c->intent.state), "_suspension");
}

/* Nothing was decided. */
static void untouched(const struct scene *c, const char *what)
{
    cr_assert_eq(c->s.state, SUSPENSION_PENDING, "%s", what);
    cr_assert(c->s.outcome == OUTCOME_UNDECIDED && !c->s.responded_by.p, "%s",
              what);
    cr_assert_eq(c->events.n, 0, "%s", what);
    cr_assert_eq(c->intent.status, INTENT_SUSPENDED, "%s", what);
    cr_assert_eq(c->intent.tail.sequence, 2, "%s", what);
    cr_assert(str_eq(c->intent.state, json_of("{'kept':1.50}")));
}

static void refused(const struct err *e, enum err_kind kind, const char *code,
                    const char *what)
{
    cr_assert(e != NULL, "%s: %s is missing", what, code);
    cr_assert_str_eq(e->code, code, "%s", what);
    cr_assert_eq(e->kind, kind, "%s", what);
    cr_assert(e->say.n > 0);
}

/* ---- effects and outcomes ------------------------------------------- */

static const struct {
    const char *effect, *outcome;
    enum intent_status then;      /* on_reject resume */
    enum intent_status abandoned; /* on_reject abandon */
    const char *why; /* of the abandonment under on_reject abandon */
} effects[] = {
    {"authorize", "authorized", INTENT_ACTIVE, INTENT_ACTIVE, NULL},
    {"veto", "vetoed", INTENT_ACTIVE, INTENT_ABANDONED, "rejected"},
    {"request_changes", "changes_requested", INTENT_ACTIVE, INTENT_ACTIVE,
     NULL},
    {"answer", "answered", INTENT_ACTIVE, INTENT_ACTIVE, NULL},
    {"decline", "declined", INTENT_ACTIVE, INTENT_ACTIVE, NULL},
    {"accept", "accepted", INTENT_ACTIVE, INTENT_ACTIVE, NULL},
    {"stop_task", "vetoed", INTENT_ABANDONED, INTENT_ABANDONED, "stopped"},
    {"none", "none", INTENT_ACTIVE, INTENT_ACTIVE, NULL},
};

static void try_effect(size_t i, bool abandon, bool dependencies_done)
{
    struct buf b = buf_make(a, 1024);
    buf_printf(&b,
               "{'question':'Q?','on_reject':'%s','choices':["
               "{'value':'other'},{'value':'x','effect':'%s'}]}",
               abandon ? "abandon" : "resume", effects[i].effect);
    struct scene *c = scene(arena_z(a, buf_text(&b)));
    c->d.dependencies_done = dependencies_done;
    const struct answer w = saying("'x'");
    const char *what = effects[i].effect;
    cr_assert(!resolve_respond(a, &c->d, &w, &ada), "%s", what);
    enum intent_status then =
        abandon ? effects[i].abandoned : effects[i].then;
    if (then == INTENT_ACTIVE && !dependencies_done)
        then = INTENT_BLOCKED;
    cr_assert(c->s.outcome == vocabulary_outcome_of(str_of(effects[i].outcome)),
              "%s: %s", what, vocabulary_outcome(c->s.outcome)->wire.p);
    cr_assert_eq(c->s.state, SUSPENSION_RESOLVED);
    cr_assert_eq(c->intent.status, then, "%s: %s", what,
                 vocabulary_intent_status(c->intent.status)->wire.p);
    event_is(c, 0, "intent.resumed", "ada@example.com");
    cr_assert(str_is(json_get_text(payload(c, 0), "outcome"),
                     effects[i].outcome));
    if (then == INTENT_ABANDONED) {
        event_is(c, 1, "status_changed", "ada@example.com");
        struct buf wanted = buf_make(a, 256);
        buf_printf(&wanted,
                   "{'old_status':'suspended_awaiting_input',"
                   "'new_status':'abandoned','suspension_id':'s-1',"
                   "'reason':'%s'}",
                   effects[i].why);
        same(payload(c, 1), arena_z(a, buf_text(&wanted)));
    }
    if (then == INTENT_ACTIVE)
        cr_assert_eq(c->events.n, 1);
}

Test(resolve, every_effect_has_its_outcome)
{
    for (size_t i = 0; i < countof(effects); i++)
        for (int flags = 0; flags < 4; flags++)
            try_effect(i, flags & 1, flags & 2);
}

Test(resolve, an_effect_that_nobody_knows_authorizes_nothing)
{
    static const char *const choices[] = {
        "[{'value':'x','label':'X'}]",
        "[{'value':'x','label':'X','effect':null}]",
        "[{'value':'x','label':'X','effect':'later'}]",
        "[{'value':'x','label':'X','effect':'Authorize'}]"};
    for (size_t i = 0; i < countof(choices); i++) {
        struct scene *c = scene(CHOICES);
        const struct answer w = saying("'x'");
        c->s.choices = json_of(choices[i]);
        c->s.on_reject = ON_REJECT_ABANDON;
        cr_assert(!resolve_respond(a, &c->d, &w, &ada));
        cr_assert(c->s.outcome == OUTCOME_NONE, "%s", choices[i]);
        cr_assert_eq(c->intent.status, INTENT_ACTIVE);
    }
}

/* ---- what is accepted for which question ---------------------------- */

#define NO_CHOICES "choice without choices"
#define TWO "{'question':'Q?','choices':[{'value':'a'},{'value':'b'}]}"
#define CONFIRM "{'question':'Q?'}"
#define OWN                                                                    \
    "{'question':'Q?','response_type':'confirm','choices':[{'value':'go'}]}"
#define TEXT "{'question':'Q?','response_type':'text'}"
#define FIELDS                                                                 \
    "{'question':'Q?','form':[{'key':'n','type':'integer','required':true},"  \
    "{'key':'s'}]}"
#define ANY_FORM "form by context"

#define CHOICE "response.invalid_choice"
#define EMPTY "response.empty"
#define FORM "response.form"

static const struct {
    const char *question, *value; /* value NULL: none was sent */
    const char *code;             /* NULL: accepted */
} answers[] = {
    /* choice: one of the values, exactly */
    {TWO, "'a'", NULL},
    {TWO, "'b'", NULL},
    {TWO, "'c'", CHOICE},
    {TWO, "'A'", CHOICE},
    {TWO, "' a'", CHOICE},
    {TWO, "''", CHOICE},
    {TWO, "'ab'", CHOICE},
    {TWO, "1", CHOICE},
    {TWO, "true", CHOICE},
    {TWO, "['a']", CHOICE},
    {TWO, "{'value':'a'}", CHOICE},
    {TWO, "null", CHOICE},
    {TWO, NULL, CHOICE},
    /* before there were choices, any value was an answer */
    {NO_CHOICES, "'anything'", NULL},
    {NO_CHOICES, "' '", NULL},
    {NO_CHOICES, "{'a':1}", NULL},
    {NO_CHOICES, "[1]", NULL},
    {NO_CHOICES, "''", EMPTY},
    {NO_CHOICES, "null", EMPTY},
    {NO_CHOICES, NULL, EMPTY},
    /* confirm: yes or no, also without choices */
    {CONFIRM, "'yes'", NULL},
    {CONFIRM, "'no'", NULL},
    {CONFIRM, "'Yes'", CHOICE},
    {CONFIRM, "'y'", CHOICE},
    {CONFIRM, "'maybe'", CHOICE},
    {CONFIRM, "''", CHOICE},
    {CONFIRM, "true", CHOICE},
    {CONFIRM, "1", CHOICE},
    {CONFIRM, "null", CHOICE},
    {CONFIRM, NULL, CHOICE},
    {OWN, "'go'", NULL},
    {OWN, "'yes'", CHOICE},
    /* text: anything that is not empty */
    {TEXT, "'x'", NULL},
    {TEXT, "' '", NULL},
    {TEXT, "'\\n'", NULL},
    {TEXT, "'\xC3\xA9'", NULL},
    {TEXT, "''", EMPTY},
    {TEXT, "null", EMPTY},
    {TEXT, "5", EMPTY},
    {TEXT, "true", EMPTY},
    {TEXT, "['x']", EMPTY},
    {TEXT, "{}", EMPTY},
    {TEXT, NULL, EMPTY},
    /* form: by its fields, or passed through as it is */
    {FIELDS, "{'n':5}", NULL},
    {FIELDS, "{'n':5,'s':'x'}", NULL},
    {FIELDS, "{'n':'5'}", FORM},
    {FIELDS, "{'s':'x'}", FORM},
    {FIELDS, "{'n':5,'x':1}", FORM},
    {FIELDS, "{}", FORM},
    {FIELDS, "'x'", FORM},
    {FIELDS, "[]", FORM},
    {FIELDS, NULL, EMPTY},
    {ANY_FORM, "{'whatever':[1]}", NULL},
    {ANY_FORM, "{}", NULL},
    {ANY_FORM, "'text'", NULL},
    {ANY_FORM, "5", NULL},
    {ANY_FORM, "false", NULL},
    {ANY_FORM, NULL, EMPTY},
};

static struct scene *asking(const char *question)
{
    struct scene *c = scene(*question == '{' ? question : CONFIRM);
    if (strcmp(question, NO_CHOICES) == 0) {
        c->s.response_type = ANSWER_CHOICE;
        c->s.choices = STR("[]");
    }
    if (strcmp(question, ANY_FORM) == 0)
        c->s.response_type = ANSWER_FORM;
    return c;
}

static void try_answer(const char *question, const char *value,
                       const char *code)
{
    struct scene *c = asking(question);
    const struct answer w = saying(value);
    const struct json *choice = (const struct json *)c;
    char what[512];
    snprintf(what, sizeof what, "%s %s", question, value ? value : "nothing");
    const struct err *e = resolve_check(a, &c->s, &w, &choice);
    untouched(c, what);
    if (code) {
        refused(e, ERR_INVALID, code, what);
        cr_assert(choice == NULL, "%s", what);
        refused(resolve_respond(a, &c->d, &w, &ada), ERR_INVALID, code, what);
        untouched(c, what);
        return;
    }
    cr_assert(!e, "%s: %s", what, e ? e->code : "");
    const bool chosen = c->s.response_type <= ANSWER_CONFIRM &&
                        strcmp(question, NO_CHOICES) != 0;
    cr_assert_eq(choice != NULL, chosen, "%s", what);
    cr_assert(!chosen || str_eq(json_get_text(choice, "value"),
                                json_text(w.value)));
    e = resolve_respond(a, &c->d, &w, &ada);
    cr_assert(!e, "%s: %s", what, e ? e->code : "");
    same(tree_of(c->s.response), value);
    same(json_get(mirror(c), "response"), value);
    same(json_get(payload(c, 0), "value"), value);
    cr_assert_eq(c->s.outcome,
                 chosen ? effect_outcome(effect_of_choice(choice))
                        : OUTCOME_ANSWERED,
                 "%s", what);
}

Test(resolve, every_type_accepts_and_refuses)
{
    for (size_t i = 0; i < countof(answers); i++)
        try_answer(answers[i].question, answers[i].value, answers[i].code);
}

/* RFC-0025 12: without choices any value is accepted, as before they were
 * introduced. */
Test(resolve, a_choice_without_choices_takes_any_value)
{
    static const char *const values[] = {"5", "1.50", "true", "false", "0"};
    for (size_t i = 0; i < countof(values); i++)
        try_answer(NO_CHOICES, values[i], NULL);
}

Test(resolve, an_unknown_type_is_our_own_defect)
{
    struct scene *c = scene(CONFIRM);
    const struct json *choice = NULL;
    const struct answer w = saying("'yes'");
    c->s.response_type = ANSWER_TYPE__MAX;
    refused(resolve_check(a, &c->s, &w, &choice), ERR_INTERNAL, "internal",
            "type");
}

Test(resolve, a_wrong_choice_is_told_the_valid_ones)
{
    struct scene *c = scene(CHOICES);
    const struct answer w = saying("'maybe'");
    const struct err *e = resolve_respond(a, &c->d, &w, &ada);
    refused(e, ERR_INVALID, CHOICE, "choice");
    same(e->more, "{'error':'invalid_choice','valid_choices':["
                  "{'value':'go','label':'Go on','description':'D'},"
                  "{'value':'stop','label':'Stop'}]}");
    c = scene(CONFIRM);
    e = resolve_respond(a, &c->d, &w, &ada);
    refused(e, ERR_INVALID, CHOICE, "confirm");
    same(json_get(e->more, "valid_choices"),
         "[{'value':'yes','label':'Yes'},{'value':'no','label':'No'}]");
}

Test(resolve, a_wrong_form_is_told_its_fields)
{
    struct scene *c = scene(FIELDS);
    const struct answer w = saying("{'n':'x','y':1}");
    const struct err *e = resolve_respond(a, &c->d, &w, &ada);
    refused(e, ERR_INVALID, FORM, "form");
    same(e->more, "{'fields':{'n':'This has to be a whole number.',"
                  "'y':'The form has no such field.'}}");
}

Test(resolve, text_has_a_length)
{
    for (size_t n = 20000; n < 20002; n++) {
        struct scene *c = scene(TEXT);
        struct answer w = saying("'x'");
        w.value = json_string(a, copies("\xC3\xA9", n));
        const struct err *e = resolve_respond(a, &c->d, &w, &ada);
        if (n <= 20000)
            cr_assert(!e, "%s", e ? e->code : "");
        else
            refused(e, ERR_INVALID, "response.too_long", "text");
    }
}

Test(resolve, an_answer_has_a_size)
{
    for (size_t over = 0; over < 2; over++) {
        struct scene *c = asking(ANY_FORM);
        struct answer w = saying("{}");
        const size_t n = SUSPENSION_RESPONSE_MAX - 8 + over;
        char *text = arena_alloc(a, n);
        memset(text, 'x', n);
        struct json *value = json_object(a);
        json_set_text(value, "a", (struct str){text, n});
        w.value = value;
        const struct err *e = resolve_respond(a, &c->d, &w, &ada);
        if (!over)
            cr_assert(!e, "%s", e ? e->code : "");
        else
            refused(e, ERR_TOO_LARGE, "response.too_large", "size");
        cr_assert_eq(c->events.n, over ? 0 : 1);
    }
}

/* ---- reasons -------------------------------------------------------- */

static const struct {
    const char *wants;  /* of the choice; NULL: says nothing */
    const char *reason; /* NULL: none */
    const char *code;
    const char *kept; /* NULL: none */
} reasons[] = {
    {NULL, NULL, NULL, NULL},
    {NULL, "because", NULL, "because"},
    {"none", NULL, NULL, NULL},
    {"optional", NULL, NULL, NULL},
    {"optional", "", NULL, NULL},
    {"optional", " \t\n", NULL, NULL},
    {"optional", "because", NULL, "because"},
    {"required", "because", NULL, "because"},
    {"required", " x ", NULL, " x "},
    {"required", NULL, "reason.missing", NULL},
    {"required", "", "reason.missing", NULL},
    {"required", " \t\n", "reason.missing", NULL},
};

Test(resolve, reasons)
{
    for (size_t i = 0; i < countof(reasons); i++) {
        struct json *body = tree("{'question':'Q?','choices':[{'value':'x'},"
                                 "{'value':'other','reason':'required'}]}");
        if (reasons[i].wants)
            json_set_text(json_at(json_get(body, "choices"), 0), "reason",
                          str_of(reasons[i].wants));
        struct scene *c = scene(arena_z(a, json_dump(a, body, 4096)));
        struct answer w = saying("'x'");
        w.reason = str_of(reasons[i].reason);
        const struct err *e = resolve_respond(a, &c->d, &w, &ada);
        if (reasons[i].code) {
            refused(e, ERR_INVALID, reasons[i].code, "reason");
            cr_assert(str_is(e->at, "reason"));
            untouched(c, "reason");
            continue;
        }
        cr_assert(!e, "case %zu: %s", i, e ? e->code : "");
        const char *kept = reasons[i].kept;
        cr_assert(kept ? str_is(c->s.reason, kept) : !c->s.reason.p,
                  "case %zu", i);
        cr_assert_eq(json_has(mirror(c), "reason"), kept != NULL);
        cr_assert_eq(json_has(payload(c, 0), "reason"), kept != NULL);
        cr_assert(!kept || str_is(json_get_text(payload(c, 0), "reason"),
                                  kept));
    }
}

Test(resolve, a_reason_has_a_length)
{
    for (size_t n = SUSPENSION_REASON_MAX; n < SUSPENSION_REASON_MAX + 2; n++) {
        struct scene *c = scene(CONFIRM);
        struct answer w = saying("'yes'");
        w.reason = copies("\xC3\xA9", n);
        const struct err *e = resolve_respond(a, &c->d, &w, &ada);
        if (n <= SUSPENSION_REASON_MAX)
            cr_assert(!e, "%s", e ? e->code : "");
        else
            refused(e, ERR_INVALID, "reason.too_long", "reason");
    }
}

/* ---- who may -------------------------------------------------------- */

#define KEY STR("key-of-bot")

static const struct {
    struct principal who;
    const char *code; /* NULL: may answer */
} answerers[] = {
    {{.role = ROLE_OPERATOR, .id = {"k", 1}, .name = {"n", 1}}, NULL},
    {{.role = ROLE_OPERATOR, .person = true, .id = {"k", 1}, .name = {"n", 1}},
     NULL},
    {{.role = ROLE_ADMIN, .id = {"k", 1}, .name = {"n", 1}}, NULL},
    {{.role = ROLE_ADMIN, .person = true, .id = {"k", 1}, .name = {"n", 1}},
     NULL},
    {{.role = ROLE_AGENT, .id = {"k", 1}, .agent = {"other", 5}},
     "suspension.not_yours"},
    {{.role = ROLE_AGENT, .id = {"key-of-bot", 10}, .agent = {"bot", 3}},
     "suspension.own_question"},
    {{.role = ROLE_AUDITOR, .person = true, .id = {"k", 1}, .name = {"n", 1}},
     "suspension.not_yours"},
    {{.role = ROLE_CLOCK, .id = {"k", 1}, .name = {"clock", 5}},
     "suspension.not_yours"},
    {{.role = ROLE_NONE, .id = {"k", 1}, .name = {"n", 1}},
     "suspension.not_yours"},
    /* The key that asked never answers, whatever else it may. */
    {{.role = ROLE_ADMIN, .id = {"key-of-bot", 10}, .name = {"n", 1}},
     "suspension.own_question"},
    {{.role = ROLE_OPERATOR, .id = {"key-of-bot", 10}, .name = {"n", 1}},
     "suspension.own_question"},
};

Test(resolve, who_may_answer)
{
    for (size_t i = 0; i < countof(answerers); i++) {
        struct scene *c = scene(CONFIRM);
        const struct answer w = saying("'yes'");
        const struct err *e =
            resolve_respond(a, &c->d, &w, &answerers[i].who);
        if (!answerers[i].code) {
            cr_assert(!e, "case %zu: %s", i, e ? e->code : "");
            cr_assert(str_is(c->s.responded_by, "n"));
            continue;
        }
        refused(e, ERR_FORBIDDEN, answerers[i].code, "who");
        untouched(c, "who");
    }
}

/* ---- the order of refusals ------------------------------------------ */

Test(resolve, refusals_come_in_their_order)
{
    static const struct principal agent = {
        .role = ROLE_AGENT, .id = {"k", 1}, .agent = {"x", 1}};
    struct scene *c = scene(CONFIRM);
    struct answer w = saying("'maybe'");
    w.seen = STR("something else");
    c->s.expires_at = NOW;
    c->s.state = SUSPENSION_RESOLVED;
    c->s.audit_summary = STR("It was answered.");
    refused(resolve_respond(a, &c->d, &w, &agent), ERR_FORBIDDEN,
            "suspension.not_yours", "who");
    refused(resolve_respond(a, &c->d, &w, &ada), ERR_CONFLICT,
            "suspension.already_decided", "decided");
    c->s.state = SUSPENSION_PENDING;
    refused(resolve_respond(a, &c->d, &w, &ada), ERR_CONFLICT,
            "suspension.expired", "expired");
    c->s.expires_at = NOW + 1;
    refused(resolve_respond(a, &c->d, &w, &ada), ERR_CONFLICT,
            "suspension.changed", "changed");
    w.seen = STR(SHA);
    refused(resolve_respond(a, &c->d, &w, &ada), ERR_INVALID, CHOICE,
            "value");
    untouched(c, "order");
    w.value = tree("'yes'");
    cr_assert(!resolve_respond(a, &c->d, &w, &ada));
}

static const struct {
    const char *seen; /* NULL: unsaid */
    bool ok;
} seens[] = {
    {NULL, true}, {SHA, true}, {"", false}, {"44136fa3", false},
    {"44136FA355B3678A1146AD16F7E8649E94FB4FC21FE77E8310C060F61CAAFF8A",
     false}};

Test(resolve, an_answer_counts_for_what_was_shown)
{
    for (size_t i = 0; i < countof(seens); i++) {
        struct scene *c = scene(CONFIRM);
        struct answer w = saying("'yes'");
        w.seen = str_of(seens[i].seen);
        const struct err *e = resolve_respond(a, &c->d, &w, &ada);
        cr_assert_eq(e == NULL, seens[i].ok, "case %zu", i);
        if (e) {
            refused(e, ERR_CONFLICT, "suspension.changed", "seen");
            untouched(c, "seen");
        }
    }
}

static const struct {
    int64_t expires_at;
    bool ok;
} ends[] = {{0, true}, {NOW + 1, true}, {NOW, false}, {NOW - 1, false}};

Test(resolve, an_answer_counts_only_in_time)
{
    for (size_t i = 0; i < countof(ends); i++) {
        struct scene *c = scene(CONFIRM);
        const struct answer w = saying("'yes'");
        c->s.expires_at = ends[i].expires_at;
        const struct err *e = resolve_respond(a, &c->d, &w, &ada);
        cr_assert_eq(e == NULL, ends[i].ok, "case %zu", i);
        if (e) {
            refused(e, ERR_CONFLICT, "suspension.expired", "time");
            untouched(c, "time");
        }
    }
}

/* ---- once decided --------------------------------------------------- */

static struct scene *decided_scene(enum suspension_state state)
{
    struct scene *c = scene(CHOICES);
    c->s.state = state;
    c->s.outcome = OUTCOME_AUTHORIZED;
    c->s.response = json_of("'go'");
    c->s.responded_by = STR("bob@example.com");
    c->s.responded_at = ASKED;
    c->s.audit_summary = STR("It is over.");
    return c;
}

Test(resolve, the_loser_is_told_who_won)
{
    static const struct {
        enum suspension_state state;
        const char *code, *word;
    } cases[] = {
        {SUSPENSION_RESOLVED, "suspension.already_decided", "resolved"},
        {SUSPENSION_EXPIRED, "suspension.expired", "expired"},
        {SUSPENSION_CANCELLED, "suspension.already_decided", "cancelled"}};
    for (size_t i = 0; i < countof(cases); i++) {
        struct scene *c = decided_scene(cases[i].state);
        const struct answer w = saying("'stop'");
        const struct err *e = resolve_respond(a, &c->d, &w, &ada);
        refused(e, ERR_CONFLICT, cases[i].code, cases[i].word);
        cr_assert(str_search(e->say, STR("It is over.")) < e->say.n);
        struct buf b = buf_make(a, 1024);
        buf_printf(&b,
                   "{'suspension_id':'s-1','state':'%s',"
                   "'outcome':'authorized','responded_by':'bob@example.com',"
                   "'responded_at':'2026-11-20T09:26:13.510233Z',"
                   "'value':'go','audit_summary':'It is over.'}",
                   cases[i].word);
        same(e->more, arena_z(a, buf_text(&b)));
        cr_assert_eq(c->events.n, 0);
        cr_assert(str_is(c->s.responded_by, "bob@example.com"));
        refused(resolve_decided(a, &c->s, false), ERR_CONFLICT,
                cases[i].code, "decided");
    }
}

/* OpenIntent's clients read a time without a zone, all others one with it. */
Test(resolve, the_loser_is_told_when_in_the_words_of_the_door)
{
    static const struct {
        const char *via, *at;
    } cases[] = {{"openintent", "2026-11-20T09:26:13.510233"},
                 {"native", "2026-11-20T09:26:13.510233Z"},
                 {"browser", "2026-11-20T09:26:13.510233Z"}};
    for (size_t i = 0; i < countof(cases); i++) {
        struct scene *c = decided_scene(SUSPENSION_RESOLVED);
        struct answer w = saying("'stop'");
        w.via = vocabulary_via_of(str_of(cases[i].via));
        const struct err *e = resolve_respond(a, &c->d, &w, &ada);
        cr_assert(str_is(json_get_text(e->more, "responded_at"),
                         cases[i].at));
        e = resolve_decided(a, &c->s, i == 0);
        cr_assert(str_is(json_get_text(e->more, "responded_at"),
                         cases[i].at));
    }
}

Test(resolve, a_conflict_about_silence_has_no_value)
{
    struct scene *c = decided_scene(SUSPENSION_EXPIRED);
    c->s.response = STR_NONE;
    c->s.outcome = OUTCOME_UNDECIDED;
    c->s.responded_by = STR_NONE;
    c->s.audit_summary = STR_NONE;
    const struct err *e = resolve_decided(a, &c->s, false);
    same(e->more, "{'suspension_id':'s-1','state':'expired','outcome':null,"
                  "'responded_by':null,"
                  "'responded_at':'2026-11-20T09:26:13.510233Z'}");
}

Test(resolve, two_operators_and_one_wins)
{
    struct scene *c = scene(CHOICES);
    const struct answer go = saying("'go'"), stop = saying("'stop'");
    struct principal bob = ada;
    bob.name = STR("bob@example.com");
    cr_assert(!resolve_respond(a, &c->d, &go, &ada));
    const struct str state = c->intent.state;
    const struct err *e = resolve_respond(a, &c->d, &stop, &bob);
    refused(e, ERR_CONFLICT, "suspension.already_decided", "second");
    cr_assert(str_is(json_get_text(e->more, "responded_by"),
                     "ada@example.com"));
    cr_assert(str_is(json_get_text(e->more, "value"), "go"));
    cr_assert(c->events.n == 1 && str_eq(c->intent.state, state));
}

/* ---- what is written ------------------------------------------------ */

Test(resolve, an_answer_on_record)
{
    struct scene *c = scene(CHOICES);
    struct answer w = saying("'go'");
    w.reason = STR("because");
    w.claimed = STR("somebody else");
    w.metadata = tree("{'m':1}");
    w.seen = STR(SHA);
    cr_assert(!resolve_respond(a, &c->d, &w, &ada));
    cr_assert_eq(c->s.state, SUSPENSION_RESOLVED);
    cr_assert(str_eq(c->s.response, json_of("'go'")));
    cr_assert(str_is(c->s.responded_by, "ada@example.com"));
    cr_assert(str_is(c->s.responded_by_claimed, "somebody else"));
    cr_assert(c->s.responded_via == VIA_BROWSER);
    cr_assert(c->s.responded_at == NOW);
    cr_assert(str_eq(c->s.metadata, json_of("{'m':1}")));
    cr_assert(str_is(c->s.audit_summary,
                     "Approved by ada@example.com in the browser, 90 s after "
                     "bot asked."),
              "%.*s", STR_FMT(c->s.audit_summary));
    cr_assert_eq(c->events.n, 1);
    event_is(c, 0, "intent.resumed", "ada@example.com");
    same(payload(c, 0),
         "{'intent_id':'i-1','suspension_id':'s-1','value':'go',"
         "'choice_label':'Go on','choice_description':'D',"
         "'responded_by':'somebody else',"
         "'decided_by':'ada@example.com',"
         "'responded_at':'2026-11-20T09:27:43.510233',"
         "'outcome':'authorized','via':'browser','subject_sha256':'" SHA
         "','reason':'because'}");
    cr_assert_eq(c->intent.status, INTENT_ACTIVE);
    cr_assert(c->intent.tail.sequence == 3);
    cr_assert(str_eq(c->intent.tail.hash, c->events.v[0].hash));
    cr_assert(str_is(c->events.v[0].previous, "sha256:two"));
    const struct json *m = mirror(c);
    cr_assert(str_is(json_get_text(m, "resolution"), "responded"));
    cr_assert(str_is(json_get_text(m, "response"), "go"));
    cr_assert(str_is(json_get_text(m, "outcome"), "authorized"));
    cr_assert(str_is(json_get_text(m, "responded_by"), "somebody else"));
    cr_assert(str_is(json_get_text(m, "decided_by"), "ada@example.com"));
    cr_assert(str_is(json_get_text(m, "responded_at"),
                     "2026-11-20T09:27:43.510233"));
    same(json_get(m, "metadata"), "{'m':1}");
    /* The rest of the state is unchanged, byte for byte. */
    cr_assert(str_starts(c->intent.state, json_of("{'kept':1.50,")));
}

Test(resolve, a_bare_answer_on_record)
{
    struct scene *c = scene(CONFIRM);
    struct answer w = saying("'no'");
    w.claimed = STR("ada@example.com"); /* who it is anyway */
    w.metadata = json_object(a);
    w.via = VIA_OPENINTENT;
    cr_assert(!resolve_respond(a, &c->d, &w, &ada));
    cr_assert(!c->s.responded_by_claimed.p && !c->s.metadata.p);
    cr_assert(!c->s.reason.p && c->s.outcome == OUTCOME_VETOED);
    same(payload(c, 0),
         "{'intent_id':'i-1','suspension_id':'s-1','value':'no',"
         "'choice_label':'No',"
         "'responded_by':'ada@example.com',"
         "'decided_by':'ada@example.com',"
         "'responded_at':'2026-11-20T09:27:43.510233','outcome':'vetoed',"
         "'via':'openintent','subject_sha256':'" SHA "'}");
    c = scene(CONFIRM);
    w.claimed = STR("");
    cr_assert(!resolve_respond(a, &c->d, &w, &ada));
    cr_assert(!c->s.responded_by_claimed.p);
}

static const struct {
    const char *question, *value, *via;
    int64_t seconds;
    const char *says;
} summaries[] = {
    {CONFIRM, "'yes'", "browser", 0,
     "Approved by ada@example.com in the browser, 0 s after bot asked."},
    {CONFIRM, "'no'", "openintent", 119,
     "Rejected by ada@example.com via OpenIntent, 119 s after bot asked."},
    {CHOICES, "'go'", "native", 120,
     "Approved by ada@example.com via the API, 2 min after bot asked."},
    {"{'question':'Q?','choices':[{'value':'a',"
     "'label':'Refund 5 EUR','effect':'authorize'}]}",
     "'a'", "native", 120,
     "Approved: \"Approve: Refund 5 EUR\", by ada@example.com via the "
     "API, 2 min after bot asked."},
    /* A choice's label does not hide its effect. */
    {"{'question':'Q?','choices':[{'value':'a',"
     "'label':'Approve nothing','effect':'veto'}]}",
     "'a'", "browser", 1,
     "Rejected: \"Reject: Approve nothing\", by ada@example.com in "
     "the browser, 1 s after bot asked."},
    {TEXT, "'x'", "native", 7199,
     "Text answer by ada@example.com via the API, 119 min after "
     "bot asked."},
    {FIELDS, "{'n':1}", "browser", 7200,
     "Form submitted by ada@example.com in the browser, 2 h after bot asked."},
    {NO_CHOICES, "'x'", "openintent", 172799,
     "Text answer by ada@example.com via OpenIntent, "
     "47 h after bot asked."},
    {ANY_FORM, "5", "native", 172800,
     "Form submitted by ada@example.com via the API, 2 days after bot "
     "asked."},
};

Test(resolve, the_summary_of_an_answer)
{
    for (size_t i = 0; i < countof(summaries); i++) {
        struct scene *c = asking(summaries[i].question);
        struct answer w = saying(summaries[i].value);
        w.via = vocabulary_via_of(str_of(summaries[i].via));
        c->d.now = ASKED + summaries[i].seconds * CLOCK_SECOND;
        cr_assert(!resolve_respond(a, &c->d, &w, &ada));
        cr_assert(str_is(c->s.audit_summary, summaries[i].says), "%.*s",
                  STR_FMT(c->s.audit_summary));
        cr_assert(c->s.responded_via == w.via);
    }
}

/* ---- time is up ----------------------------------------------------- */

static const struct {
    enum fallback_policy policy;
    const char *value; /* NULL: none */
    bool dependencies_done;
    enum intent_status then;
    const char *outcome;
    const char *response; /* of the mirror; NULL: none */
} expiries[] = {
    {FALLBACK_FAIL, NULL, true, INTENT_ABANDONED, "none", NULL},
    {FALLBACK_FAIL, "'go'", true, INTENT_ABANDONED, "none", NULL},
    {FALLBACK_FAIL, "'go'", false, INTENT_ABANDONED, "none", NULL},
    {FALLBACK_COMPLETE, "'stop'", true, INTENT_ACTIVE, "fallback", "'stop'"},
    {FALLBACK_COMPLETE, "'stop'", false, INTENT_BLOCKED, "fallback",
     "'stop'"},
    {FALLBACK_COMPLETE, NULL, true, INTENT_ACTIVE, "fallback", NULL},
    {FALLBACK_CONTINUE, "{'a':[1]}", true, INTENT_ACTIVE, "fallback",
     "{'a':[1]}"},
    {FALLBACK_CONTINUE, "5", false, INTENT_BLOCKED, "fallback", "5"},
};

static void try_expiry(size_t i)
{
    struct scene *c = scene(CHOICES);
    c->s.fallback_policy = expiries[i].policy;
    c->s.fallback_value =
        expiries[i].value ? json_of(expiries[i].value) : STR_NONE;
    c->d.dependencies_done = expiries[i].dependencies_done;
    cr_assert(!resolve_expire(a, &c->d), "case %zu", i);
    cr_assert_eq(c->s.state, SUSPENSION_EXPIRED);
    cr_assert_eq(c->intent.status, expiries[i].then, "case %zu: %s", i,
                 vocabulary_intent_status(c->intent.status)->wire.p);
    cr_assert(c->s.outcome ==
                  vocabulary_outcome_of(str_of(expiries[i].outcome)),
              "case %zu", i);
    cr_assert(str_is(c->s.responded_by, "clock"));
    cr_assert(c->s.responded_via == VIA_CLOCK);
    cr_assert(c->s.responded_at == NOW && !c->s.reason.p);
    cr_assert_eq(c->events.n, 2);
    event_is(c, 0, "intent.suspension_expired", "clock");
    const struct json *p = payload(c, 0);
    cr_assert(str_is(json_get_text(p, "suspension_id"), "s-1"));
    cr_assert(str_is(json_get_text(p, "fallback_policy"),
                     vocabulary_fallback_policy(expiries[i].policy)->wire.p));
    cr_assert(str_is(json_get_text(p, "reason"), "timeout"));
    cr_assert_eq(json_int(json_get(p, "attempts")), 1);
    cr_assert_eq(json_has(p, "fallback_value"), expiries[i].response != NULL);
    event_is(c, 1, "status_changed", "clock");
    p = payload(c, 1);
    cr_assert(str_is(json_get_text(p, "old_status"),
                     "suspended_awaiting_input"));
    cr_assert(str_is(json_get_text(p, "new_status"),
                     vocabulary_intent_status(expiries[i].then)->wire.p));
    cr_assert(str_is(json_get_text(p, "reason"), "expired"));
    const struct json *m = mirror(c);
    cr_assert(str_is(json_get_text(m, "resolution"), "expired"));
    cr_assert_eq(json_has(m, "response"), expiries[i].response != NULL);
    if (expiries[i].response)
        same(json_get(m, "response"), expiries[i].response);
}

Test(resolve, every_policy_at_the_end_of_the_time)
{
    for (size_t i = 0; i < countof(expiries); i++)
        try_expiry(i);
}

Test(resolve, what_silence_did_is_said)
{
    struct scene *c = scene(CONFIRM);
    cr_assert(!resolve_expire(a, &c->d));
    cr_assert(str_is(c->s.audit_summary,
                     "Nobody answered in time. Nothing was approved, and "
                     "the task was stopped."));
    c = scene("{'question':'Q?','fallback_policy':'complete_with_fallback',"
              "'fallback_value':'no'}");
    cr_assert(!resolve_expire(a, &c->d));
    cr_assert(str_is(c->s.audit_summary,
                     "Nobody answered in time. The agent continues with the "
                     "default that it stated in its request."));
}

/* Those that were made, not those that were wanted. */
Test(resolve, an_expiry_tells_the_attempts)
{
    struct scene *c = scene("{'question':'Q?','retry_policy':"
                            "{'max_attempts':3,'interval_seconds':10}}");
    c->s.attempt = 2;
    cr_assert(!resolve_expire(a, &c->d));
    cr_assert_eq(json_int(json_get(payload(c, 0), "attempts")), 2);
}

/* ---- a portfolio's deadline ------------------------------------------ */

/* The earlier moment counts; at the same one the deadline. */
Test(resolve, a_portfolios_deadline_beats_the_fallback)
{
    static const struct {
        int64_t expires_at, deadline;
        bool ends;
    } cases[] = {{0, NOW, true},
                 {NOW, NOW, true},
                 {NOW, NOW - 1, true},
                 {NOW - 1, NOW, false}};
    for (size_t i = 0; i < countof(cases); i++) {
        struct scene *c = scene(
            "{'question':'Q?','fallback_policy':'complete_with_fallback',"
            "'fallback_value':'no'}");
        c->s.expires_at = cases[i].expires_at;
        c->d.deadline =
            (struct resolve_deadline){STR("p-1"), cases[i].deadline};
        cr_assert(!resolve_expire(a, &c->d));
        cr_assert_eq(c->s.state, SUSPENSION_EXPIRED);
        cr_assert_eq(c->intent.status == INTENT_ABANDONED, cases[i].ends,
                     "case %zu", i);
        cr_assert_eq(str_is(json_get_text(payload(c, 0), "reason"), "timeout"),
                     !cases[i].ends, "case %zu", i);
    }
}

Test(resolve, what_a_portfolios_deadline_leaves)
{
    struct scene *c = scene(
        "{'question':'Q?','fallback_policy':'use_default_and_continue',"
        "'fallback_value':'no'}");
    c->d.deadline = (struct resolve_deadline){STR("p-1"), NOW - 1};
    cr_assert(!resolve_expire(a, &c->d));
    cr_assert(c->s.outcome == OUTCOME_NONE && !c->s.response.p);
    cr_assert(c->s.responded_via == VIA_CLOCK && c->s.responded_at == NOW);
    cr_assert(str_is(json_get_text(mirror(c), "resolution"), "cancelled"));
    cr_assert(!json_has(mirror(c), "response"));
    cr_assert(str_is(json_get_text(tree_of(c->intent.state),
                                   "abandonment_reason"),
                     "portfolio_deadline_exceeded"));
    cr_assert_eq(c->events.n, 2);
    event_is(c, 0, "intent.suspension_expired", "clock");
    same(payload(c, 0),
         "{'suspension_id':'s-1','reason':'portfolio_deadline',"
         "'portfolio_id':'p-1','attempts':1,"
         "'fallback_policy':'use_default_and_continue'}");
    event_is(c, 1, "status_changed", "clock");
    same(payload(c, 1),
         "{'old_status':'suspended_awaiting_input','new_status':'abandoned',"
         "'reason':'portfolio_deadline_exceeded','suspension_id':'s-1',"
         "'abandonment_reason':'portfolio_deadline_exceeded',"
         "'portfolio_id':'p-1'}");
}

/* ---- taken back ----------------------------------------------------- */

static const struct {
    struct principal who;
    const char *actor; /* NULL: may not */
} takers[] = {
    {{.role = ROLE_AGENT, .agent = {"bot", 3}, .name = {"label", 5}}, "bot"},
    {{.role = ROLE_ADMIN, .name = {"root@example.com", 16}},
     "root@example.com"},
    {{.role = ROLE_ADMIN, .person = true, .name = {"root@example.com", 16}},
     "root@example.com"},
    {{.role = ROLE_AGENT, .agent = {"other", 5}, .name = {"bot", 3}}, NULL},
    {{.role = ROLE_AGENT, .agent = {"Bot", 3}}, NULL},
    {{.role = ROLE_OPERATOR, .name = {"bot", 3}, .agent = {"bot", 3}}, NULL},
    {{.role = ROLE_AUDITOR, .name = {"bot", 3}, .agent = {"bot", 3}}, NULL},
    {{.role = ROLE_CLOCK, .name = {"clock", 5}, .agent = {"bot", 3}}, NULL},
    {{.role = ROLE_NONE, .name = {"bot", 3}, .agent = {"bot", 3}}, NULL},
};

Test(resolve, who_may_take_a_question_back)
{
    for (size_t i = 0; i < countof(takers); i++) {
        struct scene *c = scene(CHOICES);
        const struct err *e = resolve_cancel(
            a, &c->d, &takers[i].who, STR("not needed"), INTENT_ACTIVE);
        if (!takers[i].actor) {
            refused(e, ERR_FORBIDDEN, "suspension.not_yours", "who");
            untouched(c, "who");
            continue;
        }
        cr_assert(!e, "case %zu: %s", i, e ? e->code : "");
        cr_assert_eq(c->s.state, SUSPENSION_CANCELLED);
        cr_assert(c->s.outcome == OUTCOME_NONE && !c->s.response.p);
        cr_assert(str_is(c->s.responded_by, takers[i].actor));
        cr_assert(str_is(c->s.reason, "not needed"));
        cr_assert(c->s.responded_at == NOW);
        struct buf b = buf_make(a, 256);
        buf_printf(&b, "Withdrawn by %s before anybody answered.",
                   takers[i].actor);
        cr_assert(str_eq(c->s.audit_summary, buf_text(&b)));
        cr_assert_eq(c->events.n, 1);
        event_is(c, 0, "status_changed", takers[i].actor);
        same(payload(c, 0),
             "{'old_status':'suspended_awaiting_input',"
             "'new_status':'active','suspension_id':'s-1',"
             "'reason':'cancelled'}");
        const struct json *m = mirror(c);
        cr_assert(str_is(json_get_text(m, "resolution"), "cancelled"));
        cr_assert(str_is(json_get_text(m, "reason"), "not needed"));
        cr_assert(!json_has(m, "response"));
    }
}

static const struct {
    enum intent_status to;
    bool dependencies_done;
    enum intent_status then;
} ways[] = {
    {INTENT_ACTIVE, true, INTENT_ACTIVE},
    {INTENT_ACTIVE, false, INTENT_BLOCKED},
    {INTENT_ABANDONED, true, INTENT_ABANDONED},
    {INTENT_ABANDONED, false, INTENT_ABANDONED},
    {INTENT_COMPLETED, true, INTENT_COMPLETED},
};

Test(resolve, where_the_intent_goes_when_it_is_taken_back)
{
    static const struct principal bot = {.role = ROLE_AGENT,
                                         .agent = {"bot", 3}};
    for (size_t i = 0; i < countof(ways); i++) {
        struct scene *c = scene(CHOICES);
        c->d.dependencies_done = ways[i].dependencies_done;
        cr_assert(!resolve_cancel(a, &c->d, &bot, STR(" \n"), ways[i].to));
        cr_assert_eq(c->intent.status, ways[i].then, "case %zu", i);
        cr_assert(str_is(json_get_text(payload(c, 0), "new_status"),
                         vocabulary_intent_status(ways[i].then)->wire.p));
        cr_assert(!c->s.reason.p);
    }
}

Test(resolve, what_is_decided_cannot_be_taken_back)
{
    static const struct principal bot = {.role = ROLE_AGENT,
                                         .agent = {"bot", 3}};
    for (int i = SUSPENSION_RESOLVED; i < SUSPENSION_STATE__MAX; i++) {
        struct scene *c = decided_scene((enum suspension_state)i);
        const struct err *e =
            resolve_cancel(a, &c->d, &bot, STR_NONE, INTENT_ACTIVE);
        cr_assert(e && e->kind == ERR_CONFLICT);
        cr_assert(str_is(json_get_text(e->more, "responded_by"),
                         "bob@example.com"));
        cr_assert_eq(c->events.n, 0);
        cr_assert_eq(c->intent.status, INTENT_SUSPENDED);
    }
}

/* ---- room ----------------------------------------------------------- */

/* An agent that fills the log must not make its question one
 * that nobody can answer and that never ends. */
Test(resolve, a_decision_never_fails_for_want_of_room)
{
    static const struct principal bot = {.role = ROLE_AGENT,
                                         .agent = {"bot", 3}};
    for (int way = 0; way < 3; way++) {
        struct scene *c = scene(CHOICES);
        struct event_draft remark = {.by = event_by(&bot),
                                     .payload = json_object(a)};
        c->intent.tail.sequence = EVENTS_OF_INTENT_MAX - 200;
        for (int i = 0; i < 300; i++) {
            struct event_list list = {.n = 0};
            remark.type = i % 2 ? "comment" : "state_patched";
            if (event_append(a, c->intent.id, &remark, NOW, &c->intent.tail,
                             &list))
                break;
        }
        const struct answer w = saying("'go'");
        const struct err *e =
            way == 0   ? resolve_respond(a, &c->d, &w, &ada)
            : way == 1 ? resolve_expire(a, &c->d)
                       : resolve_cancel(a, &c->d, &bot, STR_NONE,
                                        INTENT_ACTIVE);
        cr_assert(!e, "way %d: %s", way, e ? e->code : "");
    }
}
