/* Views of the lists that people saved: struct in, struct out. */
#include "store/views.h"

#include "base/id.h"
#include "store/rows.h"

static const struct record_field view_fields[] = {
    {RECORD_TEXT(view, id, IN_TABLE)},
    {RECORD_TEXT(view, name, IN_TABLE)},
    {RECORD_TEXT(view, path, IN_TABLE | IN_UPDATE)},
    {RECORD_TEXT(view, query, IN_TABLE | IN_UPDATE)},
    {RECORD_FLAG(view, shared, IN_TABLE | IN_UPDATE)},
    {RECORD_FLAG(view, own, IN_JOIN)},
    {RECORD_TEXT(view, by, IN_JOIN)},
    {RECORD_TEXT(view, person_id, IN_INSERT), .column = "principal_id"},
    {RECORD_TIME(view, created_at, IN_INSERT | IN_UPDATE)},
};
static const struct record view_record = RECORD(view, "view", "saved_view");

const struct err *views_list(struct pg *pg, struct arena *a, struct str person,
                             struct view_rows *out)
{
    return rows_list(pg, a, SQL_VIEW_LIST,
                     PG(pg_text(person), pg_number(VIEWS_SHOWN)), &view_record,
                     &out->v, &out->n);
}

const struct err *views_save(struct pg *pg, struct arena *a,
                             const struct view *v, struct str person,
                             int64_t now)
{
    struct pg_rows *r = NULL;
    struct view new = *v;
    new.id = id_new(a);
    new.person_id = person;
    new.created_at = now;
    rows_queue(pg, a, SQL_VIEW_SAVE,
               PG(pg_text(person), pg_text(v->name), pg_number(VIEWS_MAX)),
               &view_record, IN_INSERT, &new);
    TRY(pg_run(pg, a, &r));
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
