/* The inbox: questions that this reader may answer, most urgent first, or
 * another view of open questions, narrowed by filters in the address. Decides
 * nothing. */
#include "base/clock.h"
#include "base/shared/metrics.h"
#include "doors/pages/inbox/empty.h"
#include "doors/pages/inbox/filters.h"
#include "doors/pages/inbox/found.h"
#include "doors/pages/inbox/groups.h"
#include "doors/pages/inbox/inbox.h"
#include "doors/pages/shell/list.h"
#include "doors/pages/shell/page.h"
#include "store/log/tlogs.h"

#define SOON (15 * 60 * CLOCK_SECOND)
#define SOON_ROWS 25 /* that stand first */

/* The number of results, as far as they were counted. */
static void page_set_found(struct arena *a, struct json *view,
                           const struct inbox_filters *f)
{
    const int64_t n = inbox_filters_all(f);
    json_set_text(view, "found", n ? page_list_open(a, n) : STR(""));
    json_set_bool(view, "single", n == 1);
    json_set_bool(view, "mine", f->query.view == INBOX_MAY);
    json_set_bool(view, "all", f->query.view == INBOX_ALL);
    json_set_bool(view, "others", f->query.view == INBOX_OTHERS);
    json_set_bool(view, "others_cut", f->counts.cut);
    json_set_bool(view, "narrowed", inbox_filters_any(f));
}

/* The rows of one page. On the first one those that end soon stand first,
 * whatever the order of the list, and nowhere else. */
struct page_rows {
    struct suspension_rows due, rest;
    int64_t others;   /* end soon, and have another risk than the list */
    int64_t more_due; /* 1: more than SOON_ROWS end soon */
    int64_t pinned;   /* those that end until then stand on the first page; 0:
                       * none do */
    struct str older; /* p NULL: no more */
};

/* Those that end soon, of the list and of every risk. */
static const struct err *page_load_due(struct call *c,
                                       const struct inbox_filters *f,
                                       struct page_rows *p)
{
    const enum severity only = f->query.severity;
    struct inbox_query query = f->query;
    struct suspension_rows found;
    const int64_t until = f->now + SOON;
    query.severity = SEVERITY__MAX;
    query.due = query.due && query.due < until ? query.due : until;
    query.by_deadline = true;
    query.limit = SOON_ROWS;
    if (f->query.after) {
        (void)str_int(page_list_filter(c, "pinned"), 0, INT64_MAX, &p->pinned);
        return NULL;
    }
    TRY(inbox_list(c->pg, c->a, &query, &found));
    if (found.n == 0)
        return NULL;
    p->more_due = found.n == SOON_ROWS;
    /* Where there are more, those that end with the last one stand with
     * them. */
    p->pinned = found.v[found.n - 1].expires_at - p->more_due;
    p->due.v = arena_many(c->a, found.n + 1, struct suspension);
    for (size_t i = 0; i < found.n && found.v[i].expires_at <= p->pinned; i++) {
        if (only == SEVERITY__MAX || found.v[i].severity == only)
            p->due.v[p->due.n++] = found.v[i];
        else
            p->others++;
    }
    return NULL;
}

/* Does it stand first, on this page or on the first one? */
static bool page_is_pinned(const struct page_rows *p,
                           const struct suspension *s)
{
    return s->expires_at && s->expires_at <= p->pinned;
}

/* The others of the page. all: in the order of the list, one more than a page
 * has where there are more. */
static void page_take_rest(struct call *c, struct suspension_rows all,
                           struct page_rows *p)
{
    p->rest.v = arena_many(c->a, all.n + 1, struct suspension);
    for (size_t i = 0; i < all.n; i++) {
        if (page_is_pinned(p, &all.v[i]))
            continue;
        if (p->due.n + p->rest.n == PAGE_LIST_ROWS) {
            p->older = all.v[i - 1].id;
            return;
        }
        p->rest.v[p->rest.n++] = all.v[i];
    }
    if (all.n > PAGE_LIST_ROWS)
        p->older = all.v[all.n - 1].id;
}

