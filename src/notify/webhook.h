/* A request to an endpoint, signed as defined by Standard Webhooks: for
 * deliveries and for the check of a credential. Sends nothing. */
#ifndef NOTIFY_WEBHOOK_H
#define NOTIFY_WEBHOOK_H

#include "base/arena.h"
#include "world/outbound.h"

struct webhook {
    int64_t epoch; /* of the database's newest loss; 0: nothing was lost */
    struct str id; /* the same for each try */
    struct str url;
    struct str body; /* where it is signed, these exact bytes */
    struct str secret, previous_secret; /* p NULL: none */
    struct str traceparent; /* W3C Trace Context, 55 bytes; p NULL: none */
    bool internal; /* a private address is allowed */
    int64_t now;
};

/* A POST of JSON that is not signed. */
struct outbound_request webhook_plain(const struct webhook *w);
/* The same with its id, its time and its trace, in which each try is a part of
 * its own; for a body that is not the server's own words: whoever verifies a
 * signature refuses it. */
struct outbound_request webhook_named(struct arena *a, const struct webhook *w);
/* The signed one. false: no secret is valid. */
bool webhook_signed(struct arena *a, const struct webhook *w,
                    struct outbound_request *out);

#endif
