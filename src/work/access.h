/* Changes of an intent's access control list.
 *
 * Each is a part of a unit of work: with it change the mark on the intent and
 * the leases of agents that can no longer write, and its events are
 * appended. */
#ifndef WORK_ACCESS_H
#define WORK_ACCESS_H

#include "store/person/acls.h"
#include "work/work.h"

/* Gives an agent the entry, in place of the one that it has; *e gets its id.
 * ERR_CONFLICT acl.too_many. */
const struct err *access_grant(struct work *w, struct event_by by,
                               struct acl_entry *e) MUST;
/* Takes an entry back, and the agent's leases with it. ERR_NOT_FOUND
 * acl.unknown. */
const struct err *access_revoke(struct work *w, struct event_by by,
                                struct str id) MUST;
/* Replaces the list of access; entries that stay as they are keep their id. */
const struct err *access_set(struct work *w, struct event_by by,
                             const struct acl_list *list) MUST;
/* The time of these entries is over. */
const struct err *access_expire(struct work *w, const struct acl_entry *v,
                                size_t n) MUST;

/* May there be another? ERR_CONFLICT access.requested for a second one that
 * asks for the same; access.too_many_requests. */
const struct err *access_check_request(const struct work *w,
                                       const struct suspension *s) MUST;

#endif
