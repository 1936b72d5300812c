/* The navigation of the pages. A page can be shown without the counts. */
#include "doors/pages/shell/nav.h"

#include "base/log.h"
#include "doors/pages/shell/list.h"
#include "store/question/inbox.h"
#include "store/sending/endpoints.h"
#include "store/views.h"

/* "200+" above the ceiling of the count; "" for none. */
static struct str nav_count(struct call *c, int64_t n)
{
    return n ? page_list_open(c->a, n) : STR("");
}

/* The inbox, what waits for others, and all that is open. A reader who does
 * not answer has one view, of all questions. */
static struct json *nav_views(struct call *c, const int64_t n[INBOX_VIEW__MAX])
{
    static const struct {
        enum inbox_view view;
        const char *url, *icon;
    } lists[] = {{INBOX_MAY, "/inbox", "inbox"},
                 {INBOX_OTHERS, "/inbox?view=others", "people"},
                 {INBOX_ALL, "/inbox?view=all", "all"}};
    const enum inbox_view here =
        vocabulary_inbox_view_of(request_query(c->rq, "view"));
    const bool apart = here == INBOX_ALL || here == INBOX_OTHERS;
    struct json *list = json_array(c->a);
    const size_t all = principal_decides(&c->who) ? countof(lists) : 1;
    for (size_t i = 0; i < all; i++) {
        const struct page_list_chip one = {
            .url = str_of(lists[i].url),
            .label = str_of(vocabulary_inbox_view(lists[i].view)->label),
            .count = nav_count(c, n[lists[i].view]),
            .icon = lists[i].icon,
            .here = str_is(c->rq->path, "/inbox") &&
                    (apart ? here : INBOX_MAY) == lists[i].view};
        page_list_chip(list, c->a, &one);
    }
    return list;
}

/* In the inbox, links to what is addressed to its reader alone or to their
 * groups; with numbers where the list has no filter. */
static struct json *nav_whose(struct call *c, const int64_t n[INBOX_VIEW__MAX])
{
    static const enum inbox_view views[] = {INBOX_MAY, INBOX_MINE,
                                            INBOX_GROUPS};
    struct json *list = json_array(c->a);
    const bool whole =
        str_is(page_list_url(c, "/inbox", "view", STR_NONE), "/inbox");
    if (!str_is(c->rq->path, "/inbox") || !principal_decides(&c->who))
        return list;
    for (size_t i = 0; i < countof(views); i++) {
        const struct vocabulary_word *words = vocabulary_inbox_view(views[i]);
        const struct page_list_link link = {
            .path = "/inbox",
            .key = "view",
            .word = i ? words->wire : STR_NONE,
            .label = i ? str_of(words->label) : STR("Any"),
            .count = whole ? nav_count(c, n[views[i]]) : STR("")};
        (void)page_list_link(c, list, &link);
    }
    return list;
}

static struct json *nav_saved(struct call *c, bool load)
{
    struct json *list = json_array(c->a);
    struct view_rows rows = {.n = 0};
    if (!load || views_list(c->pg, c->a, c->who.id, &rows))
        return list;
    const struct str here = page_list_query(c);
    for (size_t i = 0; i < rows.n; i++) {
        const struct view *v = &rows.v[i];
        const struct page_list_chip one = {
            .url = arena_join(c->a, v->path, str_of(v->query.n ? "?" : NULL),
                              v->query),
            .label = words_plain(c->a, v->name, VIEWS_NAME_MAX),
            .here = v->query.n > 0 && str_eq(c->rq->path, v->path) &&
                    str_eq(here, v->query)};
        page_list_chip(list, c->a, &one);
    }
    return list;
}

void page_nav(struct call *c, struct json *page, bool load)
{
    int64_t n[INBOX_VIEW__MAX] = {0};
    struct json *nav = json_object(c->a);
    const bool in = c->cookie.p != NULL;
    if (in && load && inbox_badges(c->pg, c->a, &c->who, n))
        log_line(LOG_WARN, "the counts of the inbox cannot be read");
    json_set_text(page, "open_count", nav_count(c, n[inbox_first(&c->who)]));
    if (!principal_decides(&c->who))
        n[INBOX_MAY] = n[inbox_first(&c->who)];
    json_set_bool(nav, "reader", c->who.role != ROLE_USER);
    json_set_json(nav, "views", nav_views(c, n));
    json_set_json(nav, "whose", nav_whose(c, n));
    json_set_json(nav, "saved", nav_saved(c, in && load));
    json_set_bool(nav, "views_here", str_is(c->rq->path, "/views"));
    json_set_bool(nav, "decided", str_is(c->rq->path, "/decided"));
    json_set_bool(nav, "tasks",
                  str_is(c->rq->path, "/intents") ||
                      str_is(c->rq->path, "/portfolios"));
    json_set_bool(nav, "agents",
                  str_is(c->rq->path, "/agents") ||
                      str_is(c->rq->path, "/agent"));
    struct endpoints_failing failing = {.channels = false};
    if (in && load && c->who.role == ROLE_ADMIN &&
        endpoints_failing(c->pg, c->a, &failing))
        log_line(LOG_WARN, "the state of the endpoints cannot be read");
    json_set_bool(nav, "fails", failing.endpoints || failing.channels);
    json_set_bool(nav, "settings", str_starts(c->rq->path, STR("/settings")));
    json_set_bool(nav, "may_set", c->cookie.p != NULL);
    json_set_json(page, "nav", nav);
}
