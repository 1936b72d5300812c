/* The access control lists of intents in the database; work/access.h changes
 * them. */
#ifndef STORE_PERSON_ACLS_H
#define STORE_PERSON_ACLS_H

#include "domain/containers/acl.h"
#include "store/question/suspensions.h"

struct acl_rows {
    struct acl_entry *v;
    size_t n;
};
/* The entries of an intent that are not over, the first granted first. */
const struct err *acls_list(struct pg *pg, struct arena *a,
                            struct str intent_id, int64_t now,
                            struct acl_rows *out) MUST;

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

/* Those that are over too, of an intent whose lock is held. */
const struct err *acls_all(struct pg *pg, struct arena *a,
                           struct str intent_id, struct acl_rows *out) MUST;
/* Put an INSERT that replaces the agent's entry, or a DELETE, into the batch.
 * */
void acls_queue_put(struct pg *pg, struct arena *a,
                    const struct acl_entry *e);
void acls_queue_remove(struct pg *pg, struct arena *a,
                       const struct acl_entry *v, size_t n);

/* The requests for access to an intent, the newest first, at most 200. */
const struct err *acls_requests(struct pg *pg, struct arena *a,
                                struct str intent_id,
                                struct suspension_rows *out) MUST;
/* The numbers of requests like a new one. */
struct acl_requested {
    int64_t all, of_agent, open, open_of_agent;
    bool same; /* an open one of the agent for the same */
};
const struct err *acls_requested(struct pg *pg, struct arena *a,
                                 struct str intent_id,
                                 const struct suspension *s,
                                 struct acl_requested *out) MUST;

#endif
