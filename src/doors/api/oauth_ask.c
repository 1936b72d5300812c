/* Asking for a permit over OAuth: the same as the API of authorizations, with a
 * form as its body (RFC 9396 in the form of CIBA's requests). */
#include "base/clock.h"
#include "doors/api/api.h"
#include "doors/api/wish.h"
#include "doors/asking/proof.h"
#include "work/ask.h"
#include "work/permit/use.h"

/* A request as it was sent. */
struct asked {
    struct call *c;
    struct wish wish;
    struct dpop proof;
    bool proven;
};

/* The goal, where the client names none: the title, or the tool. */
static struct str oauth_ask_goal(struct arena *a, const struct json *body,
                                 struct str title)
{
    const struct json *details = json_get(body, "authorization_details");
    if (title.p)
        return title;
    return arena_join(a, STR("Use "),
                      str_head(json_get_text(json_at(details, 0), "tool"),
                               SUSPENSION_TITLE_MAX / 2));
}

/* The key of a proof binds the permit; with dpop_jkt it is the same key. */
static const struct err *oauth_ask_bind(struct asked *x, struct json *body)
{
    const struct str jkt = json_get_text(body, "dpop_jkt");
    TRY(proof_read(x->c, &x->proof, &x->proven));
    if (!x->proven)
        return NULL;
    if (jkt.p && !str_eq(jkt, x->proof.jkt))
        return err_at(
            x->c->a, ERR_BAD_REQUEST, oauth_invalid_proof, STR("dpop_jkt"),
            "The proof was made with a different key than dpop_jkt.");
    json_set_text(body, "dpop_jkt", x->proof.jkt);
    return NULL;
}

/* The form, as the API of authorizations takes it. */
static const struct err *oauth_ask_read(struct asked *x)
{
    struct call *c = x->c;
    struct json *body = NULL, *initiator = json_object(c->a);
    TRY(oauth_ask(c->a, &c->params, &body, &x->wish.details_text));
    TRY(oauth_ask_bind(x, body));
    x->wish.title = oauth_get(&c->params, "binding_message");
    json_unset(body, STR("title"));
    if (!json_has(body, "goal"))
        json_set_text(body, "goal", oauth_ask_goal(c->a, body, x->wish.title));
    json_set_text(initiator, "mode",
                  vocabulary_responder_mode(RESPONDER_INITIATOR)->wire);
    if (json_has(body, "initiated_by"))
        json_set_json(body, "responder", initiator);
    x->wish.body = body;
    return NULL;
}

/* Nobody with the name of login_hint could answer. */
static const struct err *oauth_ask_error(const struct err *e)
{
    return err_is(e, ask_nobody)
               ? ERROR(ERR_BAD_REQUEST, oauth_unknown_user,
                       "Nobody with this login_hint can answer.")
               : e;
}

static const struct err *oauth_ask_make(struct asked *x)
{
    const struct work_once none = {.key = STR_NONE};
    struct tool_check *g = &x->wish.gate;
    TRY(api_wish_read(&x->wish));
    TRY(tool_check_begin(g, &none));
    if (x->proven)
        TRY(use_proof_keep(&g->w, &x->proof));
    return api_wish_make(&x->wish);
}

static const struct err *oauth_ask_denied(struct asked *x)
{
    const struct work_answer none = {.body = STR("")};
    struct json *more = json_object(x->c->a);
    json_set_text_or_null(more, "reason", x->wish.gate.verdict.reason);
    TRY(work_commit(&x->wish.gate.w, &none));
    return err_more(x->c->a,
                    ERROR(ERR_FORBIDDEN, oauth_denied,
                          "A rule does not allow this."),
                    more);
}

const struct err *api_oauth_ask(struct call *c)
{
    struct asked x = {.c = c, .wish = {.c = c, .gate = {.w = call_work(c)}}};
    const struct tool_check *g = &x.wish.gate;
    struct json *o = json_object(c->a);
    TRY(oauth_ask_read(&x));
    TRY(oauth_ask_error(oauth_ask_make(&x)));
    if (g->verdict.effect == TOOL_DENY)
        return oauth_ask_denied(&x);
    const bool pending = g->w.permit.state == PERMIT_ASKED;
    const int64_t until =
        pending ? g->w.suspension.expires_at : g->w.permit.not_after;
    json_set_text(o, "auth_req_id", g->w.permit.auth_req_id);
    json_set_int(o, "expires_in", (until - g->w.now) / CLOCK_SECOND);
    json_set_int(o, "interval", PERMIT_POLL);
    if (pending)
        json_set_text(o, "request_id", g->w.suspension.id);
    json_set_text(o, "status",
                  pending ? STR("pending_veto") : STR("authorized"));
    return call_commit(c, &x.wish.gate.w, 200, o, false);
}
