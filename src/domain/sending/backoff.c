/* The time of the next try of a failed delivery: a table of waits. */
#include "domain/sending/backoff.h"

#define SECOND INT64_C(1000000)

static const int64_t waits[] = {5,    60,    5 * 60,   30 * 60,
                                7200, 18000, 8 * 3600, 9 * 3600};

int64_t backoff_next(const struct backoff *b)
{
    const int64_t n = (int64_t)(sizeof waits / sizeof waits[0]);
    if (b->tries < 1 || b->tries > n)
        return 0;
    const int64_t whole = waits[b->tries - 1] * SECOND;
    /* From four fifths to six fifths. */
    const int64_t parts = (int64_t)(b->random % 4001);
    const int64_t wait = whole / 10000 * (8000 + parts);
    int64_t asked = b->retry_after > 0 ? b->retry_after : 0;
    if (asked > BACKOFF_ASKED_MAX)
        asked = BACKOFF_ASKED_MAX;
    return b->now + (asked * SECOND > wait ? asked * SECOND : wait);
}
