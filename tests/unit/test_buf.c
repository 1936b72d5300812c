/* Buffers: what is written, and what happens at the ceiling. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"

#include "suite.h"

SUITE(buf);

Test(buf, everything_in_its_order)
{
    struct buf b = buf_make(a, 1000);
    cr_expect(str_is(buf_text(&b), "") && buf_text(&b).p);
    buf_str(&b, STR("a"));
    buf_str(&b, STR_NONE);
    buf_put(&b, "bc");
    buf_put(&b, NULL);
    buf_char(&b, 'd');
    buf_int(&b, -7);
    buf_printf(&b, " %d %.*s", 5, STR_FMT(STR("xyz")));
    cr_expect(str_is(buf_text(&b), "abcd-7 5 xyz"));
    cr_expect(not(b.over));
}

Test(buf, numbers)
{
    static const struct {
        int64_t v;
        const char *is;
    } rows[] = {
        {0, "0"},
        {-1, "-1"},
        {INT64_MAX, "9223372036854775807"},
        {INT64_MIN, "-9223372036854775808"},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        struct buf b = buf_make(a, 100);
        buf_int(&b, rows[i].v);
        cr_expect(str_is(buf_text(&b), rows[i].is), "row %zu", i);
    }
}

Test(buf, it_keeps_nul_bytes)
{
    struct buf b = buf_make(a, 100);
    buf_char(&b, '\0');
    buf_str(&b, STR("a\0b"));
    cr_expect(str_eq(buf_text(&b), STR("\0a\0b")));
}

Test(buf, it_grows_to_its_ceiling_and_no_further)
{
    static const size_t ceilings[] = {0, 1, 2, 255, 256, 257, 258, 1000,
                                      65536, 100001};
    for (size_t i = 0; i < countof(ceilings); i++) {
        struct buf b = buf_make(a, ceilings[i]);
        for (size_t n = 0; n < ceilings[i]; n++)
            buf_char(&b, (char)('a' + n % 26));
        cr_expect(not(b.over), "row %zu", i);
        cr_expect(eq(sz, buf_text(&b).n, ceilings[i]), "row %zu", i);
        buf_char(&b, '!');
        cr_expect(b.over, "row %zu", i);
        const struct str s = buf_text(&b);
        cr_expect(eq(sz, s.n, ceilings[i]), "row %zu", i);
        for (size_t n = 0; n < s.n; n++)
            if (s.p[n] != (char)('a' + n % 26))
                cr_fatal("row %zu: byte %zu", i, n);
    }
}

Test(buf, what_does_not_fit_is_dropped_whole_and_all_after_it)
{
    struct buf b = buf_make(a, 4);
    buf_put(&b, "abc");
    buf_str(&b, STR("\xC3\xA4"));
    cr_expect(b.over);
    buf_char(&b, 'd');
    buf_int(&b, 1);
    buf_printf(&b, "%d", 1);
    buf_rune(&b, 'e');
    cr_expect(str_is(buf_text(&b), "abc"));
}

Test(buf, nothing_fits_exactly)
{
    struct buf b = buf_make(a, 0);
    buf_str(&b, STR(""));
    buf_printf(&b, "%s", "");
    cr_expect(not(b.over));
    buf_printf(&b, "%d", 1);
    cr_expect(b.over);
}

Test(buf, printf_at_the_ceiling)
{
    struct buf b = buf_make(a, 300);
    buf_printf(&b, "%0299d", 1);
    cr_expect(not(b.over));
    buf_printf(&b, "%d", 12);
    cr_expect(b.over);
    cr_expect(eq(sz, b.n, 299));

    struct buf exact = buf_make(a, 300);
    buf_printf(&exact, "%0300d", 1);
    cr_expect(not(exact.over));
    cr_expect(eq(sz, exact.n, 300));
    cr_expect(eq(chr, exact.p[299], '1'));
}

Test(buf, two_buffers_grow_side_by_side)
{
    struct buf as = buf_make(a, 100000), bs = buf_make(a, 100000);
    for (int i = 0; i < 10000; i++) {
        buf_char(&as, 'a');
        buf_char(&bs, 'b');
    }
    cr_expect(eq(sz, str_find(buf_text(&as), 'b', 0), 10000));
    cr_expect(eq(sz, str_find(buf_text(&bs), 'a', 0), 10000));
}

Test(buf, code_points)
{
    static const struct {
        uint32_t rune;
        const char *is;
    } rows[] = {
        {'a', "a"},
        {0x7F, "\x7F"},
        {0x80, "\xC2\x80"},
        {0x7FF, "\xDF\xBF"},
        {0x800, "\xE0\xA0\x80"},
        {0xD7FF, "\xED\x9F\xBF"},
        {0xE000, "\xEE\x80\x80"},
        {0xFFFF, "\xEF\xBF\xBF"},
        {0x10000, "\xF0\x90\x80\x80"},
        {0x10FFFF, "\xF4\x8F\xBF\xBF"},
        {0xD800, "\xEF\xBF\xBD"},
        {0xDFFF, "\xEF\xBF\xBD"},
        {0x110000, "\xEF\xBF\xBD"},
        {UINT32_MAX, "\xEF\xBF\xBD"},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        struct buf b = buf_make(a, 8);
        buf_rune(&b, rows[i].rune);
        cr_expect(str_is(buf_text(&b), rows[i].is), "row %zu", i);
    }
}

/* 0, or why the file was not read. */
static int file_error(struct buf *b, const char *path)
{
    return buf_file(b, path) ? 0 : errno;
}

Test(buf, a_file_fits_or_is_refused)
{
    char path[] = "/tmp/sayso-buf-XXXXXX";
    const int fd = mkstemp(path);
    cr_assert(fd >= 0 && write(fd, "some\ntext", 9) == 9);
    close(fd);
    struct buf b = buf_make(a, 9), small = buf_make(a, 8);
    cr_expect(eq(int, file_error(&b, path), 0));
    cr_expect(str_is(buf_text(&b), "some\ntext"));
    cr_expect(eq(int, file_error(&small, path), EFBIG));
    unlink(path);
    cr_expect(eq(int, file_error(&b, path), ENOENT));
    cr_expect(eq(int, file_error(&b, "/tmp"), EISDIR));
}
