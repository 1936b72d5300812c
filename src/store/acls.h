/* The access control lists of intents in the database. Each change is a part of
 * a unit of work: with it change the mark on the intent and the leases of
 * agents that may not write any more, and its events are appended. */
#ifndef STORE_ACLS_H
#define STORE_ACLS_H

#include "domain/containers/acl.h"
#include "store/suspensions.h"
#include "store/work.h"

struct acl_rows {
    struct acl_entry *v;
    size_t n;
};
/* The entries of an intent that are not over, the first granted first. */
const struct err *acls_list(struct pg *pg, struct arena *a,
                            struct str intent_id, int64_t now,
                            struct acl_rows *out) MUST;
/* Row i of a statement with the columns of an entry. */
struct acl_entry acls_row(const struct pg_rows *r, size_t i);

/* An agent that is tied to an intent in any way: its strongest tie. */
struct acl_tie {
    struct str agent;
    enum access access;
    int64_t until; /* 0: without end */
};
struct acl_ties {
    struct acl_tie *v;
    size_t n;
};
/* By name, at most 1000. */
const struct err *acls_ties(struct pg *pg, struct arena *a,
                            struct str intent_id, int64_t now,
                            struct acl_ties *out) MUST;

/* Gives an agent the entry, in place of the one that it has; *e gets its id.
 * ERR_CONFLICT acl.too_many. */
const struct err *acls_grant(struct work *w, struct event_by by,
                             struct acl_entry *e) MUST;
/* Takes an entry back, and the agent's leases with it. ERR_NOT_FOUND
 * acl.unknown. */
const struct err *acls_revoke(struct work *w, struct event_by by,
                              struct str id) MUST;
/* Makes the list be as it is wished; entries that stay as they are keep their
 * id. */
const struct err *acls_set(struct work *w, struct event_by by,
                           const struct acl_wish *wish) MUST;
/* The time of these entries is over. */
const struct err *acls_expire(struct work *w, const struct acl_entry *v,
                              size_t n) MUST;

/* Entries that are over, of a few intents, like due_coordinators (due.h). */
struct acl_due {
    struct str intent_id;
    struct acl_entry entry;
};
struct acl_dues {
    struct work *v; /* their intents, locked */
    size_t n;
    struct acl_due *over; /* of all of them */
    size_t over_n;
};
const struct err *acls_due(struct pg *pg, struct arena *a, int64_t now,
                           struct acl_dues *out) MUST;

/* The requests for access to an intent, the newest first, at most 200. */
const struct err *acls_requests(struct pg *pg, struct arena *a,
                                struct str intent_id,
                                struct suspension_rows *out) MUST;
/* May there be another? ERR_CONFLICT access.requested for a second one that
 * asks for the same; access.too_many_requests. */
const struct err *acls_check_request(struct pg *pg, struct arena *a,
                                     struct str intent_id,
                                     const struct suspension *s) MUST;

#endif
