/* The spellings of a moment. */
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
