/* What all children of the supervisor have in common. */
#include "process/child.h"

#include <poll.h>
#include <signal.h>

#include "base/clock.h"

volatile int child_stop;

static void on_term(int signal)
{
    (void)signal;
    child_stop = 1;
}

void child_signals(void)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    struct sigaction term = {.sa_handler = on_term};
    static const int ignored[] = {SIGINT, SIGHUP, SIGPIPE, SIGUSR1, SIGUSR2};
    for (size_t i = 0; i < countof(ignored); i++)
        sigaction(ignored[i], &ignore, NULL);
    sigaction(SIGTERM, &term, NULL);
    sigset_t busy;
    sigemptyset(&busy);
    sigaddset(&busy, SIGTERM);
    sigprocmask(SIG_SETMASK, &busy, NULL);
}

void child_sleep(int64_t us, int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    const struct timespec t = {.tv_sec = us / CLOCK_SECOND,
                               .tv_nsec = us % CLOCK_SECOND * 1000};
    sigset_t none;
    sigemptyset(&none);
    if (us > 0)
        (void)ppoll(&p, 1, &t, &none);
}

void child_busy(const struct child *c, bool busy)
{
    atomic_store(&c->slot->busy_since, busy ? clock_mono() : 0);
}
