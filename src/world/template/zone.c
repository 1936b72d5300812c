/* Moments in the time zone of a reader, by the C library and the machine's
 * table of zones, which has daylight saving and every change so far.
 *
 * The library has one zone for the whole process. It is set when another one is
 * asked for, and nothing else of the program reads it. */
#include "world/template/zone.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

#define PLACE "/usr/share/zoneinfo/"
#define MAGIC "TZif"
#define DAY (INT64_C(86400) * CLOCK_SECOND)
#define DATE_TEXT (sizeof "2026-11-20" - 1)

/* The zone that is set in the library; "" before the first. */
static char current[ZONE_NAME_MAX + 1];

bool zone_known(struct str name)
{
    char path[sizeof PLACE + ZONE_NAME_MAX], head[sizeof MAGIC - 1];
    /* Only letters, digits and the separators of names, so that a name cannot
     * leave the directory. */
    if (name.n == 0 || name.n > ZONE_NAME_MAX || name.p[0] == '/')
        return false;
    for (size_t i = 0; i < name.n; i++) {
        const char c = name.p[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
              (c >= '0' && c <= '9') || c == '_' || c == '+' || c == '-' ||
              c == '/'))
            return false;
    }
    /* The same zones again, one of them with leap seconds. */
    if (str_starts(name, STR("right/")) || str_starts(name, STR("posix/")))
        return false;
    snprintf(path, sizeof path, PLACE "%.*s", STR_FMT(name));
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return false;
    const ssize_t n = read(fd, head, sizeof head);
    close(fd);
    return n == (ssize_t)sizeof head && memcmp(head, MAGIC, sizeof head) == 0;
}

static bool zone_set(struct str name)
{
    if (name.n > 0 && str_is(name, current))
        return true;
    if (!zone_known(name) || !str_copy(current, sizeof current, name))
        return false;
    if (setenv("TZ", current, 1) != 0) {
        current[0] = '\0';
        return false;
    }
    tzset();
    return true;
}

static void zone_utc(int64_t t, struct zone_time *out)
{
    char text[CLOCK_TEXT];
    clock_write(text, t);
    memcpy(out->text, text, ZONE_TEXT - 1);
    out->text[ZONE_TEXT - 1] = '\0';
    memcpy(out->word, "UTC", sizeof "UTC");
}

void zone_at(struct str name, int64_t t, struct zone_time *out)
{
    const time_t seconds =
        (time_t)(t / CLOCK_SECOND - (t % CLOCK_SECOND < 0 ? 1 : 0));
    struct tm tm;
    if (!zone_set(name) || !localtime_r(&seconds, &tm) ||
        strftime(out->text, sizeof out->text, "%Y-%m-%dT%H:%M:%S", &tm) !=
            ZONE_TEXT - 1 ||
        strftime(out->word, sizeof out->word, "%Z", &tm) == 0)
        zone_utc(t, out);
}

/* The first moment of a date is found by bisection, because dates in a zone
 * never go back and no zone is a whole day away from UTC. mktime would have to
 * guess at midnights that do not exist. */
int64_t zone_day(struct str name, int64_t day)
{
    struct zone_time wanted, there;
    int64_t before = day - DAY, at = day + DAY;
    zone_utc(day, &wanted);
    while (at - before > CLOCK_SECOND) {
        const int64_t half = (at - before) / CLOCK_SECOND / 2 * CLOCK_SECOND;
        zone_at(name, before + half, &there);
        if (memcmp(there.text, wanted.text, DATE_TEXT) < 0)
            before += half;
        else
            at = before + half;
    }
    return at;
}

static int64_t zone_offset(struct str name, int64_t t)
{
    struct zone_time there;
    int64_t shown = t;
    char text[ZONE_TEXT + 1];
    zone_at(name, t, &there);
    snprintf(text, sizeof text, "%sZ", there.text);
    (void)clock_parse(str_of(text), &shown);
    return shown - t / CLOCK_SECOND * CLOCK_SECOND;
}

/* By the offset of the day before, and where that is no longer so, by that of
 * the day after: a zone does not change twice within two days. */
int64_t zone_moment(struct str name, int64_t shown)
{
    const int64_t before = shown - zone_offset(name, shown - DAY);
    const int64_t after = shown - zone_offset(name, shown + DAY);
    return before + zone_offset(name, before) != shown &&
                   after + zone_offset(name, after) == shown
               ? after
               : before;
}
