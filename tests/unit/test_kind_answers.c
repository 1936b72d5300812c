/* The answers that each kind offers, and what each of them does: from what an
 * agent asks to what stands in the intent. */
#include "base/clock.h"
#include "base/crypt.h"
#include "domain/answer/resolve.h"
#include "domain/question/suspension_read.h"
#include "domain/question/suspension_seal.h"
#include "kinds.h"
#include "suite.h"

SUITE(kind_answers);

static const char *subject_of(enum kind k)
{
    for (size_t i = 0; i < countof(kinds); i++) {
        if (kinds[i].kind == k)
            return kinds[i].subject;
    }
    return "{}";
}

/* A question of the kind, with more members; subject NULL: the sample. */
static const struct err *read(enum kind k, const char *subject,
                              const char *more, struct suspension *s)
{
    struct buf b = buf_make(a, 1 << 16);
    buf_printf(&b, "{'question':'Q?','kind':'%s','subject':%s%s%s}",
               kind_words(k)->wire.p, subject ? subject : subject_of(k),
               *more ? "," : "", more);
    const struct str body = json_of(arena_z(a, buf_text(&b)));
    *s = (struct suspension){.intent_id = STR("i"), .asked_by = STR("bot")};
    struct json *v = tree_of(body);
    return suspension_read(a, v, body, s);
}

/* ---- what is offered ------------------------------------------------ */

/* Each choice as value:effect:reason:takes, in order. */
static struct str offered(const struct suspension *s)
{
    const struct json *list = suspension_choices(a, s);
    struct buf b = buf_make(a, 4096);
    for (size_t i = 0; i < json_count(list); i++) {
        const struct json *c = json_at(list, i);
        static const char *const keys[] = {"value", "effect", "reason",
                                           "takes"};
        buf_put(&b, i > 0 ? " " : "");
        for (size_t k = 0; k < countof(keys); k++) {
            if (k > 0 && json_has(c, keys[k]))
                buf_char(&b, ':');
            buf_str(&b, json_get_text(c, keys[k]));
        }
        cr_assert(json_get_text(c, "label").n > 0);
    }
    return buf_text(&b);
}

#define PLAIN_APPROVAL                                                         \
    "{'action':{'name':'x'},'target':'t','scope_summary':'s',"                \
    "'consequence':'c','constraints':{}}"
#define ONCE                                                                   \
    "{'capability':'c','target':'t','risk_text':'r','consequence':'x',"       \
    "'duration':{'kind':'once','seconds':60}}"
#define ONCE_NULL                                                              \
    "{'capability':'c','target':'t','risk_text':'r','consequence':'x',"       \
    "'duration':{'kind':'once','seconds':null}}"
#define MODIFY "authorize_modified:optional:"

