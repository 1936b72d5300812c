/* Moments: both spellings, and everything that is not one. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdlib.h>
#include <unistd.h>

#include "base/clock_text.h"

#include "base/shared/clock_watch.h"
#include "suite.h"

SUITE(clock);

#define FIRST INT64_C(-62135596800000000)
#define LAST INT64_C(253402300799999999)

/* Seconds of well-known moments; the microseconds are zero. */
static const struct {
    int64_t s;
    const char *text;
} known[] = {
    {0, "1970-01-01T00:00:00"},
    {-1, "1969-12-31T23:59:59"},
    {86399, "1970-01-01T23:59:59"},
    {86400, "1970-01-02T00:00:00"},
    {951782400, "2000-02-29T00:00:00"},
    {951868800, "2000-03-01T00:00:00"},
    {1000000000, "2001-09-09T01:46:40"},
    {1709164800, "2024-02-29T00:00:00"},
    {1735689599, "2024-12-31T23:59:59"},
    {1735689600, "2025-01-01T00:00:00"},
    {2147483648, "2038-01-19T03:14:08"},
    {4107542400, "2100-03-01T00:00:00"},
    {4107456000, "2100-02-28T00:00:00"},
    {-2203891200, "1900-03-01T00:00:00"},
    {-62135596800, "0001-01-01T00:00:00"},
    {253402300799, "9999-12-31T23:59:59"},
};

Test(clock, a_moment_of_the_database_is_read_in_utc)
{
    cr_assert_eq(clock_stored(STR("2026-11-20 09:26:13.510233+00")),
                 INT64_C(1795166773510233));
    cr_assert_eq(clock_stored(STR("2026-11-20 09:26:13+00")),
                 INT64_C(1795166773000000));
    cr_assert_eq(clock_stored(STR("2026-11-20 09:26:13+01")), 0);
    cr_assert_eq(clock_stored(STR("infinity")), 0);
    cr_assert_eq(clock_stored(STR_NONE), 0);
}

Test(clock, known_moments_both_ways)
{
    for (size_t i = 0; i < countof(known); i++) {
        const int64_t t = known[i].s * CLOCK_SECOND;
        const struct str naive = clock_naive(a, t);
        const struct str zulu = clock_rfc3339(a, t);
        cr_expect(eq(sz, zulu.n, 27));
        cr_expect(str_is(str_sub(zulu, 0, 19), known[i].text), "%s: %.*s",
                  known[i].text, STR_FMT(zulu));
        cr_expect(str_is(str_sub(zulu, 19, 27), ".000000Z"));
        if (t == 0) /* stands for no moment */
            cr_expect(zero(ptr, (void *)naive.p));
        else
            cr_expect(str_eq(naive, str_sub(zulu, 0, 26)), "%.*s",
                      STR_FMT(naive));
        int64_t back = 7;
        cr_expect(clock_parse(str_of(known[i].text), &back), "%zu", i);
        cr_expect(eq(i64, back, t), "row %zu", i);
    }
}

Test(clock, microseconds_on_both_sides_of_1970)
{
    static const struct {
        int64_t t;
        const char *is;
    } rows[] = {
        {1, "1970-01-01T00:00:00.000001Z"},
        {-1, "1969-12-31T23:59:59.999999Z"},
        {INT64_C(1795166773510233), "2026-11-20T09:26:13.510233Z"},
        {FIRST, "0001-01-01T00:00:00.000000Z"},
        {LAST, "9999-12-31T23:59:59.999999Z"},
        {FIRST - 1, "0001-01-01T00:00:00.000000Z"},
        {LAST + 1, "9999-12-31T23:59:59.999999Z"},
        {INT64_MIN, "0001-01-01T00:00:00.000000Z"},
        {INT64_MAX, "9999-12-31T23:59:59.999999Z"},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        char text[CLOCK_TEXT];
        clock_write(text, rows[i].t);
        cr_expect(eq(str, text, (char *)rows[i].is), "row %zu", i);
        cr_expect(str_is(clock_rfc3339(a, rows[i].t), rows[i].is));
    }
}

/* Steps of whole days from one moment to another: each reads back, and each
 * is written behind the one before. */
static void walk(int64_t from, int64_t to, int64_t days)
{
    char before[CLOCK_TEXT] = "";
    for (int64_t t = from; t <= to; t += days * 86400 * CLOCK_SECOND) {
        char now[CLOCK_TEXT];
        clock_write(now, t);
        int64_t back = 0;
        if (!clock_parse(str_of(now), &back) || back != t ||
            strcmp(before, now) >= 0)
            cr_fatal("%s after %s", now, before);
        memcpy(before, now, sizeof(now));
    }
}

