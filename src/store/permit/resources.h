/* Resources in the database: the gateways that use permits. */
#ifndef STORE_PERMIT_RESOURCES_H
#define STORE_PERMIT_RESOURCES_H

#include "base/err.h"
#include "world/pg/pg.h"

#define RESOURCES_MAX 200 /* shown on the page */

struct resource {
    struct str id, identifier, name;
    bool require_dpop;
    int64_t created_at, removed_at; /* 0: not */
};
struct resource_rows {
    struct resource *v;
    size_t n;
};
/* One that is in use, by its address (RFC 8707 2). ERR_INVALID resource.unknown
 * at "resource". */
const struct err *resources_get(struct pg *pg, struct arena *a,
                                struct str identifier,
                                struct resource *out) MUST;
/* The newest first, at most RESOURCES_MAX. */
const struct err *resources_list(struct pg *pg, struct arena *a,
                                 struct resource_rows *out) MUST;
/* Adds one, or one again that was removed; sets its id and time. ERR_CONFLICT
 * resource.taken at "identifier". */
const struct err *resources_insert(struct pg *pg, struct arena *a,
                                   struct resource *r) MUST;
/* Removes one; its keys and permits are no longer valid. ERR_NOT_FOUND
 * resource.gone. */
const struct err *resources_remove(struct pg *pg, struct arena *a,
                                   struct str id) MUST;

#endif
