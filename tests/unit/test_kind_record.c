/* Kinds at OpenIntent's door, and what silence may choose for them. */
#include "base/clock.h"
#include "base/crypt.h"
#include "domain/answer/resolve.h"
#include "domain/answer/retry_silence.h"
#include "domain/question/retry.h"
#include "domain/question/suspension_read.h"
#include "domain/question/suspension_seal.h"
#include "kinds.h"
#include "suite.h"

SUITE(kind_record);

static const struct err *read(const char *more, struct suspension *s)
{
    struct buf b = buf_make(a, 1 << 16);
    buf_printf(&b, "{'id':'s-1','question':'Q?',%s}", more);
    const struct str text = json_of(arena_z(a, buf_text(&b)));
    *s = (struct suspension){.intent_id = STR("i")};
    return suspension_read_record(a, tree_of(text), text, s);
}

static void reads(const char *more, struct suspension *s)
{
    const struct err *e = read(more, s);
    cr_assert(!e, "%s: %s %.*s", more, e ? e->code : "",
              STR_FMT(e ? e->at : STR_NONE));
}

#define CHOICES "'choices':[{'value':'a'},{'value':'b'}]"
#define APPROVAL                                                               \
    "'kind':'approval','subject':{'action':{'name':'x'},'target':'t',"        \
    "'scope_summary':'s'}"

/* Any other word or thing of that name is the agent's own affair. */
Test(kind_record, what_names_no_kind_is_a_plain_card)
{
    static const char *const others[] = {
        "'kind':false", "'kind':null",      "'kind':7",
        "'kind':''",    "'kind':'Approval'", "'kind':'approval '",
        "'kind':'my own'", "'kind':['approval']",
        "'kind':{'approval':true}", "'kind':'none'"};
    for (size_t i = 0; i < countof(others); i++) {
        struct buf b = buf_make(a, 1024);
        struct suspension s;
        /* Nor do the members that go with a kind mean anything. */
        buf_printf(&b,
                   "%s," CHOICES ",'subject':7,'responder':'me',"
                   "'evidence':9,'allow_edit':'x','severity':'urgent',"
                   "'constraints':{'a':1},'modified':true,"
                   "'approved_subject':'mine'",
                   others[i]);
        reads(arena_z(a, buf_text(&b)), &s);
        cr_assert_eq(s.kind, KIND_NONE, "%s", others[i]);
        cr_assert_eq(s.responder.mode, RESPONDER_OPERATORS);
        cr_assert(!s.allow_edit && !s.supersedes.p &&
                  s.severity == SEVERITY_UNSAID);
        cr_assert(str_is(s.evidence, "[]") && str_is(s.artifacts, "[]"));
        const struct json *choices = suspension_choices(a, &s);
        for (size_t k = 0; k < json_count(choices); k++)
            cr_assert(str_is(json_get_text(json_at(choices, k), "effect"),
                             "none"));
        /* The mirror has what was sent, but for what looks like the server's
         * word of what was approved. */
        const struct json *r = tree_of(s.record);
        cr_assert(json_has(r, "kind") && !json_has(r, "constraints"));
        cr_assert(!json_has(r, "modified") &&
                  !json_has(r, "approved_subject"));
        cr_assert_eq(json_count(json_at(json_get(r, "choices"), 0)), 1);
    }
}

Test(kind_record, a_kind_is_held_to_its_rules)
{
    static const struct {
        const char *more, *code, *at;
    } rows[] = {
        {"'kind':'approval'", "kind.facts", "subject.action"},
        {"'kind':'approval','subject':[]", "field.type",
         "_suspension.subject"},
        {APPROVAL ",'severity':'high'", "kind.facts", "subject.consequence"},
        {APPROVAL ",'severity':'HIGH'", "field.value",
         "_suspension.severity"},
        {APPROVAL ",'responder':{'mode':'agent','who':'b'}",
         "responder.agent", "_suspension.responder.mode"},
        {APPROVAL "," CHOICES, "kind.effect", "choices[0].effect"},
        {APPROVAL ",'response_type':'text'", "kind.response_type",
         "response_type"},
        {APPROVAL ",'allow_edit':1", "field.type", "_suspension.allow_edit"},
        {"'kind':'elicitation','response_type':'choice'", "field.missing",
         "_suspension.choices"},
        {"'kind':'elicitation','response_type':'text'," CHOICES,
         "field.unused", "_suspension.choices"},
        {"'kind':'elicitation','response_type':'text','form':[{'key':'a'}]",
         "field.unused", "_suspension.form"},
        {"'kind':'elicitation','form':[{'key':'a','label':'Password'}]",
         "kind.secret", "form[0]"},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        struct suspension s;
        const struct err *e = read(rows[i].more, &s);
        cr_assert(e, "%s", rows[i].more);
        cr_assert_str_eq(e->code, rows[i].code, "%s", rows[i].more);
        cr_assert(str_is(e->at, rows[i].at), "%s: %.*s", rows[i].more,
                  STR_FMT(e->at));
    }
}

