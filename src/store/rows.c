/* Records in the database: rows to structs, structs to parameters. */
#include "store/rows.h"

#include "base/id.h"

int rows_part(const struct record *record, enum record_in in,
              const struct pg_rows *r, size_t i, int column, void *out)
{
    for (size_t k = 0; k < record->n && column < pg_columns(r); k++) {
        if (record->fields[k].in & in)
            record_take(&record->fields[k], out, pg_str(r, i, column++));
    }
    return column;
}

void rows_read(const struct record *record, const struct pg_rows *r, size_t i,
               void *out)
{
    memset(out, 0, record->size);
    rows_part(record, IN_JOIN, r, i, rows_part(record, IN_ROW, r, i, 0, out),
              out);
}

int rows_columns(const struct record *record)
{
    int n = 0;
    for (size_t k = 0; k < record->n; k++)
        n += (record->fields[k].in & (IN_ROW | IN_JOIN)) != 0;
    return n;
}

void *rows_all(struct arena *a, const struct record *record,
               const struct pg_rows *r)
{
    char *all = arena_array(a, pg_count(r) + 1, record->size);
    for (size_t i = 0; i < pg_count(r); i++)
        rows_read(record, r, i, all + i * record->size);
    return all;
}

size_t *rows_begin(struct arena *a, const struct pg_rows *r, int column,
                   size_t n)
{
    size_t *out = arena_many(a, n + 1, size_t), row = 0;
    for (size_t i = 0; i <= n; i++) {
        while (row < pg_count(r) && (size_t)pg_int(r, row, column) <= i)
            row++;
        out[i] = row;
    }
    return out;
}

const struct err *rows_find(struct pg *pg, struct arena *a, int statement,
                            const struct pg_args *args,
                            const struct record *record, void *out,
                            bool *found)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, statement, args, &r));
    *found = pg_count(r) > 0;
    if (*found)
        rows_read(record, r, 0, out);
    return NULL;
}

const struct err *rows_get(struct pg *pg, struct arena *a, int statement,
                           const struct pg_args *args,
                           const struct record *record, void *out)
{
    bool found = false;
    TRY(rows_find(pg, a, statement, args, record, out, &found));
    return found ? NULL : &record->unknown;
}

const struct err *rows_by_id(struct pg *pg, struct arena *a, int statement,
                             struct str id, const struct record *record,
                             void *out)
{
    if (!id_uuid(id))
        return &record->unknown;
    return rows_get(pg, a, statement, PG(pg_text(id)), record, out);
}

const struct err *rows_list(struct pg *pg, struct arena *a, int statement,
                            const struct pg_args *args,
                            const struct record *record, void *list,
                            size_t *n)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, statement, args, &r));
    *n = pg_count(r);
    void *all = rows_all(a, record, r);
    memcpy(list, &all, sizeof(all));
    return NULL;
}

const struct err *rows_text(struct pg *pg, struct arena *a, int statement,
                            const struct pg_args *args, struct str *out)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, statement, args, &r));
    *out = pg_count(r) > 0 ? pg_str(r, 0, 0) : STR_NONE;
    return NULL;
}

const struct err *rows_number(struct pg *pg, struct arena *a, int statement,
                              const struct pg_args *args, int64_t *out)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, statement, args, &r));
    *out = pg_count(r) > 0 ? pg_int(r, 0, 0) : 0;
    return NULL;
}

const struct err *rows_flag(struct pg *pg, struct arena *a, int statement,
                            const struct pg_args *args, bool *out)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, statement, args, &r));
    *out = pg_count(r) > 0 && pg_bool(r, 0, 0);
    return NULL;
}

const struct err *rows_alone(struct pg *pg, struct arena *a, int statement,
                             const struct pg_args *args, struct pg_rows **out)
{
    struct pg_rows *rows[3];
    pg_queue(pg, NULL, SQL_BEGIN, NULL);
    pg_queue(pg, a, statement, args);
    pg_queue(pg, NULL, SQL_COMMIT, NULL);
    TRY(pg_run(pg, a, rows));
    *out = rows[1];
    return NULL;
}

const struct err *rows_change(struct pg *pg, struct arena *a, int statement,
                              const struct pg_args *args, bool *done)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, statement, args, &r));
    *done = pg_affected(r) > 0;
    return NULL;
}

const struct err *rows_must_change(struct pg *pg, struct arena *a,
                                   int statement, const struct pg_args *args,
                                   const struct err *none)
{
    bool done = false;
    TRY(rows_change(pg, a, statement, args, &done));
    return done ? NULL : none;
}

void rows_args(struct pg_list *args, struct arena *a,
               const struct record *record, enum record_in in,
               const void *object)
{
    for (size_t k = 0; k < record->n; k++) {
        if (record->fields[k].in & in)
            pg_add(args, pg_text(record_text(a, &record->fields[k], object)));
    }
}

void rows_queue(struct pg *pg, struct arena *a, int statement,
                const struct pg_args *first, const struct record *record,
                enum record_in in, const void *object)
{
    struct pg_list args = {.n = 0};
    for (size_t i = 0; first && i < first->n; i++)
        pg_add(&args, first->v[i]);
    rows_args(&args, a, record, in, object);
    pg_queue(pg, a, statement, PG_ALL(&args));
}
