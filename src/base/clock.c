/* The server's clock and the spellings of a moment.
 *
 * Knows UTC and the proleptic Gregorian calendar of the years 1 to 9999, no
 * time zones, no leap seconds, no locale. */
#include "base/clock.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* Days from 0001-01-01 to 1970-01-01. */
#define EPOCH 719162
#define DAY (86400 * CLOCK_SECOND)
/* The first moment of the year 1 and the last of the year 9999. */
#define FIRST (-EPOCH * DAY)
#define LAST ((INT64_C(3652059) - EPOCH) * DAY - 1)

static int64_t read_clock(clockid_t which)
{
    struct timespec t = {0};
    clock_gettime(which, &t);
    return (int64_t)t.tv_sec * CLOCK_SECOND + t.tv_nsec / 1000;
}

static const _Atomic int64_t *shift; /* NULL: the clock is what it is */

bool clock_shift(const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    void *p = fd < 0 ? MAP_FAILED
                     : mmap(NULL, sizeof *shift, PROT_READ, MAP_SHARED, fd, 0);
    if (fd >= 0)
        close(fd);
    shift = p == MAP_FAILED ? NULL : p;
    return shift != NULL;
}

int64_t clock_now(void)
{
    return read_clock(CLOCK_REALTIME) + (shift ? atomic_load(shift) : 0);
}

int64_t clock_mono(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

static bool leap(int64_t year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static int64_t month_days(int64_t year, int64_t month)
{
    static const int64_t days[] = {31, 28, 31, 30, 31, 30,
                                   31, 31, 30, 31, 30, 31};
    return days[month - 1] + (month == 2 && leap(year) ? 1 : 0);
}

/* Days from 0001-01-01 to the first day of the year. */
static int64_t year_start(int64_t year)
{
    const int64_t y = year - 1;
    return y * 365 + y / 4 - y / 100 + y / 400;
}

void clock_write(char out[static CLOCK_TEXT], int64_t t)
{
    if (t < FIRST)
        t = FIRST;
    if (t > LAST)
        t = LAST;
    int64_t day = (t - FIRST) / DAY;
    const int64_t us = (t - FIRST) % DAY;
    /* A year is never longer than 366 days, so this guess is never late. */
    int64_t year = day / 366 + 1;
    while (year_start(year + 1) <= day)
        year++;
    day -= year_start(year);
    int64_t month = 1;
    while (day >= month_days(year, month))
        day -= month_days(year, month++);
    const int64_t s = us / CLOCK_SECOND;
    /* The remainders say to the compiler how wide each number can be. */
    snprintf(out, CLOCK_TEXT, "%04u-%02u-%02uT%02u:%02u:%02u.%06uZ",
             (unsigned)year % 10000, (unsigned)month % 100,
             (unsigned)(day + 1) % 100, (unsigned)(s / 3600) % 100,
             (unsigned)(s / 60 % 60), (unsigned)(s % 60),
             (unsigned)(us % CLOCK_SECOND));
}

/* Exactly n digits off the front of *s, within [min, max]. */
static bool digits(struct str *s, size_t n, int64_t limits[2], int64_t *out)
{
    const struct str part = str_sub(*s, 0, n);
    if (part.n != n || part.p[0] == '-' ||
        !str_int(part, limits[0], limits[1], out))
        return false;
    *s = str_sub(*s, n, s->n);
    return true;
}

static bool skip(struct str *s, char c)
{
    if (s->n == 0 || s->p[0] != c)
        return false;
    *s = str_sub(*s, 1, s->n);
    return true;
}

static bool read_date(struct str *s, int64_t *days)
{
    int64_t y, m, d;
    if (!digits(s, 4, (int64_t[]){1, 9999}, &y) || !skip(s, '-') ||
        !digits(s, 2, (int64_t[]){1, 12}, &m) || !skip(s, '-') ||
        !digits(s, 2, (int64_t[]){1, month_days(y, m)}, &d))
        return false;
    *days = year_start(y) + d - 1 - EPOCH;
    for (int64_t i = 1; i < m; i++)
        *days += month_days(y, i);
    return true;
}

static bool read_time(struct str *s, int64_t *us)
{
    int64_t h, m, sec;
    if (!digits(s, 2, (int64_t[]){0, 23}, &h) || !skip(s, ':') ||
        !digits(s, 2, (int64_t[]){0, 59}, &m) || !skip(s, ':') ||
        !digits(s, 2, (int64_t[]){0, 59}, &sec))
        return false;
    *us = ((h * 60 + m) * 60 + sec) * CLOCK_SECOND;
    if (!skip(s, '.'))
        return true;
    /* Up to nine digits are read; what is finer than ours is cut off. */
    size_t n = 0;
    int64_t unit = CLOCK_SECOND / 10;
    while (n < s->n && s->p[n] >= '0' && s->p[n] <= '9') {
        *us += unit * (s->p[n++] - '0');
        unit /= 10;
    }
    *s = str_sub(*s, n, s->n);
    return n >= 1 && n <= 9;
}

static bool read_offset(struct str *s, int64_t *us)
{
    *us = 0;
    if (s->n == 0 || skip(s, 'Z'))
        return true;
    const bool west = skip(s, '-');
    int64_t h, m;
    if ((!west && !skip(s, '+')) ||
        !digits(s, 2, (int64_t[]){0, 23}, &h) || !skip(s, ':') ||
        !digits(s, 2, (int64_t[]){0, 59}, &m))
        return false;
    *us = (h * 60 + m) * (west ? -60 : 60) * CLOCK_SECOND;
    return true;
}

bool clock_parse(struct str s, int64_t *out)
{
    int64_t days, us, offset;
    if (!read_date(&s, &days) || (!skip(&s, 'T') && !skip(&s, ' ')) ||
        !read_time(&s, &us) || !read_offset(&s, &offset) || s.n)
        return false;
    const int64_t t = days * DAY + us - offset;
    if (t < FIRST || t > LAST)
        return false;
    *out = t;
    return true;
}
