/* Uses of permits over the API: each is counted before the tool runs. */
#include "base/json/fields.h"
#include "doors/api/api.h"
#include "doors/asking/question.h"
#include "store/permit/permit_tokens.h"
#include "work/permit/use.h"
#include "world/ecdsa.h"

#define OPERATION_MAX 200
#define TOKEN_MAX 200
#define PROOF_MAX 8192 /* dpop_check has a lower one, and its own words */
#define METHOD_MAX 20
#define ADDRESS_MAX 2000

/* A use as it was sent: by the agent whose yes it is, or by the gateway that
 * got its token. */
struct redemption_request {
    struct call *c;
    struct use use;
    bool gateway;
    struct str permit_id, suspension_id, token;
    struct str proof, htm, htu; /* of the token's key; p NULL: not sent */
    struct permit_token with; /* of token */
};

/* ---- reading -------------------------------------------------------- */

static const struct err *redemption_read_proof(struct redemption_request *x,
                                               const struct json *sent)
{
    struct fields f = fields(x->c->a, sent, STR("dpop"));
    if (!sent)
        return NULL;
    fields_only(&f, "proof htm htu");
    fields_need(&f, "proof");
    fields_need(&f, "htm");
    fields_need(&f, "htu");
    fields_text(&f, "proof", PROOF_MAX, &x->proof);
    fields_text(&f, "htm", METHOD_MAX, &x->htm);
    fields_text(&f, "htu", ADDRESS_MAX, &x->htu);
    return fields_error(&f);
}

/* A permit is used by a call; an answer may be about none. */
static const struct err *redemption_read_use(struct redemption_request *x)
{
    struct call *c = x->c;
    const struct json *call = NULL, *proof = NULL;
    TRY(call_body(c));
    struct fields f = fields(c->a, c->body, STR(""));
    fields_only(&f, x->gateway ? "token operation_id call dpop"
                               : "permit_id suspension_id operation_id call");
    fields_text(&f, "permit_id", 64, &x->permit_id);
    fields_text(&f, "suspension_id", 64, &x->suspension_id);
    fields_text(&f, "token", TOKEN_MAX, &x->token);
    if (x->gateway)
        fields_need(&f, "token");
    else if (!x->suspension_id.p)
        fields_need(&f, "permit_id");
    else if (x->permit_id.p)
        fields_wrong(&f, "permit_id", "field.unused",
                     "Give either \"permit_id\" or \"suspension_id\".");
    fields_need(&f, "operation_id");
    if (!x->suspension_id.p)
        fields_need(&f, "call");
    fields_text(&f, "operation_id", OPERATION_MAX, &x->use.operation_id);
    fields_json(&f, "call", JSON_OBJECT, &call);
    fields_json(&f, "dpop", JSON_OBJECT, &proof);
    if (!f.e && x->use.operation_id.n == 0)
        fields_wrong(&f, "operation_id", "field.empty",
                     "An \"operation_id\" is needed.");
    if (!str_visible(x->use.operation_id))
        fields_wrong(&f, "operation_id", "field.value",
                     "An \"operation_id\" is 1 to 200 visible ASCII "
                     "characters.");
    TRY(fields_error(&f));
    TRY(redemption_read_proof(x, proof));
    return call ? tool_call_read_bare(
                      c->a, call,
                      json_raw_member(c->a, c->rq->body, STR("call")),
                      STR("call"), &x->use.call)
                : NULL;
}

/* ---- the permit ----------------------------------------------------- */

/* A token of another resource, and a permit of another agent, is as unknown as
 * one that nobody has. */