static const struct {
    enum kind kind;
    const char *subject, *more, *choices;
} offers[] = {
    {KIND_APPROVAL, PLAIN_APPROVAL, "",
     "reject:veto:optional approve:authorize:optional"},
    {KIND_APPROVAL, PLAIN_APPROVAL, "'severity':'low'",
     "reject:veto:optional approve:authorize:optional"},
    {KIND_APPROVAL, PLAIN_APPROVAL, "'severity':'medium'",
     "reject:veto:optional approve:authorize:optional"},
    {KIND_APPROVAL, PLAIN_APPROVAL, "'severity':'high'",
     "reject:veto:required approve:authorize:optional"},
    {KIND_APPROVAL, PLAIN_APPROVAL, "'severity':'critical'",
     "reject:veto:required approve:authorize:optional"},
    {KIND_APPROVAL, PLAIN_APPROVAL, "'allow_edit':true",
     "reject:veto:optional edit:" MODIFY "subject approve:authorize:optional"},
    {KIND_APPROVAL, NULL, "",
     "reject:veto:optional constrain:" MODIFY
     "constraints approve:authorize:optional"},
    {KIND_APPROVAL, NULL, "'allow_edit':true",
     "reject:veto:optional edit:" MODIFY "subject constrain:" MODIFY
     "constraints approve:authorize:optional"},
    {KIND_APPROVAL, NULL, "'response_type':'confirm','allow_edit':true",
     "no:veto:optional edit:" MODIFY "subject constrain:" MODIFY
     "constraints yes:authorize:optional"},
    {KIND_PERMISSION, NULL, "",
     "deny:veto:optional allow_for:" MODIFY
     "seconds allow_once:authorize:optional"},
    {KIND_PERMISSION, NULL, "'severity':'critical'",
     "deny:veto:optional allow_for:" MODIFY
     "seconds allow_once:authorize:optional"},
    {KIND_PERMISSION, ONCE, "",
     "deny:veto:optional allow_once:authorize:optional"},
    {KIND_PERMISSION, ONCE_NULL, "",
     "deny:veto:optional allow_once:authorize:optional"},
    {KIND_PLAN_REVIEW, NULL, "",
     "reject:veto:required request_changes:request_changes:required "
     "approve_edited:" MODIFY "steps approve:authorize:optional"},
    {KIND_ELICITATION, NULL, "",
     "decline:decline:optional submit:answer:none"},
    {KIND_ELICITATION, NULL, "'form':[{'key':'colour'}]",
     "decline:decline:optional submit:answer:none"},
    {KIND_ELICITATION, NULL, "'response_type':'confirm'",
     "no:answer:optional yes:answer:optional decline:decline:optional"},
    {KIND_ELICITATION, NULL,
     "'choices':[{'value':'red'},{'value':'blue','effect':'answer'}]",
     "red:answer:none blue:answer:none decline:decline:optional"},
    {KIND_CREDENTIAL_NEEDED, NULL, "",
     "decline:decline:optional configured:answer:none"},
    {KIND_COST_CONFIRMATION, NULL, "",
     "stop_task:stop_task:optional cancel:veto:optional "
     "confirm:authorize:optional:limit"},
    {KIND_HANDOFF_ACCEPTANCE, NULL, "",
     "decline:decline:required accept:accept:optional"},
    {KIND_HANDOFF_ACCEPTANCE, NULL, "'response_type':'confirm'",
     "no:decline:required yes:accept:optional"},
    /* In the agent's own words, by the rules of the kind. */
    {KIND_APPROVAL, PLAIN_APPROVAL,
     "'severity':'high','allow_edit':true,'choices':["
     "{'value':'go','effect':'authorize','reason':'required'},"
     "{'value':'stop','effect':'veto','reason':'none'},"
     "{'value':'later','effect':'request_changes'},"
     "{'value':'end','effect':'stop_task'}]",
     "go:authorize:required stop:veto:required later:request_changes "
     "end:stop_task edit:" MODIFY "subject"},
    {KIND_COST_CONFIRMATION, NULL,
     "'choices':[{'value':'pay','effect':'authorize'},"
     "{'value':'no','effect':'veto'}]",
     "pay:authorize:optional:limit no:veto:optional"},
    {KIND_PLAN_REVIEW, NULL,
     "'choices':[{'value':'go','effect':'authorize'},"
     "{'value':'no','effect':'stop_task'},"
     "{'value':'redo','effect':'request_changes','reason':'none'}]",
     "go:authorize:optional no:stop_task redo:request_changes:required "
     "approve_edited:" MODIFY "steps"},
    {KIND_HANDOFF_ACCEPTANCE, NULL,
     "'choices':[{'value':'mine','effect':'accept'},"
     "{'value':'yours','effect':'decline','reason':'none'}]",
     "mine:accept:optional yours:decline:required"},
};

Test(kind_answers, what_is_offered)
{
    for (size_t i = 0; i < countof(offers); i++) {
        struct suspension s;
        const struct err *e =
            read(offers[i].kind, offers[i].subject, offers[i].more, &s);
        cr_assert(!e, "%zu: %s %.*s", i, e ? e->code : "",
                  STR_FMT(e ? e->at : STR_NONE));
        cr_assert(str_is(offered(&s), offers[i].choices), "%s %s: %.*s",
                  kind_words(offers[i].kind)->wire.p, offers[i].more,
                  STR_FMT(offered(&s)));
    }
}

