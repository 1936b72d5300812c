/* The token endpoint: a permit's handle becomes an access token, once somebody
 * has said yes (RFC 6749 3.2 in the form of CIBA's polls, RFC 9449 5). */
#include "base/clock.h"
#include "doors/api/api.h"
#include "doors/asking/proof.h"
#include "store/permit/permit_tokens.h"
#include "store/question/suspensions.h"
#include "work/permit/use.h"

/* A request for a token. */
struct token_request {
    struct call *c;
    struct str handle;
    struct dpop proof;
    bool proven;
    struct permits_row row;
    bool found;
    struct work w;
};

static const struct err *oauth_token_wrong(struct call *c, const char *key,
                                           const char *say)
{
    return err_at(c->a, ERR_BAD_REQUEST, oauth_invalid_request, str_of(key),
                  "%s", say);
}

static const struct err *oauth_token_read(struct token_request *x)
{
    struct call *c = x->c;
    const struct str grant = oauth_get(&c->params, "grant_type");
    x->handle = oauth_get(&c->params, "auth_req_id");
    if (!grant.p)
        return oauth_token_wrong(c, "grant_type", "A grant_type is needed.");
    if (!str_is(grant, OAUTH_GRANT))
        return ERROR(ERR_BAD_REQUEST, oauth_unsupported_grant,
                     "The only supported grant_type is " OAUTH_GRANT ".");
    if (oauth_get(&c->params, "authorization_details").p)
        return oauth_token_wrong(c, "authorization_details",
                                 "A token has the authorization_details that "
                                 "were granted. Leave them out.");
    if (!x->handle.p)
        return oauth_token_wrong(c, "auth_req_id",
                                 "An auth_req_id is needed.");
    return proof_read(c, &x->proof, &x->proven);
}

static const struct err *oauth_token_check(struct token_request *x,
                                           int64_t *poll_after)
{
    const struct permit *p = &x->row.permit;
    struct suspension s;
    struct oauth_exchange about = {.agent = x->c->who.agent,
                                   .jkt = x->proof.jkt,
                                   .jkt_needed = x->row.require_dpop,
                                   .ending = OUTCOME_NONE};
    const struct str sent = oauth_get(&x->c->params, "resource");
    const struct str resource = p->terms.resource;
    if (x->found && !(resource.p && (!sent.p || str_eq(sent, resource))))
        return err_at(x->c->a, ERR_INVALID, permit_resource, STR("resource"),
                      "The permit is not for this resource.");
    /* How its question ended, and whether it is critical, so that a token
     * needs a key, by whatever door it was asked. */
    if (x->found && p->suspension_id.p &&
        (p->state == PERMIT_REFUSED || !x->proof.jkt.p)) {
        TRY(suspensions_get(x->c->pg, x->c->a, p->suspension_id, &s));
        about.ending = suspension_ending(&s);
        about.jkt_needed =
            about.jkt_needed || permit_bound(x->c->a, &p->terms, s.severity);
    }
    if (x->found) {
        about.permit = p;
        about.now = use_case(&x->row, &x->w);
        TRY(use_rules(&x->w, about.permit, &about.now.rule));
    }
    return work_clock_over(oauth_exchange(x->c->a, &about, poll_after),
                           oauth_expired);
}

/* Stores the key of the first proof, and the time of a poll. */
static const struct err *oauth_token_keep(struct token_request *x,
                                          int64_t poll_after)
{
    struct call *c = x->c;
    const struct work_answer none = {.body = STR("")};
    permits_queue_polled(c->pg, c->a, x->row.permit.id, x->proof.jkt,
                         poll_after);
    return work_commit_bare(&x->w, &none);
}

static const struct err *oauth_token_give(struct token_request *x)
{
    struct call *c = x->c;
    const struct permit *p = &x->row.permit;
    const struct str text = permit_tokens_text(c->a);
    const int64_t now = x->w.now;
    const struct permit_token token = {
        .permit_id = p->id,
        .jkt = x->proof.jkt,
        .issued_at = now,
        .expires_at = now + oauth_expires_in(p, now) * CLOCK_SECOND};
    permit_tokens_queue_end(c->pg, c->a, p->id, PERMIT_TOKENS_REPLACED, now);
    permit_tokens_queue_insert(c->pg, c->a, &token, text);
    TRY(oauth_token_keep(x, 0));
    response_json(c->rs, 200,
                  oauth_token(c->a, p, text, x->proven, now));
    return NULL;
}

const struct err *api_oauth_token(struct call *c)
{
    struct token_request x = {.c = c, .w = call_work(c)};
    int64_t poll_after = 0;
    TRY(oauth_token_read(&x));
    TRY(permits_by_handle(c->pg, c->a, x.handle, &x.row, &x.found));
    /* A handle of another agent is as unknown as one that nobody has. */
    x.found = x.found && permit_own(&x.row.permit, &c->who);
    if (x.found)
        TRY(use_lock(&x.w, &x.row));
    const struct err *e = oauth_token_check(&x, &poll_after);
    if (e && poll_after == 0) {
        /* A client gives up here, unlike at "authorization_pending". */
        if (e->kind == ERR_BAD_REQUEST)
            TRY(call_prove(c));
        return e;
    }
    if (x.proven)
        TRY(use_proof_keep(&x.w, &x.proof));
    if (!e)
        return oauth_token_give(&x);
    TRY(oauth_token_keep(&x, poll_after));
    return e;
}
