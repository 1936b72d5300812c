/* Resources in the database: struct in, struct out. Decides nothing. */
#include "store/resources.h"

#include "base/clock.h"
#include "base/id.h"
#include "domain/permit/permit.h"
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
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_RESOURCE_GET, PG(pg_text(identifier)), &r));
    if (pg_count(r) == 0)
        return err_at(a, ERR_INVALID, permit_resource, STR("resource"),
                      "No resource with this address is registered.");
    *out = row(r, 0);
    return NULL;
}

const struct err *resources_list(struct pg *pg, struct arena *a,
                                 struct resource_rows *out)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_RESOURCE_LIST, PG(pg_number(RESOURCES_MAX)), &r));
    out->n = pg_count(r);
    out->v = arena_many(a, out->n + 1, struct resource);
    for (size_t i = 0; i < out->n; i++)
        out->v[i] = row(r, i);
    return NULL;
}

const struct err *resources_insert(struct pg *pg, struct arena *a,
                                   struct resource *r)
{
    struct pg_rows *rows = NULL;
    r->id = id_new(a);
    r->created_at = clock_now();
    TRY(pg_query(pg, a, SQL_RESOURCE_INSERT,
                 PG(pg_text(r->id), pg_text(r->identifier), pg_text(r->name),
                    pg_flag(r->require_dpop), pg_moment(r->created_at)),
                 &rows));
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
    struct pg_rows *rows = NULL;
    const struct err *gone = ERROR(ERR_NOT_FOUND, "resource.gone",
                                   "There is no resource with this id.");
    if (!id_uuid(id))
        return gone;
    TRY(pg_query(pg, a, SQL_RESOURCE_REMOVE,
                 PG(pg_text(id), pg_moment(clock_now())), &rows));
    return pg_affected(rows) > 0 ? NULL : gone;
}
