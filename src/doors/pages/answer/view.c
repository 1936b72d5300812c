/* The views of a question, open and closed. */
#include "doors/pages/answer/view.h"

#include "doors/pages/answer/amend.h"
#include "doors/pages/kinds/kinds.h"
#include "doors/pages/kinds/steps.h"
#include "doors/pages/question/decision.h"
#include "doors/pages/question/head.h"
#include "doors/pages/shell/badge.h"
#include "doors/pages/shell/facts.h"

struct json *answer_view_next(struct page_view *v, const struct suspension *s)
{
    if (!s)
        return NULL;
    struct json *o = json_object(v->a);
    json_set_json(o, "suspension", question_head_brief(v, s));
    json_set_json(o, "deadline", question_head_deadline(v, s));
    return o;
}

/* The members of an open and of a closed question. facts_open: the raw text of
 * the facts is not folded. */
static struct json *view_begin(struct page_view *v,
                               const struct answer_view_of *of,
                               bool facts_open)
{
    struct json *view = json_object(v->a), *revision = json_object(v->a);
    const struct kinds_of kind = {.s = of->s,
                                  .before = of->before,
                                  .reader = of->reader,
                                  .revision = of->revision};
    json_set_int(revision, "n", of->revision);
    json_set_text(revision, "replaces", of->before ? of->before->id : STR_NONE);
    if (of->after) /* only of a closed one */
        json_set_text(revision, "replaced_by", of->after->id);
    json_set_json(view, "kind_view", kinds_view(v, &kind));
    json_set_json(view, "revision",
                  of->before || of->after ? revision : NULL);
    json_set_json(view, "suspension", question_head(v, of->s));
    json_set_json(view, "facts", question_head_facts(v, of->s, facts_open));
    json_set_json(view, "why", question_head_why(v, of->s));
    json_set_json(view, "timeline", of->timeline);
    json_set_json(view, "permit", of->permit);
    json_set_json(view, "claims", of->claims);
    return view;
}

/* The tool of the calls that a rule could allow in future: where an admin reads
 * a question about calls of one tool. A star would be a pattern in the rule,
 * and allow others too. p NULL: none. */
static struct str view_rule_tool(struct page_view *v,
                                 const struct answer_view_of *of)
{
    const struct suspension *s = of->s;
    const struct json *calls =
        json_get(suspension_subject(v->a, s), "calls");
    const struct str tool = json_get_text(json_at(calls, 0), "tool");
    if (of->reader->role != ROLE_ADMIN || s->origin != ORIGIN_TOOL_CALL ||
        s->test || str_find(tool, '*', 0) < tool.n ||
        str_find(s->asked_by, '*', 0) < s->asked_by.n)
        return STR_NONE;
    for (size_t i = 1; i < json_count(calls); i++) {
        if (!str_eq(json_get_text(json_at(calls, i), "tool"), tool))
            return STR_NONE;
    }
    return tool;
}

struct json *answer_view_open(struct page_view *v,
                              const struct answer_view_of *of,
                              const struct answer_form_of *form)
{
    struct json *answer = answer_form(v, form);
    const struct json *confirm = json_get(answer, "confirm");
    struct json *view = view_begin(v, of, json_get(confirm, "unseen") != NULL);
    const struct json *groups = json_get(json_get(confirm, "amend"), "groups");
    if (confirm &&
        effect_class_of_choice(suspension_choice(
            suspension_choices(v->a, of->s), form->choice)) == EFFECT_NO)
        json_set_json(view, "permit", NULL); /* a no grants none */
    /* The fields of a whole subject show each value, with what was asked. */
    if (json_bool(json_get(json_at(groups, 0), "headed")))
        json_set_json(view, "kind_view", NULL);
    json_set_text(view, "checkpoint", of->checkpoint);
    json_set_text(view, "rule_tool", view_rule_tool(v, of));
    json_set_json(view, "place", of->place);
    json_set_json(view, "same", of->same);
    json_set_text(view, "looking", of->looking.p ? of->looking : STR(""));
    json_set_json(view, "answer", answer);
    json_set_text(view, "list", of->way.list.n ? of->way.list : STR(""));
    json_set_text(view, "done", of->way.done.n ? of->way.done : STR(""));
    json_set_bool(view, "has_timeline", json_count(of->timeline) > 1);
    json_set_json(view, "errors", answer_form_errors(v, form));
    json_set_text(view, "silence",
                  suspension_silence(v->a, of->s,
                                     page_view_when(v, of->s->expires_at)));
    return view;
}

