/* Notes to the other processes of this host that a change was committed.
 *
 * One write for each note, always of the same size and below PIPE_BUF, so that
 * notes never mix. Never blocks. */
#include "world/wake.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include "base/log.h"

#define PIPE_BYTES (1 << 20)
#define NOTES 64 /* that are read at a time */

_Static_assert(sizeof(struct wake_note) <= PIPE_BUF, "a note is one write");

static int ends[WAKE__MAX][2] = {{-1, -1}, {-1, -1}, {-1, -1}};

bool wake_make(void)
{
    for (size_t i = 0; i < WAKE__MAX; i++) {
        if (pipe2(ends[i], O_NONBLOCK | O_CLOEXEC) != 0) {
            log_line(LOG_ERR, "wake: pipe: %s", strerror(errno));
            return false;
        }
        /* A larger pipe is better, but not required. */
        (void)fcntl(ends[i][1], F_SETPIPE_SZ, PIPE_BYTES);
    }
    return true;
}

static void wake_tell(enum wake_to to, const struct wake_note *note)
{
    if (ends[to][1] < 0)
        return;
    const ssize_t n = write(ends[to][1], note, sizeof *note);
    if (n < 0 && errno != EAGAIN)
        log_line(LOG_WARN, "wake: %s", strerror(errno));
}

void wake_changed(struct str intent_id, int64_t version, struct str decided)
{
    struct wake_note note = {.version = version};
    if (str_copy(note.intent_id, sizeof note.intent_id, intent_id) &&
        str_copy(note.decided, sizeof note.decided, decided))
        wake_tell(WAKE_WAIT, &note);
    wake_seal();
}

void wake_deliver(void)
{
    const struct wake_note note = {.version = 0};
    wake_tell(WAKE_DELIVER, &note);
}

void wake_seal(void)
{
    const struct wake_note note = {.version = 0};
    wake_tell(WAKE_SEAL, &note);
}

int wake_fd(enum wake_to to)
{
    return ends[to][0];
}

int wake_out(enum wake_to to)
{
    return ends[to][1];
}

void wake_join(enum wake_to to, int in, int out)
{
    ends[to][0] = in;
    ends[to][1] = out;
}

size_t wake_read(enum wake_to to, struct wake_note *v, size_t n)
{
    if (ends[to][0] < 0)
        return 0;
    const ssize_t got = read(ends[to][0], v, n * sizeof *v);
    n = got > 0 ? (size_t)got / sizeof *v : 0;
    /* Whatever the other process has written. */
    for (size_t i = 0; i < n; i++) {
        v[i].intent_id[sizeof v[i].intent_id - 1] = '\0';
        v[i].decided[sizeof v[i].decided - 1] = '\0';
    }
    return n;
}

bool wake_drain(enum wake_to to)
{
    struct wake_note notes[NOTES];
    size_t n, all = 0;
    do {
        n = wake_read(to, notes, NOTES);
        all += n;
    } while (n == NOTES);
    return all > 0;
}
