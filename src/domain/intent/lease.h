/* Leases: one holder for a scope of an intent, for a time (OpenIntent
 * RFC-0003). */
#ifndef DOMAIN_INTENT_LEASE_H
#define DOMAIN_INTENT_LEASE_H

#include "domain/record.h"

#define LEASE_SCOPE_MAX 255
#define LEASE_SECONDS_MAX 86400
#define LEASE_SECONDS_DEFAULT 300

struct lease {
    struct str id, intent_id, agent_id, scope;
    enum lease_status status;
    int64_t acquired_at, expires_at;
    int64_t released_at; /* 0: not released */
};

/* Clients read acquired_at as created_at too. */
extern const struct record lease_record;

/* The status at the time now: an active lease past its end reads expired,
 * except while its intent is suspended (RFC-0025 2: lease expiry skips
 * suspended intents). */
enum lease_status lease_status(const struct lease *l, bool suspended,
                               int64_t now);
/* May agent renew it? An own lease that is active, or that expired while nobody
 * else took the scope. ERR_FORBIDDEN lease.not_holder; ERR_CONFLICT lease.taken
 * when somebody has or had the scope since; lease.ended when it was released.
 * newest: the row of the scope that was acquired last. */
const struct err *lease_renew(const struct lease *l,
                              const struct lease *newest,
                              struct str agent) MUST;
/* The payload of the lease_* events; reason NULL: none. */
struct json *lease_payload(struct arena *a, const struct lease *l,
                           const char *reason);

#endif
