/* The recent use of each caller: a rate that recovers, a day that starts
 * again. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/shared/quota.h"

static struct quota *q;

static void setup(void)
{
    q = quota_make();
    cr_assert(q != NULL);
}

TestSuite(quota, .init = setup);

#define NOW (1000 * CLOCK_SECOND)

static size_t taken(const char *id, int64_t rate, int64_t now)
{
    size_t n = 0;
    while (n < 1000 && quota_request(q, str_of(id), rate, now) == 0)
        n++;
    return n;
}

Test(quota, so_many_at_once_and_then_at_the_rate)
{
    cr_assert(eq(sz, taken("a", 2, NOW), 2 * QUOTA_BURST));
    cr_assert(eq(i64, quota_request(q, STR("a"), 2, NOW), 1), "seconds");
    cr_assert(eq(sz, taken("b", 2, NOW), 2 * QUOTA_BURST), "another caller");
    cr_assert(eq(sz, taken("a", 2, NOW + 3 * CLOCK_SECOND), 6));
    cr_assert(eq(sz, taken("a", 2, NOW + 900 * CLOCK_SECOND),
                 2 * QUOTA_BURST), "no more than that is saved up");
}

Test(quota, what_was_refused_is_not_counted)
{
    cr_assert(eq(sz, taken("a", 1, NOW), QUOTA_BURST));
    for (int i = 0; i < 100; i++)
        cr_assert(quota_request(q, STR("a"), 1, NOW) > 0);
    cr_assert(eq(sz, taken("a", 1, NOW + CLOCK_SECOND), 1));
}

Test(quota, open_questions_are_counted_between_two_looks)
{
    cr_assert(not(quota_open(q, STR("a"), 3, NOW)), "nobody has counted");
    quota_opened(q, STR("a"), 1, NOW);
    cr_assert(quota_open(q, STR("a"), 3, NOW));
    cr_assert(quota_open(q, STR("a"), 3, NOW + CLOCK_SECOND));
    cr_assert(not(quota_open(q, STR("a"), 3, NOW + CLOCK_SECOND)), "full");
    cr_assert(not(quota_open(q, STR("b"), 3, NOW)), "another caller");
    quota_opened(q, STR("a"), 0, NOW + CLOCK_SECOND);
    cr_assert(quota_open(q, STR("a"), 3, NOW + CLOCK_SECOND));
    cr_assert(not(quota_open(q, STR("a"), 3, NOW + 11 * CLOCK_SECOND)),
              "the count is old");
}

Test(quota, the_quietest_is_forgotten)
{
    for (int i = 0; i < 20000; i++) {
        char id[16];
        const int n = snprintf(id, sizeof id, "k%d", i);
        cr_assert(eq(i64, quota_request(q, (struct str){id, (size_t)n}, 1,
                                        NOW), 0));
    }
    cr_assert(taken("busy", 1, NOW + CLOCK_SECOND) <= QUOTA_BURST);
}

Test(quota, all_processes_count_together)
{
    cr_assert(eq(sz, taken("a", 1, NOW), QUOTA_BURST));
    const pid_t child = fork();
    if (child == 0)
        _exit(quota_request(q, STR("a"), 1, NOW) > 0 ? 0 : 1);
    int status = 1;
    waitpid(child, &status, 0);
    cr_assert(eq(int, status, 0));
}

Test(quota, bytes_of_a_day)
{
    const struct str a = STR("a");
    cr_assert(eq(i64, quota_store(q, a, 7, 1000), 0));
    cr_assert(eq(i64, quota_bytes(q, a, 7), 1000));
    cr_assert(eq(i64, quota_store(q, a, 7, QUOTA_UNSAVED),
                 QUOTA_UNSAVED + 1000), "to be saved");
    quota_saved(q, a, 7, 3 * QUOTA_UNSAVED);
    cr_assert(eq(i64, quota_store(q, a, 7, 5), 0));
    cr_assert(eq(i64, quota_bytes(q, a, 7), 3 * QUOTA_UNSAVED + 5),
              "with what other pools saved");
    quota_unsaved(q, a, 7, QUOTA_UNSAVED);
    cr_assert(eq(i64, quota_store(q, a, 7, 1), QUOTA_UNSAVED + 6), "again");
    cr_assert(eq(i64, quota_bytes(q, STR("b"), 7), 0), "another caller");
    cr_assert(eq(i64, quota_bytes(q, a, 8), 0), "another day");
}

Test(quota, bytes_are_charged_and_the_next_requests_wait)
{
    const struct str a = STR("a");
    quota_charge(q, a, 10, 45, NOW);
    cr_assert(eq(sz, taken("a", 10, NOW), 5), "the burst has 50");
    quota_charge(q, a, 10, 20, NOW);
    cr_assert(eq(sz, taken("a", 10, NOW + CLOCK_SECOND), 0), "a debt");
    cr_assert(eq(sz, taken("a", 10, NOW + 3 * CLOCK_SECOND), 10));
    quota_charge(q, a, 10, 1000, NOW + 100 * CLOCK_SECOND);
    cr_assert(eq(sz, taken("a", 10, NOW + 101 * CLOCK_SECOND), 10),
              "one costs a burst at most");
    for (int i = 0; i < 100; i++)
        quota_charge(q, a, 1, 1000, NOW + 200 * CLOCK_SECOND);
    cr_assert(eq(i64, quota_request(q, a, 1, NOW + 200 * CLOCK_SECOND),
                 QUOTA_DEBT + 1), "no debt is for ever");
    cr_assert(eq(sz, taken("b", 10, NOW), 50), "another caller");
}

static void has_seats(const char *id, bool person, int64_t own, int64_t keys)
{
    const struct quota_seats n = quota_seats(q, str_of(id), person);
    cr_assert(eq(i64, n.own, own), "%s", id);
    cr_assert(eq(i64, n.keys, keys), "%s", id);
}

Test(quota, places_of_work)
{
    has_seats("a", false, 0, 0);
    quota_seat_take(q, 0, STR("a"), false);
    quota_seat_take(q, 7, STR("a"), false);
    quota_seat_take(q, QUOTA_SEATS - 1, STR("b"), false);
    quota_seat_take(q, 3, STR("p"), true);
    quota_seat_take(q, QUOTA_SEATS, STR("a"), false);
    has_seats("a", false, 2, 3);
    has_seats("b", false, 1, 3);
    has_seats("p", true, 1, 3);
    has_seats("c", false, 0, 3);
    quota_seat_give(q, 7);
    quota_seat_give(q, 7);
    quota_seat_give(q, QUOTA_SEATS);
    has_seats("a", false, 1, 2);
}

Test(quota, a_read_that_was_large)
{
    const struct str a = STR("a");
    cr_assert(not(quota_was_heavy(q, a, 5, NOW)));
    quota_heavy(q, a, 5, NOW);
    quota_heavy(q, a, 255, NOW + 8 * CLOCK_SECOND);
    cr_assert(quota_was_heavy(q, a, 5, NOW + 9 * CLOCK_SECOND));
    cr_assert(quota_was_heavy(q, a, 255, NOW + 9 * CLOCK_SECOND));
    cr_assert(not(quota_was_heavy(q, a, 6, NOW + 9 * CLOCK_SECOND)));
    cr_assert(not(quota_was_heavy(q, STR("b"), 5, NOW)), "another caller");
    cr_assert(not(quota_was_heavy(q, a, 5, NOW + 19 * CLOCK_SECOND)));
    quota_heavy(q, a, 6, NOW + 20 * CLOCK_SECOND);
    cr_assert(not(quota_was_heavy(q, a, 5, NOW + 20 * CLOCK_SECOND)),
              "forgotten");
}
