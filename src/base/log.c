/* Log lines on standard error.
 *
 * One write for one line, so that the lines of several processes do not mix.
 * Never allocates, never fails, never changes errno. */
#include "base/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"

#define LINE_MAX_BYTES 2048

static struct str request_id;

void log_request(struct str id)
{
    request_id = id;
}

/* Is standard error itself the journal's stream of JOURNAL_STREAM
 * ("device:inode")? The variable alone proves nothing: a redirected child
 * inherits it too. */
static bool to_journal(void)
{
    struct str rest = str_of(getenv("JOURNAL_STREAM"));
    const struct str device = str_cut(&rest, ':');
    int64_t dev, ino;
    struct stat st;
    return str_int(device, 0, INT64_MAX, &dev) &&
           str_int(rest, 0, INT64_MAX, &ino) &&
           fstat(STDERR_FILENO, &st) == 0 &&
           (uint64_t)dev == (uint64_t)st.st_dev &&
           (uint64_t)ino == (uint64_t)st.st_ino;
}

static const char *level_name(enum log_level level)
{
    switch (level) {
    case LOG_ERR:
        return "error";
    case LOG_WARN:
        return "warning";
    case LOG_NOTICE:
        return "notice";
    case LOG_INFO:
        break;
    }
    return "info";
}

/* The bytes really written of a piece for which snprintf needed n. */
static size_t kept(int n, size_t size)
{
    if (n < 0)
        return 0;
    return (size_t)n < size ? (size_t)n : size - 1;
}

static size_t head(char *line, size_t size, enum log_level level)
{
    const struct str id = str_sub(request_id, 0, 64);
    const char *name = id.n ? "request=" : "", *end = id.n ? " " : "";
    char now[CLOCK_TEXT];
    if (to_journal())
        return kept(snprintf(line, size, "<%d>%s%.*s%s", (int)level, name,
                             STR_FMT(id), end),
                    size);
    clock_write(now, clock_now());
    return kept(snprintf(line, size, "%s %s %s%.*s%s", now, level_name(level),
                         name, STR_FMT(id), end),
                size);
}

/* Replaces control characters, line separators and malformed UTF-8 by '?', in
 * place: the line never gets longer. Returns the new length. */
static size_t tame(char *line, size_t n)
{
    const struct str s = {line, n};
    size_t to = 0;
    for (size_t at = 0; at < n;) {
        if (line[at] >= ' ' && line[at] <= '~') {
            line[to++] = line[at++];
            continue;
        }
        const size_t from = at;
        const uint32_t rune = str_rune(s, &at);
        const bool wild = rune < 0x20 || (rune >= 0x7F && rune <= 0x9F) ||
                          rune == 0x2028 || rune == 0x2029 ||
                          (rune == 0xFFFD && at - from == 1);
        if (wild) {
            line[to++] = '?';
        } else {
            memmove(line + to, line + from, at - from);
            to += at - from;
        }
    }
    return to;
}

void log_line(enum log_level level, const char *fmt, ...)
{
    const int error = errno;
    char line[LINE_MAX_BYTES];
    const size_t size = sizeof(line);
    const size_t start = head(line, size, level);
    errno = error; /* for %m */
    va_list ap;
    va_start(ap, fmt);
    const int wanted = vsnprintf(line + start, size - start, fmt, ap);
    va_end(ap);
    size_t n = start + kept(wanted, size - start);
    const bool cut = wanted >= 0 && (size_t)wanted >= size - start;
    n = tame(line, cut ? size - 4 : n);
    if (cut) {
        memcpy(line + n, "...", 3);
        n += 3;
    }
    line[n++] = '\n';
    const ssize_t written = write(STDERR_FILENO, line, n);
    (void)written; /* a failed write of the log cannot be reported */
    errno = error;
}
