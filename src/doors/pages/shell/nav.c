/* The navigation of the pages. A page can be shown without the counts. */
#include "doors/pages/shell/nav.h"

#include "base/log.h"
#include "doors/pages/shell/answered.h"
#include "doors/pages/shell/list.h"
#include "store/question/inbox.h"
#include "store/sending/endpoints.h"
#include "store/views.h"

/* Of an entry whose page this is, and of one that the page belongs to. */
static const char nav_page[] = "page", nav_part[] = "true";

/* "200+" above the ceiling of the count; "" for none. */
static struct str nav_count(struct call *c, int64_t n)
{
    return n ? page_list_open(c->a, n) : STR("");
}

/* Is the path under, or where that ends with a slash, does it begin so? */
static bool nav_under(struct str path, const char *under)
{
    const struct str s = str_of(under);
    return s.n > 0 && (s.p[s.n - 1] == '/' ? str_starts(path, s)
                                           : str_eq(path, s));
}

/* The list of open questions that the page is or belongs to; INBOX_VIEW__MAX:
 * none. A question belongs to the list through which its reader goes. */
static enum inbox_view nav_view(struct call *c, bool ended)
{
    const struct str path = c->rq->path;
    struct call list = *c;
    if (!str_is(path, "/inbox")) {
        const bool question = nav_under(path, "/suspensions/") && !ended;
        if (!question && !nav_under(path, "/inbox/"))
            return INBOX_VIEW__MAX;
        if (page_list_at(c, page_answered_way(c, NULL).list, &list))
            return INBOX_MAY;
    }
    const enum inbox_view view =
        vocabulary_inbox_view_of(request_query(list.rq, "view"));
    const bool apart = view == INBOX_ALL || view == INBOX_OTHERS;
    return apart && principal_decides(&c->who) ? view : INBOX_MAY;
}

static struct json *nav_add(struct json *list, struct arena *a,
                            const char *url, const char *label)
{
    struct json *o = json_object(a);
    json_set_text(o, "url", str_of(url));
    json_set_text(o, "label", str_of(label));
    json_add_json(list, o);
    return o;
}

/* The inbox, what waits for others, and all that is open. A reader who does
 * not answer has one view, of all questions. here: what the entry of this page
 * says. */
static struct json *nav_views(struct call *c, const int64_t n[INBOX_VIEW__MAX],
                              bool ended, const char *here)
{
    static const struct {
        enum inbox_view view;
        const char *url, *icon;
    } lists[] = {{INBOX_MAY, "/inbox", "inbox"},
                 {INBOX_OTHERS, "/inbox?view=others", "people"},
                 {INBOX_ALL, "/inbox?view=all", "all"}};
    const enum inbox_view view = nav_view(c, ended);
    const char *current = str_is(c->rq->path, "/inbox") ? here : nav_part;
    struct json *list = json_array(c->a);
    const size_t all = principal_decides(&c->who) ? countof(lists) : 1;
    for (size_t i = 0; i < all; i++) {
        struct json *o =
            nav_add(list, c->a, lists[i].url,
                    vocabulary_inbox_view(lists[i].view)->label);
        json_set_text(o, "count", nav_count(c, n[lists[i].view]));
        json_set_text(o, "icon", str_of(lists[i].icon));
        json_set_text(o, "current",
                      str_of(view == lists[i].view ? current : NULL));
    }
    return list;
}

/* The other lists, and the pages that belong to each. */
static struct json *nav_places(struct call *c, bool ended, const char *here,
                               bool fails)
{
    static const struct {
        const char *url, *icon, *label, *under[3];
        bool everybody; /* else only those who read all questions */
    } places[] = {
        {"/decided", "clock", "History", {NULL}, false},
        {"/intents", "intent", "Tasks",
         {"/intents/", "/portfolios", "/portfolios/"}, false},
        {"/agents", "agent", "Agents", {"/agent"}, false},
        {"/settings/profile", "settings", "Settings", {"/settings/"}, true},
        {"/keys", "keyboard", "Shortcuts", {NULL}, false},
        {"/views", "bookmark", "Saved views", {NULL}, false}};
    const struct str path = c->rq->path;
    struct json *list = json_array(c->a);
    for (size_t i = 0; i < countof(places); i++) {
        bool part = i == 0 && ended && nav_under(path, "/suspensions/");
        for (size_t k = 0; k < countof(places[i].under); k++)
            part = part || nav_under(path, places[i].under[k]);
        if (c->who.role == ROLE_USER && !places[i].everybody)
            continue;
        struct json *o = nav_add(list, c->a, places[i].url, places[i].label);
        json_set_text(o, "icon", str_of(places[i].icon));
        json_set_text(o, "current",
                      str_of(part                          ? nav_part
                             : str_is(path, places[i].url) ? here
                                                           : NULL));
        json_set_bool(o, "keyed", str_is(str_of(places[i].url), "/keys"));
        json_set_bool(o, "fails", fails && places[i].everybody);
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

/* *here: one of them is this page. */
static struct json *nav_saved(struct call *c, bool load, bool *here)
{
    struct json *list = json_array(c->a);
    struct view_rows rows = {.n = 0};
    if (!load || views_list(c->pg, c->a, c->who.id, &rows))
        return list;
    const struct str query = page_list_query(c);
    for (size_t i = 0; i < rows.n; i++) {
        const struct view *v = &rows.v[i];
        const struct page_list_chip one = {
            .url = arena_join(c->a, v->path, str_of(v->query.n ? "?" : NULL),
                              v->query),
            .label = words_plain(c->a, v->name, VIEWS_NAME_MAX),
            .here = v->query.n > 0 && str_eq(c->rq->path, v->path) &&
                    str_eq(query, v->query)};
        *here = *here || one.here;
        page_list_chip(list, c->a, &one);
    }
    return list;
}

void page_nav(struct call *c, struct json *page, bool load, bool ended)
{
    int64_t n[INBOX_VIEW__MAX] = {0};
    struct json *nav = json_object(c->a);
    struct endpoints_failing failing = {.channels = false};
    const bool in = c->cookie.p != NULL;
    bool saved = false;
    if (in && load && inbox_badges(c->pg, c->a, &c->who, n))
        log_line(LOG_WARN, "the counts of the inbox cannot be read");
    if (in && load && c->who.role == ROLE_ADMIN &&
        endpoints_failing(c->pg, c->a, &failing))
        log_line(LOG_WARN, "the state of the endpoints cannot be read");
    json_set_text(page, "open_count", nav_count(c, n[inbox_first(&c->who)]));
    if (!principal_decides(&c->who))
        n[INBOX_MAY] = n[inbox_first(&c->who)];
    json_set_json(nav, "saved", nav_saved(c, in && load, &saved));
    const char *here = saved ? nav_part : nav_page;
    json_set_json(nav, "views", nav_views(c, n, ended, here));
    json_set_json(nav, "places",
                  nav_places(c, ended, here,
                             failing.endpoints || failing.channels));
    json_set_json(nav, "whose", nav_whose(c, n));
    json_set_bool(nav, "reader", c->who.role != ROLE_USER);
    json_set_bool(nav, "settings", str_starts(c->rq->path, STR("/settings")));
    json_set_json(page, "nav", nav);
}
