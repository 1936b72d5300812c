/* The record of permits. */
#include "domain/permit/permit.h"

/* The amount of a budget is a column where there is a budget. */
static struct str permit_budget_text(struct arena *a, const void *at)
{
    const struct permit_covers_budget *b = at;
    return b->unit.p ? decimal_text(a, b->amount) : STR_NONE;
}

static void permit_budget_take(void *at, struct str text)
{
    struct permit_covers_budget *b = at;
    if (!text.p || !decimal_read(text, &b->amount))
        b->amount = (struct decimal){.whole = 0};
}

static const struct json *permit_budget_show(struct arena *a,
                                             const void *permit)
{
    const struct permit_covers_budget *b =
        &((const struct permit *)permit)->terms.budget;
    struct json *o = b->unit.p ? json_object(a) : NULL;
    if (o) {
        json_set_text(o, "amount", decimal_text(a, b->amount));
        json_set_text(o, "unit", b->unit);
        json_set_text(o, "of", b->of);
    }
    return o;
}

static const struct json *permit_spent_show(struct arena *a,
                                            const void *permit)
{
    return json_string(
        a, decimal_text(a, ((const struct permit *)permit)->spent));
}

static const struct record_field permit_fields[] = {
    {RECORD_TEXT(permit, id, IN_TABLE | IN_OBJECT | IN_EVENT),
     .member = "permit_id"},
    {RECORD_TEXT(permit, intent_id, IN_TABLE | IN_OBJECT)},
    {RECORD_TEXT(permit, suspension_id, IN_TABLE | IN_OBJECT),
     .member = "request_id"},
    {RECORD_TEXT(permit, auth_req_id, IN_TABLE)},
    {RECORD_TEXT(permit, agent, IN_TABLE | IN_OBJECT)},
    {RECORD_TEXT(permit, terms.dpop_jkt, IN_TABLE), .column = "jkt"},
    {RECORD_JSON(permit, asked, IN_TABLE | IN_OBJECT)},
    {RECORD_TEXT(permit, asked_sha256, IN_TABLE)},
    {RECORD_JSON(permit, granted, IN_TABLE | IN_UPDATE | IN_OBJECT)},
    {RECORD_TEXT(permit, granted_sha256,
                 IN_TABLE | IN_UPDATE | IN_OBJECT | IN_EVENT)},
    {RECORD_NUMBER(permit, terms.max_uses, IN_TABLE | IN_OBJECT | IN_EVENT),
     .column = "max_uses"},
    {RECORD_NUMBER(permit, terms.use_seconds, IN_TABLE),
     .column = "use_seconds"},
    {RECORD_OWN(permit, terms.budget, IN_TABLE | IN_OBJECT, permit_budget_text,
                permit_budget_take),
     .column = "budget", .show = permit_budget_show},
    {RECORD_TEXT(permit, terms.budget.of, IN_TABLE), .column = "budget_of"},
    {RECORD_TEXT(permit, terms.budget.unit, IN_TABLE),
     .column = "budget_unit"},
    {RECORD_NUMBER(permit, used, IN_ROW | IN_UPDATE | IN_OBJECT)},
    {RECORD_DECIMAL(permit, spent, IN_ROW | IN_UPDATE | IN_OBJECT),
     .show = permit_spent_show},
    {RECORD_WORD(permit, state, IN_TABLE | IN_UPDATE | IN_OBJECT,
                 vocabulary_permit_state_all)},
    {RECORD_TEXT(permit, reason, IN_ROW | IN_UPDATE | IN_OBJECT)},
    {RECORD_TEXT(permit, ended_by, IN_ROW | IN_UPDATE | IN_OBJECT)},
    {RECORD_TIME(permit, created_at, IN_TABLE | IN_OBJECT)},
    {RECORD_TIME(permit, granted_at, IN_TABLE | IN_UPDATE)},
    {RECORD_TIME(permit, not_after, IN_TABLE | IN_UPDATE | IN_OBJECT)},
    {RECORD_TIME(permit, ended_at, IN_TABLE | IN_UPDATE | IN_OBJECT)},
    {RECORD_TIME(permit, poll_after, IN_ROW)},
    {RECORD_TEXT(permit, terms.resource, IN_JOIN | IN_OBJECT),
     .column = "resource"},
};
const struct record permit_record = RECORD(permit, "permit", "permit");
