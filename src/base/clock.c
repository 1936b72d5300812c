/* The server's clock and the spellings of a moment.
 *
 * Knows UTC and the proleptic Gregorian calendar of the years 1 to 9999, no
 * time zones, no leap seconds, no locale. */
#include "base/clock.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* The first moment of the year 1 and the last of the year 9999. */
#define FIRST (INT64_C(-62135596800) * CLOCK_SECOND)
#define LAST (INT64_C(253402300800) * CLOCK_SECOND - 1)

static int64_t clock_read(clockid_t which)
{
    struct timespec t = {0};
    clock_gettime(which, &t);
    return (int64_t)t.tv_sec * CLOCK_SECOND + t.tv_nsec / 1000;
}

/* Of the file of tests. */
struct moves {
    _Atomic int64_t all;  /* everybody's clock */
    _Atomic int64_t host; /* the clock of this host alone */
};

static const struct moves *moves; /* NULL: the clock is not moved */

bool clock_shift(const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    void *p = fd < 0 ? MAP_FAILED
                     : mmap(NULL, sizeof *moves, PROT_READ, MAP_SHARED, fd, 0);
    if (fd >= 0)
        close(fd);
    moves = p == MAP_FAILED ? NULL : p;
    return moves != NULL;
}

int64_t clock_host(void)
{
    return clock_read(CLOCK_REALTIME) + (moves ? atomic_load(&moves->host) : 0);
}

int64_t clock_now(void)
{
    return clock_host() + (moves ? atomic_load(&moves->all) : 0);
}

int64_t clock_boot(void)
{
    return clock_read(CLOCK_BOOTTIME);
}

int64_t clock_mono(void)
{
    return clock_read(CLOCK_MONOTONIC);
}

int64_t clock_cpu(void)
{
    return clock_read(CLOCK_PROCESS_CPUTIME_ID);
}

/* By hand, because every answer and every line of the log has one or more, and
 * snprintf takes ten times as long. */
void clock_write(char out[static CLOCK_TEXT], int64_t t)
{
    if (t < FIRST)
        t = FIRST;
    if (t > LAST)
        t = LAST;
    const int64_t us = (t - FIRST) % CLOCK_SECOND;
    const time_t second = (t - us) / CLOCK_SECOND;
    struct tm d;
    gmtime_r(&second, &d);
    const struct {
        size_t n;
        int64_t v;
        char end;
    } parts[] = {
        {4, d.tm_year + 1900, '-'}, {2, d.tm_mon + 1, '-'}, {2, d.tm_mday, 'T'},
        {2, d.tm_hour, ':'},        {2, d.tm_min, ':'},     {2, d.tm_sec, '.'},
        {6, us, 'Z'}};
    for (size_t i = 0; i < countof(parts); i++) {
        int64_t v = parts[i].v;
        for (size_t k = parts[i].n; k-- > 0; v /= 10)
            out[k] = (char)('0' + v % 10);
        out += parts[i].n;
        *out++ = parts[i].end;
    }
    *out = '\0';
}

/* Takes exactly n digits off the front of *s, within [min, max]. */
static bool clock_digits(struct str *s, size_t n, int64_t limits[2],
                         int64_t *out)
{
    int64_t v = 0;
    for (size_t i = 0; i < n; i++) {
        if (i == s->n || s->p[i] < '0' || s->p[i] > '9')
            return false;
        v = 10 * v + s->p[i] - '0';
    }
    *s = str_sub(*s, n, s->n);
    *out = v;
    return v >= limits[0] && v <= limits[1];
}

static bool clock_skip(struct str *s, char c)
{
    if (s->n == 0 || s->p[0] != c)
        return false;
    *s = str_sub(*s, 1, s->n);
    return true;
}

static bool clock_date(struct str *s, int64_t *us)
{
    int64_t y, m, d;
    if (!clock_digits(s, 4, (int64_t[]){1, 9999}, &y) || !clock_skip(s, '-') ||
        !clock_digits(s, 2, (int64_t[]){1, 12}, &m) || !clock_skip(s, '-') ||
        !clock_digits(s, 2, (int64_t[]){1, 31}, &d))
        return false;
    struct tm date = {.tm_year = (int)y - 1900,
                      .tm_mon = (int)m - 1,
                      .tm_mday = (int)d};
    *us = (int64_t)timegm(&date) * CLOCK_SECOND;
    /* timegm turns a day that February lacks into a day of March. */
    return date.tm_mday == (int)d;
}

static bool clock_time(struct str *s, int64_t *us)
{
    int64_t h, m, sec;
    if (!clock_digits(s, 2, (int64_t[]){0, 23}, &h) || !clock_skip(s, ':') ||
        !clock_digits(s, 2, (int64_t[]){0, 59}, &m) || !clock_skip(s, ':') ||
        !clock_digits(s, 2, (int64_t[]){0, 59}, &sec))
        return false;
    *us = ((h * 60 + m) * 60 + sec) * CLOCK_SECOND;
    if (!clock_skip(s, '.'))
        return true;
    /* Up to nine digits are read; digits beyond microseconds are cut off. */
    size_t n = 0;
    int64_t unit = CLOCK_SECOND / 10;
    while (n < s->n && s->p[n] >= '0' && s->p[n] <= '9') {
        *us += unit * (s->p[n++] - '0');
        unit /= 10;
    }
    *s = str_sub(*s, n, s->n);
    return n >= 1 && n <= 9;
}

static bool clock_offset(struct str *s, int64_t *us)
{
    *us = 0;
    if (s->n == 0 || clock_skip(s, 'Z'))
        return true;
    const bool west = clock_skip(s, '-');
    int64_t h, m;
    if ((!west && !clock_skip(s, '+')) ||
        !clock_digits(s, 2, (int64_t[]){0, 23}, &h) || !clock_skip(s, ':') ||
        !clock_digits(s, 2, (int64_t[]){0, 59}, &m))
        return false;
    *us = (h * 60 + m) * (west ? -60 : 60) * CLOCK_SECOND;
    return true;
}

bool clock_parse(struct str s, int64_t *out)
{
    int64_t date, us, offset;
    if (!clock_date(&s, &date) ||
        (!clock_skip(&s, 'T') && !clock_skip(&s, ' ')) ||
        !clock_time(&s, &us) || !clock_offset(&s, &offset) || s.n)
        return false;
    const int64_t t = date + us - offset;
    if (t < FIRST || t > LAST)
        return false;
    *out = t;
    return true;
}

int64_t clock_stored(struct str s)
{
    int64_t t = 0;
    if (str_ends(s, STR("+00")))
        (void)clock_parse(str_sub(s, 0, s.n - 3), &t);
    return t;
}
