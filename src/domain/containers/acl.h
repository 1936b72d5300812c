/* The access control list of an intent (OpenIntent RFC-0011): reading it, and
 * the texts about it for clients and the log. domain/intent/reach.h has the
 * effect of an entry. Pure. */
#ifndef DOMAIN_CONTAINERS_ACL_H
#define DOMAIN_CONTAINERS_ACL_H

#include "domain/intent/principal.h"
#include "domain/record.h"

#define ACL_ENTRIES_MAX 50 /* of an intent */
#define ACL_REASON_MAX 4000

struct acl_entry {
    struct str id, intent_id;
    struct str agent;
    enum access permission;
    struct str reason; /* p NULL: none */
    struct str granted_by;
    int64_t granted_at;
    int64_t expires_at; /* 0: never */
};
extern const struct record acl_entry_record;

/* A whole list, as it is to be. */
struct acl_list {
    bool closed;
    struct acl_entry v[ACL_ENTRIES_MAX];
    size_t n;
};

/* The member expires_at: 0 where there is none; it has to be in the future. */
void acl_end(struct fields *f, int64_t now, int64_t *out);
/* The body of one entry at a path. ERR_INVALID names the member: a person needs
 * no entry, and an end has to be in the future. */
const struct err *acl_entry_read(struct arena *a, const struct json *body,
                                 struct str path, int64_t now,
                                 struct acl_entry *out) MUST;
/* The body of a whole list. An entry that stands for a tie (acl_tie_object), as
 * it was read before, is left out. ERR_INVALID acl.twice for two entries of one
 * agent. */
const struct err *acl_read(struct arena *a, const struct json *body,
                           int64_t now, struct acl_list *out) MUST;
/* The entry of an agent among n; NULL: it has none. */
const struct acl_entry *acl_of_agent(const struct acl_entry *v, size_t n,
                                     struct str agent);
/* Do they say the same? */
bool acl_same(const struct acl_entry *x, const struct acl_entry *y);

/* A tie in the form of an entry, so that a client finds every agent with access
 * in one list. Its id is the agent's name; until 0: without end. */
struct json *acl_tie_object(struct arena *a, struct str agent,
                            enum access access, int64_t until);
/* The payload of access_granted, access_revoked and access_expired: of one
 * entry its members, of more of them "entries". */
struct json *acl_payload(struct arena *a, const struct acl_entry *v, size_t n,
                         bool granted);

#endif
