/* A few places shared by the processes of one pool. */
#include "base/shared/semaphore.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

#define LOOK (CLOCK_SECOND / 200) /* between two attempts */

static int file = -1;

bool semaphore_make(void)
{
    file = memfd_create("sayso-turns", MFD_CLOEXEC);
    return file >= 0 && ftruncate(file, SEMAPHORE_MAX) == 0;
}

static bool semaphore_set(int place, short type)
{
    struct flock lock = {
        .l_type = type, .l_whence = SEEK_SET, .l_start = place, .l_len = 1};
    return file < 0 || fcntl(file, F_SETLK, &lock) == 0;
}

int semaphore_take(int first, int last)
{
    for (int i = first; i <= last; i++)
        if (semaphore_set(i, F_WRLCK))
            return i;
    return -1;
}

int semaphore_wait(int first, int last, int64_t us)
{
    const struct timespec look = {.tv_nsec = LOOK * 1000};
    const int64_t end = clock_mono() + us;
    int place;
    while ((place = semaphore_take(first, last)) < 0 && clock_mono() < end)
        nanosleep(&look, NULL);
    return place;
}

void semaphore_give(int place)
{
    if (place >= 0)
        (void)semaphore_set(place, F_UNLCK);
}
