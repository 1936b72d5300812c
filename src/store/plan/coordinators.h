/* Coordinators in the database. */
#ifndef STORE_PLAN_COORDINATORS_H
#define STORE_PLAN_COORDINATORS_H

#include "domain/containers/coordinator.h"
#include "domain/plan/guardrails.h"
#include "world/pg/pg.h"

struct coordinator_rows {
    struct coordinator *v;
    size_t n;
};
/* ERR_NOT_FOUND coordinator.unknown; an id that is not a UUID is unknown
 * too. */
const struct err *coordinators_get(struct pg *pg, struct arena *a,
                                   struct str id,
                                   struct coordinator *out) MUST;
/* The one of the same intent or portfolio as like; *found: it has one. */
const struct err *coordinators_active(struct pg *pg, struct arena *a,
                                      const struct coordinator *like,
                                      struct coordinator *out,
                                      bool *found) MUST;
/* Those of the same intent or portfolio, newest first, ended ones too. */
const struct err *coordinators_list(struct pg *pg, struct arena *a,
                                    const struct coordinator *like,
                                    struct coordinator_rows *out) MUST;
/* Those that answer for an intent: its own and its ancestors', the nearest
 * first, and those of the portfolios of member (p NULL: none), at most
 * COORDINATORS_OVER_MAX. Those that people granted come before all others. */
const struct err *coordinators_over(struct pg *pg, struct arena *a,
                                    struct str intent_id, struct str member,
                                    struct coordinator_rows *out) MUST;
/* The guardrails of these. */
const struct err *coordinators_guard(struct pg *pg, struct arena *a,
                                     const struct intent *i,
                                     struct guardrails *out) MUST;
/* Where they want a review: can the supervisor answer, as a group or as a
 * person? */
const struct err *coordinators_supervisor(struct pg *pg, struct arena *a,
                                          struct guardrails *g) MUST;
/* Writes a new coordinator; of an intent it marks the intent and those below
 * it, whose locks are held (SQL_INTENT_TAKE_DESCENDANTS). ERR_CONFLICT
 * intent.graph_too_large; coordinator.too_many. */
const struct err *coordinators_insert(struct pg *pg, struct arena *a,
                                      const struct coordinator *c) MUST;
/* Puts an UPDATE into the batch. */
void coordinators_queue_update(struct pg *pg, struct arena *a,
                               const struct coordinator *c);

#endif