Test(clock, every_day_of_four_centuries)
{
    /* From 1770 to 2170. */
    walk(INT64_C(-6311433600000000), INT64_C(6311433600000000), 1);
}

Test(clock, days_of_all_years)
{
    walk(FIRST, LAST, 89);
}

Test(clock, spellings_that_are_read)
{
    const int64_t t = INT64_C(1795166773000000); /* 2026-11-20T09:26:13Z */
    static const struct {
        const char *s;
        int64_t plus;
    } rows[] = {
        {"2026-11-20T09:26:13", 0},
        {"2026-11-20 09:26:13", 0},
        {"2026-11-20T09:26:13Z", 0},
        {"2026-11-20 09:26:13Z", 0},
        {"2026-11-20T09:26:13+00:00", 0},
        {"2026-11-20T09:26:13-00:00", 0},
        {"2026-11-20T10:26:13+01:00", 0},
        {"2026-11-20T03:56:13-05:30", 0},
        {"2026-11-21T09:25:13+23:59", 0},
        {"2026-11-19T09:27:13-23:59", 0},
        {"2026-11-20T09:26:13.5", 500000},
        {"2026-11-20T09:26:13.51", 510000},
        {"2026-11-20T09:26:13.510Z", 510000},
        {"2026-11-20T09:26:13.510233", 510233},
        {"2026-11-20T09:26:13.000001Z", 1},
        {"2026-11-20T09:26:13.5102339", 510233},
        {"2026-11-20T09:26:13.999999999Z", 999999},
        {"2026-11-20T11:26:13.25+02:00", 250000},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        int64_t out = 7;
        cr_expect(clock_parse(str_of(rows[i].s), &out), "%s", rows[i].s);
        cr_expect(eq(i64, out, t + rows[i].plus), "%s", rows[i].s);
    }
}

Test(clock, leap_years)
{
    static const struct {
        const char *s;
        bool ok;
    } rows[] = {
        {"2024-02-29T00:00:00Z", true},  {"2023-02-29T00:00:00Z", false},
        {"2000-02-29T00:00:00Z", true},  {"1900-02-29T00:00:00Z", false},
        {"2100-02-29T00:00:00Z", false}, {"2400-02-29T00:00:00Z", true},
        {"2024-02-30T00:00:00Z", false}, {"0004-02-29T00:00:00Z", true},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        int64_t out;
        cr_expect(clock_parse(str_of(rows[i].s), &out) == rows[i].ok, "%s",
                  rows[i].s);
    }
}

Test(clock, what_is_not_a_moment)
{
    static const char *const rows[] = {
        "",
        "2026",
        "2026-11-20",
        "2026-11-20T",
        "2026-11-20T09",
        "2026-11-20T09:26",
        "2026-11-20T09:26:1",
        "2026-11-20T09:26:13.",
        "2026-11-20T09:26:13.Z",
        "2026-11-20T09:26:13,5",
        "2026-11-20T09:26:13.1234567890",
        "2026-11-20T09:26:13z",
        "2026-11-20t09:26:13Z",
        "2026-11-20T09:26:13ZZ",
        "2026-11-20T09:26:13 Z",
        "2026-11-20T09:26:13Z ",
        " 2026-11-20T09:26:13Z",
        "2026-11-20  09:26:13",
        "2026-11-20T09:26:13+",
        "2026-11-20T09:26:13+1:00",
        "2026-11-20T09:26:13+01",
        "2026-11-20T09:26:13+0100",
        "2026-11-20T09:26:13+24:00",
        "2026-11-20T09:26:13+01:60",
        "2026-11-20T09:26:13+-1:00",
        "2026-11-20T09:26:13+01:00Z",
        "2026-00-20T09:26:13",
        "2026-13-20T09:26:13",
        "2026-11-00T09:26:13",
        "2026-11-31T09:26:13",
        "2026-04-31T09:26:13",
        "2026-12-32T09:26:13",
        "2026-11-20T24:00:00",
        "2026-11-20T09:60:13",
        "2026-11-20T09:26:60",
        "2026-11-20T-9:26:13",
        "2026-11-20T+9:26:13",
        "2026-11-20T-0:26:13",
        "2026-11-20T09:-0:13",
        "2026--1-20T09:26:13",
        "2026-1-20T09:26:13",
        "-026-11-20T09:26:13",
        "+2026-11-20T09:26:13",
        "12026-11-20T09:26:13",
        "0000-01-01T00:00:00",
        "0001-01-01T00:00:00+00:01",
        "9999-12-31T23:59:59-00:01",
        "2026/11/20T09:26:13",
        "2026-11-20T09-26-13",
        "now",
        "infinity",
        "1795166773",
    };
    for (size_t i = 0; i < countof(rows); i++) {
        int64_t out = 7;
        cr_expect(not(clock_parse(str_of(rows[i]), &out)), "%s", rows[i]);
        cr_expect(eq(i64, out, 7), "%s", rows[i]);
    }
    int64_t out = 7;
    cr_expect(not(clock_parse(STR_NONE, &out)));
    cr_expect(not(clock_parse(STR("2026-11-20T09:26:13\0"), &out)));
}

