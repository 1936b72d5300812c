/* The lines in which two texts differ. */
#include "domain/permit/line_diff.h"
#include "base/buf.h"
#include "suite.h"

SUITE(line_diff);

/* The rows with their signs, "|" behind each. */
static struct str drawn(struct str before, struct str after)
{
    static const char signs[] = {[LINE_SAME] = ' ',
                                 [LINE_REMOVED] = '-',
                                 [LINE_ADDED] = '+'};
    struct buf b = buf_make(a, SIZE_MAX / 2);
    struct line_diff d;
    line_diff(a, before, after, &d);
    for (size_t i = 0; i < d.n; i++) {
        buf_char(&b, signs[d.rows[i].change]);
        buf_str(&b, d.rows[i].text);
        buf_char(&b, '|');
    }
    return b.n ? buf_text(&b) : STR("");
}

Test(line_diff, rows)
{
    static const struct {
        const char *before, *after, *rows;
    } cases[] = {
        {"", "", ""},
        {"a", "a", " a|"},
        {"a", "b", "-a|+b|"},
        {"", "a\n", "+a|"},
        {"a\nb\n", "", "-a|-b|"},
        {"\n", "", "-|"},
        {"a", "a\n", " a|+|"},
        {"a\n", "a", " a|-|"},
        {"a\nb\nc", "a\nc", " a|-b| c|"},
        {"a\nc", "a\nb\nc", " a|+b| c|"},
        {"a\nb\nc\nd", "a\nx\nc\ny", " a|-b|+x| c|-d|+y|"},
        {"a\nb\nc\na\nb\nb\na", "c\nb\na\nb\na\nc",
         "-a|-b| c|+b| a| b|-b| a|+c|"},
        {"x\nx\nx", "x\nx", " x| x|-x|"},
        {"a\r\nb", "a\nb", "-a\r|+a| b|"},
    };
    for (size_t i = 0; i < countof(cases); i++) {
        const struct str got =
            drawn(str_of(cases[i].before), str_of(cases[i].after));
        cr_expect(str_is(got, cases[i].rows), "%zu: %.*s", i, STR_FMT(got));
    }
}

/* Whatever the texts are, the rows are both of them. */
static void both(struct str before, struct str after)
{
    struct buf was = buf_make(a, SIZE_MAX / 2);
    struct buf is = buf_make(a, SIZE_MAX / 2);
    struct line_diff d;
    size_t removed = 0, added = 0;
    line_diff(a, before, after, &d);
    for (size_t i = 0; i < d.n; i++) {
        if (d.rows[i].change != LINE_ADDED) {
            buf_str(&was, d.rows[i].text);
            buf_char(&was, '\n');
        }
        if (d.rows[i].change != LINE_REMOVED) {
            buf_str(&is, d.rows[i].text);
            buf_char(&is, '\n');
        }
        removed += d.rows[i].change == LINE_REMOVED;
        added += d.rows[i].change == LINE_ADDED;
    }
    cr_expect_eq(d.removed, removed);
    cr_expect_eq(d.added, added);
    const struct str ends = STR("\n");
    const bool cut_was = str_ends(before, ends) &&
                         (after.n == 0 || str_ends(after, ends));
    const bool cut_is =
        str_ends(after, ends) && (before.n == 0 || str_ends(before, ends));
    const size_t want_was = before.n == 0 ? 0 : before.n + !cut_was;
    const size_t want_is = after.n == 0 ? 0 : after.n + !cut_is;
    cr_expect_eq(was.n, want_was);
    cr_expect_eq(is.n, want_is);
    cr_expect(str_eq(str_sub(buf_text(&was), 0, before.n), before));
    cr_expect(str_eq(str_sub(buf_text(&is), 0, after.n), after));
}

Test(line_diff, any_texts)
{
    unsigned seed = 7;
    for (size_t round = 0; round < 3000; round++) {
        char text[2][48];
        size_t n[2];
        for (size_t k = 0; k < 2; k++) {
            seed = seed * 1103515245 + 12345;
            n[k] = (seed >> 16) % 48;
            for (size_t i = 0; i < n[k]; i++) {
                seed = seed * 1103515245 + 12345;
                text[k][i] = "ab\n\n"[(seed >> 16) % 4];
            }
        }
        both((struct str){text[0], n[0]}, (struct str){text[1], n[1]});
    }
}

/* Texts beyond the limits: every line is there, and time and memory stay
 * small. */
Test(line_diff, beyond_the_limits)
{
    struct buf x = buf_make(a, 1 << 20), y = buf_make(a, 1 << 20);
    struct line_diff d;
    for (size_t i = 0; i < 100000; i++) {
        buf_put(&x, i % 2 ? "a\n" : "\n");
        buf_put(&y, i % 3 ? "\n" : "a\n");
    }
    both(buf_text(&x), buf_text(&y));
    line_diff(a, buf_text(&x), buf_text(&y), &d);
    cr_expect_lt(d.removed, 100001);
    cr_expect_eq(d.removed, d.added);
    cr_expect_lt(arena_peak(a), (size_t)64 << 20);
}
