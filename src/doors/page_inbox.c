/* The lists: what is open, most urgent first, and what was decided. */
#include "base/clock.h"
#include "doors/page.h"
#include "doors/page_decision.h"
#include "doors/page_question.h"
#include "store/suspensions.h"

#define ROWS 50

/* One page of a list. */
struct list {
    struct page_view view;
    struct suspension_rows rows;
    bool first, last; /* of its pages */
};

static const struct err *bad_after(void)
{
    return ERROR(ERR_BAD_REQUEST, "request.query",
                 "The list cannot go on from there. Open it anew.");
}

/* The row that the page before ended with; the query has one row too many, to
 * know whether there are more. */
static const struct err *read_after(struct call *c, struct suspension *s)
{
    const struct str after = request_query(c->rq, "after");
    *s = (struct suspension){.id = STR_NONE};
    if (!after.p)
        return NULL;
    const struct err *e = suspensions_get(c->pg, c->a, after, s);
    return e && e->kind == ERR_NOT_FOUND ? bad_after() : e;
}

static struct list page_of(struct call *c, struct suspension_rows rows,
                           struct str after)
{
    struct list l = {.view = page_view(c->a, clock_now()),
                     .rows = rows,
                     .first = !after.p,
                     .last = rows.n <= ROWS};
    l.rows.n = l.last ? rows.n : ROWS;
    return l;
}

static struct json *url(struct call *c, const char *path, struct str after)
{
    return json_string(c->a, page_view_path(c->a, path, after, ""));
}

/* shown_text is written by the list; NULL where there is one page only. */
static struct json *pager(struct call *c, const struct list *l,
                          const char *path, struct str shown)
{
    struct json *o = json_object(c->a);
    struct buf more = buf_make(c->a, 64);
    if (l->first && l->last)
        return NULL;
    buf_put(&more, path);
    buf_put(&more, "?after=");
    json_set_text(o, "shown_text", shown);
    json_set_json(o, "first_url",
                  l->first ? NULL : json_string(c->a, str_of(path)));
    json_set_json(o, "older_url",
                  l->last ? NULL
                          : url(c, arena_z(c->a, buf_text(&more)),
                                l->rows.v[l->rows.n - 1].id));
    return o;
}

/* ---- inbox ---------------------------------------------------------- */

/* The first line of the explanation, else of a question under a title. */
static struct json *reason(struct page_view *v, const struct suspension *s)
{
    const struct str words = s->explanation.p ? s->explanation
                             : s->title.p     ? s->question
                                              : STR_NONE;
    return str_eq(str_trim(words), str_trim(page_question_title(s)))
               ? NULL
               : page_view_line(v, words);
}

static struct json *open_row(struct page_view *v, const struct suspension *s)
{
    struct json *o = json_object(v->a);
    const struct str title = page_question_title(s);
    json_set_text(o, "url", page_view_path(v->a, "/suspensions/", s->id, ""));
    json_set_json(o, "kind", page_question_kind(v->a));
    json_set_json(o, "title", page_view_head(v, title, PAGE_VIEW_ROW));
    json_set_json(o, "reason", reason(v, s));
    json_set_json(o, "agent", page_view_text(v, s->asked_by));
    json_set_json(o, "on_behalf", page_view_text(v, s->initiated_by));
    json_set_json(o, "risk", page_question_risk(v->a, s));
    json_set_json(o, "since", page_view_time(v, s->suspended_at));
    json_set_json(o, "deadline", page_question_deadline(v, s));
    return o;
}

/* "57", or "more than 1,000" beyond what is counted. */
static struct str counted(struct arena *a, int64_t n)
{
    struct buf b = buf_make(a, 64);
    const bool more = n > SUSPENSIONS_OPEN_MAX;
    buf_put(&b, more ? "more than " : "");
    buf_str(&b, page_view_count(a, more ? SUSPENSIONS_OPEN_MAX : n));
    return buf_text(&b);
}

static struct str open_summary(struct arena *a, int64_t n)
{
    struct buf b = buf_make(a, 64);
    if (n == 0)
        return STR("Nothing waits for you");
    if (n <= SUSPENSIONS_OPEN_MAX)
        return page_view_many(a, n, "open question");
    buf_put(&b, "More than ");
    buf_str(&b, page_view_many(a, SUSPENSIONS_OPEN_MAX, "open question"));
    return buf_text(&b);
}

