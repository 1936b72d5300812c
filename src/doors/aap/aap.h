/* The Agent Approval Protocol (AAP): a client submits one tool call, waits for
 * a decision, consumes it once before the tool runs, and may report how it
 * went.
 *
 * A translation: a submission is a question of the native API about one call,
 * its approval a permit of one use, consuming it a redemption. A rule may
 * forbid the call; none allows it, because the protocol knows requests that
 * wait for a person alone. The client compares the submission that comes back
 * with the one that it made, so its bytes are kept in the question. */
#ifndef DOORS_AAP_AAP_H
#define DOORS_AAP_AAP_H

#include "doors/call/call.h"
#include "store/permit/permits.h"
#include "store/permit/redemptions.h"

/* POST /v1/requests. */
const struct err *aap_create(struct call *c) MUST;
/* GET /v1/requests/{id}, with wait=25s. */
const struct err *aap_get(struct call *c) MUST;
/* DELETE /v1/requests/{id}. ERR_CONFLICT already_terminal. */
const struct err *aap_cancel(struct call *c) MUST;
/* POST /v1/requests/{id}/consume. ERR_CONFLICT already_consumed, not_approved,
 * approval_expired. */
const struct err *aap_consume(struct call *c) MUST;
/* POST /v1/requests/{id}/outcome. ERR_CONFLICT not_consumed,
 * outcome_conflict. */
const struct err *aap_outcome(struct call *c) MUST;

/* A request as it is now. */
struct aap_request {
    struct suspension suspension;
    struct permit permit; /* id p NULL: none */
    struct redemption use; /* id p NULL: not consumed */
    bool ended; /* revoked, or ended other than by its uses and time, before it
                 * was consumed */
};

/* view.c: the request as the protocol has it. */
struct str aap_view(struct arena *a, const struct aap_request *r);
/* Is the call approved as it was submitted, and is that still so? */
bool aap_approved(const struct aap_request *r);

#endif
