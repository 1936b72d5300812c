/* Settings: active sessions. Everybody sees and ends their own, an admin those
 * of all. A session is named by its browser, its system, and the address of its
 * sign-in. */
#include "base/crypt.h"
#include "doors/pages/settings/page.h"
#include "doors/pages/settings/settings.h"
#include "store/person/sessions.h"
#include "store/person/sign_ins.h"

#define PATH "/settings/sessions"

/* The owner of the sessions that this reader may see and end; p NULL:
 * everybody. */
static struct str sessions_whose(const struct call *c)
{
    return c->who.role == ROLE_ADMIN ? STR_NONE : c->who.id;
}

/* "Firefox, Linux" */
static struct str sessions_browser(struct arena *a, const struct session *s)
{
    if (!s->browser.p)
        return s->os.p ? s->os : STR("Unknown browser");
    return s->os.p ? arena_join(a, s->browser, STR(", "), s->os)
                       : s->browser;
}

/* here: it is the reader's own, which has no action. */
static void sessions_row(struct settings_view *v, const struct session *s,
                         bool here)
{
    static const struct vocabulary_word this_one = {
        .label = "This one", .tone = "plain", .icon = "check"};
    struct arena *a = v->c->a;
    const struct str since = page_view_when(&v->page, s->created_at);
    const struct str browser = sessions_browser(a, s);
    const struct settings_cell cells[SETTINGS_PAGE_COLUMNS] = {
        {.text = s->name, .second = s->email},
        {.text = browser, .second = s->address},
        {.ago = s->created_at},
        {.ago = s->seen_at},
        {.text = here ? STR("") : STR("Active"),
         .state = here ? &this_one : NULL}};
    /* The list of one's own sessions has no column for the person. */
    settings_page_row(
        v, &(struct settings_row){
               .cells = v->c->who.role == ROLE_ADMIN ? cells : cells + 1,
               .id = here ? STR_NONE : s->id,
               .name = arena_join(a, s->name, STR(", "), browser,
                                  STR(", since "), since),
               .about = arena_join(a, STR("Sign out the session of "), s->name,
                                   STR(" since "), since)});
}

static const struct err *sessions_rows(struct settings_view *v)
{
    struct call *c = v->c;
    struct session_rows found;
    struct sign_ins_guesses wrong;
    const struct str here = crypt_sha256_hex(c->a, c->cookie);
    bool more_of_mine = false;
    TRY(sessions_list(c->pg, c->a, sessions_whose(c), &found));
    const bool more = found.n > SESSIONS_MAX;
    found.n = more ? SESSIONS_MAX : found.n;
    for (size_t i = 0; i < found.n; i++) {
        const struct session *s = &found.v[i];
        const bool is_here = str_eq(s->id, here);
        sessions_row(v, s, is_here);
        more_of_mine = more_of_mine ||
                       (!is_here && str_eq(s->person_id, c->who.id));
    }
    if (more)
        v->summary = STR("The 200 last used");
    json_set_bool(v->view, "others", more_of_mine);
    /* Failed sign-ins are shown to the owner of the account alone. */
    TRY(sign_ins_guesses(c->pg, c->a, c->who.name, c->who.id, &wrong));
    if (wrong.tries > 0) {
        struct json *o = json_object(c->a);
        json_set_int(o, "tries", wrong.tries);
        json_set_int(o, "networks", wrong.networks);
        json_set_json(v->view, "guesses", o);
    }
    return NULL;
}

static const struct err *sessions_end_this(struct settings_view *v)
{
    struct call *c = v->c;
    struct str email;
    if (v->key.n == 0)
        return settings_page_bad();
    TRY(sessions_end(c->pg, c->a, v->key, sessions_whose(c), &email));
    if (!email.p)
        return &v->of->gone;
    SETTINGS_PAGE_LOG(c, "session.end whom=%.*s", STR_FMT(email));
    return NULL;
}

static const struct err *sessions_end_others(struct settings_view *v)
{
    struct call *c = v->c;
    TRY(sessions_end_all(c->pg, c->a, c->who.id, c->cookie));
    SETTINGS_PAGE_LOG(c, "session.end_others whom=%.*s",
                      STR_FMT(c->who.name));
    return NULL;
}

static const struct settings_action actions[] = {
    {.what = "end",
     .label = "Sign out",
     .verb = "Sign out the session of",
     .sentence = "This browser is signed out immediately. Unsent input there "
                 "is lost.",
     .act = "Sign out",
     .run = sessions_end_this},
    {.what = "others", /* all of one's own but this */
     .verb = "Sign out all your other sessions",
     .sentence = "You are signed out everywhere else immediately. Unsent "
                 "input there is lost.",
     .act = "Sign out",
     .run = sessions_end_others}};

/* As an admin sees it. */
static const struct settings_page all = {
    .path = PATH,
    .heading = "Sessions",
    .about = "A session ends after 24 hours without use, and 14 days after "
             "sign-in.",
    .empty_heading = "No sessions",
    .empty_sentence = "Nobody is signed in.",
    .noun = "session",
    .gone = {.kind = ERR_NOT_FOUND,
             .code = "session.unknown",
             .say = WIRE("There is no such session. It may have ended.")},
    .heads = {"Person", "Browser", "Signed in", "Last used", "State"},
    .by = "Last used",
    .falls = true,
    .row = actions,
    SETTINGS_FORM_ALL(actions, actions),
    .writers = ROLE_ADMIN | ROLE_OPERATOR | ROLE_AUDITOR,
    .list = sessions_rows};

const struct err *settings_sessions(struct call *c)
{
    struct settings_page *page = arena_new(c->a, struct settings_page);
    *page = all;
    if (c->who.role != ROLE_ADMIN) {
        page->empty_sentence = "You are not signed in anywhere.";
        memmove(page->heads, all.heads + 1,
                sizeof all.heads - sizeof *all.heads);
    }
    return settings_page_run(c, page);
}