Test(kind_record, every_kind_passes_with_its_facts)
{
    for (size_t i = 0; i < countof(kinds); i++) {
        struct buf b = buf_make(a, 1 << 14);
        struct suspension s;
        buf_printf(&b, "'kind':'%s','subject':%s",
                   kind_words(kinds[i].kind)->wire.p, kinds[i].subject);
        reads(arena_z(a, buf_text(&b)), &s);
        cr_assert_eq(s.kind, kinds[i].kind);
        cr_assert(str_eq(s.subject, json_of(kinds[i].subject)));
        cr_assert_eq(s.response_type, s.kind == KIND_ELICITATION
                                          ? ANSWER_TEXT
                                          : ANSWER_CHOICE);
        /* The choices that it brings stand in the mirror. */
        const struct json *r = tree_of(s.record);
        cr_assert(json_equal(json_get(r, "choices"),
                             suspension_choices(a, &s)));
        cr_assert(json_count(json_get(r, "choices")) >= 2);
    }
}

Test(kind_record, a_form_of_a_kind_may_do_without_fields)
{
    struct suspension s;
    reads("'kind':'elicitation','response_type':'form','context':{'a':''}",
          &s);
    cr_assert_eq(s.response_type, ANSWER_FORM);
    cr_assert(!s.form.p);
    reads("'kind':'elicitation','form':[{'key':'a'}]", &s);
    cr_assert_eq(s.response_type, ANSWER_FORM);
    cr_assert(s.form.p);
}

/* Only the server sets the approved subject. */
Test(kind_record, an_agent_cannot_say_what_was_approved)
{
    static const char *const keys[] = {"constraints", "approved_subject",
                                       "modified", "response", "outcome",
                                       "reason", "responded_by"};
    struct suspension s;
    reads(APPROVAL ",'constraints':{'a':1},'approved_subject':{'b':2},"
                   "'modified':true,'response':'approve',"
                   "'outcome':'authorized','reason':'x','responded_by':'ada'",
          &s);
    const struct json *r = tree_of(s.record);
    for (size_t i = 0; i < countof(keys); i++)
        cr_assert(!json_has(r, keys[i]), "%s", keys[i]);
    cr_assert(json_has(r, "subject") && json_has(r, "kind"));
}

/* ---- silence -------------------------------------------------------- */

static const struct err *silence(enum kind k, const char *more,
                                 const char *value)
{
    struct suspension s = {.intent_id = STR("i")};
    const char *subject = "{}";
    struct buf b = buf_make(a, 1 << 14);
    for (size_t i = 0; i < countof(kinds); i++)
        subject = kinds[i].kind == k ? kinds[i].subject : subject;
    buf_printf(&b,
               "{'question':'Q?','kind':'%s','subject':%s,"
               "'timeout_seconds':60,'fallback_value':%s,"
               "'fallback_policy':'use_default_and_continue'%s%s}",
               kind_words(k)->wire.p, subject, value, *more ? "," : "", more);
    const struct str body = json_of(arena_z(a, buf_text(&b)));
    const struct err *e = suspension_read(a, tree_of(body), body, &s);
    cr_assert(!e, "%.*s: %s", STR_FMT(body), e ? e->code : "");
    return retry_silence_check(a, &s, RETRY_SILENCE_NEVER);
}

