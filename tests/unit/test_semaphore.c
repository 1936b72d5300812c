/* Places taken in turn: by several processes, some of which are killed. */
#include <criterion/criterion.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/shared/semaphore.h"

static int ends[2];

static void setup(void)
{
    cr_assert(semaphore_make());
    cr_assert(pipe(ends) == 0);
}

TestSuite(semaphore, .init = setup, .timeout = 60);

/* A process that takes one of the places, tells it, and lives on with it. */
static pid_t holder(int first, int last, int *place)
{
    const pid_t pid = fork();
    cr_assert(pid >= 0);
    if (pid == 0) {
        const int mine = semaphore_take(first, last);
        if (write(ends[1], &mine, sizeof mine) != sizeof mine)
            _exit(1);
        for (;;)
            pause();
    }
    cr_assert(read(ends[0], place, sizeof *place) == sizeof *place);
    return pid;
}

static void end(pid_t pid)
{
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

Test(semaphore, as_many_as_there_are_places)
{
    int place[3];
    pid_t pid[3];
    for (int i = 0; i < 3; i++)
        pid[i] = holder(0, 1, &place[i]);
    cr_expect(place[0] == 0 && place[1] == 1);
    cr_expect(place[2] == -1);
    cr_expect(semaphore_take(0, 1) == -1);
    cr_expect(semaphore_take(2, 3) == 2, "other places are not concerned");
    for (int i = 0; i < 3; i++)
        end(pid[i]);
}

Test(semaphore, a_place_is_free_when_its_holder_was_killed)
{
    int place;
    const pid_t pid = holder(0, 0, &place);
    cr_assert(place == 0 && semaphore_take(0, 0) == -1);
    end(pid);
    cr_expect(semaphore_take(0, 0) == 0);
}

Test(semaphore, waiting_has_an_end)
{
    int place;
    const pid_t pid = holder(0, 0, &place);
    const int64_t begun = clock_mono();
    cr_expect(semaphore_wait(0, 0, CLOCK_SECOND / 20) == -1);
    cr_expect(clock_mono() - begun >= CLOCK_SECOND / 20);
    const pid_t killer = fork();
    if (killer == 0) {
        usleep(50000);
        kill(pid, SIGKILL);
        _exit(0);
    }
    cr_expect(semaphore_wait(0, 0, 50 * CLOCK_SECOND) == 0);
    waitpid(killer, NULL, 0);
    waitpid(pid, NULL, 0);
}

Test(semaphore, what_was_given_back_is_free)
{
    int place;
    cr_assert(semaphore_take(0, 0) == 0);
    semaphore_give(0);
    semaphore_give(-1);
    const pid_t pid = holder(0, 0, &place);
    cr_expect(place == 0);
    end(pid);
}
