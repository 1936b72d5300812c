/* Settings: active sessions. Everybody sees and ends their own, an admin those
 * of all. Shows only stored data: neither a browser's name nor an address is
 * stored. */
#include "base/crypt.h"
#include "base/log.h"
#include "doors/pages/settings/confirm.h"
#include "doors/pages/settings/settings.h"
#include "doors/pages/settings/table.h"
#include "doors/pages/shell/page.h"
#include "store/sessions.h"
#include "store/sign_ins.h"

#define PATH "/settings/sessions"
#define OTHERS "others" /* all of one's own but this */

static const struct settings_table_words
    own = {.path = PATH,
           .title = "Sessions",
           .heading = "Your sessions",
           .about = "A session ends after 24 hours without use, and 14 "
                    "days after sign-in.",
           .empty_heading = "No sessions",
           .empty_sentence = "You are not signed in anywhere.",
           .heads = {"Signed in", "Last used", "State"},
           .acts = "End"},
    all = {.path = PATH,
           .title = "Sessions",
           .heading = "Signed-in people",
           .about = "A session ends after 24 hours without use, and 14 "
                    "days after sign-in.",
           .empty_heading = "No sessions",
           .empty_sentence = "Nobody is signed in.",
           .heads = {"Person", "Signed in", "Last used", "State"},
           .acts = "End"};

/* The owner of the sessions that this reader may see and end; p NULL:
 * everybody. */
static struct str whose(const struct call *c)
{
    return c->who.role == ROLE_ADMIN ? STR_NONE : c->who.id;
}

static void add_row(struct settings_table *r, const struct session_row *s,
                    bool here)
{
    struct arena *a = r->c->a;
    struct buf about = buf_make(a, 1024);
    static const struct vocabulary_word this_one = {
        .label = "This session", .tone = "plain", .icon = "check"};
    settings_table_row(r);
    if (r->words == &all)
        settings_table_text(r, s->name, s->email, STR(""));
    settings_table_text(r, page_view_when(&r->v, s->created_at), STR_NONE,
                        STR(""));
    settings_table_ago(r, s->seen_at, "");
    if (here) {
        settings_table_state(r, &this_one);
        return;
    }
    settings_table_text(r, STR("Active"), STR_NONE, STR(""));
    buf_put(&about, "End the session of ");
    buf_str(&about, s->name);
    buf_put(&about, " since ");
    buf_str(&about, page_view_when(&r->v, s->created_at));
    settings_table_act(
        r, &(struct settings_table_act){
               .label = "End",
               .about = buf_text(&about),
               .url = page_view_path(a, PATH "?do=end&key=", s->id, "")});
}

static struct json *others(struct arena *a)
{
    struct json *o = json_object(a);
    json_set_text(o, "url", STR(PATH "?do=" OTHERS));
    json_set_text(o, "label", STR("End all other sessions"));
    return o;
}

/* ---- the confirm step ------------------------------------------------- */

static const struct err *unknown(void)
{
    return ERROR(ERR_NOT_FOUND, "session.unknown",
                 "There is no such session. It may have ended.");
}

static struct json *sure_others(struct page_view *v)
{
    return settings_confirm(v, &(struct settings_confirm){
                                   .verb = "End all your other sessions",
                                   .sentence =
                                       "You are signed out everywhere else "
                                       "immediately. Unsent input there is "
                                       "lost.",
                                   .none = "Nothing is changed yet.",
                                   .act = "end sessions",
                                   .what = OTHERS,
                                   .url = STR(PATH),
                                   .back = STR(PATH)});
}

static struct json *sure_one(struct page_view *v, const struct session_row *s)
{
    struct buf name = buf_make(v->a, 2048);
    buf_str(&name, s->name);
    buf_put(&name, ", ");
    buf_str(&name, s->email);
    buf_put(&name, ", since ");
    buf_str(&name, page_view_when(v, s->created_at));
    return settings_confirm(v, &(struct settings_confirm){
                                   .verb = "End the session of",
                                   .name = buf_text(&name),
                                   .sentence =
                                       "This browser is signed out "
                                       "immediately. Unsent input there is "
                                       "lost.",
                                   .none = "Nothing is changed yet.",
                                   .act = "end session",
                                   .what = "end",
                                   .url = STR(PATH),
                                   .back = STR(PATH),
                                   .key = s->id});
}