Test(kind_answers, what_cannot_be_offered)
{
    static const struct {
        enum kind kind;
        const char *more, *code, *at;
    } rows[] = {
        {KIND_APPROVAL, "'choices':[{'value':'ok'}]", "kind.effect",
         "choices[0].effect"},
        {KIND_APPROVAL,
         "'response_type':'confirm','choices':["
         "{'value':'no','effect':'authorize'},"
         "{'value':'yes','effect':'stop_task'}]",
         "kind.effect", "choices[0].effect"},
        {KIND_APPROVAL,
         "'response_type':'confirm','choices':["
         "{'value':'no','effect':'veto'},"
         "{'value':'yes','effect':'veto'}]",
         "kind.effect", "choices[1].effect"},
        {KIND_APPROVAL,
         "'choices':[{'value':'a','effect':'authorize'},"
         "{'value':'b','effect':'accept'}]",
         "kind.effect", "choices[1].effect"},
        {KIND_APPROVAL, "'choices':[{'value':'a','effect':'authorize'}]",
         "kind.choices", "choices"},
        {KIND_APPROVAL, "'choices':[{'value':'a','effect':'veto'}]",
         "kind.choices", "choices"},
        {KIND_APPROVAL,
         "'choices':[{'value':'constrain','effect':'authorize'},"
         "{'value':'b','effect':'veto'}]",
         "kind.choices", "choices"},
        {KIND_APPROVAL,
         "'choices':[{'value':'a','effect':'authorize_modified'}]",
         "field.value", "choices[0].effect"},
        {KIND_APPROVAL,
         "'choices':[{'value':'a','effect':'authorize','takes':'subject'}]",
         "field.unknown", "choices[0].takes"},
        {KIND_APPROVAL, "'choices':[]", NULL, NULL},
        {KIND_PLAN_REVIEW,
         "'choices':[{'value':'approve_edited','effect':'authorize'},"
         "{'value':'b','effect':'veto'}]",
         "kind.choices", "choices"},
        {KIND_PERMISSION, "'choices':[{'value':'a','effect':'answer'}]",
         "kind.effect", "choices[0].effect"},
        {KIND_ELICITATION, "'choices':[{'value':'a','effect':'authorize'}]",
         "kind.effect", "choices[0].effect"},
        {KIND_ELICITATION, "'choices':[{'value':'decline'}]", "kind.choices",
         "choices"},
        {KIND_ELICITATION, "'choices':[{'value':'no','effect':'decline'}]",
         "kind.choices", "choices"},
        {KIND_ELICITATION, "'response_type':'choice'", "field.missing",
         "choices"},
        {KIND_ELICITATION, "'response_type':'form'", "field.missing", "form"},
        {KIND_ELICITATION, "'form':[{'key':'x','label':'Password'}]",
         "kind.secret", "form[0]"},
        {KIND_CREDENTIAL_NEEDED, "'response_type':'text'",
         "kind.response_type", "response_type"},
        {KIND_PERMISSION, "'response_type':'confirm'", "kind.response_type",
         "response_type"},
        {KIND_APPROVAL, "'form':[{'key':'x'}]", "kind.response_type",
         "response_type"},
        {KIND_PERMISSION, "'allow_edit':true", "field.unused", "allow_edit"},
        {KIND_APPROVAL, "'responder':{'mode':'agent','who':'b'}",
         "responder.agent", "responder.mode"},
        {KIND_HANDOFF_ACCEPTANCE, "'responder':{'mode':'agent','who':'b'}",
         NULL, NULL},
        {KIND_HANDOFF_ACCEPTANCE, "'responder':{'mode':'agent','who':'a b'}",
         "responder.agent", "responder.who"},
        {KIND_HANDOFF_ACCEPTANCE, "'responder':{'mode':'agent'}",
         "field.missing", "responder.who"},
        {KIND_APPROVAL, "'responder':{}", "field.missing", "responder.mode"},
        {KIND_APPROVAL, "'responder':{'mode':'everybody'}", "field.value",
         "responder.mode"},
        {KIND_APPROVAL, "'responder':{'mode':'operators','who':'x'}",
         "field.unused", "responder.who"},
        {KIND_APPROVAL, "'responder':{'mode':'group','who':'A B'}",
         "responder.group", "responder.who"},
        {KIND_APPROVAL, "'responder':{'mode':'group','who':'pay\xE2\x80\xAE'}",
         "responder.group", "responder.who"},
        {KIND_APPROVAL, "'responder':{'mode':'group','who':''}",
         "responder.group", "responder.who"},
        {KIND_APPROVAL,
         "'responder':{'mode':'initiator','not_initiator':true}",
         "field.unused", "responder.not_initiator"},
        {KIND_APPROVAL, "'supersedes':'no id'", "suspension.unknown",
         "supersedes"},
        {KIND_APPROVAL, "'evidence':[{'title':'x'}]", "field.missing",
         "evidence[0].ref"},
        {KIND_APPROVAL, "'evidence':[{'title':'x','ref':'y','kind':'z'}]",
         "field.unknown", "evidence[0].kind"},
        {KIND_APPROVAL, "'artifacts':['x']", "body.not_object",
         "artifacts[0]"},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        struct suspension s;
        const struct err *e = read(rows[i].kind, NULL, rows[i].more, &s);
        if (rows[i].code)
            expect(e, rows[i].code, rows[i].at, rows[i].more);
        else
            cr_assert(!e, "%s", rows[i].more);
    }
}

