/* The OAuth addresses of permits: metadata, asking, introspection and
 * revocation. */
#include "base/clock.h"
#include "base/shared/clock_watch.h"
#include "doors/api/api.h"
#include "doors/api/permit_request.h"
#include "doors/asking/proof.h"
#include "store/permit/permit_tokens.h"
#include "work/ask.h"
#include "work/cancel.h"
#include "work/permit/revoke.h"
#include "work/permit/use.h"

const struct err *api_oauth_metadata(struct call *c)
{
    response_json(c->rs, 200,
                  oauth_metadata(c->a, c->serve->conf->public_url));
    response_header(c->rs, "Cache-Control", STR("public, max-age=300"));
    return NULL;
}

/* ---- asking --------------------------------------------------------- */

/* The same as the API of authorizations, with a form as the body (RFC 9396 in
 * the form of CIBA's requests). */
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
    if (err_is(e, ask_nobody)) {
        TRY(call_prove(c));
        return ERROR(ERR_BAD_REQUEST, oauth_unknown_user,
                     "Nobody with this login_hint can answer.");
    }
    TRY(e);
    if (g->verdict.effect == TOOL_DENY) {
        json_set_text_or_null(o, "reason", g->verdict.reason);
        TRY(work_commit(&g->w, &none));
        c->kept = true;
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

/* ---- introspection -------------------------------------------------- */

/* May the resource of the call use the permit with this token now? */
static const struct err *oauth_usable(struct call *c,
                                      const struct permits_row *row,
                                      const struct permit_token *found,
                                      bool *out)
{
    struct permit_case about = {.now = clock_watch_latest(clock_now()),
                                .intent = found->intent,
                                .question_open = found->question_open,
                                .key_ended = row->key_ended,
                                .resource_removed = row->resource_removed,
                                .access = row->access};
    const struct work w = call_work(c);
    *out = !found->ended && about.now < found->expires_at &&
           str_eq(row->resource_id, c->who.resource_id);
    if (!*out)
        return NULL;
    TRY(use_rules(&w, &row->permit, &about.rule));
    *out = !permit_usable(&row->permit, &about);
    return NULL;
}

const struct err *api_oauth_introspect(struct call *c)
{
    const struct str text = oauth_get(&c->params, "token");
    struct permit_token found = {.permit_id = STR_NONE};
    struct permits_row row = {.access = ACCESS_NONE};
    bool known = false, usable = false;
    if (!text.p)
        return err_at(c->a, ERR_BAD_REQUEST, oauth_invalid_request,
                      STR("token"), "A token is needed.");
    TRY(permit_tokens_get(c->pg, c->a, text, &found, &known));
    if (known) {
        TRY(permits_get(c->pg, c->a, found.permit_id, &row));
        TRY(oauth_usable(c, &row, &found, &usable));
    }
    const struct oauth_live live = {.permit = &row.permit,
                                    .issuer = c->serve->conf->public_url,
                                    .resource = row.permit.terms.resource,
                                    .initiator = found.initiated_by,
                                    .jkt = found.jkt,
                                    .issued_at = found.issued_at,
                                    .expires_at = found.expires_at};
    response_json(c->rs, 200,
                  oauth_introspection(c->a, usable ? &live : NULL));
    return NULL;
}

/* ---- revocation ----------------------------------------------------- */

/* Commits the end of a permit. One that was decided, or has ended, meanwhile
 * stays as it is. */
static const struct err *oauth_commit_end(struct work *w, const struct err *e,
                                          bool *ended)
{
    *ended = !e;
    if (!e)
        return work_commit(w, NULL);
    pg_rollback(w->pg);
    return e->kind == ERR_CONFLICT ? NULL : e;
}

/* The agent takes its question back, or gives an active permit up. */
static const struct err *oauth_end_permit(struct call *c, struct str handle,
                                          bool *ended)
{
    struct permits_row row;
    const struct permit *p = &row.permit;
    struct work w = call_work(c);
    bool found = false;
    *ended = false;
    TRY(permits_by_handle(c->pg, c->a, handle, &row, &found));
    if (!found || !permit_own(p, &c->who))
        return NULL;
    if (p->state == PERMIT_ASKED) {
        TRY(work_begin_suspension(&w, p->suspension_id, NULL));
        TRY(oauth_commit_end(&w, cancel(&w, STR_NONE), ended));
        TRY(permits_get(c->pg, c->a, p->id, &row));
    }
    struct revoke r = {.permit_id = p->id};
    if (p->state != PERMIT_ACTIVE)
        return NULL;
    w = call_work(c);
    return oauth_commit_end(&w, revoke_permit(&w, &r, NULL), ended);
}

/* RFC 7009 2.2: the answer for a token that is unknown is the same. Where
 * nothing was ended the answer was not committed. */
const struct err *api_oauth_revoke(struct call *c)
{
    const struct str text = oauth_get(&c->params, "token");
    bool ended = false;
    if (!text.p)
        return err_at(c->a, ERR_BAD_REQUEST, oauth_invalid_request,
                      STR("token"), "A token, or an auth_req_id, is needed.");
    if (str_starts(text, STR("sar_")))
        TRY(oauth_end_permit(c, text, &ended));
    else
        TRY(permit_tokens_revoke(c->pg, c->a, text, c->who.agent, clock_now(),
                                 &ended));
    if (!ended)
        TRY(call_prove(c));
    response_json(c->rs, 200, json_object(c->a));
    return NULL;
}
