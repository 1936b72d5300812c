/* Leases: one holder for a scope of an intent, for a time. Pure. */
#include "domain/intent/lease.h"

static const struct record_field lease_fields[] = {
    {RECORD_TEXT(lease, id, IN_TABLE | IN_OBJECT)},
    {RECORD_TEXT(lease, intent_id, IN_TABLE | IN_OBJECT)},
    {RECORD_TEXT(lease, agent_id, IN_TABLE | IN_OBJECT | IN_EVENT)},
    {RECORD_TEXT(lease, scope, IN_TABLE | IN_OBJECT | IN_EVENT)},
    {RECORD_WORD(lease, status, IN_TABLE | IN_UPDATE | IN_OBJECT,
                 vocabulary_lease_status_all)},
    {RECORD_NAIVE(lease, acquired_at, IN_TABLE | IN_OBJECT),
     .alias = "created_at"},
    {RECORD_NAIVE(lease, expires_at,
                  IN_TABLE | IN_UPDATE | IN_OBJECT | IN_EVENT)},
    {RECORD_NAIVE(lease, released_at, IN_ROW | IN_UPDATE | IN_OBJECT)},
};
const struct record lease_record = RECORD(lease, "lease", "lease");

enum lease_status lease_status(const struct lease *l, bool suspended,
                               int64_t now)
{
    return l->status == LEASE_ACTIVE && now >= l->expires_at && !suspended
               ? LEASE_EXPIRED
               : l->status;
}

const struct err *lease_renew(const struct lease *l,
                              const struct lease *newest, struct str agent)
{
    if (!str_eq(l->agent_id, agent))
        return ERROR(ERR_FORBIDDEN, "lease.not_holder",
                     "Only the agent that holds the lease may do this.");
    if (l->status == LEASE_RELEASED || l->status == LEASE_REVOKED)
        return ERROR(ERR_LEASE, "lease.ended",
                     "The lease was released. Acquire a new one.");
    if (!str_eq(newest->id, l->id))
        return ERROR(ERR_LEASE, "lease.taken",
                     "The lease expired and another agent has the scope.");
    return NULL;
}

struct json *lease_payload(struct arena *a, const struct lease *l,
                           const char *reason)
{
    struct json *p = record_payload(a, &lease_record, l);
    json_set_text(p, "lease_id", l->id);
    if (reason)
        json_set_text(p, "reason", str_of(reason));
    return p;
}
