/* Rows of lists on the pages of intents and portfolios. */
#include "doors/pages/question/row.h"

#include "doors/pages/question/head.h"
#include "doors/pages/shell/badge.h"

struct json *question_row(struct call *c, struct page_view *v,
                          const struct suspension *s)
{
    struct json *o = json_object(c->a);
    const bool open = s->state == SUSPENSION_PENDING;
    json_set_json(o, "suspension", question_head_brief(v, s));
    json_set_text(o, "who",
                  open ? STR_NONE : page_badge_who(c->a, s, &c->who));
    json_set_json(o, "task", NULL);
    return o;
}

struct json *question_row_link(struct arena *a,
                               const struct question_row_link *link)
{
    struct json *o = json_object(a);
    json_set_text(o, "relation", link->relation);
    json_set_text(o, "path", str_of(link->path));
    json_set_text(o, "id", link->id);
    json_set_text(o, "title", link->title);
    json_set_json(o, "state", page_badge(a, link->state));
    return o;
}
