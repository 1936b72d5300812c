/* Which servers are behind, and what a restart remembers. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
    cr_expect(timeline_saw(timeline_make_at(0xFFF, 0x3FFFFFFF, 0x1FFFFF)));
    cr_expect(eq(i64, timeline_number(timeline_newest()), 0x1FFFFF));
    cr_expect(eq(u64, timeline_newest(), INT64_MAX));
    cr_expect(timeline_make_at(0xFFF, 0x3FFFFFFE, 0x1FFFFF) <
              timeline_make_at(0xFFF, 0x3FFFFFFF, 1));
}

Test(timeline, a_number_that_is_too_large_is_the_largest)
{
    cr_expect(eq(u64, at(0x40000000, 0x200000), at(0x3FFFFFFF, 0x1FFFFF)));
    cr_expect(eq(u64, at(0x7FFFFFFF, 1), at(0x3FFFFFFF, 1)));
    cr_expect(eq(u64, at(1, 0xFFFFFFFF), at(1, 0x1FFFFF)));
    cr_expect(eq(u64, at(-1, 1), at(0, 1)));
}

/* The bits of the clusters 1 and 0x1001 are the same. */
Test(timeline, two_clusters_that_look_the_same_are_compared_by_the_restore)
{
    cr_expect(timeline_saw(timeline_make_at(1, 7, 9)));
    cr_expect(timeline_saw(timeline_make_at(0x1001, 8, 1)));
    cr_expect(timeline_behind(timeline_make_at(1, 7, 10)));
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
    unlink(path);
    cr_expect(timeline_saw(at(1, 5)));
    cr_expect(not(timeline_save("/nowhere/history")));
    rmdir(dir);
}

/* A file of this text: the newest that a pool then has. */
static timeline_at loaded(const char *text)
{
    char path[] = "/tmp/sayso-timeline-XXXXXX";
    const int fd = mkstemp(path);
    const ssize_t n = (ssize_t)strlen(text);
    cr_assert(fd >= 0 && write(fd, text, (size_t)n) == n);
    close(fd);
    setup();
    timeline_load(path);
    unlink(path);
    return timeline_newest();
}

Test(timeline, a_file_has_three_numbers)
{
    char path[] = "/tmp/sayso-timeline-XXXXXX", text[64] = "";
    const int fd = mkstemp(path);
    cr_assert(fd >= 0 && close(fd) == 0);
    cr_expect(timeline_saw(timeline_make_at(0x123, 28522103, 4)));
    cr_expect(timeline_save(path));
    FILE *f = fopen(path, "r");
    cr_assert(f && fgets(text, sizeof text, f) && fclose(f) == 0);
    cr_expect(eq(str, text, "291 28522103 4\n"));
    cr_expect(eq(u64, loaded(text), timeline_make_at(0x123, 28522103, 4)));
    cr_expect(eq(u64, loaded("4095 1073741823 2097151\n"), INT64_MAX));
    unlink(path);
}

/* As an older release kept it: 15 bits, 16 and 32. */
static timeline_at old(uint64_t cluster, uint64_t restore, uint64_t number)
{
    const uint64_t id = cluster ^ cluster >> 16 ^ cluster >> 32 ^ cluster >> 48;
    char text[64];
    (void)snprintf(text, sizeof text, "%" PRIu64 "\n",
                   (id & 0x7FFF) << 48 | restore << 32 | number);
    return loaded(text);
}

Test(timeline, a_file_of_an_older_release_is_the_same_place)
{
    const uint64_t id = UINT64_C(7412345678901234567);
    cr_expect(eq(u64, old(id, 1, 4), at(1, 4)));
    cr_expect(eq(u64, old(id, 0xFFFF, 7), at(0xFFFF, 7)));
    cr_expect(eq(u64, old(id, 3, 0xFFFFFFFF), at(3, 0x1FFFFF)));
    cr_expect(eq(u64, old(UINT64_MAX - 7, 2, 1),
                 timeline_make_at(-8, 2, 1)));
    cr_expect(eq(u64, old(id, 5, 9), at(5, 9)));
    cr_expect(timeline_behind(at(5, 8)));
    cr_expect(timeline_behind(at(4, 10)));
    cr_expect(timeline_saw(at(28522103, 1)));
}

Test(timeline, a_file_of_an_older_release_is_written_anew)
{
    char path[] = "/tmp/sayso-timeline-XXXXXX", text[64] = "";
    const int fd = mkstemp(path);
    cr_assert(fd >= 0 && dprintf(fd, "%" PRIu64 "\n",
                                 UINT64_C(0x7123) << 48 | UINT64_C(3) << 32 |
                                     4) > 0);
    timeline_load(path);
    cr_expect(timeline_save(path));
    close(fd);
    FILE *f = fopen(path, "r");
    cr_assert(f && fgets(text, sizeof text, f) && fclose(f) == 0);
    cr_expect(eq(str, text, "291 3 4\n"));
    unlink(path);
}

Test(timeline, a_file_of_rubbish_is_none)
{
    static const char *const texts[] = {
        "",          "x\n",         "0\n",           "-1\n",
        "1 2\n",     "1 2 3 4\n",   "1 2 x\n",       "1  2 3\n",
        "-1 2 3\n",  "1 -2 3\n",    "1 2 0\n",       "4096 2 3\n",
        "1 2 2097152\n", "1 1073741824 3\n", "1 2 3\n4 5 6\n",
        "9223372036854775808\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        cr_expect(eq(u64, loaded(texts[i]), 0), "%s", texts[i]);
    cr_expect(timeline_saw(at(1, 1)));
}
