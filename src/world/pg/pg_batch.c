/* The queued batch, its parameters and its deadline. No libpq in here. */
#include <string.h>

#include "base/clock_text.h"
#include "base/log.h"
#include "world/pg/pg_error.h"
#include "world/pg/pg_parts.h"

#define LEAST INT64_C(200000) /* in any case, microseconds */

void pg_timeout(struct pg *pg, int64_t seconds)
{
    pg->timeout = seconds * 1000;
}

void pg_connect_ms(struct pg *pg, int64_t ms)
{
    pg->slice = ms;
}

void pg_standby(struct pg *pg, int statement)
{
    pg->standby = statement;
}

void pg_patient(struct pg *pg)
{
    pg->patient = true;
}

void pg_look(struct pg *pg, void (*look)(void *context), void *context)
{
    pg->look = look;
    pg->look_context = context;
}

int64_t pg_spent(struct pg *pg)
{
    const int64_t spent = pg->spent;
    pg->spent = 0;
    return spent;
}

int64_t pg_deadline(const struct pg *pg)
{
    const int64_t left = pg->timeout * 1200 - pg->spent;
    return pg->patient ? INT64_MAX
                       : clock_mono() + (left > LEAST ? left : LEAST);
}

void pg_expect(struct pg *pg, const char *sql, int64_t number)
{
    pg->expect_sql = sql;
    pg->expected = pg->number = number;
}

void pg_greet(struct pg *pg, struct pg_heard (*hear)(struct str text))
{
    pg->hear = hear;
}

bool pg_fits(const struct pg *pg)
{
    return !pg->expect_sql ||
           (pg->number == pg->expected && !pg->heard.elsewhere);
}

const struct err *pg_unreached(const struct pg *pg)
{
    return pg->heard.elsewhere ? pg_error_restored()
           : pg_fits(pg)       ? pg_error(STR_NONE, STR_NONE)
                               : pg_error_upgrading();
}

int64_t pg_opened(const struct pg *pg)
{
    return pg->opened;
}

/* ---- parameters ----------------------------------------------------- */

void pg_add(struct pg_list *list, struct pg_value v)
{
    if (list->n >= PG_ARGS_MAX)
        __builtin_trap();
    list->v[list->n++] = v;
}

/* An array literal: {"a","b\"c"}. */
static const char *pg_batch_texts(struct arena *a, const struct str *v,
                                  size_t n)
{
    size_t max = 4;
    for (size_t i = 0; i < n; i++)
        max += 2 * v[i].n + 3;
    struct buf b = buf_make(a, max);
    buf_char(&b, '{');
    for (size_t i = 0; i < n; i++) {
        buf_put(&b, i ? ",\"" : "\"");
        for (size_t k = 0; k < v[i].n; k++) {
            if (v[i].p[k] == '"' || v[i].p[k] == '\\')
                buf_char(&b, '\\');
            buf_char(&b, v[i].p[k]);
        }
        buf_char(&b, '"');
    }
    buf_char(&b, '}');
    return arena_z(a, buf_text(&b));
}

static const char *pg_batch_value(struct arena *a, const struct pg_value *v)
{
    switch (v->type) {
    case PG_TEXT:
        return v->text.p ? arena_z(a, v->text) : NULL;
    case PG_NUMBER:
        return arena_number(a, v->number).p;
    case PG_FLAG:
        return v->number ? "true" : "false";
    case PG_MOMENT:
        return v->number ? clock_rfc3339(a, v->number).p : NULL;
    case PG_TEXTS:
        return pg_batch_texts(a, v->v, (size_t)v->number);
    }
    return NULL;
}

static void pg_batch_bind(struct pg_bound *to, struct arena *a,
                          const struct pg_args *args)
{
    to->n = 0;
    to->bytes = 0;
    for (size_t i = 0; args && i < args->n; i++) {
        const char *z = pg_batch_value(a, &args->v[i]);
        if (to->n >= PG_ARGS_MAX)
            __builtin_trap();
        to->bytes += z ? strlen(z) : 0;
        to->v[to->n++] = z;
    }
}

/* ---- the batch ------------------------------------------------------- */

void pg_queue(struct pg *pg, struct arena *a, int statement,
              const struct pg_args *args)
{
    /* A batch's length is decided by the program, never by input. */
    if (pg->queued >= PG_BATCH_MAX) {
        log_line(LOG_ERR, "database batch is over its ceiling");
        __builtin_trap();
    }
    struct pg_queued *q = &pg->queue[pg->queued++];
    q->statement = statement;
    pg_batch_bind(&q->args, a, args);
}

size_t pg_queued(const struct pg *pg)
{
    return pg->queued;
}

void pg_ahead(struct pg *pg, struct arena *a, const struct pg_ahead *ahead)
{
    pg->ahead.statement = ahead->statement;
    pg_batch_bind(&pg->ahead.args, a, ahead->args);
    pg->check = ahead->check;
    pg->check_context = ahead->context;
    pg->joins = ahead->joins;
}

void pg_ahead_join(struct pg *pg, struct pg_list *list)
{
    pg->joined = pg_ahead_waits(pg) && pg->joins && pg->queued == 0;
    for (size_t i = 0; i < PG_JOINED; i++)
        pg_add(list, pg_text(pg->joined ? str_of(pg->ahead.args.v[i])
                                        : STR_NONE));
}

bool pg_ahead_waits(const struct pg *pg)
{
    return pg->check != NULL;
}

bool pg_stores(const char *sql)
{
    const char *update = strstr(sql, "UPDATE ");
    return strstr(sql, "INSERT") || (update && strstr(update, "SET "));
}

void pg_count_stored(struct pg *pg, bool open)
{
    for (size_t i = 0; i < pg->queued; i++)
        if (pg->stores[pg->queue[i].statement])
            pg->pending += pg->queue[i].args.bytes;
    if (open)
        return;
    pg->stored += pg->pending;
    pg->pending = 0;
}

size_t pg_stored(struct pg *pg)
{
    const size_t n = pg->stored;
    pg->stored = 0;
    return n;
}

void pg_store(struct pg *pg, size_t n)
{
    pg->stored += n;
}

/* A transaction that is begun and not committed changes nothing, and neither
 * does a batch that only reads. A function that writes is not seen here: its
 * statement needs a transaction. */
bool pg_repeatable(const struct pg *pg)
{
    bool begins = false;
    for (size_t i = 0; i < pg->queued; i++) {
        const struct pg_statement *s = &pg->list[pg->queue[i].statement];
        const bool writes = strstr(s->text, "INSERT") ||
                            strstr(s->text, "UPDATE") ||
                            strstr(s->text, "DELETE");
        begins = begins || (i == 0 && strcmp(s->name, "begin") == 0);
        if (strcmp(s->name, "commit") == 0 || (writes && !begins))
            return false;
    }
    return true;
}

int64_t pg_int(const struct pg_rows *r, size_t row, int col)
{
    int64_t v = 0;
    (void)str_int(pg_str(r, row, col), INT64_MIN, INT64_MAX, &v);
    return v;
}

int64_t pg_time(const struct pg_rows *r, size_t row, int col)
{
    return clock_stored(pg_str(r, row, col));
}

bool pg_bool(const struct pg_rows *r, size_t row, int col)
{
    return str_is(pg_str(r, row, col), "t");
}
