/* Views of the lists that people saved: struct in, struct out. */
#include "store/views.h"

#include "base/id.h"
#include "store/sql.gen.h"

const struct err *views_list(struct pg *pg, struct arena *a, struct str person,
                             struct view_rows *out)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_VIEW_LIST,
                 PG(pg_text(person), pg_number(VIEWS_SHOWN)), &r));
    *out = (struct view_rows){.n = pg_count(r)};
    out->v = arena_many(a, out->n + 1, struct view);
    for (size_t i = 0; i < out->n; i++)
        out->v[i] = (struct view){.id = pg_str(r, i, 0),
                                  .name = pg_str(r, i, 1),
                                  .path = pg_str(r, i, 2),
                                  .query = pg_str(r, i, 3),
                                  .shared = pg_bool(r, i, 4),
                                  .own = pg_bool(r, i, 5),
                                  .by = pg_str(r, i, 6)};
    return NULL;
}

const struct err *views_save(struct pg *pg, struct arena *a,
                             const struct view *v, struct str person,
                             int64_t now)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_VIEW_SAVE,
                 PG(pg_text(id_new(a)), pg_text(person), pg_text(v->name),
                    pg_text(v->path), pg_text(v->query), pg_flag(v->shared),
                    pg_moment(now), pg_number(VIEWS_MAX)),
                 &r));
    if (pg_affected(r) == 0)
        return ERROR(ERR_CONFLICT, "field.too_many",
                     "You already have 50 saved views. Remove one first.");
    return NULL;
}

const struct err *views_remove(struct pg *pg, struct arena *a, struct str id,
                               struct str person)
{
    if (!id_uuid(id))
        return NULL;
    return pg_query(pg, a, SQL_VIEW_REMOVE, PG(pg_text(id), pg_text(person)),
                    NULL);
}