Test(kind_answers, references_and_choices_have_ceilings)
{
    struct suspension s;
    for (int n = 20; n <= 21; n++) {
        struct buf refs = buf_make(a, 4096), own = buf_make(a, 4096);
        buf_put(&refs, "'evidence':[");
        buf_put(&own, "'choices':[{'value':'n','effect':'veto'}");
        for (int i = 0; i < n; i++)
            buf_printf(&refs, "%s{'title':'t','ref':'r'}", i ? "," : "");
        /* The kind's own comes on top of them. */
        for (int i = 0; i < n - 2; i++)
            buf_printf(&own, ",{'value':'%d','effect':'authorize'}", i);
        buf_char(&refs, ']');
        buf_char(&own, ']');
        const struct err *e = read(KIND_APPROVAL, NULL,
                                   arena_z(a, buf_text(&refs)), &s);
        const struct err *f =
            read(KIND_APPROVAL, NULL, arena_z(a, buf_text(&own)), &s);
        cr_assert_eq(!e && !f, n == 20);
        if (n > 20) {
            expect(e, "field.too_many", "evidence", "refs");
            expect(f, "field.too_many", "choices", "choices");
        }
    }
}

/* ---- what an answer does -------------------------------------------- */

static const struct principal ada = {.role = ROLE_OPERATOR,
                                     .person = true,
                                     .id = {"p-1", 3},
                                     .name = {"ada@example.com", 15}};

struct reply {
    const char *value, *choice, *reason, *constraints, *subject;
    const char *typed; /* NULL: the target as asked */
};

struct scene {
    struct intent intent;
    struct suspension s;
    struct event_list events;
};

static const struct err *reply(struct scene *c, const struct reply *r,
                               const struct principal *who)
{
    struct decision d = {.intent = &c->intent,
                         .suspension = &c->s,
                         .dependencies_done = true,
                         .events = &c->events,
                         .now = 2 * CLOCK_SECOND};
    const struct answer w = {
        .value = tree(r->value),
        .choice = r->choice ? str_of(r->choice) : STR_NONE,
        .reason = r->reason ? str_of(r->reason) : STR_NONE,
        .amend = {.constraints = tree(r->constraints),
                  .subject = tree(r->subject),
                  .subject_text =
                      r->subject ? json_of(r->subject) : STR_NONE},
        .typed = r->typed ? str_of(r->typed) : STR("order 12345"),
        .via = VIA_NATIVE};
    return resolve_respond(a, &d, &w, who);
}