static struct str page_shown(struct call *c, const struct inbox_filters *f,
                             const struct page_rows *p)
{
    return arena_join(c->a,
                      str_of(!f->query.after ? ""
                             : p->older.p    ? "Another "
                                             : "The last "),
                      words_count(c->a, (int64_t)(p->due.n + p->rest.n)),
                      STR(" of "), page_list_open(c->a, inbox_filters_all(f)),
                      str_of(f->query.after ? "" : " shown"));
}

static struct str page_pinned(struct call *c, struct str url, int64_t until)
{
    struct buf b = buf_make(c->a, REQUEST_TARGET_MAX * 5);
    buf_str(&b, url);
    buf_put(&b, "&pinned=");
    buf_int(&b, until);
    return buf_text(&b);
}

/* The pager; its link to the next page has the last time at which one of the
 * rows ends that stand first, so that no page repeats them. */
static struct json *page_pager(struct call *c, const struct inbox_filters *f,
                               const struct page_rows *p)
{
    const struct page_list_pager pager = {.path = "/inbox",
                                          .first = !f->query.after,
                                          .older = p->older,
                                          .shown = page_shown(c, f, p)};
    struct json *o = page_list_pager(c, &pager);
    if (o && p->older.p && p->pinned)
        json_set_text(
            o, "older_url",
            page_pinned(c, json_get_text(o, "older_url"), p->pinned));
    return o;
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

/* The highest risk that the reader decides together with others. */
static struct str page_limit(struct call *c)
{
    const enum severity own = c->who.account.bulk_limit;
    return vocabulary_severity(own == SEVERITY_UNSAID ? SEVERITY_MEDIUM : own)
        ->wire;
}

/* The list without its risk, of what ends soon. */
static struct str page_due_url(struct call *c, const struct inbox_filters *f)
{
    const struct str url = page_list_url(c, "/inbox", "risk", STR_NONE);
    if (f->due.p)
        return url;
    return arena_join(c->a, url,
                      str_of(str_find(url, '?', 0) < url.n ? "&" : "?"),
                      STR("due=15m"));
}

/* The history with the same words; "" without words, and for users, who have
 * no history. */
static struct str page_past(struct call *c, const struct inbox_query *w)
{
    struct buf b = buf_make(c->a, PAGE_LIST_WORDS * 12 + 16);
    if (!w->words.p || c->who.role == ROLE_USER)
        return STR("");
    buf_put(&b, "/decided?q=");
    buf_escape(&b, w->words);
    return buf_text(&b);
}

static const struct err *page_show(struct call *c, struct inbox_filters *f,
                                   const struct page_rows *p)
{
    struct page_view v = page_begin(c);
    struct json *view = json_object(c->a);
    const enum inbox_view list = f->query.view;
    const bool apart = principal_decides(&c->who) &&
                       (list == INBOX_ALL || list == INBOX_OTHERS);
    inbox_found_begin(&v, f->query.words);
    const char *title = vocabulary_inbox_view(apart ? list : INBOX_MAY)->label;
    json_set_text(view, "heading", str_of(title));
    json_set_text(view, "past_url", page_past(c, &f->query));
    page_set_found(c->a, view, f);
    json_set_bool(view, "part", f->counts.looked > INBOX_WORDS_MAX);
    page_view_set_time(view, "as_of", v.now);
    json_set_text(view, "reload_url", page_list_here(c, "/inbox"));
    json_set_text(view, "first_url",
                  page_list_url(c, "/inbox", "after", STR_NONE));
    json_set_json(view, "filters", inbox_filters_view(c, f, p->due, p->rest));
    TRY(page_set_log(c, view));
    page_view_set_count(view, "others_due", (size_t)p->others);
    json_set_text(view, "others_url", page_due_url(c, f));
    json_set_json(view, "list", NULL);
    json_set_json(view, "first", NULL);
    json_set_json(view, "done", NULL);
    const bool bare =
        p->due.n + p->rest.n == 0 && !inbox_filters_any(f);
    json_set_bool(view, "bare", bare);
    if (bare && f->query.view == INBOX_MAY)
        TRY(inbox_empty(c, v.now, view));
    if (p->due.n + p->rest.n) {
        struct json *o = json_object(c->a);
        struct json *sections =
            inbox_groups(c, &v, p->due, p->rest, f->group);
        if (p->due.n > 0 && p->more_due)
            json_set_bool(json_get(json_at(sections, 0), "head"), "more",
                          true);
        json_set_json(o, "sections", sections);
        json_set_bool(o, "picks",
                      principal_decides(&c->who) && list != INBOX_OTHERS);
        json_set_text(o, "limit", page_limit(c));
        /* Of a list of several pages. */
        json_set_text(o, "all",
                      p->older.p || f->query.after
                          ? page_list_open(c->a, inbox_filters_all(f))
                          : STR(""));
        json_set_json(view, "list", o);
    }
    json_set_json(view, "pager", page_pager(c, f, p));
    return page_render(c, 200, "inbox", title, view);
}

/* ---- the rows ------------------------------------------------------- */

/* The page of the list that the address asks for. last: room for the question
 * after which it begins. */
static const struct err *page_load(struct call *c, struct inbox_filters *f,
                                   struct suspension *last,
                                   struct page_rows *p)
{
    const struct str after = page_list_filter(c, "after");
    struct suspension_rows rows;
    *p = (struct page_rows){.others = 0};
    TRY(inbox_filters_read(c, f, clock_now()));
    if (after.p) { /* open or not */
        const struct err *e = suspensions_get(c->pg, c->a, after, last);
        if (e)
            return e->kind == ERR_NOT_FOUND ? page_list_bad() : e;
        f->query.after = last;
    }
    TRY(inbox_list(c->pg, c->a, &f->query, &rows));
    TRY(page_load_due(c, f, p));
    page_take_rest(c, rows, p);
    return NULL;
}

const struct err *inbox_page(struct call *c)
{
    struct inbox_filters f;
    struct suspension last;
    struct page_rows p;
    TRY(page_load(c, &f, &last, &p));
    /* All further questions were answered meanwhile. */
    if (f.query.after && p.rest.n == 0) {
        response_see_other(c->rs,
                           page_list_url(c, "/inbox", "after", STR_NONE));
        return NULL;
    }
    TRY(inbox_count(c->pg, c->a, &f.query, &f.counts));
    return page_show(c, &f, &p);
}

/* The ids of the rows, in the order in which they are shown. */
static size_t page_ids(const struct json *sections, struct str *ids)
{
    size_t n = 0;
    for (size_t i = 0; i < json_count(sections); i++) {
        const struct json *groups = json_get(json_at(sections, i), "groups");
        for (size_t g = 0; g < json_count(groups); g++) {
            const struct json *rows = json_get(json_at(groups, g), "rows");
            for (size_t r = 0; r < json_count(rows); r++)
                ids[n++] = json_get_text(
                    json_get(json_at(rows, r), "suspension"), "suspension_id");
        }
    }
    return n;
}

/* The page of the list is read in memory of its own: it may be many times what
 * the answer needs. */
const struct err *inbox_behind(struct call *c, struct str address,
                               struct str id, struct str *out, size_t *n)
{
    struct call list;
    struct inbox_filters f;
    struct suspension last;
    struct page_rows p;
    struct str ids[PAGE_LIST_ROWS];
    size_t at = 0;
    *n = 0;
    if (page_list_at(c, address, &list))
        return NULL;
    list.a = arena_within(c->a);
    const struct err *e = page_load(&list, &f, &last, &p);
    if (e) /* in that memory */
        return e->kind == ERR_BAD_REQUEST ? NULL : e;
    struct page_view v = page_begin(&list);
    const size_t all =
        page_ids(inbox_groups(&list, &v, p.due, p.rest, f.group), ids);
    while (at < all && !str_eq(ids[at], id))
        at++;
    /* One that is not there any more was before all of them. */
    for (at = at < all ? at + 1 : 0; at < all && *n < INBOX_BEHIND_MAX; at++)
        out[(*n)++] = arena_str(c->a, ids[at]);
    arena_free(list.a);
    return NULL;
}
