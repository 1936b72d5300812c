/* Permits over the API: read one, report the result of a use, take it back. */
#include "base/clock.h"
#include "base/json/fields.h"
#include "doors/api/api.h"
#include "store/question/suspensions.h"
#include "work/permit/revoke.h"
#include "work/permit/use.h"

/* An agent sees its own permits, unless their intent is closed to it; a
 * resource sees those that it uses. */
static bool permit_visible(const struct principal *who,
                           const struct permits_row *row)
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
    const struct permit *p = &row.permit;
    struct redemption_rows uses;
    struct suspension s;
    enum outcome ending = OUTCOME_NONE; /* a rule's permit has no question */
    TRY(permits_get(c->pg, c->a, c->param[0], &row));
    if (!permit_visible(&c->who, &row))
        return &permit_record.unknown;
    if (p->suspension_id.p) {
        TRY(suspensions_get(c->pg, c->a, p->suspension_id, &s));
        ending = suspension_ending(&s);
    }
    TRY(redemptions_list(c->pg, c->a, p->id, &uses));
    const enum permit_view view =
        permit_view(p, ending, uses.n > 0 ? uses.v[0].result : REDEMPTION_OPEN,
                    clock_now());
    struct json *o = record_object(c->a, &permit_record, p);
    json_set_text(o, "object", STR("permit"));
    json_set_text(o, "view", vocabulary_permit_view(view)->wire);
    json_set_json(o, "redemptions",
                  record_list(c->a, &redemption_record, uses.v, uses.n));
    response_json(c->rs, 200, o);
    return NULL;
}

const struct err *api_permit_result(struct call *c)
{
    struct redemption r;
    const struct work w = call_work(c);
    TRY(call_body(c));
    TRY(use_find_own(&w, c->param[0], &r));
    struct fields f = fields(c->a, c->body, STR(""));
    record_only(&f, &redemption_record);
    record_read(&f, &redemption_record, &r);
    TRY(fields_error(&f));
    TRY(use_report(&w, &r));
    response_json(c->rs, 200, record_object(c->a, &redemption_record, &r));
    return NULL;
}

const struct err *api_permit_revoke(struct call *c)
{
    struct json *o = json_object(c->a);
    struct revoke r = {.permit_id = c->param[0], .reason = STR_NONE};
    struct work w = call_work(c);
    TRY(call_body_if_any(c));
    struct fields f = fields(c->a, c->body, STR(""));
    fields_only(&f, "reason");
    fields_text(&f, "reason", SUSPENSION_REASON_MAX, &r.reason);
    TRY(fields_error(&f));
    TRY(call_once(c));
    TRY(revoke_permit(&w, &r, &c->once));
    if (w.answered)
        return call_replay(c, &w);
    json_set_text(o, "permit_id", r.row.permit.id);
    json_set_text(o, "state",
                  vocabulary_permit_state(r.row.permit.state)->wire);
    json_set_int(o, "used", r.row.permit.used);
    json_set_bool(o, "late", r.revoked.late);
    return call_commit(c, &w, 200, o, false);
}
