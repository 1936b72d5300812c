/* The parts that all pages share: the frame around them, errors, forms. */
#include "doors/pages/shell/page.h"

#include "base/clock_text.h"
#include "base/log.h"
#include "doors/call/session.h"
#include "doors/pages/shell/answered.h"
#include "doors/pages/shell/nav.h"

/* Above the longest plan next to another: each byte of a record of 256 kB may
 * become five, and be in up to ten places. */
#define PAGE_MAX ((size_t)14 << 20)

static const char policy[] =
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; "
    "connect-src 'self'; manifest-src 'self'; form-action 'self'; "
    "frame-ancestors 'none'; "
    "base-uri 'none'";

/* ---- shell ---------------------------------------------------------- */

/* The first letters of the first and the last word of a name. */
static struct str page_initials(struct arena *a, struct str name)
{
    const struct str s = str_trim(name);
    size_t last = s.n;
    while (last > 0 && s.p[last - 1] != ' ')
        last--;
    const struct str end = last > 0 ? str_sub(s, last, s.n) : STR("");
    return arena_join(a, str_head(s, 1), str_head(end, 1));
}

struct page_view page_begin(const struct call *c)
{
    struct page_view v = page_view(c->a, clock_now());
    v.zone = c->who.account.time_zone;
    return v;
}

/* The pages that others are opened from, by their path; a list has depth 0, and
 * a page that is opened from another one is deeper than it. */
static const struct page_place {
    const char *path, *label;
    unsigned depth;
    const char *list; /* where Back leads otherwise; NULL: the inbox */
    const char *list_label;
} places[] = {{"/inbox", "Inbox", 0, NULL, NULL},
              {"/decided", "History", 0, NULL, NULL},
              {"/agents", "Agents", 0, NULL, NULL},
              {"/intents", "Tasks", 0, NULL, NULL},
              {"/portfolios", "Portfolios", 0, NULL, NULL},
              {"/portfolios/", "Portfolio", 1, "/portfolios", "Portfolios"},
              {"/agent", "Agent", 1, "/agents", "Agents"},
              {"/intents/", "Task", 2, "/intents", "Tasks"},
              {"/suspensions/", "Request", 3, NULL, NULL}};

#define QUESTION (&places[countof(places) - 1])

static const struct page_place *page_place_of(struct str address)
{
    const struct str path = str_cut(&address, '?');
    for (size_t i = 0; i < countof(places); i++) {
        if (places[i].depth > 0 ? str_starts(path, str_of(places[i].path))
                                : str_is(path, places[i].path))
            return &places[i];
    }
    return NULL;
}

/* `back`: of a question the list through which the reader goes; else the page
 * from which the reader came, where it is less deep than this one, so that no
 * two pages lead back to each other; else the list of pages like this one. */
static void page_set_back(struct call *c, struct json *page)
{
    const struct str own = c->serve->conf->public_url;
    const struct str from = request_header(c->rq, "Referer");
    const struct str address =
        str_starts(from, own) ? str_sub(from, own.n, from.n) : STR("");
    const struct page_place *here = page_place_of(c->rq->path);
    const struct page_place *there = page_place_of(address);
    const bool up = here && there && there->depth < here->depth;
    const struct str way =
        here == QUESTION ? page_answered_way(c, NULL).list : STR("");
    struct json *o = json_object(c->a);
    const bool listed = here && here->list;
    json_set_text(o, "url",
                  way.n > 0 ? way
                  : up      ? address
                            : str_of(listed ? here->list : "/inbox"));
    json_set_text(o, "label",
                  str_of(way.n > 0 ? "Inbox"
                         : up      ? there->label
                         : listed  ? here->list_label
                                   : "Inbox"));
    json_set_json(page, "back", o);
}

/* `find`: the search, of the list that the page is one of, with its words. */
static void page_set_find(struct call *c, struct json *page)
{
    const bool past = str_is(c->rq->path, "/decided");
    const bool list = past || str_is(c->rq->path, "/inbox");
    struct json *o = json_object(c->a);
    json_set_text(o, "url", past ? STR("/decided") : STR("/inbox"));
    json_set_text(o, "words",
                  list ? str_trim(request_query(c->rq, "q")) : STR(""));
    json_set_text(o, "hint",
                  past ? STR("Search history") : STR("Search requests"));
    json_set_json(page, "find", o);
}

/* load: with data of the database; an error page must not need it. ended: as
 * page_nav. */
