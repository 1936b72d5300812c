/* Notices to other hosts: written, read, and nonsense. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "store/question/notices.h"

#include "suite.h"

#define A "00000000-0000-7000-8000-00000000000a"

SUITE(notices);

static struct wake_note note(int64_t version, const char *decided)
{
    struct wake_note n = {.version = version};
    memcpy(n.intent_id, A, sizeof A);
    memcpy(n.decided, decided, strlen(decided));
    return n;
}

Test(notices, what_is_written_is_read)
{
    const struct wake_note v[] = {note(7, ""), note(8, "s1"),
                                  note(INT64_MAX, "a~b.c_d-e")};
    struct buf b = buf_make(a, NOTICES_BYTES);
    struct wake_note got[8];
    cr_assert(eq(sz, notices_write(&b, STR("me"), v, 3), 3));
    cr_assert(eq(sz, notices_read(buf_text(&b), STR("you"), got, 8), 3));
    for (size_t i = 0; i < 3; i++) {
        cr_assert(eq(i64, got[i].version, v[i].version));
        cr_assert(str_is(str_of(got[i].intent_id), v[i].intent_id));
        cr_assert(str_is(str_of(got[i].decided), v[i].decided));
    }
    cr_assert(eq(sz, notices_read(buf_text(&b), STR("you"), got, 2), 2));
    cr_assert(eq(sz, notices_read(buf_text(&b), STR("me"), got, 8), 0),
              "one's own");
}

Test(notices, as_many_as_fit)
{
    char id[65] = {0};
    memset(id, 's', 64);
    struct wake_note *v = arena_many(a, NOTICES_MAX, struct wake_note);
    struct wake_note got[NOTICES_MAX];
    for (size_t i = 0; i < NOTICES_MAX; i++)
        v[i] = note(INT64_MAX - (int64_t)i, id);
    size_t at = 0;
    while (at < NOTICES_MAX) {
        struct buf b = buf_make(a, NOTICES_BYTES);
        const size_t n = notices_write(&b, STR("self-16-letters-"), v + at,
                                       NOTICES_MAX - at);
        cr_assert(n > 20 && !b.over && b.n < 8000, "%zu in %zu", n, b.n);
        cr_assert(eq(sz, notices_read(buf_text(&b), STR("x"), got,
                                      NOTICES_MAX), n));
        cr_assert(eq(i64, got[n - 1].version, v[at + n - 1].version));
        at += n;
    }
}

Test(notices, nonsense)
{
    static const char *const bad[] = {
        "",           "x",            "x ",        "x  ",
        "x y z",      "x " A,         "x " A " 1", "x " A " -1 -",
        "x " A " 1 a/b", "x " A " 1 ", "x " A "  -", "x x" A " 1 -",
        "x " A " 9223372036854775808 -", "x\n" A " 1 -",
        "x " A " 1 sssssssssssssssssssssssssssssssssssssssssssssssssssssssssss"
        "ssssssssssss"};
    struct wake_note got[4];
    for (size_t i = 0; i < countof(bad); i++)
        cr_assert(eq(sz, notices_read(str_of(bad[i]), STR("me"), got, 4), 0),
                  "%s", bad[i]);
    cr_assert(eq(sz, notices_read(STR("x " A " 1 - y"), STR("me"), got, 4),
                 1), "what was read until then counts");
}