static struct scene *scene(enum kind k, const char *more)
{
    struct scene *c = arena_new(a, struct scene);
    c->intent = (struct intent){.id = STR("i"),
                                .status = INTENT_SUSPENDED,
                                .created_by = STR("bot"),
                                .state = STR("{}")};
    const struct err *e = read(k, NULL, more, &c->s);
    cr_assert(!e, "%s: %s", more, e ? e->code : "");
    c->s.id = STR("s");
    cr_assert(!suspension_seal(a, &c->s, CLOCK_SECOND));
    return c;
}

#define OTHER                                                                  \
    "{'action':{'name':'refund'},'target':'order 9','scope_summary':'s',"     \
    "'consequence':'c'}"

static const struct {
    enum kind kind;
    const char *more;
    struct reply reply;
    const char *outcome;
    bool abandoned;    /* under on_reject abandon */
    bool stopped;      /* always */
    bool needs_reason; /* without one it is refused */
    bool modified;
} answers[] = {
    {KIND_APPROVAL, "", {.value = "'approve'"}, "authorized", 0, 0, 0, 0},
    {KIND_APPROVAL, "", {.value = "'reject'"}, "vetoed", 1, 0, 0, 0},
    {KIND_APPROVAL, "'severity':'high'", {.value = "'reject'"}, "vetoed", 1,
     0, 1, 0},
    {KIND_APPROVAL, "'severity':'critical'", {.value = "'reject'"}, "vetoed",
     1, 0, 1, 0},
    {KIND_APPROVAL, "'allow_edit':true",
     {.value = "'edit'", .reason = "Half.", .subject = OTHER,
      .typed = "order 9"}, "authorized",
     0, 0, 0, 1},
    {KIND_APPROVAL, "",
     {.value = "'constrain'", .constraints = "{'amount':1}"}, "authorized", 0,
     0, 0, 1},
    {KIND_APPROVAL, "'response_type':'confirm'", {.value = "'yes'"},
     "authorized", 0, 0, 0, 0},
    {KIND_APPROVAL, "'response_type':'confirm'", {.value = "'no'"}, "vetoed",
     1, 0, 0, 0},
    {KIND_PERMISSION, "", {.value = "'allow_once'"}, "authorized", 0, 0, 0,
     1},
    {KIND_PERMISSION, "",
     {.value = "'allow_for'", .constraints = "{'seconds':60}"}, "authorized",
     0, 0, 0, 1},
    {KIND_PERMISSION, "", {.value = "'deny'"}, "vetoed", 1, 0, 0, 0},
    {KIND_PLAN_REVIEW, "", {.value = "'approve'"}, "authorized", 0, 0, 0, 0},
    {KIND_PLAN_REVIEW, "",
     {.value = "'approve_edited'", .constraints = "{'steps':[{'id':'b'}]}"},
     "authorized", 0, 0, 0, 1},
    {KIND_PLAN_REVIEW, "", {.value = "'request_changes'"},
     "changes_requested", 0, 0, 1, 0},
    {KIND_PLAN_REVIEW, "", {.value = "'reject'"}, "vetoed", 1, 0, 1, 0},
    {KIND_ELICITATION, "", {.value = "'red'"}, "answered", 0, 0, 0, 0},
    {KIND_ELICITATION, "", {.value = "'red'", .choice = "submit"},
     "answered", 0, 0, 0, 0},
    {KIND_ELICITATION, "", {.choice = "decline"}, "declined", 0, 0, 0, 0},
    {KIND_ELICITATION, "'form':[{'key':'c'}]", {.value = "{'c':'x'}"},
     "answered", 0, 0, 0, 0},
    {KIND_ELICITATION, "'form':[{'key':'c'}]", {.choice = "decline"},
     "declined", 0, 0, 0, 0},
    {KIND_ELICITATION, "'response_type':'confirm'", {.value = "'no'"},
     "answered", 0, 0, 0, 0},
    {KIND_ELICITATION, "'choices':[{'value':'red'}]", {.value = "'decline'"},
     "declined", 0, 0, 0, 0},
    {KIND_CREDENTIAL_NEEDED, "", {.value = "'configured'"}, "answered", 0, 0,
     0, 0},
    {KIND_CREDENTIAL_NEEDED, "", {.value = "'decline'"}, "declined", 0, 0, 0,
     0},
    {KIND_COST_CONFIRMATION, "", {.value = "'confirm'"}, "authorized", 0, 0,
     0, 0},
    {KIND_COST_CONFIRMATION, "",
     {.value = "'confirm'", .constraints = "{'limit':5}"}, "authorized", 0, 0,
     0, 1},
    {KIND_COST_CONFIRMATION, "", {.value = "'cancel'"}, "vetoed", 1, 0, 0, 0},
    {KIND_COST_CONFIRMATION, "", {.value = "'stop_task'"}, "vetoed", 1, 1, 0,
     0},
    {KIND_HANDOFF_ACCEPTANCE, "", {.value = "'accept'"}, "accepted", 0, 0, 0,
     0},
    {KIND_HANDOFF_ACCEPTANCE, "", {.value = "'decline'"}, "declined", 0, 0, 1,
     0},
};

