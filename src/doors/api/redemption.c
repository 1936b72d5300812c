/* Uses of permits over the API: each is counted before the tool runs. */
#include "base/fields.h"
#include "base/id.h"
#include "domain/tool_call.h"
#include "doors/api/api.h"
#include "doors/asking/grant.h"
#include "store/permit_tokens.h"
#include "store/redemptions.h"
#include "world/ecdsa.h"

#define OPERATION_MAX 200
#define TOKEN_MAX 200
#define PROOF_MAX 8192 /* dpop_check has a lower one, and its own words */
#define METHOD_MAX 20
#define ADDRESS_MAX 2000

/* A use as it was sent: by the permit's own agent, or by the gateway that got
 * its token. */
struct use {
    struct call *c;
    bool gateway;
    struct str permit_id, token, operation_id;
    struct str proof, htm, htu; /* of the token's key; p NULL: not sent */
    struct tool_call call;
    struct permits_row row;
    struct permit_tokens_row with; /* of the token */
    struct work w;
};

/* ---- reading -------------------------------------------------------- */

static void check_operation(struct fields *f, struct str id)
{
    bool fine = id.n > 0;
    for (size_t i = 0; i < id.n; i++)
        fine = fine && id.p[i] > ' ' && id.p[i] < 0x7f;
    if (!f->e && id.n == 0)
        fields_wrong(f, "operation_id", "field.empty",
                     "An \"operation_id\" is needed.");
    else if (!f->e && !fine)
        fields_wrong(f, "operation_id", "field.value",
                     "An \"operation_id\" is 1 to 200 visible ASCII "
                     "characters.");
}

static const struct err *read_proof(struct use *u, const struct json *sent)
{
    struct fields f = fields(u->c->a, sent, STR("dpop"));
    if (!sent)
        return NULL;
    fields_only(&f, "proof htm htu");
    fields_need(&f, "proof");
    fields_need(&f, "htm");
    fields_need(&f, "htu");
    fields_text(&f, "proof", PROOF_MAX, &u->proof);
    fields_text(&f, "htm", METHOD_MAX, &u->htm);
    fields_text(&f, "htu", ADDRESS_MAX, &u->htu);
    return fields_error(&f);
}

static const struct err *read_use(struct use *u)
{
    struct call *c = u->c;
    struct json *body = NULL;
    const struct json *call = NULL, *proof = NULL;
    TRY(call_body(c, &body));
    struct fields f = fields(c->a, body, STR(""));
    fields_only(&f, u->gateway ? "token operation_id call dpop"
                               : "permit_id operation_id call");
    fields_need(&f, u->gateway ? "token" : "permit_id");
    fields_need(&f, "operation_id");
    fields_need(&f, "call");
    fields_text(&f, "permit_id", 64, &u->permit_id);
    fields_text(&f, "token", TOKEN_MAX, &u->token);
    fields_text(&f, "operation_id", OPERATION_MAX, &u->operation_id);
    fields_json(&f, "call", JSON_OBJECT, &call);
    fields_json(&f, "dpop", JSON_OBJECT, &proof);
    check_operation(&f, u->operation_id);
    TRY(fields_error(&f));
    TRY(read_proof(u, proof));
    return tool_call_read_bare(
        c->a, call, json_raw_member(c->a, c->rq->body, STR("call")),
        STR("call"), &u->call);
}

/* ---- the permit ----------------------------------------------------- */

static const struct err *find_by_id(struct use *u)
{
    const struct permit *p = &u->row.permit;
    TRY(permits_get(u->c->pg, u->c->a, u->permit_id, &u->row));
    if (p->terms.resource.p || !str_eq(u->c->who.agent, p->agent))
        return ERROR(ERR_FORBIDDEN, "permit.not_yours",
                     "This permit is for another agent, or for a resource.");
    return NULL;
}

/* A token of another resource is as unknown as one that nobody has. */
static const struct err *find_by_token(struct use *u)
{
    struct call *c = u->c;
    bool found = false;
    TRY(permit_tokens_get(c->pg, c->a, u->token, &u->with, &found));
    if (found)
        TRY(permits_get(c->pg, c->a, u->with.token.permit_id, &u->row));
    if (!found || !str_eq(u->row.resource_id, c->who.resource_id))
        return ERROR(ERR_UNAUTHENTICATED, "token.unknown",
                     "This resource has no such token.");
    return NULL;
}

/* The token is read again under the lock. */
static const struct err *begin_use(struct use *u)
{
    struct call *c = u->c;
    bool found = false;
    TRY(u->gateway ? find_by_token(u) : find_by_id(u));
    TRY(grant_begin(c, &u->w, &u->row));
    return u->gateway ? permit_tokens_get(c->pg, c->a, u->token, &u->with,
                                          &found)
                      : NULL;
}

