/* An answer that was sent after its session had ended. */
#include "doors/pages/login/saved_answer.h"

#include "doors/call/route.h"
#include "doors/call/session.h"
#include "doors/pages/answer/kept.h"
#include "doors/pages/answer/page.h"
#include "doors/pages/inbox/inbox.h"
#include "doors/pages/shell/page.h"
#include "store/person/sessions.h"

#define PREFIX "kept." /* before the name of each kept field */
#define LOGIN_PAIRS 8  /* of the login's own form, and the question */

/* ---- the login page ------------------------------------------------- */

static void saved_answer_add(struct arena *a, struct json *list,
                             struct str name, struct str value)
{
    struct json *o = json_object(a);
    json_set_text(o, "name", name);
    json_set_text(o, "value", value);
    json_add_json(list, o);
}

/* Typed values as fields of the login form; too large ones are dropped. */
static bool saved_answer_carry(struct arena *a, struct json *list,
                               const struct pairs *posted)
{
    size_t n = 0;
    for (size_t i = 0; i < posted->n; i++)
        n += posted->v[i].key.n + posted->v[i].value.n;
    const bool fits = n <= LOGIN_SAVED_ANSWER_MAX &&
                      posted->n + LOGIN_PAIRS <= REQUEST_PAIRS_MAX;
    for (size_t i = 0; fits && i < posted->n; i++) {
        const struct str key = posted->v[i].key;
        if (!str_is(key, "csrf"))
            saved_answer_add(a, list, arena_join(a, str_of(PREFIX), key),
                             posted->v[i].value);
    }
    return fits;
}

/* what: "answer", or "answers" of a bulk action. */
static void saved_answer_set_lost(struct arena *a, struct json *login,
                                  struct str what, bool kept)
{
    struct json *o = json_object(a);
    json_set_text(o, "what", what);
    json_set_bool(o, "many", str_is(what, "answers"));
    json_set_bool(o, "fits", kept);
    json_set_json(login, "lost", o);
}

bool login_saved_answer_page(struct call *c)
{
    struct json *view = json_object(c->a), *o = json_object(c->a);
    struct json *kept = json_array(c->a);
    struct pairs posted;
    const bool one = c->route->handle == answer_page_respond;
    const bool many = c->route->handle == inbox_bulk_decide;
    /* Values posted by another site are not shown as if they were typed. */
    if ((!one && !many) || session_same_origin(c) ||
        request_form(c->a, c->rq->body, REQUEST_PAIRS_MAX, &posted) ||
        !pairs_get(posted, "csrf").p)
        return false;
    const bool fits = one && saved_answer_carry(c->a, kept, &posted);
    if (fits)
        saved_answer_add(c->a, kept, STR(PREFIX ANSWER_KEPT_ID), c->param[0]);
    session_visit(c, true);
    json_set_text(o, "email", STR(""));
    json_set_text(o, "error", STR(""));
    json_set_text(o, "next",
                  one ? page_view_path(c->a, "/suspensions/", c->param[0], "")
                      : STR("/inbox"));
    json_set_json(o, "kept", kept);
    saved_answer_set_lost(c->a, o, one ? STR("answer") : STR("answers"), fits);
    json_set_json(view, "login", o);
    return !page_render(c, response_status(ERR_UNAUTHENTICATED), "login",
                        "Sign in", view);
}

void login_saved_answer_set(struct arena *a, struct json *login,
                            const struct pairs *form)
{
    const struct str what = form ? pairs_get(*form, "lost") : STR_NONE;
    struct json *kept = json_array(a);
    for (size_t i = 0; form && i < form->n; i++) {
        if (str_starts(form->v[i].key, STR(PREFIX)))
            saved_answer_add(a, kept, form->v[i].key, form->v[i].value);
    }
    json_set_json(login, "lost", NULL);
    if (what.n > 0)
        saved_answer_set_lost(a, login, what, json_count(kept) > 0);
    json_set_json(login, "kept", kept);
}

/* ---- signed in again ------------------------------------------------ */

const struct err *login_saved_answer_show(struct call *c,
                                          const struct pairs *form, bool *done)
{
    struct pair *fields = arena_many(c->a, form->n + 1, struct pair);
    struct pairs typed = {fields, 0};
    bool found = false;
    *done = false;
    /* The fields under their own names. */
    for (size_t i = 0; i < form->n; i++) {
        const struct str key = form->v[i].key;
        if (str_starts(key, STR(PREFIX)))
            fields[typed.n++] = (struct pair){
                str_sub(key, sizeof PREFIX - 1, key.n), form->v[i].value};
    }
    const struct str id = pairs_get(typed, ANSWER_KEPT_ID);
    if (!id.p)
        return NULL;
    TRY(sessions_find(c->pg, c->a, c->cookie, &c->who, &found));
    if (!found || !str_eq(pairs_get(typed, "reader"), c->who.id))
        return NULL;
    *done = true;
    const struct str path = page_view_path(c->a, "/suspensions/", id, "");
    if (!answer_kept_put(c, path, &typed))
        return answer_page_kept(c, id, &typed);
    /* A reload there does not send the password again. */
    response_see_other(c->rs, arena_join(c->a, path, STR("?kept=yes")));
    return NULL;
}
