/* Asking for a permit over OAuth: the same as the API of authorizations, with a
 * form as its body (RFC 9396 in the form of CIBA's requests). */
#include "base/clock.h"
#include "doors/api/api.h"
#include "doors/api/permit_request.h"
#include "doors/asking/proof.h"
#include "work/ask.h"
#include "work/permit/use.h"

/* A request as it was sent. */
struct oauth_ask_request {
    struct permit_request request;
    struct dpop proof;
    bool proven;
};

/* The form, as the API of authorizations takes it. The key of a proof binds
 * the permit; with dpop_jkt it is the same key. The goal, where the client
 * names none, is the title, or the tool. */
static const struct err *oauth_ask_read(struct oauth_ask_request *x)
{
    struct permit_request *r = &x->request;
    struct call *c = r->c;
    struct json *body = NULL, *initiator = json_object(c->a);
    TRY(oauth_ask(c->a, &c->params, &body, &r->details_text));
    const struct str jkt = json_get_text(body, "dpop_jkt");
    TRY(proof_read(c, &x->proof, &x->proven));
    if (x->proven && jkt.p && !str_eq(jkt, x->proof.jkt))
        return err_at(
            c->a, ERR_BAD_REQUEST, oauth_invalid_proof, STR("dpop_jkt"),
            "The proof was made with a different key than dpop_jkt.");
    if (x->proven)
        json_set_text(body, "dpop_jkt", x->proof.jkt);
    r->title = oauth_get(&c->params, "binding_message");
    json_unset(body, STR("title"));
    const struct json *first =
        json_at(json_get(body, "authorization_details"), 0);
    const struct str tool =
        str_head(json_get_text(first, "tool"), SUSPENSION_TITLE_MAX / 2);
    if (!json_has(body, "goal"))
        json_set_text(body, "goal",
                      r->title.p ? r->title
                                 : arena_join(c->a, STR("Use "), tool));
    json_set_text(initiator, "mode",
                  vocabulary_responder_mode(RESPONDER_INITIATOR)->wire);
    if (json_has(body, "initiated_by"))
        json_set_json(body, "responder", initiator);
    r->body = body;
    return api_permit_request_read(r);
}

const struct err *api_oauth_ask(struct call *c)
{
    const struct work_answer none = {.body = STR("")};
    struct oauth_ask_request x = {
        .request = {.c = c, .gate = {.w = call_work(c)}}};
    struct tool_check *g = &x.request.gate;
    struct json *o = json_object(c->a);
    TRY(oauth_ask_read(&x));
    TRY(tool_check_begin(g, NULL));
    if (x.proven)
        TRY(use_proof_keep(&g->w, &x.proof));
    const struct err *e = api_permit_request_make(&x.request);
    if (err_is(e, ask_nobody))
        return ERROR(ERR_BAD_REQUEST, oauth_unknown_user,
                     "Nobody with this login_hint can answer.");
    TRY(e);
    if (g->verdict.effect == TOOL_DENY) {
        json_set_text_or_null(o, "reason", g->verdict.reason);
        TRY(work_commit(&g->w, &none));
        return err_more(
            c->a,
            ERROR(ERR_FORBIDDEN, oauth_denied, "A rule does not allow this."),
            o);
    }
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
    return call_commit(c, &g->w, 200, o, false);
}