static struct str open_shown(struct call *c, const struct list *l, int64_t all)
{
    struct buf b = buf_make(c->a, 128);
    if (!l->first)
        buf_put(&b, l->last ? "The last " : "Another ");
    buf_str(&b, page_view_count(c->a, (int64_t)l->rows.n));
    buf_put(&b, " of ");
    buf_str(&b, counted(c->a, all));
    buf_put(&b, l->first ? " shown" : "");
    return buf_text(&b);
}

static const struct err *show_inbox(struct call *c, struct list *l,
                                    int64_t all, struct str after)
{
    struct json *view = json_object(c->a), *rows = json_array(c->a);
    for (size_t i = 0; i < l->rows.n; i++)
        json_add_json(rows, open_row(&l->view, &l->rows.v[i]));
    json_set_text(view, "summary", open_summary(c->a, all));
    json_set_json(view, "as_of", page_view_time(&l->view, l->view.now));
    json_set_json(view, "reload_url",
                  after.p ? url(c, "/inbox?after=", after)
                          : json_string(c->a, STR("/inbox")));
    json_set_bool(view, "is_empty", l->rows.n == 0);
    json_set_json(view, "rows", rows);
    json_set_json(view, "pager",
                  pager(c, l, "/inbox", open_shown(c, l, all)));
    return page_render(c, 200, "inbox", "Inbox", view);
}

const struct err *page_inbox(struct call *c)
{
    struct suspension_rows rows;
    struct suspension after;
    int64_t all = 0;
    TRY(read_after(c, &after));
    TRY(suspensions_open(c->pg, c->a, &all));
    TRY(suspensions_inbox(c->pg, c->a, ROWS + 1, after.id, &rows));
    /* All that stood behind was answered meanwhile. */
    if (after.id.p && rows.n == 0) {
        response_see_other(c->rs, STR("/inbox"));
        return NULL;
    }
    struct list l = page_of(c, rows, after.id);
    return show_inbox(c, &l, all, after.id);
}

/* ---- decided -------------------------------------------------------- */

static struct json *decided_row(struct call *c, struct page_view *v,
                                const struct suspension *s)
{
    struct json *o = json_object(v->a);
    const struct str title = page_question_title(s);
    const struct str who = page_decision_who(v->a, s, &c->who);
    json_set_text(o, "url", page_view_path(v->a, "/suspensions/", s->id, ""));
    json_set_json(o, "at", page_view_time(v, s->responded_at));
    json_set_json(o, "outcome", page_question_outcome(v, s));
    json_set_json(o, "title", page_view_head(v, title, PAGE_VIEW_ROW));
    json_set_json(o, "reason", page_decision_line(v, s));
    json_set_json(o, "agent", page_view_text(v, s->asked_by));
    json_set_json(o, "risk", page_question_risk(v->a, s));
    json_set_json(o, "who", page_view_head(v, who, PAGE_VIEW_ROW));
    json_set_text(o, "door", page_decision_door(s));
    return o;
}

static struct str decided_summary(struct call *c, const struct list *l)
{
    struct buf b = buf_make(c->a, 64);
    if (l->first && l->last)
        return l->rows.n ? page_view_many(c->a, (int64_t)l->rows.n, "question")
                         : STR("");
    buf_put(&b, l->first ? "The newest " : l->last ? "The last " : "Another ");
    buf_str(&b, page_view_many(c->a, (int64_t)l->rows.n, "question"));
    return buf_text(&b);
}

const struct err *page_decided(struct call *c)
{
    struct suspension_rows found;
    struct suspension after;
    struct json *view = json_object(c->a), *rows = json_array(c->a);
    TRY(read_after(c, &after));
    if (after.id.p && after.state == SUSPENSION_PENDING)
        return bad_after();
    TRY(suspensions_decided(c->pg, c->a, ROWS + 1, after.responded_at,
                            after.id, &found));
    struct list l = page_of(c, found, after.id);
    for (size_t i = 0; i < l.rows.n; i++)
        json_add_json(rows, decided_row(c, &l.view, &l.rows.v[i]));
    const struct str summary = decided_summary(c, &l);
    json_set_text(view, "summary", summary);
    json_set_bool(view, "is_empty", l.first && l.rows.n == 0);
    json_set_json(view, "rows", rows);
    json_set_json(view, "pager", pager(c, &l, "/decided", summary));
    return page_render(c, 200, "decided", "Decided", view);
}
