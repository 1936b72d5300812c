/* Leases: one holder for a scope of an intent, for a time. Pure. */
#include "domain/lease.h"

const char *lease_status(const struct lease *l, bool suspended, int64_t now)
{
    if (str_is(l->status, "active") && now >= l->expires_at && !suspended)
        return "expired";
    return str_is(l->status, "active")     ? "active"
           : str_is(l->status, "released") ? "released"
           : str_is(l->status, "revoked")  ? "revoked"
                                           : "expired";
}

const struct err *lease_renew(const struct lease *l, const struct lease *other,
                              struct str agent)
{
    if (!str_eq(l->agent_id, agent))
        return ERROR(ERR_FORBIDDEN, "lease.not_holder",
                     "Only the agent that holds the lease may do this.");
    if (str_is(l->status, "released") || str_is(l->status, "revoked"))
        return ERROR(ERR_CONFLICT, "lease.ended",
                     "The lease was given back. Acquire a new one.");
    if ((other && !str_eq(other->id, l->id)) || str_is(l->status, "expired"))
        return ERROR(ERR_CONFLICT, "lease.taken",
                     "The lease lapsed and another agent took the scope.");
    return NULL;
}
