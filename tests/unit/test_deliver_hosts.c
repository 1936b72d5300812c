/* Hosts that do not answer in time: left alone, longer each time. */
#include "suite.h"

#include <criterion/new/assert.h>
#include <stdio.h>

#include "process/deliver_hosts.h"

#define A STR("0123456789abcdef0123456789abcdef")
#define B STR("fedcba9876543210fedcba9876543210")
#define NOW (1000 * CLOCK_SECOND)

static struct deliver_hosts *hosts;
static struct str out[DELIVER_HOSTS_MAX];

SUITE_WITH(deliver_hosts, hosts = deliver_hosts_make(a));

static size_t away(int64_t now)
{
    return deliver_hosts_away(hosts, now, out);
}

Test(deliver_hosts, longer_each_time)
{
    int64_t now = NOW, pause = DELIVER_HOSTS_FIRST;
    for (int i = 0; i < 12; i++) {
        deliver_hosts_ended(hosts, A, false, now);
        cr_assert(eq(sz, away(now + pause - 1), 1), "%d", i);
        cr_assert(str_eq(out[0], A));
        cr_assert(eq(sz, away(now + pause), 0), "%d", i);
        now += pause;
        pause = pause * 2 < DELIVER_HOSTS_LONGEST ? pause * 2
                                                  : DELIVER_HOSTS_LONGEST;
    }
}

Test(deliver_hosts, those_of_one_wave_count_once)
{
    for (int i = 0; i < 8; i++)
        deliver_hosts_ended(hosts, A, false, NOW + i);
    cr_assert(eq(sz, away(NOW + DELIVER_HOSTS_FIRST), 0));
}

Test(deliver_hosts, an_answer_forgives)
{
    deliver_hosts_ended(hosts, A, false, NOW);
    deliver_hosts_ended(hosts, B, false, NOW);
    deliver_hosts_ended(hosts, A, true, NOW + 1);
    cr_assert(eq(sz, away(NOW + 2), 1));
    cr_assert(str_eq(out[0], B));
    deliver_hosts_ended(hosts, A, false, NOW + 3);
    cr_assert(eq(sz, away(NOW + 3 + DELIVER_HOSTS_FIRST), 0), "from the start");
}

Test(deliver_hosts, a_clock_that_was_set_back)
{
    deliver_hosts_ended(hosts, A, false, NOW);
    cr_assert(eq(sz, away(NOW - 3600 * CLOCK_SECOND), 0));
}

Test(deliver_hosts, the_table_has_an_end)
{
    for (int i = 0; i < 3 * DELIVER_HOSTS_MAX; i++) {
        char place[DELIVER_HOSTS_PLACE + 1];
        snprintf(place, sizeof place, "%032d", i);
        deliver_hosts_ended(hosts, str_of(place), false, NOW + i);
    }
    cr_assert(eq(sz, away(NOW + DELIVER_HOSTS_MAX), DELIVER_HOSTS_MAX));
}

Test(deliver_hosts, no_place)
{
    deliver_hosts_ended(hosts, STR_NONE, false, NOW);
    deliver_hosts_ended(hosts, STR("short"), false, NOW);
    cr_assert(eq(sz, away(NOW), 0));
}
