/* The parts that tests of pure code share: an arena for each test, and JSON
 * written with single quotes. */
#ifndef UNIT_SUITE_H
#define UNIT_SUITE_H

#include <criterion/criterion.h>

#include "base/crypt.h"
#include "base/json/json.h"

static struct arena *a;

/* The tests of one file; prepare_ is run before each of them. */
#define SUITE_WITH(name_, prepare_)                                            \
    static void init(void)                                                     \
    {                                                                          \
        a = arena_make(ARENA_REQUEST_MAX);                                     \
        cr_assert(crypt_init());                                               \
        prepare_;                                                              \
    }                                                                          \
    static void fini(void)                                                     \
    {                                                                          \
        arena_free(a);                                                         \
    }                                                                          \
    TestSuite(name_, .init = init, .fini = fini)
#define SUITE(name_) SUITE_WITH(name_, (void)0)

/* NULL gives STR_NONE. */
static inline struct str json_of(const char *text)
{
    struct buf b = buf_make(a, 1 << 20);
    if (!text)
        return STR_NONE;
    for (; *text; text++)
        buf_char(&b, *text == '\'' ? '"' : *text);
    return buf_text(&b);
}

/* NULL gives NULL. */
static inline struct json *tree(const char *text)
{
    struct json *v = NULL;
    const struct err *e = text ? json_parse(a, json_of(text), &v) : NULL;
    cr_assert(e == NULL, "%s: %s", text, e ? e->code : "");
    return v;
}

#endif
