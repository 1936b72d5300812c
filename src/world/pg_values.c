/* What goes to the database and comes from it, as text, and the statement that
 * goes alone. No libpq in here. */
#include <inttypes.h>
#include <stdio.h>

#include "base/clock_text.h"
#include "world/pg.h"

struct pg_args pg_args(struct arena *a)
{
    struct pg_args args = {.arena = a};
    return args;
}

static void put(struct pg_args *args, const char *z)
{
    if (args->n >= PG_ARGS_MAX)
        __builtin_trap();
    args->v[args->n++] = z;
}

void pg_arg(struct pg_args *args, struct str s)
{
    put(args, s.p ? arena_z(args->arena, s) : NULL);
}

void pg_arg_int(struct pg_args *args, int64_t v)
{
    char text[24];
    const int n = snprintf(text, sizeof text, "%" PRId64, v);
    put(args, arena_z(args->arena, (struct str){text, (size_t)n}));
}

void pg_arg_time(struct pg_args *args, int64_t t)
{
    put(args, t ? arena_z(args->arena, clock_rfc3339(args->arena, t)) : NULL);
}

void pg_arg_bool(struct pg_args *args, bool v)
{
    pg_arg(args, v ? STR("true") : STR("false"));
}

/* An array literal: {"a","b\"c"}. */
void pg_arg_texts(struct pg_args *args, const struct str *v, size_t n)
{
    size_t max = 3;
    for (size_t i = 0; i < n; i++)
        max += 2 * v[i].n + 3;
    struct buf b = buf_make(args->arena, max);
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
    put(args, arena_z(args->arena, buf_text(&b)));
}

int64_t pg_int(const struct pg_rows *r, size_t row, int col)
{
    int64_t v = 0;
    (void)str_int(pg_str(r, row, col), INT64_MIN, INT64_MAX, &v);
    return v;
}

bool pg_bool(const struct pg_rows *r, size_t row, int col)
{
    return str_is(pg_str(r, row, col), "t");
}

const struct err *pg_query(struct pg *pg, struct arena *a, int statement,
                           const struct pg_args *args, struct pg_rows **rows)
{
    pg_queue(pg, statement, args);
    return pg_run(pg, a, rows);
}
