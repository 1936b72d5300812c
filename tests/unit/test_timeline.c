/* Which servers are behind, and what a restart remembers. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/shared/timeline.h"

static void setup(void) { cr_assert(timeline_share()); }

TestSuite(timeline, .init = setup);

static timeline_at at(int64_t restore, int64_t timeline)
{
    return timeline_make_at(INT64_C(7412345678901234567), restore, timeline);
}

Test(timeline, a_lower_one_of_the_same_cluster_is_behind)
{
    cr_expect(timeline_saw(at(1, 1)));
    cr_expect(timeline_saw(at(1, 1)));
    cr_expect(timeline_saw(at(1, 2)));
    cr_expect(not(timeline_saw(at(1, 1))));
    cr_expect(timeline_behind(at(1, 1)));
    cr_expect(not(timeline_behind(at(1, 2))));
    cr_expect(not(timeline_behind(at(1, 3))));
    cr_expect(eq(i64, timeline_number(timeline_newest()), 2));
    cr_expect(eq(u64, timeline_refusals(), 1));
}

Test(timeline, a_later_restore_begins_anew)
{
    cr_expect(timeline_saw(at(1, 9)));
    cr_expect(timeline_saw(at(2, 3)));
    cr_expect(timeline_behind(at(1, 9)));
    cr_expect(timeline_behind(at(2, 2)));
    cr_expect(timeline_saw(at(2, 4)));
}

Test(timeline, another_cluster_cannot_be_compared)
{
    const timeline_at other = timeline_make_at(7499, 1, 1);
    cr_expect(timeline_saw(at(1, 9)));
    cr_expect(not(timeline_behind(other)));
    cr_expect(timeline_saw(other));
    cr_expect(timeline_saw(at(1, 1)));
}

Test(timeline, a_standby_has_none)
{
    cr_expect(eq(u64, at(1, 0), 0));
    cr_expect(timeline_saw(at(1, 2)));
    cr_expect(timeline_saw(at(1, 0)));
    cr_expect(eq(i64, timeline_number(timeline_newest()), 2));
}

Test(timeline, the_highest_numbers_fit)
{
    cr_expect(timeline_saw(timeline_make_at(-1, 0xFFFF, 0xFFFFFFFF)));
    cr_expect(eq(i64, timeline_number(timeline_newest()), 0xFFFFFFFF));
    cr_expect(timeline_newest() <= INT64_MAX);
}

Test(timeline, a_restart_remembers)
{
    char dir[] = "/tmp/sayso-timeline-XXXXXX", path[64];
    cr_assert(mkdtemp(dir) != NULL);
    (void)snprintf(path, sizeof path, "%s/history", dir);
    timeline_load(path); /* not there yet */
    cr_expect(eq(u64, timeline_newest(), 0));
    cr_expect(timeline_saw(at(1, 4)));
    cr_expect(timeline_save(path));
    setup(); /* forgets */
    timeline_load(path);
    cr_expect(timeline_behind(at(1, 3)));
    cr_expect(not(timeline_behind(at(1, 4))));
    /* A file of rubbish is none. */
    FILE *f = fopen(path, "w");
    cr_assert(f && fputs("x\n", f) >= 0 && fclose(f) == 0);
    setup();
    timeline_load(path);
    cr_expect(eq(u64, timeline_newest(), 0));
    cr_expect(timeline_saw(at(1, 5)));
    unlink(path);
    cr_expect(not(timeline_save("/nowhere/history")));
    rmdir(dir);
}
