/* The views of a question, open and closed. */
#include "doors/pages/answer/view.h"

#include "doors/pages/answer/allowed.h"
#include "doors/pages/answer/amend.h"
#include "doors/pages/kinds/kinds.h"
#include "doors/pages/question/decision.h"
#include "doors/pages/question/head.h"

struct json *answer_view_next(struct page_view *v, const struct suspension *s)
{
    if (!s)
        return NULL;
    struct json *o = json_object(v->a);
    json_set_json(o, "suspension", question_head_brief(v, s));
    json_set_json(o, "deadline", question_head_deadline(v, s));
    return o;
}

/* The part of the view that depends on the kind, between its revisions. */
static void set_kind(struct page_view *v, struct json *view,
                     const struct answer_view_of *of)
{
    const struct kinds_of kind = {.s = of->s,
                                  .before = of->revision.before,
                                  .reader = of->reader,
                                  .revision = of->revision.n};
    json_set_json(view, "kind_view", kinds_view(v, &kind));
    json_set_json(view, "revision", question_revision(v->a, &of->revision));
}

struct json *answer_view_open(struct page_view *v,
                              const struct answer_view_of *of,
                              const struct answer_form_of *form)
{
    const struct suspension *s = of->s;
    const struct str end = page_view_when(v, s->expires_at);
    struct json *view = json_object(v->a);
    set_kind(v, view, of);
    json_set_text(view, "checkpoint", of->checkpoint);
    json_set_json(view, "suspension", question_head(v, s));
    struct json *answer = answer_form(v, form);
    const struct json *confirm = json_get(answer, "confirm");
    const bool whole = json_get(confirm, "unseen") != NULL;
    json_set_json(view, "answer", answer);
    json_set_json(view, "errors", answer_form_errors(v, form));
    json_set_json(view, "facts", question_head_facts(v, s, whole));
    json_set_json(view, "why", question_head_why(v, s));
    json_set_text(view, "silence", suspension_silence(v->a, s, end));
    json_set_json(view, "timeline", of->timeline);
    return view;
}

struct json *answer_view_closed(struct page_view *v,
                                const struct answer_view_of *of)
{
    const struct suspension *s = of->s;
    struct json *view = json_object(v->a);
    set_kind(v, view, of);
    json_set_json(view, "next", answer_view_next(v, of->next));
    json_set_json(view, "suspension", question_head(v, s));
    json_set_text(view, "changes", answer_amend_brief(v, s));
    json_set_text(view, "summary",
                  question_decision_summary(v, s, of->reader));
    json_set_int(view, "waited", s->responded_at - s->suspended_at);
    json_set_json(view, "decision",
                  question_decision(v, s, of->reader, of->closed));
    json_set_json(view, "allowed", answer_allowed(v, s));
    json_set_json(view, "facts", question_head_facts(v, s, false));
    json_set_json(view, "why", question_head_why(v, s));
    json_set_json(view, "timeline", of->timeline);
    return view;
}
