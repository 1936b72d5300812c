/* Leases: one holder for a scope of an intent, for a time. Pure. */
#include "domain/intent/lease.h"

#include "base/clock_text.h"

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
    struct json *p = json_object(a);
    json_set_text(p, "lease_id", l->id);
    json_set_text(p, "agent_id", l->agent_id);
    json_set_text(p, "scope", l->scope);
    json_set_text(p, "expires_at", clock_naive(a, l->expires_at));
    if (reason)
        json_set_text(p, "reason", str_of(reason));
    return p;
}
