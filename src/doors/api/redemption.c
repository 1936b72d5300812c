/* Uses of permits over the API: each is counted before the tool runs. */
#include "base/fields.h"
#include "base/id.h"
#include "domain/tool_call.h"
#include "doors/api/api.h"
#include "store/permits.h"
#include "store/redemptions.h"

#define OPERATION_MAX 200

/* A use as it was sent. */
struct use {
    struct call *c;
    struct str permit_id, operation_id;
    struct tool_call call;
    struct permits_row row;
    struct work w;
};

static const struct err *read_use(struct use *u)
{
    struct call *c = u->c;
    struct json *body = NULL;
    const struct json *call = NULL;
    TRY(call_body(c, &body));
    struct fields f = fields(c->a, body, STR(""));
    fields_only(&f, "permit_id operation_id call");
    fields_need(&f, "permit_id");
    fields_need(&f, "operation_id");
    fields_need(&f, "call");
    fields_text(&f, "permit_id", 64, &u->permit_id);
    fields_text(&f, "operation_id", OPERATION_MAX, &u->operation_id);
    fields_json(&f, "call", JSON_OBJECT, &call);
    for (size_t i = 0; !f.e && i < u->operation_id.n; i++) {
        if (u->operation_id.p[i] <= ' ' || u->operation_id.p[i] >= 0x7f)
            fields_wrong(&f, "operation_id", "field.value",
                         "An \"operation_id\" is 1 to 200 visible ASCII "
                         "characters.");
    }
    if (!f.e && u->operation_id.n == 0)
        fields_wrong(&f, "operation_id", "field.empty",
                     "An \"operation_id\" is needed.");
    TRY(fields_error(&f));
    return tool_call_read_bare(
        c->a, call, json_raw_member(c->a, c->rq->body, STR("call")),
        STR("call"), &u->call);
}

static const struct err *check_agent(const struct use *u)
{
    const struct permit *p = &u->row.permit;
    if (p->terms.resource.p || !str_eq(u->c->who.agent, p->agent))
        return ERROR(ERR_FORBIDDEN, "permit.not_yours",
                     "This permit is for another agent, or for a resource.");
    return NULL;
}

/* The lock of the intent is the permit's too. */
static const struct err *begin_use(struct use *u)
{
    const struct work_once none = {.key = STR_NONE};
    struct call *c = u->c;
    TRY(permits_get(c->pg, c->a, u->permit_id, &u->row));
    TRY(check_agent(u));
    TRY(call_begin(c, &u->w, u->row.permit.intent_id, &none));
    return permits_get(c->pg, c->a, u->permit_id, &u->row);
}

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
    const struct permit_case about = {
        .now = u->w.now,
        .intent = u->w.intent.status,
        .question_open = u->w.has_suspension &&
                         u->w.suspension.state == SUSPENSION_PENDING,
        .key_ended = u->row.key_ended,
        .resource_removed = u->row.resource_removed};
    TRY(permit_usable(p, &about));
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
    struct use u = {.c = c};
    struct redemption r;
    bool found = false;
    TRY(read_use(&u));
    TRY(begin_use(&u));
    TRY(redemptions_of_operation(c->pg, c->a, u.permit_id, u.operation_id, &r,
                                 &found));
    if (found)
        return again(&u, &r);
    TRY(count(&u, &r));
    TRY(work_event(&u.w, "tool.invoked", event_by(&c->who), invoked(&u, &r)));
    work_touch(&u.w);
    permits_queue_update(c->pg, c->a, &u.row.permit);
    redemptions_queue_insert(c->pg, c->a, &r, u.call.arguments, c->who.id);
    return call_commit(c, &u.w, 201, use_view(&u, &r), false);
}
