/* The parts that all children of the supervisor share. */
#include "process/start/child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

volatile int child_stop;

static void child_term(int signal)
{
    (void)signal;
    child_stop = 1;
}

void child_signals(void)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    struct sigaction term = {.sa_handler = child_term};
    static const int ignored[] = {SIGINT, SIGHUP, SIGPIPE, SIGUSR1, SIGUSR2};
    for (size_t i = 0; i < countof(ignored); i++)
        sigaction(ignored[i], &ignore, NULL);
    sigaction(SIGTERM, &term, NULL);
    sigset_t busy;
    sigemptyset(&busy);
    sigaddset(&busy, SIGTERM);
    sigprocmask(SIG_SETMASK, &busy, NULL);
}

void child_sleep(const struct child *c, int64_t us, int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    sigset_t none;
    sigemptyset(&none);
    for (int n = 0; us > 0 && n == 0; us -= CLOCK_SECOND) {
        const struct timespec t = {
            .tv_sec = us >= CLOCK_SECOND,
            .tv_nsec = us < CLOCK_SECOND ? us * 1000 : 0};
        n = ppoll(&p, 1, &t, &none);
        atomic_store(&c->slot->seen, clock_mono());
    }
}

void child_busy(const struct child *c, bool busy)
{
    const int64_t now = clock_mono();
    atomic_store(&c->slot->busy_since, busy ? now : 0);
    atomic_store(&c->slot->seen, now);
}

size_t child_resident(void)
{
    char text[128];
    const int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    const ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
    const char *second = strchr(text, ' ');
    const long page = sysconf(_SC_PAGESIZE);
    return second ? strtoul(second, NULL, 10) * (size_t)page : 0;
}

size_t child_resident_peak(void)
{
    struct rusage u = {0};
    (void)getrusage(RUSAGE_SELF, &u);
    return (size_t)u.ru_maxrss << 10;
}

bool child_recycled(int status)
{
    return WIFEXITED(status) && WEXITSTATUS(status) == CHILD_RECYCLED;
}