Test(kind_record, what_silence_may_choose)
{
    static const struct {
        enum kind kind;
        const char *more, *value, *code;
    } rows[] = {
        {KIND_APPROVAL, "", "'reject'", NULL},
        {KIND_APPROVAL, "'severity':'critical'", "'reject'", NULL},
        {KIND_APPROVAL, "", "'approve'", "fallback.authorizes"},
        {KIND_APPROVAL, "'severity':'low'", "'approve'",
         "fallback.authorizes"},
        {KIND_APPROVAL, "'severity':'high'", "'approve'",
         "fallback.authorizes"},
        {KIND_APPROVAL, "'severity':'critical','response_type':'confirm'",
         "'yes'", "fallback.authorizes"},
        {KIND_APPROVAL, "'severity':'critical','response_type':'confirm'",
         "'no'", NULL},
        {KIND_PERMISSION, "'severity':'high'", "'allow_once'",
         "fallback.authorizes"},
        {KIND_PLAN_REVIEW, "'severity':'high'", "'approve'",
         "fallback.authorizes"},
        {KIND_COST_CONFIRMATION, "'severity':'high'", "'confirm'",
         "fallback.authorizes"},
        {KIND_COST_CONFIRMATION, "'severity':'high'", "'cancel'", NULL},
        /* There would be nothing to go on with. */
        {KIND_COST_CONFIRMATION, "", "'stop_task'", "fallback.ends"},
        {KIND_APPROVAL, "'on_reject':'abandon'", "'reject'", "fallback.ends"},
        {KIND_APPROVAL, "'on_reject':'abandon'", "'approve'",
         "fallback.authorizes"},
        {KIND_HANDOFF_ACCEPTANCE, "", "'accept'", "fallback.authorizes"},
        {KIND_HANDOFF_ACCEPTANCE, "", "'decline'", NULL},
        /* Nobody is there to say how much. */
        {KIND_APPROVAL, "'allow_edit':true", "'edit'", "amend.missing"},
        {KIND_APPROVAL, "", "'constrain'", "amend.missing"},
        {KIND_PERMISSION, "", "'allow_for'", "amend.missing"},
        {KIND_PLAN_REVIEW, "", "'approve_edited'", "amend.missing"},
        {KIND_APPROVAL, "", "'later'", "response.invalid_choice"},
        {KIND_APPROVAL, "", "{'value':'approve'}", "response.invalid_choice"},
        {KIND_ELICITATION, "", "'red'", NULL},
        {KIND_ELICITATION, "", "''", "response.empty"},
        {KIND_ELICITATION, "'form':[{'key':'c','required':true}]", "{}",
         "response.form"},
        {KIND_ELICITATION, "'severity':'critical','response_type':'confirm'",
         "'yes'", NULL},
        {KIND_ELICITATION, "'severity':'critical','response_type':'confirm'",
         "'no'", NULL},
        {KIND_CREDENTIAL_NEEDED, "", "'decline'", NULL},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        const struct err *e =
            silence(rows[i].kind, rows[i].more, rows[i].value);
        if (!rows[i].code) {
            cr_assert(!e, "%zu %s: %s", i, rows[i].value, e ? e->code : "");
            continue;
        }
        cr_assert(e, "%zu %s", i, rows[i].value);
        cr_assert_str_eq(e->code, rows[i].code, "%zu %s", i, rows[i].value);
        cr_assert(str_is(e->at, "fallback_value"));
    }
}

/* A question that nobody answered in time, as it then stands. */
static struct suspension silent(enum kind k, const char *value,
                                struct intent *g)
{
    struct event_list events = {.n = 0};
    struct suspension s = {.id = STR("s"), .intent_id = STR("i")};
    struct buf b = buf_make(a, 1 << 14);
    *g = (struct intent){.id = STR("i"), .status = INTENT_SUSPENDED,
                         .state = STR("{}"), .created_by = STR("bot")};
    buf_printf(&b,
               "{'question':'Q?','kind':'%s','subject':%s,"
               "'timeout_seconds':60,'fallback_value':'%s',"
               "'fallback_policy':'use_default_and_continue'}",
               kind_words(k)->wire.p, kinds[k - KIND_APPROVAL].subject, value);
    const struct str body = json_of(arena_z(a, buf_text(&b)));
    cr_assert(!suspension_read(a, tree_of(body), body, &s));
    cr_assert(!suspension_seal(a, &s, CLOCK_SECOND));
    struct decision d = {.intent = g, .suspension = &s, .events = &events,
                         .dependencies_done = true, .now = s.expires_at};
    cr_assert(!resolve_expire(a, &d));
    return s;
}

/* A lasting permission is allowed once, as with a person's answer. */
Test(kind_record, silence_allows_no_more_than_a_person)
{
    struct intent g;
    const struct suspension s = silent(KIND_PERMISSION, "allow_once", &g);
    cr_assert(s.outcome == OUTCOME_FALLBACK && suspension_modified(&s));
    cr_assert(str_is(s.constraints, "{\"uses\":1}"), "%.*s",
              STR_FMT(s.constraints));
}

/* Silence takes nothing over and approves nothing. */
Test(kind_record, silence_is_a_fallback_whatever_it_chooses)
{
    struct intent g;
    const struct suspension s = silent(KIND_HANDOFF_ACCEPTANCE, "accept", &g);
    cr_assert(s.outcome == OUTCOME_FALLBACK && !g.owner.p);
    cr_assert(!suspension_modified(&s));
}
