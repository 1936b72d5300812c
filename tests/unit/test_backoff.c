/* The waits between tries: how long, how many, and who may ask for more. */
#include <criterion/criterion.h>

#include "base/clock.h"
#include "domain/sending/backoff.h"

#define NOW (INT64_C(1795144324) * CLOCK_SECOND)

static int64_t after(int64_t tries, int64_t retry_after, uint32_t random)
{
    const struct backoff b = {tries, retry_after, random, NOW};
    const int64_t next = backoff_next(&b);
    return next ? next - NOW : 0;
}

Test(backoff, the_table_with_a_fifth_more_or_less)
{
    static const int64_t waits[] = {5, 60, 300, 1800, 7200, 18000, 28800,
                                    32400};
    for (size_t i = 0; i < countof(waits); i++) {
        const int64_t us = waits[i] * CLOCK_SECOND;
        int64_t least = INT64_MAX, most = 0;
        for (uint32_t r = 0; r < 20000; r += 7) {
            const int64_t got = after((int64_t)i + 1, 0, r * 214013U);
            cr_assert(got >= us / 5 * 4 && got <= us / 5 * 6, "try %zu: %lld",
                      i + 1, (long long)got);
            least = got < least ? got : least;
            most = got > most ? got : most;
        }
        cr_expect(least < us / 100 * 81 && most > us / 100 * 119,
                  "it is spread: %zu", i + 1);
    }
}

Test(backoff, nine_tries_and_no_more)
{
    for (int64_t n = 1; n <= 8; n++)
        cr_expect(after(n, 0, 5) > 0);
    cr_expect(after(9, 0, 5) == 0);
    cr_expect(after(9, 60, 5) == 0, "asking does not make more of them");
    cr_expect(after(INT64_MAX, 0, 5) == 0);
    cr_expect(after(0, 0, 5) == 0);
    cr_expect(after(-1, 0, 5) == 0);
}

Test(backoff, what_the_receiver_asks_for)
{
    cr_expect(after(1, 120, 0) == 120 * CLOCK_SECOND, "never before");
    cr_expect(after(1, 1, 0) == 4 * CLOCK_SECOND, "nor sooner than usual");
    cr_expect(after(1, -5, 0) == 4 * CLOCK_SECOND);
    cr_expect(after(1, 86400, 0) == 86400 * CLOCK_SECOND);
    cr_expect(after(1, 86401, 0) == 86400 * CLOCK_SECOND, "at most a day");
    cr_expect(after(2, INT64_MAX, 0) == 86400 * CLOCK_SECOND);
}

Test(backoff, any_dice)
{
    cr_expect(after(1, 0, UINT32_MAX) > 0);
    cr_expect(after(8, 0, UINT32_MAX) <= INT64_C(32400) / 5 * 6 * CLOCK_SECOND);
}