static const struct err *redemption_find(struct redemption_request *x)
{
    struct call *c = x->c;
    struct permits_row *row = &x->use.row;
    bool found = false;
    if (x->gateway) {
        TRY(permit_tokens_get(c->pg, c->a, x->token, &x->with, &found));
        if (found)
            TRY(permits_get(c->pg, c->a, x->with.permit_id, row));
        return found && str_eq(row->resource_id, c->who.resource_id)
                   ? NULL
                   : ERROR(ERR_UNAUTHENTICATED, "token.unknown",
                           "There is no such token for this resource.");
    }
    if (!x->permit_id.p) {
        TRY(question_get(c, x->suspension_id, &x->use.suspension));
        return use_find(&x->use);
    }
    TRY(permits_get(c->pg, c->a, x->permit_id, row));
    return permit_own(&row->permit, &c->who)
               ? permit_check_direct(&row->permit)
               : &permit_record.unknown;
}

/* The token is read again under the lock. */
static const struct err *redemption_check_token(struct redemption_request *x)
{
    struct call *c = x->c;
    const struct permit_token *t = &x->with;
    const int64_t now = x->use.w.now;
    bool found = false;
    TRY(permit_tokens_get(c->pg, c->a, x->token, &x->with, &found));
    const struct dpop_want want = {.method = x->htm,
                                   .address = x->htu,
                                   .token = x->token,
                                   .jkt = t->jkt,
                                   .now = now,
                                   .p256 = ecdsa_ok};
    struct dpop proof;
    if (t->ended || now >= t->expires_at)
        return ERROR(ERR_UNAUTHENTICATED, "token.expired",
                     "The token has expired. The agent can get a new one.");
    if (!t->jkt.p)
        return NULL;
    if (!x->proof.p)
        return ERROR(ERR_UNAUTHENTICATED, dpop_wrong,
                     "The token is bound to a key: send the caller's proof in "
                     "\"dpop\".");
    if (!dpop_below(c->a, x->htu, x->use.row.permit.terms.resource))
        return err_at(c->a, ERR_UNAUTHENTICATED, dpop_wrong, STR("dpop.htu"),
                      "The address has to be the resource's or below it.");
    TRY(dpop_check(c->a, x->proof, &want, &proof));
    return use_proof_keep(&x->use.w, &proof);
}

/* ---- counting ------------------------------------------------------- */

static struct json *redemption_view(const struct use *u)
{
    const struct permit *p = &u->row.permit;
    const struct redemption *r = &u->redemption;
    struct json *o = json_object(u->w.arena);
    json_set_text_or_null(o, "redemption_id", r->id);
    json_set_text_or_null(o, "permit_id", p->id);
    json_set_text_or_null(o, "request_id", p->suspension_id);
    json_set_bool(o, "counted", u->counted);
    json_set_int(o, "n", r->n);
    json_set_int(o, "uses_left", permit_uses(u->w.arena, p) - r->n);
    json_set_text(o, "agent", p->agent);
    json_set_text_or_null(o, "subject", u->w.intent.initiated_by);
    json_set_text_or_null(o, "amount", r->amount);
    json_set_text_or_null(o, "unit", p->terms.budget.unit);
    return o;
}

/* A use that was counted before, or that is not counted, writes nothing, so it
 * is proved. */
const struct err *api_redemption(struct call *c)
{
    struct redemption_request x = {.c = c,
                                   .use = {.w = call_work(c)},
                                   .gateway = c->who.role == ROLE_RESOURCE};
    struct use *u = &x.use;
    TRY(redemption_read_use(&x));
    TRY(redemption_find(&x));
    TRY(use_begin(u));
    if (!u->again && x.gateway)
        TRY(redemption_check_token(&x));
    if (!u->counted && !x.suspension_id.p) /* says why */
        return permit_covers(c->a, json_read(c->a, u->row.permit.granted),
                             u->call.tool, u->call.tree, NULL);
    TRY(use_count(u));
    if (use_kept(u))
        return call_commit(c, &u->w, 201, redemption_view(u), false);
    TRY(call_prove(c));
    response_json(c->rs, u->again ? 200 : 201, redemption_view(u));
    return NULL;
}
