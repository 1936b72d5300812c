/* The memory of a pool, and the notes that go through it. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/shared/region.h"
#include "world/wake.h"

Test(region, without_memory_each_part_is_its_own)
{
    char *one = region_take(100), *other = region_take(100);
    cr_assert(one && other);
    one[0] = 'x';
    cr_expect_eq(other[0], '\0');
    cr_expect_eq(region_taken(), 0u);
}

/* As a process of another container, which has the descriptor alone. */
static int region_sum(void)
{
    const bool joined = region_join(dup(region_fd())) && region_joined();
    const int *first = region_take(sizeof *first);
    const int *second = region_take(sizeof *second);
    return joined ? *first + *second : 0;
}

Test(region, a_process_that_joins_has_the_same_parts)
{
    int go[2], status = 0;
    char c;
    cr_assert(region_make() && !region_joined() && pipe(go) == 0);
    const pid_t pid = fork();
    if (pid == 0)
        _exit(read(go[0], &c, 1) == 1 ? region_sum() : 0);
    int *first = region_take(sizeof *first);
    int *second = region_take(sizeof *second);
    *first = 1, *second = 40;
    cr_assert(write(go[1], "", 1) == 1 && waitpid(pid, &status, 0) == pid);
    cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 41);
    cr_expect_eq(region_taken(), 128u);
}

Test(region, its_size_cannot_be_changed)
{
    cr_assert(region_make());
    cr_expect(ftruncate(region_fd(), 0) != 0);
    cr_expect(ftruncate(region_fd(), 1 << 20) != 0);
    cr_expect_null(region_take((size_t)1 << 20));
}

Test(region, another_file_is_not_joined)
{
    int ends[2];
    cr_assert(pipe(ends) == 0);
    cr_expect_not(region_join(ends[0]));
    FILE *f = tmpfile();
    cr_assert(f && ftruncate(fileno(f), 256 << 10) == 0);
    cr_expect_not(region_join(fileno(f)));
    cr_expect_not(region_join(-1));
}

Test(wake, a_note_ends_whatever_was_written)
{
    int ends[2];
    struct wake_note note, got[2];
    cr_assert(pipe(ends) == 0);
    wake_join(WAKE_SEAL, ends[0], ends[1]);
    memset(&note, 'x', sizeof note);
    cr_assert(write(wake_out(WAKE_SEAL), &note, sizeof note) > 0);
    cr_assert_eq(wake_read(WAKE_SEAL, got, countof(got)), 1u);
    cr_expect_eq(strlen(got[0].intent_id), sizeof got[0].intent_id - 1);
    cr_expect_eq(strlen(got[0].decided), sizeof got[0].decided - 1);
    cr_expect_eq(wake_out(WAKE_WAIT), -1);
}
