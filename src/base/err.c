/* Errors that are made at run time.
 *
 * Never logs and never decides a status; see world/web/response.c. */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>

bool err_is(const struct err *e, const char *code)
{
    return e && e->code == code;
}

const struct err *err_at(struct arena *a, enum err_kind kind, const char *code,
                         struct str at, const char *fmt, ...)
{
    /* A longer sentence is cut between characters. */
    char text[1024];
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    if (n < 0)
        n = 0;
    if (n >= (int)sizeof(text))
        n = (int)sizeof(text) - 1;
    const struct str say = {text, (size_t)n};
    struct err *e = arena_new(a, struct err);
    e->kind = kind;
    e->code = code;
    e->say = arena_str(a, str_head(say, say.n));
    e->at = arena_str(a, at);
    return e;
}

const struct err *err_not_found_as(const struct err *e,
                                   const struct err *instead)
{
    return e && e->kind == ERR_NOT_FOUND ? instead : e;
}

const struct err *err_more(struct arena *a, const struct err *e,
                           const struct json *more)
{
    struct err *copy = arena_new(a, struct err);
    *copy = *e;
    copy->more = more;
    return copy;
}

const struct err *err_retry(struct arena *a, const struct err *e,
                            int64_t seconds)
{
    struct err *copy = arena_new(a, struct err);
    *copy = *e;
    copy->retry = seconds;
    return copy;
}
