/* Resources in the database: struct in, struct out. Decides nothing. */
#include "store/resources.h"

#include "base/clock.h"
#include "base/id.h"
#include "domain/permit.h"
#include "store/sql.gen.h"

static struct resource row(const struct pg_rows *r, size_t i)
{
    return (struct resource){.id = pg_str(r, i, 0),
                             .identifier = pg_str(r, i, 1),
                             .name = pg_str(r, i, 2),
                             .require_dpop = pg_bool(r, i, 3),
                             .created_at = pg_int(r, i, 4),
                             .removed_at = pg_int(r, i, 5)};
}

const struct err *resources_get(struct pg *pg, struct arena *a,
                                struct str identifier, struct resource *out)
{
    struct pg_args args = pg_args(a);
    struct pg_rows *r = NULL;
    pg_arg(&args, identifier);
    TRY(pg_query(pg, a, SQL_RESOURCE_GET, &args, &r));
    if (pg_count(r) == 0)
        return err_at(a, ERR_INVALID, permit_resource, STR("resource"),
                      "No resource with this address is registered.");
    *out = row(r, 0);
    return NULL;
}

const struct err *resources_list(struct pg *pg, struct arena *a,
                                 struct resource_rows *out)
{
    struct pg_args args = pg_args(a);
    struct pg_rows *r = NULL;
    pg_arg_int(&args, RESOURCES_MAX);
    TRY(pg_query(pg, a, SQL_RESOURCE_LIST, &args, &r));
    out->n = pg_count(r);
    out->v = arena_many(a, out->n + 1, struct resource);
    for (size_t i = 0; i < out->n; i++)
        out->v[i] = row(r, i);
    return NULL;
}

const struct err *resources_insert(struct pg *pg, struct arena *a,
                                   struct resource *r)
{
    struct pg_args args = pg_args(a);
    struct pg_rows *rows = NULL;
    r->id = id_new(a);
    r->created_at = clock_now();
    pg_arg(&args, r->id);
    pg_arg(&args, r->identifier);
    pg_arg(&args, r->name);
    pg_arg_bool(&args, r->require_dpop);
    pg_arg_time(&args, r->created_at);
    TRY(pg_query(pg, a, SQL_RESOURCE_INSERT, &args, &rows));
    if (pg_count(rows) == 0)
        return err_at(a, ERR_CONFLICT, "resource.taken", STR("identifier"),
                      "A resource with this address is registered.");
    r->id = pg_str(rows, 0, 0);
    r->created_at = pg_int(rows, 0, 1);
    return NULL;
}

const struct err *resources_remove(struct pg *pg, struct arena *a,
                                   struct str id)
{
    struct pg_args args = pg_args(a);
    struct pg_rows *rows = NULL;
    const struct err *gone = ERROR(ERR_NOT_FOUND, "resource.gone",
                                   "There is no resource with this id.");
    if (!id_uuid(id))
        return gone;
    pg_arg(&args, id);
    pg_arg_time(&args, clock_now());
    TRY(pg_query(pg, a, SQL_RESOURCE_REMOVE, &args, &rows));
    return pg_affected(rows) > 0 ? NULL : gone;
}
