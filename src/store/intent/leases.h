/* Leases and assignments in the database. Decides nothing. */
#ifndef STORE_INTENT_LEASES_H
#define STORE_INTENT_LEASES_H

#include "domain/intent/lease.h"
#include "world/pg/pg.h"

struct lease_rows {
    struct lease *v;
    size_t n;
};

/* All leases of an intent, newest first, at most 200. */
const struct err *leases_list(struct pg *pg, struct arena *a,
                              struct str intent_id,
                              struct lease_rows *out) MUST;
/* The lease with that id on that intent; ERR_NOT_FOUND lease.unknown. */
const struct err *leases_get(struct pg *pg, struct arena *a, struct str id,
                             struct str intent_id, struct lease *out) MUST;
/* The active row of a scope, past its end or not; *found: there is one. */
const struct err *leases_holder(struct pg *pg, struct arena *a,
                                struct str intent_id, struct str scope,
                                struct lease *out, bool *found) MUST;
/* The newest row of a scope, in any state; *found: there is one. */
const struct err *leases_newest(struct pg *pg, struct arena *a,
                                struct str intent_id, struct str scope,
                                struct lease *out, bool *found) MUST;
/* Put an INSERT or UPDATE into the batch. */
void leases_queue_insert(struct pg *pg, struct arena *a,
                         const struct lease *l);
void leases_queue_update(struct pg *pg, struct arena *a,
                         const struct lease *l);

struct assignment {
    struct str intent_id; /* p NULL where it was read */
    struct str agent_id, assigned_by;
    int64_t assigned_at;
};
extern const struct record assignment_record;
struct assignment_rows {
    struct assignment *v;
    size_t n;
};
/* The agents of an intent, first assigned first, at most 200. */
const struct err *leases_assignments(struct pg *pg, struct arena *a,
                                     struct str intent_id,
                                     struct assignment_rows *out) MUST;
/* Is the agent assigned to the intent? */
const struct err *leases_assigned(struct pg *pg, struct arena *a,
                                  struct str intent_id, struct str agent,
                                  bool *out) MUST;
/* Puts an INSERT into the batch; one that is there stays. */
void leases_queue_assign(struct pg *pg, struct arena *a,
                         const struct assignment *x);

#endif
