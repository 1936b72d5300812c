/* The spellings of a moment and of a span. */
#include "base/clock_text.h"

struct str clock_rfc3339(struct arena *a, int64_t t)
{
    char *text = arena_alloc(a, CLOCK_TEXT);
    clock_write(text, t);
    return (struct str){text, CLOCK_TEXT - 1};
}

struct str clock_naive(struct arena *a, int64_t t)
{
    return t ? str_sub(clock_rfc3339(a, t), 0, CLOCK_TEXT - 2) : STR_NONE;
}

bool clock_span(struct str text, int64_t max, int64_t *out)
{
    static const struct {
        char unit;
        int64_t seconds;
    } units[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}};
    int64_t n = 0;
    for (size_t i = 0; text.n > 1 && i < countof(units); i++) {
        const int64_t each = units[i].seconds;
        if (text.p[text.n - 1] != units[i].unit ||
            !str_int(str_sub(text, 0, text.n - 1), 1, max / each, &n))
            continue;
        *out = n * each;
        return true;
    }
    return false;
}
