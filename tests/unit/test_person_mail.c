/* Mail to a person: the times of the day, and how many at once. */
#include "base/clock.h"
#include "domain/sending/person_mail.h"

#include "suite.h"

#define MINUTE (60 * CLOCK_SECOND)
#define DAY (PERSON_MAIL_DAY * MINUTE)
#define TODAY (20000 * DAY)

SUITE(person_mail);

static int64_t at(int64_t hours, int64_t minutes)
{
    return TODAY + (hours * 60 + minutes) * MINUTE;
}

Test(person_mail, quiet_hours)
{
    static const struct {
        int64_t from, until, hours, minutes;
        int64_t end; /* minutes from the beginning of today; 0: not quiet */
    } rows[] = {
        {0, 0, 12, 0, 0},
        {600, 600, 10, 0, 0},
        {540, 1020, 8, 59, 0},
        {540, 1020, 9, 0, 1020},
        {540, 1020, 16, 59, 1020},
        {540, 1020, 17, 0, 0},
        {1140, 450, 18, 59, 0},
        {1140, 450, 19, 0, PERSON_MAIL_DAY + 450},
        {1140, 450, 23, 59, PERSON_MAIL_DAY + 450},
        {1140, 450, 0, 0, 450},
        {1140, 450, 7, 29, 450},
        {1140, 450, 7, 30, 0},
        {0, 480, 0, 0, 480},
        {1200, 0, 23, 0, PERSON_MAIL_DAY},
        {1200, 0, 0, 0, 0},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        const struct person_mail m = {.quiet_from = rows[i].from,
                                      .quiet_until = rows[i].until};
        const int64_t end =
            person_mail_quiet(&m, at(rows[i].hours, rows[i].minutes));
        cr_expect_eq(end, rows[i].end ? TODAY + rows[i].end * MINUTE : 0,
                     "%zu", i);
    }
}

Test(person_mail, the_next_daily_digest)
{
    const struct person_mail m = {.daily_at = 510};
    cr_expect_eq(person_mail_daily(&m, at(8, 29)), at(8, 30));
    cr_expect_eq(person_mail_daily(&m, at(8, 30)), at(8, 30) + DAY);
    cr_expect_eq(person_mail_daily(&m, at(23, 0)), at(8, 30) + DAY);
}

Test(person_mail, some_in_an_hour)
{
    struct person_mail m = {.in_hour = 0};
    for (int i = 0; i < PERSON_MAIL_HOUR_MAX; i++)
        cr_expect(person_mail_room(&m, TODAY + i));
    cr_expect(!person_mail_room(&m, TODAY + 59 * MINUTE));
    cr_expect(person_mail_room(&m, TODAY + 60 * MINUTE));
    m.in_hour = PERSON_MAIL_HOUR_MAX;
    cr_expect(person_mail_room(&m, TODAY), "the clock was set back");
}

Test(person_mail, unrated_counts_as_medium)
{
    struct person_mail m = {.least = SEVERITY_MEDIUM};
    cr_expect(person_mail_wants(&m, SEVERITY_UNSAID));
    cr_expect(!person_mail_wants(&m, SEVERITY_LOW));
    m.least = SEVERITY_HIGH;
    cr_expect(!person_mail_wants(&m, SEVERITY_UNSAID));
    cr_expect(person_mail_wants(&m, SEVERITY_CRITICAL));
}

Test(person_mail, typed_times)
{
    static const struct {
        const char *typed;
        int64_t minutes; /* -1: none */
    } rows[] = {{"00:00", 0},     {"23:59", 1439}, {" 8:05 ", 485},
                {"24:00", -1},    {"12:60", -1},   {"8", -1},
                {"8:5", -1},      {":30", -1},     {"", -1},
                {"08:30:00", -1}, {"-1:00", -1},   {"123:00", -1},
                {"8.30", -1},     {"ab:cd", -1}};
    for (size_t i = 0; i < countof(rows); i++) {
        int64_t minutes = -1;
        cr_expect_eq(person_mail_minutes(str_of(rows[i].typed), &minutes),
                     rows[i].minutes >= 0, "%s", rows[i].typed);
        if (rows[i].minutes >= 0)
            cr_expect_eq(minutes, rows[i].minutes);
    }
    cr_expect(str_is(person_mail_clock(a, 485), "08:05"));
    cr_expect(str_is(person_mail_clock(a, 1439), "23:59"));
}
