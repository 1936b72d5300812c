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

/* A JSON text, read. */
static inline struct json *tree_of(struct str text)
{
    struct json *v = NULL;
    const struct err *e = json_parse(a, text, &v);
    cr_assert(e == NULL, "%.*s: %s", STR_FMT(text), e ? e->code : "");
    return v;
}

/* NULL gives NULL. */
static inline struct json *tree(const char *text)
{
    return text ? tree_of(json_of(text)) : NULL;
}

static inline const char *text_of(const struct json *v)
{
    return arena_z(a, json_dump(a, v, 1 << 22));
}

/* The value is the wanted one; NULL: there is none. */
static inline void same(const struct json *v, const char *wanted)
{
    cr_assert(json_equal(v, tree(wanted)), "%s\nwanted %s", text_of(v),
              wanted ? wanted : "none");
}

/* The text is JSON of the wanted value; NULL: there is none. */
static inline void same_text(struct str text, const char *wanted)
{
    cr_assert_eq(text.p == NULL, wanted == NULL, "%.*s\nwanted %s",
                 STR_FMT(text), wanted ? wanted : "none");
    if (wanted)
        same(tree_of(text), wanted);
}

static inline struct str copies(const char *text, size_t n)
{
    struct buf b = buf_make(a, n * strlen(text) + 1);
    while (n-- > 0)
        buf_put(&b, text);
    return buf_text(&b);
}

/* An error of that kind, code and place; code NULL: there is none; at NULL: at
 * any place. */
static inline void expect_kind(const struct err *e, enum err_kind kind,
                               const char *code, const char *at,
                               const char *what)
{
    if (!code) {
        cr_assert(e == NULL, "%s: %s %.*s", what ? what : "none",
                  e ? e->code : "", STR_FMT(e ? e->at : STR_NONE));
        return;
    }
    cr_assert(e != NULL, "%s: %s is missing", what, code);
    cr_assert_str_eq(e->code, code, "%s", what);
    cr_assert_eq(e->kind, kind, "%s", what);
    cr_assert(at == NULL || str_is(e->at, at), "%s: %.*s", what,
              STR_FMT(e->at));
    cr_assert(e->say.n > 0, "%s", what);
}

static inline void expect(const struct err *e, const char *code,
                          const char *at, const char *what)
{
    expect_kind(e, ERR_INVALID, code, at, what);
}

#endif