static void try_answer(size_t i, bool abandon)
{
    struct buf b = buf_make(a, 1024);
    buf_printf(&b, "'on_reject':'%s'%s%s", abandon ? "abandon" : "resume",
               answers[i].more[0] ? "," : "", answers[i].more);
    struct scene *c = scene(answers[i].kind, arena_z(a, buf_text(&b)));
    struct reply r = answers[i].reply;
    if (answers[i].needs_reason) {
        expect(reply(c, &r, &ada), "reason.missing", "reason", r.value);
        r.reason = " \n";
        expect(reply(c, &r, &ada), "reason.missing", "reason", r.value);
        cr_assert_eq(c->s.state, SUSPENSION_PENDING);
        cr_assert_eq(c->events.n, 0);
        r.reason = "because";
    }
    const struct err *e = reply(c, &r, &ada);
    cr_assert(!e, "%zu: %s %.*s", i, e ? e->code : "",
              STR_FMT(e ? e->say : STR_NONE));
    cr_assert(str_is(json_get_text(suspension_mirror(a, &c->s), "outcome"),
                     answers[i].outcome),
              "%zu: %s", i, vocabulary_outcome(c->s.outcome)->wire.p);
    const bool ends = answers[i].stopped || (abandon && answers[i].abandoned);
    cr_assert_eq(c->intent.status, ends ? INTENT_ABANDONED : INTENT_ACTIVE,
                 "%zu", i);
    cr_assert_eq(suspension_modified(&c->s), answers[i].modified, "%zu", i);
    cr_assert_eq(c->s.approved_subject.p != NULL,
                 c->s.approved_sha256.p != NULL);
    /* The goal changes hands with an accepted handoff, and never else. */
    const bool accepted = c->s.outcome == OUTCOME_ACCEPTED;
    cr_assert_eq(c->intent.owner.p != NULL, accepted, "%zu", i);
}

Test(kind_answers, what_each_of_them_does)
{
    for (size_t i = 0; i < countof(answers); i++) {
        try_answer(i, false);
        try_answer(i, true);
    }
}

