/* Permits over the API: read one, report the result of a use, take it back. */
#include "base/clock.h"
#include "base/json/fields.h"
#include "doors/api/api.h"
#include "doors/asking/revoke.h"
#include "doors/asking/view.h"
#include "store/permits.h"
#include "store/redemptions.h"
#include "store/suspensions.h"

#define REF_MAX 500

/* ---- as JSON -------------------------------------------------------- */

static struct json *redemption_view(struct call *c, const struct redemption *r)
{
    struct json *o = json_object(c->a);
    json_set_text(o, "redemption_id", r->id);
    json_set_int(o, "n", r->n);
    json_set_text(o, "operation_id", r->operation_id);
    json_set_text(o, "tool", r->tool);
    json_set_text_or_null(o, "amount", r->amount);
    json_set_text(o, "by", r->by);
    view_set_time(c->a, o, "at", r->at);
    json_set_text_or_null(o, "result",
                          vocabulary_redemption_result(r->result)->wire);
    json_set_text_or_null(o, "ref", r->result_ref);
    view_set_time(c->a, o, "result_at", r->result_at);
    return o;
}

static struct json *budget_view(struct arena *a,
                                const struct permit_covers_budget *b)
{
    struct json *o = json_object(a);
    if (!b->unit.p)
        return NULL;
    json_set_text(o, "amount", decimal_text(a, b->amount));
    json_set_text(o, "unit", b->unit);
    json_set_text(o, "of", b->of);
    return o;
}

/* How the question of a permit ended; a rule's permit has none. */
static const struct err *ending_of(struct call *c, const struct permit *p,
                                   enum outcome *out)
{
    struct suspension s;
    *out = OUTCOME_NONE;
    if (!p->suspension_id.p)
        return NULL;
    TRY(suspensions_get(c->pg, c->a, p->suspension_id, &s));
    *out = suspension_ending(&s);
    return NULL;
}

static const struct err *permit_answer(struct call *c, const struct permit *p)
{
    struct arena *a = c->a;
    struct json *o = json_object(a), *list = json_array(a);
    struct redemption_rows uses;
    enum outcome ending;
    TRY(ending_of(c, p, &ending));
    TRY(redemptions_list(c->pg, a, p->id, &uses));
    for (size_t i = 0; i < uses.n; i++)
        json_add_json(list, redemption_view(c, &uses.v[i]));
    const enum permit_view view =
        permit_view(p, ending,
                    uses.n > 0 ? uses.v[0].result : REDEMPTION_OPEN,
                    clock_now());
    json_set_text(o, "object", STR("permit"));
    json_set_text(o, "permit_id", p->id);
    json_set_text_or_null(o, "request_id", p->suspension_id);
    json_set_text(o, "intent_id", p->intent_id);
    json_set_text(o, "agent", p->agent);
    json_set_text_or_null(o, "resource", p->terms.resource);
    json_set_text(o, "state", vocabulary_permit_state(p->state)->wire);
    json_set_text(o, "view", vocabulary_permit_view(view)->wire);
    json_set_read(a, o, "asked", p->asked);
    json_set_read(a, o, "granted", p->granted);
    json_set_text_or_null(o, "granted_sha256", p->granted_sha256);
    json_set_int(o, "max_uses", p->terms.max_uses);
    json_set_int(o, "used", p->used);
    json_set_json(o, "budget", budget_view(a, &p->terms.budget));
    json_set_text(o, "spent", decimal_text(a, p->spent));
    view_set_time(a, o, "created_at", p->created_at);
    view_set_time(a, o, "not_after", p->not_after);
    json_set_text_or_null(o, "reason", p->reason);
    json_set_text_or_null(o, "ended_by", p->ended_by);
    view_set_time(a, o, "ended_at", p->ended_at);
    json_set_json(o, "redemptions", list);
    response_json(c->rs, 200, o);
    return NULL;
}

/* ---- reading -------------------------------------------------------- */

/* An agent sees its own permits, unless their intent is closed to it; a
 * resource sees those that it uses. */
static bool visible(const struct principal *who, const struct permits_row *row)
{
    if (who->role == ROLE_AGENT)
        return permit_own(&row->permit, who) &&
               (!row->closed || row->access != ACCESS_NONE);
    return who->role != ROLE_RESOURCE ||
           str_eq(who->resource_id, row->resource_id);
}

const struct err *api_permit_get(struct call *c)
{
    struct permits_row row;
    TRY(permits_get(c->pg, c->a, c->param[0], &row));
    if (!visible(&c->who, &row))
        return permit_unknown();
    return permit_answer(c, &row.permit);
}

/* ---- results -------------------------------------------------------- */

/* Any key of the resource that used the permit may, or the agent that did. */
static const struct err *may_report(struct call *c, const struct redemption *r,
                                    bool *may)
{
    struct permits_row row;
    TRY(permits_get(c->pg, c->a, r->permit_id, &row));
    *may = c->who.role == ROLE_RESOURCE
               ? str_eq(c->who.resource_id, row.resource_id)
               : !row.resource_id.p && !c->who.test &&
                     str_eq(r->by, c->who.agent);
    return NULL;
}

const struct err *api_permit_result(struct call *c)
{
    bool may = false;
    struct redemption r, before;
    struct json *body = NULL;
    bool done = false;
    TRY(call_body(c, &body));
    TRY(redemptions_get(c->pg, c->a, c->param[0], &r));
    TRY(may_report(c, &r, &may));
    if (!may)
        return ERROR(ERR_NOT_FOUND, "redemption.unknown",
                     "There is no redemption with this id.");
    struct fields f = fields(c->a, body, STR(""));
    fields_only(&f, "result ref");
    fields_need(&f, "result");
    before = r;
    r.result = vocabulary_redemption_result_read(&f, "result");
    r.result_ref = STR_NONE;
    fields_text(&f, "ref", REF_MAX, &r.result_ref);
    TRY(fields_error(&f));
    r.result_at = clock_now();
    TRY(redemptions_result(c->pg, c->a, &r, &done));
    if (!done)
        TRY(redemptions_get(c->pg, c->a, r.id, &before));
    if (!done && (before.result != r.result ||
                  !str_eq(before.result_ref, r.result_ref)))
        return ERROR(ERR_CONFLICT, "redemption.result",
                     "Another result was reported for this redemption.");
    response_json(c->rs, 200, redemption_view(c, done ? &r : &before));
    return NULL;
}

/* ---- taking back ---------------------------------------------------- */

static const struct err *read_reason(struct call *c, struct str *out)
{
    struct json *body = NULL;
    TRY(call_body_if_any(c, &body));
    struct fields f = fields(c->a, body, STR(""));
    fields_only(&f, "reason");
    fields_text(&f, "reason", SUSPENSION_REASON_MAX, out);
    return fields_error(&f);
}

const struct err *api_permit_revoke(struct call *c)
{
    struct json *o = json_object(c->a);
    struct work_once once;
    struct revoke r = {.permit_id = c->param[0], .reason = STR_NONE};
    TRY(read_reason(c, &r.reason));
    TRY(call_once(c, &once));
    TRY(revoke_permit(c, &r, &once));
    if (r.w.answered)
        return call_replay(c, &r.w);
    json_set_text(o, "permit_id", r.row.permit.id);
    json_set_text(o, "state",
                  vocabulary_permit_state(r.row.permit.state)->wire);
    json_set_int(o, "used", r.row.permit.used);
    json_set_bool(o, "late", r.revoked.late);
    return call_commit(c, &r.w, 200, o, false);
}
