/* Permits in the database: struct in, struct out. */
#ifndef STORE_PERMIT_PERMITS_H
#define STORE_PERMIT_PERMITS_H

#include "domain/permit/permit.h"
#include "world/pg/pg.h"

/* A permit, and what its usability depends on besides its intent. */
struct permits_row {
    struct permit permit;
    bool key_ended, resource_removed;
    /* Of its agent to its intent, and whether that is closed: permits_get sets
     * them. */
    enum access access;
    bool closed;
    struct str resource_id; /* p NULL: the agent itself uses it */
    bool require_dpop;      /* of the resource */
};
/* Row i of permit_of_suspension or permit_of_open. */
struct permits_row permits_read(const struct pg_rows *r, size_t i);
/* The permit of a question; *found false: it has none. */
const struct err *permits_of_suspension(struct pg *pg, struct arena *a,
                                        struct str suspension_id,
                                        struct permits_row *out,
                                        bool *found) MUST;
/* Permits that can be used now, the newest first, with the titles of their
 * requests. */
struct permits_live {
    int64_t now, limit;
    const struct permit *after; /* the last one before; NULL: from the start */
    struct str initiator_id; /* of a person; p NULL: of everybody */
};
struct permits_titled {
    struct permits_row row;
    struct str title;
};
struct permits_rows {
    struct permits_titled *v;
    size_t n;
    bool more;
};
const struct err *permits_live(struct pg *pg, struct arena *a,
                               const struct permits_live *query,
                               struct permits_rows *out) MUST;
/* Those of an intent that can be used now, the oldest first. */
const struct err *permits_of_intent(struct pg *pg, struct arena *a,
                                    struct str intent_id, int64_t now,
                                    int64_t limit,
                                    struct permits_rows *out) MUST;
/* ERR_NOT_FOUND permit.unknown. */
const struct err *permits_get(struct pg *pg, struct arena *a, struct str id,
                              struct permits_row *out) MUST;
/* By its handle; *found false: there is none. */
const struct err *permits_by_handle(struct pg *pg, struct arena *a,
                                    struct str handle,
                                    struct permits_row *out,
                                    bool *found) MUST;
/* Into the current batch: a new permit, asked for with the key of that id. */
void permits_queue_insert(struct pg *pg, struct arena *a,
                          const struct permit *p, struct str key_id);
/* Into the current batch: what an answer, a use or an end changed. Ends the
 * token of a permit that is spent or revoked. */
void permits_queue_update(struct pg *pg, struct arena *a,
                          const struct permit *p);
/* Into the current batch: what a request for a token changed. jkt: of its
 * proof, written where the permit is not bound yet, p NULL: none; poll_after 0:
 * not a poll. */
void permits_queue_polled(struct pg *pg, struct arena *a, struct str id,
                          struct str jkt, int64_t poll_after);
/* Into the current batch: refuses the permit of a question that ended, if it
 * has one that is still asked for. */
void permits_queue_refuse(struct pg *pg, struct arena *a,
                          const struct suspension *s);
/* A handle of a permit: "sar_" and 20 random bytes. */
struct str permits_handle(struct arena *a);

#endif