Test(kind_answers, what_is_no_answer)
{
    static const struct {
        enum kind kind;
        const char *more;
        struct reply reply;
        const char *code, *at;
    } rows[] = {
        /* Two answers in one. */
        {KIND_APPROVAL, "", {.value = "'approve'", .choice = "reject"},
         "response.unused", "choice"},
        {KIND_APPROVAL, "", {.value = "'approve'", .choice = "approve"},
         "response.unused", "choice"},
        {KIND_ELICITATION, "", {.value = "'red'", .choice = "decline"},
         "response.unused", "value"},
        {KIND_ELICITATION, "'form':[{'key':'c'}]",
         {.value = "{'c':'x'}", .choice = "decline"}, "response.unused",
         "value"},
        {KIND_ELICITATION, "", {.choice = "later"},
         "response.invalid_choice", ""},
        {KIND_ELICITATION, "", {.choice = ""}, "response.invalid_choice", ""},
        {KIND_ELICITATION, "", {.choice = "submit"}, "response.empty", ""},
        {KIND_ELICITATION, "", {.value = "''"}, "response.empty", ""},
        {KIND_ELICITATION, "'form':[{'key':'c','required':true}]",
         {.value = "{}"}, "response.form", ""},
        {KIND_ELICITATION, "'choices':[{'value':'red'}]",
         {.value = "'green'"}, "response.invalid_choice", ""},
        /* Choices that were not on offer. */
        {KIND_APPROVAL, "", {.value = "'edit'", .subject = OTHER},
         "response.invalid_choice", ""},
        {KIND_APPROVAL, "", {.value = "'yes'"}, "response.invalid_choice",
         ""},
        {KIND_APPROVAL, "", {.value = "true"}, "response.invalid_choice", ""},
        {KIND_APPROVAL, "", {.value = "['approve']"},
         "response.invalid_choice", ""},
        {KIND_APPROVAL, "", {.value = NULL}, "response.invalid_choice", ""},
        /* More, or something else, than what the answer takes. */
        {KIND_APPROVAL, "",
         {.value = "'approve'", .constraints = "{'amount':1}"},
         "amend.unused", "constraints"},
        {KIND_APPROVAL, "'allow_edit':true",
         {.value = "'approve'", .subject = OTHER}, "amend.unused",
         "subject"},
        {KIND_APPROVAL, "", {.value = "'reject'", .constraints = "{}"},
         "amend.unused", "constraints"},
        {KIND_APPROVAL, "'allow_edit':true", {.value = "'edit'"},
         "amend.missing", "subject"},
        {KIND_APPROVAL, "'severity':'high','allow_edit':true",
         {.value = "'edit'",
          .subject = "{'action':{'name':'x'},'target':'t',"
                     "'scope_summary':'s'}"},
         "kind.facts", "subject.consequence"},
        {KIND_APPROVAL, "",
         {.value = "'constrain'", .constraints = "{'amount':501}"},
         "amend.wider", "constraints.amount"},
        {KIND_PERMISSION, "", {.value = "'allow_for'"}, "amend.missing",
         "constraints"},
        {KIND_PERMISSION, "",
         {.value = "'allow_for'", .constraints = "{'seconds':3601}"},
         "amend.wider", "constraints.seconds"},
        {KIND_PERMISSION, "",
         {.value = "'allow_once'", .constraints = "{'seconds':60}"},
         "amend.unused", "constraints"},
        {KIND_COST_CONFIRMATION, "",
         {.value = "'confirm'", .constraints = "{'limit':21}"},
         "amend.wider", "constraints.limit"},
        {KIND_COST_CONFIRMATION, "",
         {.value = "'cancel'", .constraints = "{'limit':1}"},
         "amend.unused", "constraints"},
        {KIND_CREDENTIAL_NEEDED, "", {.value = "{'token':'x'}"},
         "response.invalid_choice", ""},
        {KIND_CREDENTIAL_NEEDED, "",
         {.value = "'configured'", .constraints = "{'token':'x'}"},
         "amend.unused", "constraints"},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        struct scene *c = scene(rows[i].kind, rows[i].more);
        const struct err *e = reply(c, &rows[i].reply, &ada);
        expect(e, rows[i].code, rows[i].at, rows[i].code);
        cr_assert_eq(c->s.state, SUSPENSION_PENDING, "%zu", i);
        cr_assert(c->s.outcome == OUTCOME_UNDECIDED && !c->s.constraints.p);
        cr_assert_eq(c->events.n, 0);
        cr_assert_eq(c->intent.status, INTENT_SUSPENDED);
    }
}