static void page_set(struct call *c, struct json *view, const char *title,
                     bool load, bool ended)
{
    struct json *p = json_object(c->a), *person = NULL, *answered = NULL;
    const struct str theme = c->who.account.theme;
    const struct str zone = c->who.account.time_zone;
    const bool chosen = str_is(theme, "light") || str_is(theme, "dark");
    if (c->cookie.p) {
        person = json_object(c->a);
        json_set_text(person, "name", c->who.title);
        json_set_text(person, "role", str_of(role_word(c->who.role)));
        json_set_text(person, "initials", page_initials(c->a, c->who.title));
    }
    json_set_text(p, "title", str_of(title));
    json_set_text(p, "now", clock_rfc3339(c->a, clock_now()));
    json_set_json(p, "operator", person);
    json_set_text(p, "csrf", session_csrf(c));
    /* Without a theme the page follows the browser's preference. */
    json_set_text(p, "theme", chosen ? theme : STR(""));
    /* A user may not learn of the questions of others. */
    json_set_text(p, "stream",
                  c->cookie.p && c->who.role != ROLE_USER
                      ? STR("/inbox/stream")
                      : STR(""));
    json_set_text(p, "keys",
                  c->cookie.p && c->who.account.single_key ? STR("once")
                                                           : STR(""));
    json_set_text(p, "zone", zone.p ? zone : STR("UTC"));
    if (load && c->cookie.p && page_answered(c, &answered))
        log_line(LOG_WARN, "what was answered cannot be read");
    json_set_json(p, "answered", answered);
    page_set_back(c, p);
    page_set_find(c, p);
    page_nav(c, p, load, ended);
    json_set_json(view, "page", p);
}

static const struct err *page_render_as(struct call *c, int status,
                                        const char *name, struct json *view)
{
    struct buf out = buf_make(c->a, PAGE_MAX);
    const struct template_page page = {.name = name,
                                       .view = view,
                                       .now = clock_now(),
                                       .zone = c->who.account.time_zone};
    TRY(template_render(c->a, c->serve->templates, &page, &out));
    c->rs->body = out;
    c->rs->status = status;
    response_header(c->rs, "Content-Type", STR("text/html; charset=utf-8"));
    response_header(c->rs, "Content-Security-Policy",
                    (struct str){policy, sizeof policy - 1});
    response_header(c->rs, "Referrer-Policy", STR("same-origin"));
    return NULL;
}

const struct err *page_render(struct call *c, int status, const char *name,
                              const char *title, struct json *view)
{
    /* The form that answers a question is the page of an open one. */
    page_set(c, view, title, true, !str_is(str_of(name), "suspension"));
    return page_render_as(c, status, name, view);
}

/* ---- errors --------------------------------------------------------- */

void page_error(struct call *c, const struct err *e)
{
    static const char *const words[ERR__MAX] = {
        [ERR_BAD_REQUEST] = "This link is not valid",
        [ERR_UNAUTHENTICATED] = "Sign in to continue",
        [ERR_FORBIDDEN] = "This is not allowed",
        [ERR_NOT_FOUND] = "Not found",
        [ERR_METHOD] = "This link is not valid",
        [ERR_CONFLICT] = "Something changed in the meantime",
        [ERR_TOO_LARGE] = "This is too large",
        [ERR_MEDIA_TYPE] = "This link is not valid",
        [ERR_INVALID] = "This is not valid",
        [ERR_RATE] = "Too many attempts",
        [ERR_INTERNAL] = "Something went wrong in Sayso",
        [ERR_BUSY] = "Sayso is not available right now"};
    const char *title = e->kind < ERR__MAX && words[e->kind]
                            ? words[e->kind]
                            : "Something went wrong";
    struct json *view = json_object(c->a), *o = json_object(c->a);
    const int code = response_status(e->kind);
    json_set_int(o, "status", code);
    json_set_text(o, "title", str_of(title));
    json_set_text(o, "sentence", e->say);
    json_set_text(o, "code", str_of(e->code));
    json_set_text(o, "request_id", c->rq->id);
    json_set_json(view, "error", o);
    page_set(c, view, title, false, false);
    response_error(c->rs, e, RESPONSE_PROBLEM);
    const struct err *failed = page_render_as(c, code, "error", view);
    if (failed)
        log_line(LOG_ERR, "the error page cannot be shown: %s %.*s",
                 failed->code, STR_FMT(failed->at));
}

/* ---- forms ---------------------------------------------------------- */

const struct err *page_form(struct call *c, struct pairs *out)
{
    TRY(session_same_origin(c));
    TRY(request_form(c->a, c->rq->body, REQUEST_PAIRS_MAX, out));
    if (!session_csrf_ok(c, pairs_get(*out, "csrf")))
        return ERROR(ERR_FORBIDDEN, "request.csrf",
                     "This form has expired. Open the page again and send it "
                     "from there. Nothing was changed.");
    return NULL;
}

const struct err *page_keyboard(struct call *c)
{
    return page_render(c, 200, "keys", "Shortcuts", json_object(c->a));
}
