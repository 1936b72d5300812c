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
#define REQUEST_MAX 64 /* of its id */
/* A line as an object: each byte of the text may need an escape. */
#define MEMBERS_MAX 160 /* the numbers of an answer, and the end */
#define JSON_MAX_BYTES (2 * LINE_MAX_BYTES + 512 + MEMBERS_MAX)
#define HEAD_MAX (CLOCK_TEXT + sizeof " warning request= " + REQUEST_MAX)
_Static_assert(HEAD_MAX < LINE_MAX_BYTES / 2, "room for a line after its head");

static struct str request_id, trace_id;
static bool json_lines;

void log_request(struct str id)
{
    request_id = id;
}

void log_trace(struct str id)
{
    trace_id = id;
}

void log_as_json(bool on)
{
    json_lines = on;
}

/* Is standard error itself the journal's stream of JOURNAL_STREAM
 * ("device:inode")? The variable alone proves nothing: a redirected child
 * inherits it too. */
static bool log_is_journal(void)
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

static size_t log_add(char *line, size_t at, struct str s)
{
    memcpy(line + at, s.p, s.n);
    return at + s.n;
}

/* The journal's mark of the level; nothing elsewhere. */
static size_t log_mark(char *line, enum log_level level)
{
    /* Found out once for a process and its children, which have the same
     * standard error. */
    static enum { UNKNOWN, NO, YES } journal;
    if (journal == UNKNOWN)
        journal = log_is_journal() ? YES : NO;
    if (journal == NO)
        return 0;
    line[0] = '<';
    line[1] = (char)('0' + level);
    line[2] = '>';
    return 3;
}

static const char *const levels[] = {[LOG_ERR] = "error",
                                     [LOG_WARN] = "warning",
                                     [LOG_NOTICE] = "notice",
                                     [LOG_INFO] = "info"};

/* The start of a line, at most HEAD_MAX bytes. Without printf, because every
 * request has a line. */
static size_t log_head(char *line, enum log_level level)
{
    const struct str id = str_sub(request_id, 0, REQUEST_MAX);
    size_t n = log_mark(line, level);
    if (n == 0) {
        clock_write(line, clock_now());
        n = log_add(line, strlen(line), STR(" "));
        n = log_add(line, n, str_of(levels[level]));
        n = log_add(line, n, STR(" "));
    }
    if (id.n > 0) {
        n = log_add(line, n, STR("request="));
        n = log_add(line, n, id);
        n = log_add(line, n, STR(" "));
    }
    return n;
}

static bool log_plain(char c) { return c >= ' ' && c <= '~'; }

/* Replaces control characters, line separators and malformed UTF-8 by '?', in
 * place: the line never gets longer. Returns the new length. */
static size_t log_tame(char *line, size_t n)
{
    const struct str s = {line, n};
    size_t to = 0;
    while (to < n && log_plain(line[to])) /* nearly all of a line */
        to++;
    for (size_t at = to; at < n;) {
        if (log_plain(line[at])) {
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

/* A time for printf, whose double costs more than the line. */
#define LOG_MS(us) (long long)(us) / 1000, (int)((us) / 100 % 10)

static void log_write(const char *line, size_t n)
{
    const ssize_t written = write(STDERR_FILENO, line, n);
    (void)written; /* a failed write of the log cannot be reported */
}

/* Adds a member to the line's object. The value was tamed, so that two
 * characters need an escape; one that is too long is cut. */
static size_t log_member(char *line, size_t at, const char *name,
                         struct str value)
{
    at = log_add(line, at, STR(",\""));
    at = log_add(line, at, str_of(name));
    at = log_add(line, at, STR("\":\""));
    for (size_t i = 0; i < value.n && at < JSON_MAX_BYTES - MEMBERS_MAX; i++) {
        if (value.p[i] == '"' || value.p[i] == '\\')
            line[at++] = '\\';
        line[at++] = value.p[i];
    }
    line[at++] = '"';
    return at;
}

/* w: the members of an answer; NULL: the message. */
static void log_json(enum log_level level, struct str message,
                     const struct log_answer *w)
{
    char line[JSON_MAX_BYTES], time[CLOCK_TEXT];
    size_t n = log_mark(line, level);
    clock_write(time, clock_now());
    n = log_add(line, n, STR("{\"time\":\""));
    n = log_add(line, n, str_of(time));
    line[n++] = '"';
    n = log_member(line, n, "level", str_of(levels[level]));
    if (request_id.n > 0)
        n = log_member(line, n, "request", str_sub(request_id, 0, REQUEST_MAX));
    if (trace_id.n > 0)
        n = log_member(line, n, "trace", str_sub(trace_id, 0, REQUEST_MAX));
    if (w) {
        n = log_member(line, n, "route", str_of(w->route));
        n = log_member(line, n, "principal", str_sub(w->principal, 0, 200));
        n += (size_t)snprintf(line + n, MEMBERS_MAX,
                              ",\"status\":%d,\"database_ms\":%lld.%d,"
                              "\"total_ms\":%lld.%d,\"bytes\":%zu",
                              w->status, LOG_MS(w->database_us),
                              LOG_MS(w->total_us), w->bytes);
    } else {
        n = log_member(line, n, "message", message);
    }
    n = log_add(line, n, STR("}\n"));
    log_write(line, n);
}

void log_line(enum log_level level, const char *fmt, ...)
{
    const int error = errno;
    char line[LINE_MAX_BYTES];
    const size_t start = json_lines ? 0 : log_head(line, level);
    const size_t size = sizeof line - start;
    errno = error; /* for %m */
    va_list ap;
    va_start(ap, fmt);
    const int wanted = vsnprintf(line + start, size, fmt, ap);
    va_end(ap);
    const bool cut = wanted >= 0 && (size_t)wanted >= size;
    size_t n = log_tame(line, cut ? sizeof line - 4
                                  : start + (size_t)(wanted < 0 ? 0 : wanted));
    if (cut) {
        memcpy(line + n, "...", 3);
        n += 3;
    }
    if (json_lines) {
        log_json(level, (struct str){line, n}, NULL);
    } else {
        line[n++] = '\n';
        log_write(line, n);
    }
    errno = error;
}

void log_answer(enum log_level level, const struct log_answer *w)
{
    if (json_lines)
        log_json(level, STR_NONE, w);
    else
        log_line(level,
                 "%s status=%d principal=%.*s database_ms=%lld.%d "
                 "total_ms=%lld.%d bytes=%zu%s%.*s",
                 w->route, w->status, STR_FMT(w->principal),
                 LOG_MS(w->database_us), LOG_MS(w->total_us), w->bytes,
                 trace_id.n ? " trace=" : "", STR_FMT(trace_id));
}