static const struct err *check_token(struct use *u)
{
    struct call *c = u->c;
    const struct permit_token *t = &u->with.token;
    const struct dpop_want want = {.method = u->htm,
                                   .address = u->htu,
                                   .token = u->token,
                                   .jkt = t->jkt,
                                   .now = u->w.now,
                                   .p256 = ecdsa_ok};
    struct dpop proof;
    if (u->with.ended || u->w.now >= t->expires_at)
        return ERROR(ERR_UNAUTHENTICATED, "token.expired",
                     "The token has ended. The agent can get another one.");
    if (!t->jkt.p)
        return NULL;
    if (!u->proof.p)
        return ERROR(ERR_UNAUTHENTICATED, dpop_wrong,
                     "The token is bound to a key: send the caller's proof in "
                     "\"dpop\".");
    if (!dpop_below(c->a, u->htu, u->row.permit.terms.resource))
        return err_at(c->a, ERR_UNAUTHENTICATED, dpop_wrong, STR("dpop.htu"),
                      "The address is not the resource's, and not below it.");
    TRY(dpop_check(c->a, u->proof, &want, &proof));
    return grant_proof_keep(c, &proof, u->w.now);
}

/* ---- counting ------------------------------------------------------- */

static struct json *use_view(struct use *u, const struct redemption *r)
{
    const struct permit *p = &u->row.permit;
    struct json *o = json_object(u->c->a);
    json_set_text(o, "redemption_id", r->id);
    json_set_text(o, "permit_id", p->id);
    json_set_text_or_null(o, "request_id", p->suspension_id);
    json_set_int(o, "n", r->n);
    json_set_int(o, "uses_left", p->terms.max_uses - r->n);
    json_set_text(o, "agent", p->agent);
    json_set_text_or_null(o, "subject", u->w.intent.initiated_by);
    json_set_text_or_null(o, "amount", r->amount);
    json_set_text_or_null(o, "unit", p->terms.budget.unit);
    return o;
}

/* The same operation again has the same answer, and counts nothing. */
static const struct err *again(struct use *u, const struct redemption *r)
{
    if (!str_eq(r->call_sha256, tool_call_sha256(u->c->a, &u->call)))
        return ERROR(ERR_CONFLICT, "operation.other_call",
                     "This operation_id was used for another call.");
    pg_rollback(u->c->pg);
    response_json(u->c->rs, 200, use_view(u, r));
    return NULL;
}

static const struct err *count(struct use *u, struct redemption *r)
{
    struct call *c = u->c;
    struct permit *p = &u->row.permit;
    struct decimal amount;
    const struct permit_case about = grant_case(&u->row, &u->w);
    TRY(permit_usable(p, &about));
    if (u->gateway)
        TRY(check_token(u));
    TRY(permit_use(c->a, p, u->call.tool, u->call.tree, u->w.now, &amount));
    *r = (struct redemption){.id = id_new(c->a),
                             .permit_id = p->id,
                             .n = p->used,
                             .operation_id = u->operation_id,
                             .call_sha256 = tool_call_sha256(c->a, &u->call),
                             .tool = u->call.tool,
                             .by = principal_actor(&c->who),
                             .at = u->w.now};
    if (p->terms.budget.unit.p)
        r->amount = decimal_text(c->a, amount);
    return NULL;
}

static struct json *invoked(struct use *u, const struct redemption *r)
{
    struct json *p = json_object(u->c->a);
    json_set_text(p, "permit_id", r->permit_id);
    json_set_text(p, "redemption_id", r->id);
    json_set_int(p, "n", r->n);
    json_set_text(p, "tool", r->tool);
    json_set_text(p, "call_sha256", r->call_sha256);
    json_set_text_or_null(p, "amount", r->amount);
    return p;
}

const struct err *api_redemption(struct call *c)
{
    struct use u = {.c = c, .gateway = c->who.role == ROLE_RESOURCE};
    struct redemption r;
    bool found = false;
    TRY(read_use(&u));
    TRY(begin_use(&u));
    TRY(redemptions_of_operation(c->pg, c->a, u.row.permit.id, u.operation_id,
                                 &r, &found));
    if (found)
        return again(&u, &r);
    TRY(count(&u, &r));
    TRY(work_event(&u.w, "tool.invoked", event_by(&c->who), invoked(&u, &r)));
    work_touch(&u.w);
    permits_queue_update(c->pg, c->a, &u.row.permit);
    redemptions_queue_insert(c->pg, c->a, &r, u.call.arguments, c->who.id);
    return call_commit(c, &u.w, 201, use_view(&u, &r), false);
}
