/* Approvals of OpenIntent in the database: those that allow a completion.
 * Decides nothing. */
#ifndef STORE_QUESTION_APPROVALS_H
#define STORE_QUESTION_APPROVALS_H

#include "domain/intent/governance.h"
#include "world/pg/pg.h"

/* The approved requests to complete the intent, for its state as it is now
 * (JSON text). */
const struct err *approvals_of_completion(struct pg *pg, struct arena *a,
                                          struct str intent_id,
                                          struct str state,
                                          struct governance_approvals *out)
    MUST;

#endif