Test(clock, the_clocks_run)
{
    const int64_t from = clock_mono(), now = clock_now();
    cr_expect(ge(i64, clock_mono(), from));
    /* Between 2024 and 2100, in microseconds. */
    cr_expect(now > INT64_C(1704067200000000));
    cr_expect(now < INT64_C(4102444800000000));
}

Test(clock, spans)
{
    static const struct {
        const char *text;
        int64_t seconds; /* 0: refused */
    } spans[] = {{"1s", 1},      {"90s", 90},   {"10m", 600}, {"24h", 86400},
                 {"1d", 86400},  {"2d", 0},     {"86401s", 0}, {"25h", 0},
                 {"0s", 0},      {"-1m", 0},    {"1", 0},     {"m", 0},
                 {"", 0},        {"1w", 0},     {"1 m", 0},   {"1M", 0},
                 {"1.5h", 0},    {"99999999999999999999d", 0}};
    for (size_t i = 0; i < countof(spans); i++) {
        int64_t got = 0;
        const bool fine = clock_span(str_of(spans[i].text), 86400, &got);
        cr_expect(fine == (spans[i].seconds > 0), "%s", spans[i].text);
        cr_expect(got == spans[i].seconds, "%s", spans[i].text);
    }
}

static int64_t clock_file[2]; /* what the file of the test has */

static void write_clock(int fd, int64_t host)
{
    clock_file[1] = host;
    cr_assert_eq(pwrite(fd, clock_file, sizeof clock_file, 0),
                 (ssize_t)sizeof clock_file);
}

Test(clock, a_jump_holds_all_ends_until_somebody_has_looked)
{
    char path[] = "/tmp/sayso-clock-XXXXXX";
    const int fd = mkstemp(path);
    write_clock(fd, 0);
    cr_assert(clock_shift(path));
    unlink(path);
    cr_assert(clock_watch_make());
    cr_assert(not(clock_watch_held()));
    write_clock(fd, -CLOCK_WATCH_MAX / 2); /* a small step is followed */
    cr_assert(not(clock_watch_held()));
    write_clock(fd, -CLOCK_WATCH_MAX * 5 / 4);
    cr_assert(not(clock_watch_held()));
    write_clock(fd, CLOCK_SECOND * 60);
    cr_assert(clock_watch_held());
    cr_assert(clock_watch_read().jumped);
    cr_assert_gt(clock_watch_read().found, 60 * CLOCK_SECOND);
    write_clock(fd, 0); /* it was seen */
    cr_assert(clock_watch_held());
    clock_watch_seen();
    cr_assert(not(clock_watch_held()));
    cr_assert_eq(clock_watch_read().since, 0);
    close(fd);
}

Test(clock, a_database_that_reads_its_time_between_two_readings_agrees)
{
    const int64_t t = INT64_C(1795511767000000);
    cr_assert(clock_watch_make());
    clock_watch_database(t, t + 30 * CLOCK_SECOND, t + 60 * CLOCK_SECOND);
    cr_assert_eq(clock_watch_read().skew, 0);
    clock_watch_database(t, 0, t); /* no time was read */
    clock_watch_database(t, t - CLOCK_WATCH_MAX, t);
    cr_assert_eq(clock_watch_read().skew, CLOCK_WATCH_MAX);
    cr_assert(not(clock_watch_held()));
    clock_watch_database(t, t + CLOCK_SECOND + CLOCK_WATCH_MAX + 1,
                         t + CLOCK_SECOND);
    cr_assert_eq(clock_watch_read().skew, -CLOCK_WATCH_MAX - 1);
    cr_assert(clock_watch_held());
    cr_assert(not(clock_watch_read().jumped));
}
