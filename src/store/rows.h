/* Records in the database: rows to structs, structs to parameters.
 *
 * The table of a noun (domain/record.h) names its columns, in the order in
 * which a statement has them. */
#ifndef STORE_ROWS_H
#define STORE_ROWS_H

#include "domain/record.h"
#include "store/sql.gen.h"
#include "world/pg/pg.h"

/* Fills *out, a struct of the record, from row i: the fields IN_ROW, then those
 * IN_JOIN as far as the row has columns; the other members are zero. */
void rows_read(const struct record *record, const struct pg_rows *r, size_t i,
               void *out);
/* The fields of one place alone, from a column on. Returns the column after
 * them. */
int rows_part(const struct record *record, enum record_in in,
              const struct pg_rows *r, size_t i, int column, void *out);
/* The number of a record's columns IN_ROW and IN_JOIN: the column after them.
 * */
int rows_columns(const struct record *record);
/* All rows, in a, with room for one struct more. */
void *rows_all(struct arena *a, const struct record *record,
               const struct pg_rows *r);
/* Of the rows of a statement for each of n things, in the order of their
 * numbers, which begin with 1 and are in a column: those of thing i are from
 * out[i] to out[i + 1] - 1. */
size_t *rows_begin(struct arena *a, const struct pg_rows *r, int column,
                   size_t n);

/* Runs a statement that returns one row or none. */
const struct err *rows_find(struct pg *pg, struct arena *a, int statement,
                            const struct pg_args *args,
                            const struct record *record, void *out,
                            bool *found) MUST;
/* The same; no row is the record's ERR_NOT_FOUND. */
const struct err *rows_get(struct pg *pg, struct arena *a, int statement,
                           const struct pg_args *args,
                           const struct record *record, void *out) MUST;
/* The same of a statement whose parameter is an id, which need not be one. */
const struct err *rows_by_id(struct pg *pg, struct arena *a, int statement,
                             struct str id, const struct record *record,
                             void *out) MUST;
/* All rows of a statement. list: the address of a pointer to structs of the
 * record. */
const struct err *rows_list(struct pg *pg, struct arena *a, int statement,
                            const struct pg_args *args,
                            const struct record *record, void *list,
                            size_t *n) MUST;

/* The first column of a statement that returns one row or none: without a row
 * p NULL, 0 or false. */
const struct err *rows_text(struct pg *pg, struct arena *a, int statement,
                            const struct pg_args *args, struct str *out) MUST;
const struct err *rows_number(struct pg *pg, struct arena *a, int statement,
                              const struct pg_args *args, int64_t *out) MUST;
const struct err *rows_flag(struct pg *pg, struct arena *a, int statement,
                            const struct pg_args *args, bool *out) MUST;
/* Runs a statement in a transaction of its own: one that calls a function that
 * writes, and so must not be repeated where its answer is lost. */
const struct err *rows_alone(struct pg *pg, struct arena *a, int statement,
                             const struct pg_args *args,
                             struct pg_rows **out) MUST;
/* Runs a statement that changes a row or none. */
const struct err *rows_change(struct pg *pg, struct arena *a, int statement,
                              const struct pg_args *args, bool *done) MUST;
/* The same; no row is the error none. */
const struct err *rows_must_change(struct pg *pg, struct arena *a,
                                   int statement, const struct pg_args *args,
                                   const struct err *none) MUST;

/* Adds the fields of one place to the parameters of a statement. */
void rows_args(struct pg_list *args, struct arena *a,
               const struct record *record, enum record_in in,
               const void *object);
/* Puts a statement into the batch, with the parameters first (NULL: none) and
 * then the fields of one place. */
void rows_queue(struct pg *pg, struct arena *a, int statement,
                const struct pg_args *first, const struct record *record,
                enum record_in in, const void *object);

#endif
