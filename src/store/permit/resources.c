/* Resources in the database: struct in, struct out. Decides nothing. */
#include "store/permit/resources.h"

#include "base/clock.h"
#include "base/id.h"
#include "domain/permit/permit.h"
#include "store/rows.h"

static const struct record_field resource_fields[] = {
    {RECORD_TEXT(resource, id, IN_TABLE)},
    {RECORD_TEXT(resource, identifier, IN_TABLE)},
    {RECORD_TEXT(resource, name, IN_TABLE | IN_UPDATE)},
    {RECORD_FLAG(resource, require_dpop, IN_TABLE | IN_UPDATE)},
    {RECORD_TIME(resource, created_at, IN_TABLE)},
    {RECORD_TIME(resource, removed_at, IN_ROW)},
};
static const struct record resource_record =
    RECORD(resource, "resource", "resource");

const struct err *resources_get(struct pg *pg, struct arena *a,
                                struct str identifier, struct resource *out)
{
    bool found = false;
    TRY(rows_find(pg, a, SQL_RESOURCE_GET, PG(pg_text(identifier)),
                  &resource_record, out, &found));
    return found ? NULL
                 : err_at(a, ERR_INVALID, permit_resource, STR("resource"),
                          "No resource with this address is registered.");
}

const struct err *resources_list(struct pg *pg, struct arena *a,
                                 struct resource_rows *out)
{
    return rows_list(pg, a, SQL_RESOURCE_LIST, PG(pg_number(RESOURCES_MAX)),
                     &resource_record, &out->v, &out->n);
}

const struct err *resources_insert(struct pg *pg, struct arena *a,
                                   struct resource *r)
{
    struct pg_rows *rows = NULL;
    r->id = id_new(a);
    r->created_at = clock_now();
    rows_queue(pg, a, SQL_RESOURCE_INSERT, NULL, &resource_record, IN_INSERT,
               r);
    TRY(pg_run(pg, a, &rows));
    if (pg_count(rows) == 0)
        return err_at(a, ERR_CONFLICT, "resource.taken", STR("identifier"),
                      "A resource with this address is registered.");
    rows_read(&resource_record, rows, 0, r);
    return NULL;
}

const struct err *resources_remove(struct pg *pg, struct arena *a,
                                   struct str id)
{
    const struct err *gone = ERROR(ERR_NOT_FOUND, "resource.gone",
                                   "There is no resource with this id.");
    if (!id_uuid(id))
        return gone;
    return rows_must_change(pg, a, SQL_RESOURCE_REMOVE,
                            PG(pg_text(id), pg_moment(clock_now())), gone);
}
