/* The inbox: questions that this reader may answer, most urgent first, or
 * another view of open questions, narrowed by filters in the address. Decides
 * nothing. */
#include "base/clock.h"
#include "base/shared/metrics.h"
#include "doors/pages/inbox/filters.h"
#include "doors/pages/inbox/inbox.h"
#include "doors/pages/shell/list.h"
#include "doors/pages/shell/page.h"
#include "store/log/tlogs.h"

#define SOON (15 * 60 * CLOCK_SECOND)
#define SOON_ROWS 10

/* The number of results, as far as they were counted. */
static void page_set_found(struct arena *a, struct json *view,
                           const struct inbox_filters *f)
{
    const int64_t n = inbox_filters_all(f);
    json_set_text(view, "found", n ? page_list_open(a, n) : STR(""));
    json_set_bool(view, "single", n == 1);
    json_set_bool(view, "mine", f->query.view == INBOX_MAY);
    json_set_bool(view, "all", f->query.view == INBOX_ALL);
    json_set_bool(view, "narrowed", inbox_filters_any(f));
}

static struct str page_shown(struct call *c, const struct inbox_filters *f,
                             struct suspension_rows rows, bool more)
{
    return arena_join(c->a,
                      str_of(!f->query.after ? ""
                             : more         ? "Another "
                                            : "The last "),
                      words_count(c->a, (int64_t)rows.n), STR(" of "),
                      page_list_open(c->a, inbox_filters_all(f)),
                      str_of(f->query.after ? "" : " shown"));
}

/* `soon`: questions that end soon are shown above the list, whatever their
 * risk and the order of the list. */
static const struct err *page_set_soon(struct call *c, struct page_view *v,
                                       const struct inbox_filters *f,
                                       struct json *view)
{
    struct json *o = json_object(c->a), *list = json_array(c->a);
    struct inbox_query query = f->query;
    const int64_t until = f->now + SOON;
    struct suspension_rows rows = {.n = 0};
    query.severity = SEVERITY__MAX;
    query.due = query.due && query.due < until ? query.due : until;
    query.by_deadline = true;
    query.limit = SOON_ROWS;
    if (!f->query.after)
        TRY(inbox_list(c->pg, c->a, &query, &rows));
    for (size_t i = 0; i < rows.n; i++) {
        struct page_list_row row;
        page_list_row_begin(&row, c, v);
        json_add_json(
            list, page_list_row_end(&row, inbox_row(&row.view, &rows.v[i])));
    }
    json_set_json(o, "rows", list);
    json_set_json(view, "soon", rows.n ? o : NULL);
    return NULL;
}

/* `log`, for admins: what keeps events from being signed; null: nothing. */
static const struct err *page_set_log(struct call *c, struct json *view)
{
    struct json *o = json_object(c->a), *list = json_array(c->a);
    const struct metrics_log now = metrics_log_read(c->serve->metrics);
    const bool stopped = now.no_key || now.inconsistent || now.silent;
    const bool behind = !stopped && now.lag > TLOGS_BEHIND;
    struct tlogs_fault *v = NULL;
    size_t n = 0;
    json_set_json(view, "log", NULL);
    if (c->who.role != ROLE_ADMIN)
        return NULL;
    TRY(tlogs_faults(c->pg, c->a, TLOGS_BROKEN, STR_NONE, TLOGS_NAMED + 1, &v,
                     &n));
    for (size_t i = 0; i < n && i < TLOGS_NAMED; i++) {
        struct json *row = json_object(c->a);
        json_set_text(row, "intent_id", v[i].intent_id);
        json_set_int(row, "sequence", v[i].sequence);
        json_set_text(row, "reason", v[i].reason);
        json_add_json(list, row);
    }
    json_set_json(o, "faults", list);
    json_set_bool(o, "more", n > TLOGS_NAMED);
    json_set_bool(o, "no_key", now.no_key);
    json_set_bool(o, "inconsistent", now.inconsistent);
    json_set_bool(o, "silent", now.silent);
    page_view_set_count(o, "behind",
                        behind ? (size_t)(now.lag / (60 * CLOCK_SECOND)) : 0);
    if (n > 0 || stopped || behind)
        json_set_json(view, "log", o);
    return NULL;
}

static const struct err *page_show(struct call *c, struct inbox_filters *f,
                                   struct suspension_rows rows)
{
    struct page_view v = page_begin(c);
    struct json *view = json_object(c->a);
    const bool more = rows.n > PAGE_LIST_ROWS;
    rows.n = more ? PAGE_LIST_ROWS : rows.n;
    const struct page_list_pager pager = {
        .path = "/inbox",
        .first = !f->query.after,
        .older = more ? rows.v[rows.n - 1].id : STR_NONE,
        .shown = page_shown(c, f, rows, more)};
    const char *title = vocabulary_inbox_view(f->query.view)->label;
    const struct str here = page_list_url(
        c, "/inbox", "after", f->query.after ? f->query.after->id : STR_NONE);
    json_set_text(view, "heading", str_of(title));
    page_set_found(c->a, view, f);
    json_set_bool(view, "part", f->counts.looked > INBOX_WORDS_MAX);
    page_view_set_time(view, "as_of", v.now);
    json_set_text(view, "reload_url", here);
    json_set_text(view, "first_url",
                  page_list_url(c, "/inbox", "after", STR_NONE));
    json_set_json(view, "filters", inbox_filters_view(c, f));
    TRY(page_set_log(c, view));
    TRY(page_set_soon(c, &v, f, view));
    json_set_json(view, "list", NULL);
    if (rows.n) {
        struct json *list = json_object(c->a);
        json_set_json(list, "groups", inbox_row_groups(c, &v, rows, f->group));
        json_set_bool(list, "picks", principal_decides(&c->who));
        json_set_json(view, "list", list);
    }
    json_set_json(view, "pager", page_list_pager(c, &pager));
    return page_render(c, 200, "inbox", title, view);
}

const struct err *inbox_page(struct call *c)
{
    const struct str after = page_list_filter(c, "after");
    struct inbox_filters f;
    struct suspension last; /* of the page before, open or not */
    struct suspension_rows rows;
    TRY(inbox_filters_read(c, &f, clock_now()));
    if (after.p) {
        const struct err *e = suspensions_get(c->pg, c->a, after, &last);
        if (e)
            return e->kind == ERR_NOT_FOUND ? page_list_bad() : e;
        f.query.after = &last;
    }
    TRY(inbox_list(c->pg, c->a, &f.query, &rows));
    /* All further questions were answered meanwhile. */
    if (f.query.after && rows.n == 0) {
        response_see_other(c->rs,
                           page_list_url(c, "/inbox", "after", STR_NONE));
        return NULL;
    }
    TRY(inbox_count(c->pg, c->a, &f.query, &f.counts));
    return page_show(c, &f, rows);
}
