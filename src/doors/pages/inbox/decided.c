/* Decided questions, newest first, narrowed by filters in the address. */
#include "doors/pages/inbox/decided_filters.h"
#include "doors/pages/inbox/inbox.h"
#include "doors/pages/kinds/kinds.h"
#include "doors/pages/question/decision.h"
#include "doors/pages/question/head.h"
#include "doors/pages/shell/badge.h"
#include "doors/pages/shell/list.h"
#include "doors/pages/shell/page.h"

static struct json *decided_row(struct call *c, struct page_view *v,
                                const struct suspension *s)
{
    struct json *o = json_object(v->a);
    json_set_json(o, "suspension", question_head_brief(v, s));
    json_set_text(o, "reason",
                  words_line(v->a, question_decision_line(v->a, s),
                             PAGE_VIEW_ROW));
    json_set_text(o, "who", page_badge_who(v->a, s, &c->who));
    json_set_text(o, "door",
                  str_of(vocabulary_via(s->responded_via)->past));
    json_set_int(o, "waited", s->responded_at - s->suspended_at);
    return o;
}

const struct err *inbox_decided(struct call *c)
{
    struct page_view v = page_begin(c);
    struct json *view = json_object(c->a), *rows = json_array(c->a);
    struct inbox_decided_filters t;
    struct decided_rows d;
    TRY(inbox_decided_filters_read(c, &t));
    TRY(decided_list(c->pg, c->a, &t.query, &d));
    TRY(decided_count(c->pg, c->a, &t.query, &t.counts));
    const bool more = d.rows.n > PAGE_LIST_ROWS;
    const size_t n = more ? PAGE_LIST_ROWS : d.rows.n;
    for (size_t i = 0; i < n; i++) {
        struct page_list_row one;
        page_list_row_begin(&one, c, &v);
        const struct json *row =
            decided_row(&one.call, &one.view, &d.rows.v[i]);
        json_add_json(rows, page_list_row_end(&one, row));
    }
    const bool first = !t.query.after_at, last = !more && !d.further;
    const struct str part =
        first && last ? STR("") : page_list_part(first, !last);
    const struct str summary =
        n ? arena_join(c->a, part, words_many(c->a, (int64_t)n, "request"))
          : STR("");
    const struct page_list_pager pager = {
        .path = "/decided",
        .first = first,
        .older = more        ? d.rows.v[n - 1].id
                 : d.further ? d.id
                             : STR_NONE,
        .shown = d.further
                     ? STR("Only 2,000 answers were searched. There may be "
                           "older matches.")
                     : summary};
    json_set_text(view, "summary", summary);
    json_set_json(view, "filters", inbox_decided_filters_view(c, &t));
    json_set_bool(view, "narrowed", inbox_decided_filters_any(&t) || !first);
    json_set_bool(view, "further", d.further);
    json_set_json(view, "rows", rows);
    json_set_json(view, "pager", page_list_pager(c, &pager));
    return page_render(c, 200, "decided", "History", view);
}