/* `allowed`: the changes of a yes, and the exact bytes that were approved in
 * place of the subject. NULL where the answer allowed exactly the subject, or
 * nothing. */
static struct json *view_allowed(struct page_view *v,
                                 const struct suspension *s)
{
    const struct page_facts_of approved = {
        .id = "allowed",
        .heading = "Approved details",
        .note = STR("Replaces the original request"),
        .folded = true,
        .text = s->approved_subject,
        .value = suspension_approved(v->a, s),
        .sha256 = s->approved_sha256,
        .hash_note = "Exactly these bytes were approved."};
    struct json *o = json_object(v->a);
    if (!suspension_modified(s))
        return NULL;
    const struct json *now = kinds_steps_of(suspension_approved(v->a, s));
    const struct json *was = kinds_steps_of(suspension_subject(v->a, s));
    const bool steps = now && was && s->kind == KIND_PLAN_REVIEW;
    json_set_json(o, "steps",
                  steps ? kinds_steps_approved(v, now, was) : NULL);
    json_set_json(o, "difference",
                  steps ? NULL : answer_amend_difference(v, s));
    json_set_json(o, "table",
                  s->approved_subject.p ? page_facts(v, &approved) : NULL);
    return o;
}

struct json *answer_view_closed(struct page_view *v,
                                const struct answer_view_of *of)
{
    const struct suspension *s = of->s;
    struct json *view = view_begin(v, of, false);
    struct json *decision = question_decision(v, s, of->reader, of->closed);
    question_decision_set_summary(v, decision, s);
    json_set_json(view, "decision", decision);
    json_set_text(view, "changes",
                  page_badge_once(s) ? STR_NONE : answer_amend_brief(v, s));
    json_set_json(view, "allowed", view_allowed(v, s));
    json_set_int(view, "waited", s->responded_at - s->suspended_at);
    json_set_bool(view, "is_test", s->test);
    json_set_json(view, "next", answer_view_next(v, of->next));
    return view;
}

struct json *answer_view_erased(struct page_view *v,
                                const struct answer_view_of *of)
{
    const struct suspension *s = of->s;
    struct json *view = json_object(v->a);
    json_set_json(view, "suspension", question_head_brief(v, s));
    json_set_text(view, "rule", s->erased_rule);
    page_view_set_time(view, "erased_at", s->erased_at);
    json_set_text(view, "who", page_badge_who(v->a, s, of->reader));
    json_set_text(view, "door",
                  str_of(vocabulary_via(s->responded_via)->past));
    json_set_json(view, "timeline", of->timeline);
    json_set_bool(view, "is_test", s->test);
    return view;
}

struct json *answer_view_receipt(struct page_view *v,
                                 const struct answer_view_of *of,
                                 struct json *receipt)
{
    const struct suspension *s = of->s;
    const struct kinds_of kind = {.s = s, .reader = of->reader, .revision = 1};
    struct json *view = json_object(v->a);
    struct json *decision = question_decision(v, s, of->reader, of->closed);
    question_decision_set_summary(v, decision, s);
    json_set_json(view, "suspension", question_head(v, s));
    json_set_json(view, "decision", decision);
    json_set_json(view, "kind_view",
                  s->erased_rule.p ? NULL : kinds_view(v, &kind));
    json_set_json(view, "facts",
                  s->erased_rule.p ? NULL : question_head_facts(v, s, true));
    json_set_json(view, "allowed", view_allowed(v, s));
    json_set_json(view, "receipt", receipt);
    return view;
}
