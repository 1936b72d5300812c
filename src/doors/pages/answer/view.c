/* The views of a question, open and closed. */
#include "doors/pages/answer/view.h"

#include "doors/pages/answer/allowed.h"
#include "doors/pages/answer/amend.h"
#include "doors/pages/kinds/kinds.h"
#include "doors/pages/question/decision.h"
#include "doors/pages/question/head.h"
#include "doors/pages/shell/badge.h"

struct json *answer_view_next(struct page_view *v, const struct suspension *s)
{
    if (!s)
        return NULL;
    struct json *o = json_object(v->a);
    const struct str title = question_head_title(s);
    json_set_text(o, "url", page_view_path(v->a, "/suspensions/", s->id, ""));
    json_set_json(o, "kind", page_badge_kind(v->a, s));
    json_set_json(o, "risk", page_badge_risk(v->a, s));
    json_set_text(o, "title", words_cut(v->a, title, PAGE_VIEW_ROW));
    json_set_json(o, "deadline", question_head_deadline(v, s));
    json_set_text(o, "agent", s->asked_by);
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
                              const struct answer_strip_of *strip)
{
    const struct suspension *s = of->s;
    const struct str end = page_view_when(v, s->expires_at);
    struct json *view = json_object(v->a);
    set_kind(v, view, of);
    json_set_text(view, "checkpoint", of->checkpoint);
    json_set_json(view, "suspension", question_head(v, s));
    struct json *answer = answer_strip(v, strip);
    const struct json *confirm = json_get(answer, "confirm");
    const bool whole = json_get(confirm, "unseen") != NULL;
    json_set_json(view, "answer", answer);
    json_set_json(view, "errors", answer_strip_errors(v, strip));
    json_set_json(view, "facts", question_head_facts(v, s, whole));
    json_set_json(view, "why", question_head_why(v, s));
    json_set_text(view, "silence", suspension_silence(v->a, s, end));
    json_set_json(view, "timeline", of->timeline);
    return view;
}

static void add_mark(struct json *list, struct arena *a, const char *icon,
                     const char *before, struct str text, const char *after)
{
    struct json *o = json_object(a);
    struct buf b = buf_make(a, 256);
    buf_put(&b, before);
    buf_str(&b, text);
    buf_put(&b, after);
    json_set_text(o, "icon", str_of(icon));
    json_set_text(o, "text", buf_text(&b));
    json_add_json(list, o);
}

static struct json *marks(struct arena *a, const struct suspension *s,
                          int64_t closed)
{
    struct json *list = json_array(a);
    if (closed > 0)
        add_mark(list, a, "check", "Recorded as event ",
                 words_count(a, closed), " of the task");
    add_mark(list, a, "clock", "Waited ",
             words_span(a, s->responded_at - s->suspended_at), "");
    return list;
}

struct json *answer_view_closed(struct page_view *v,
                                const struct answer_view_of *of)
{
    const struct suspension *s = of->s;
    struct json *view = json_object(v->a);
    struct json *head = question_head_short(v, s);
    question_head_set_id(v, head, s);
    set_kind(v, view, of);
    json_set_json(view, "next", answer_view_next(v, of->next));
    json_set_json(view, "suspension", head);
    json_set_text(view, "changes", answer_amend_brief(v, s));
    json_set_text(view, "summary",
                  question_decision_summary(v, s, of->reader));
    json_set_json(view, "marks", marks(v->a, s, of->closed));
    json_set_json(view, "decision",
                  question_decision(v, s, of->reader, of->closed));
    json_set_json(view, "allowed", answer_allowed(v, s));
    json_set_json(view, "facts", question_head_facts(v, s, false));
    json_set_json(view, "why", question_head_why(v, s));
    json_set_json(view, "timeline", of->timeline);
    json_set_text(view, "timeline_note",
                  words_many(v->a, (int64_t)json_count(of->timeline),
                             "event"));
    return view;
}