/* *out is NULL where nothing has to be confirmed. */
static const struct err *sure(struct call *c, struct page_view *v,
                              const struct session_rows *found,
                              struct json **out)
{
    const struct str what = request_query(c->rq, "do");
    const struct str key = request_query(c->rq, "key");
    *out = NULL;
    if (!what.p)
        return NULL;
    if (str_is(what, OTHERS)) {
        *out = sure_others(v);
        return NULL;
    }
    for (size_t i = 0; str_is(what, "end") && i < found->n; i++) {
        if (str_eq(found->v[i].id, key))
            *out = sure_one(v, &found->v[i]);
    }
    return *out ? NULL : unknown();
}

/* ---- the list ------------------------------------------------------- */

/* Nobody but its owner is told of tries at an account. */
static const struct err *guesses(struct call *c, struct json **out)
{
    struct sign_ins_guesses found;
    struct json *o = json_object(c->a);
    TRY(sign_ins_guesses(c->pg, c->a, c->who.name, c->who.id, &found));
    json_set_text(o, "tries",
                  words_many(c->a, found.tries, "wrong password"));
    json_set_text(o, "networks", words_many(c->a, found.networks, "network"));
    *out = found.tries > 0 ? o : NULL;
    return NULL;
}

const struct err *settings_sessions(struct call *c)
{
    struct json *asked = NULL, *tried = NULL;
    struct settings_table r =
        settings_table(c, c->who.role == ROLE_ADMIN ? &all : &own);
    struct session_rows found;
    bool more_of_mine = false;
    const struct str here = crypt_sha256_hex(c->a, c->cookie);
    TRY(sessions_list(c->pg, c->a, whose(c), &found));
    TRY(sure(c, &r.v, &found, &asked));
    const bool more = found.n > SESSIONS_MAX;
    found.n = more ? SESSIONS_MAX : found.n;
    for (size_t i = 0; i < found.n; i++) {
        const struct session_row *s = &found.v[i];
        const bool is_here = str_eq(s->id, here);
        add_row(&r, s, is_here);
        more_of_mine = more_of_mine ||
                       (!is_here && str_eq(s->person_id, c->who.id));
    }
    TRY(guesses(c, &tried));
    json_set_json(r.view, "guesses", tried);
    json_set_json(r.view, "confirm", asked);
    json_set_json(r.view, "others", more_of_mine ? others(c->a) : NULL);
    return settings_table_show(
        &r, 200,
        more ? STR("The 200 last used")
             : words_many(c->a, (int64_t)found.n, "session"));
}

/* ---- ending --------------------------------------------------------- */

static const struct err *end_one(struct call *c, struct str id)
{
    struct str email;
    TRY(sessions_end(c->pg, c->a, id, whose(c), &email));
    if (!email.p)
        return unknown();
    log_line(LOG_NOTICE, "settings by=%.*s did=session.end whom=%.*s",
             STR_FMT(c->who.name), STR_FMT(email));
    return NULL;
}

const struct err *settings_sessions_post(struct call *c)
{
    struct pairs typed;
    TRY(page_form(c, &typed));
    const struct str what = pairs_get(typed, "do");
    const struct str key = pairs_get(typed, "key");
    if (str_is(what, OTHERS)) {
        TRY(sessions_end_all(c->pg, c->a, c->who.id, c->cookie));
        log_line(LOG_NOTICE,
                 "settings by=%.*s did=session.end_others whom=%.*s",
                 STR_FMT(c->who.name), STR_FMT(c->who.name));
    } else if (str_is(what, "end") && key.n > 0) {
        TRY(end_one(c, key));
    } else {
        return ERROR(ERR_BAD_REQUEST, "request.form",
                     "This form is not valid. Reload the page.");
    }
    response_see_other(c->rs, STR(PATH));
    return NULL;
}