/* ---- a handoff ------------------------------------------------------ */

Test(kind_answers, a_goal_changes_hands_only_with_the_answer_that_accepts_it)
{
    static const struct principal lawyer = {.role = ROLE_AGENT,
                                            .id = {"k-2", 3},
                                            .name = {"key two", 7},
                                            .agent = {"lawyer", 6}};
    struct scene *c = scene(KIND_HANDOFF_ACCEPTANCE,
                            "'responder':{'mode':'agent','who':'lawyer'}");
    c->s.asked_by_key = STR("k-1");
    const struct reply yes = {.value = "'accept'"};
    const struct err *e = reply(c, &yes, &ada);
    cr_assert(e && e->kind == ERR_FORBIDDEN);
    cr_assert(!c->intent.owner.p);
    cr_assert(!reply(c, &yes, &lawyer));
    cr_assert(str_is(c->intent.owner, "lawyer"));
    cr_assert(str_is(c->s.responded_by, "lawyer"));
    cr_assert(str_search(c->s.audit_summary, STR("by the agent lawyer")) <
              c->s.audit_summary.n);
    cr_assert_eq(c->events.n, 2);
    struct json *event = tree_of(c->events.v[1].canonical);
    cr_assert(str_is(json_get_text(event, "event_type"),
                     "coordinator.handoff"));
    cr_assert(json_equal(
        json_get(event, "payload"),
        tree("{'suspension_id':'s','from':'bot','to':'lawyer'}")));
}

/* ---- what stands in the mirror -------------------------------------- */

Test(kind_answers, what_was_approved_instead_is_on_record)
{
    struct scene *c = scene(KIND_APPROVAL, "'allow_edit':true");
    const struct reply edit = {
        .value = "'edit'", .reason = "Half.", .subject = OTHER,
        .typed = "order 9"};
    const struct str asked = c->s.subject;
    cr_assert(!reply(c, &edit, &ada));
    cr_assert(str_eq(c->s.subject, asked));
    cr_assert(str_eq(c->s.approved_subject, json_of(OTHER)));
    cr_assert(str_eq(c->s.approved_sha256,
                     crypt_sha256_hex(a, json_of(OTHER))));
    cr_assert(!str_eq(c->s.approved_sha256, c->s.subject_sha256));
    struct json *state = tree_of(c->intent.state);
    const struct json *mirror = json_get(state, "_suspension");
    cr_assert(json_bool(json_get(mirror, "modified")));
    cr_assert(json_equal(json_get(mirror, "approved_subject"), tree(OTHER)));
    cr_assert(str_is(json_get_text(mirror, "kind"), "approval"));
    cr_assert(str_search(c->s.audit_summary, c->s.approved_sha256) <
              c->s.audit_summary.n);
}

Test(kind_answers, the_decision_always_has_room_in_the_state)
{
    struct buf old = buf_make(a, 1 << 21), b = buf_make(a, 1 << 21);
    struct scene *c = scene(KIND_APPROVAL, "'allow_edit':true");
    buf_put(&old, "{'kept':'");
    buf_put(&b, "{'action':{'name':'n'},'target':'t','scope_summary':'s',"
                "'x':'");
    while (old.n < INTENT_STATE_MAX - 100)
        buf_put(&old, "xxxxxxxxxxxxxxxx");
    while (b.n < SUSPENSION_RECORD_MAX - 100)
        buf_put(&b, "yyyyyyyyyyyyyyyy");
    buf_put(&old, "'}");
    buf_put(&b, "'}");
    c->intent.state = json_of(arena_z(a, buf_text(&old)));
    const struct reply edit = {.value = "'edit'",
                               .reason = "Half.",
                               .typed = "t",
                               .subject = arena_z(a, buf_text(&b))};
    const struct err *e = reply(c, &edit, &ada);
    cr_assert(!e, "%s", e ? e->code : "");
    cr_assert(c->intent.state.n > INTENT_STATE_MAX + 250000);
}
