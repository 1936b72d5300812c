/* Moments in the zones of readers: daylight saving, halves of hours, zones
 * without letters, and names that are no zone. */
#include <criterion/criterion.h>

#include "base/clock.h"
#include "world/template/zone.h"

static void expect(const char *name, const char *utc, const char *text,
                   const char *word)
{
    struct zone_time there;
    int64_t t = 0;
    cr_assert(clock_parse(str_of(utc), &t), "%s", utc);
    zone_at(str_of(name), t, &there);
    cr_expect_str_eq(there.text, text, "%s %s", name ? name : "none", utc);
    cr_expect_str_eq(there.word, word, "%s %s", name ? name : "none", utc);
}

Test(zone, the_day_and_the_hour_there)
{
    expect("Europe/Berlin", "2026-11-20T03:12:04Z", "2026-11-20T04:12:04",
           "CET");
    expect("Asia/Kolkata", "2026-11-20T20:00:00Z", "2026-11-21T01:30:00",
           "IST");
    expect("America/New_York", "2026-01-01T03:00:00Z", "2025-12-31T22:00:00",
           "EST");
    expect("Asia/Dubai", "2026-06-01T00:00:00Z", "2026-06-01T04:00:00",
           "+04");
    expect("Etc/GMT+5", "2026-06-01T04:59:59Z", "2026-05-31T23:59:59", "-05");
}

/* The hour that is not there, and the one that is there twice. */
Test(zone, daylight_saving)
{
    expect("Europe/Berlin", "2026-03-29T00:59:59Z", "2026-03-29T01:59:59",
           "CET");
    expect("Europe/Berlin", "2026-03-29T01:00:00Z", "2026-03-29T03:00:00",
           "CEST");
    expect("Europe/Berlin", "2026-10-25T00:30:00Z", "2026-10-25T02:30:00",
           "CEST");
    expect("Europe/Berlin", "2026-10-25T01:30:00Z", "2026-10-25T02:30:00",
           "CET");
    expect("America/New_York", "2026-07-01T12:00:00Z", "2026-07-01T08:00:00",
           "EDT");
    expect("Australia/Sydney", "2026-01-01T00:00:00Z", "2026-01-01T11:00:00",
           "AEDT");
}

static void begins(const char *name, const char *day, const char *utc)
{
    int64_t t = 0, want = 0;
    cr_assert(clock_parse(str_of(day), &t), "%s", day);
    cr_assert(clock_parse(str_of(utc), &want), "%s", utc);
    cr_expect_eq(zone_day(str_of(name), t), want, "%s %s", name, day);
}

/* Also where there is no midnight, and where there was no such day. */
Test(zone, a_day_begins)
{
    begins("UTC", "2026-11-20T00:00:00Z", "2026-11-20T00:00:00Z");
    begins("No/Where", "2026-11-20T00:00:00Z", "2026-11-20T00:00:00Z");
    begins("Europe/Berlin", "2026-11-20T00:00:00Z", "2026-11-19T23:00:00Z");
    begins("Asia/Kolkata", "2026-11-20T00:00:00Z", "2026-11-19T18:30:00Z");
    begins("America/New_York", "2026-11-20T00:00:00Z", "2026-11-20T05:00:00Z");
    begins("Pacific/Kiritimati", "2026-11-20T00:00:00Z",
           "2026-11-19T10:00:00Z");
    begins("Etc/GMT+12", "2026-11-20T00:00:00Z", "2026-11-20T12:00:00Z");
    begins("Europe/Berlin", "2026-03-29T00:00:00Z", "2026-03-28T23:00:00Z");
    begins("Europe/Berlin", "2026-03-30T00:00:00Z", "2026-03-29T22:00:00Z");
    begins("America/Sao_Paulo", "2018-11-04T00:00:00Z", "2018-11-04T03:00:00Z");
    begins("America/Havana", "2025-11-02T00:00:00Z", "2025-11-02T04:00:00Z");
    begins("Pacific/Apia", "2011-12-30T00:00:00Z", "2011-12-30T10:00:00Z");
    begins("Pacific/Apia", "2011-12-31T00:00:00Z", "2011-12-30T10:00:00Z");
}

static void means(const char *name, const char *shown, const char *utc)
{
    int64_t t = 0, want = 0;
    cr_assert(clock_parse(str_of(shown), &t), "%s", shown);
    cr_assert(clock_parse(str_of(utc), &want), "%s", utc);
    cr_expect_eq(zone_moment(str_of(name), t), want, "%s %s", name, shown);
}

/* Also what clocks show twice, and what they never show. */
Test(zone, a_clock_means_a_moment)
{
    means("UTC", "2026-11-20T09:30:00Z", "2026-11-20T09:30:00Z");
    means("", "2026-11-20T09:30:00Z", "2026-11-20T09:30:00Z");
    means("Asia/Kolkata", "2026-11-20T09:30:00Z", "2026-11-20T04:00:00Z");
    means("Asia/Kolkata", "1969-12-31T09:30:00Z", "1969-12-31T04:00:00Z");
    means("Europe/Berlin", "2026-07-01T00:15:00Z", "2026-06-30T22:15:00Z");
    means("Europe/Berlin", "2026-10-25T02:30:00Z", "2026-10-25T00:30:00Z");
    means("Europe/Berlin", "2026-10-25T03:00:00Z", "2026-10-25T02:00:00Z");
    means("Europe/Berlin", "2026-10-26T02:30:00Z", "2026-10-26T01:30:00Z");
    means("Europe/Berlin", "2026-03-29T01:59:00Z", "2026-03-29T00:59:00Z");
    means("Europe/Berlin", "2026-03-29T02:30:00Z", "2026-03-29T01:30:00Z");
    means("Europe/Berlin", "2026-03-29T03:00:00Z", "2026-03-29T01:00:00Z");
    means("Australia/Lord_Howe", "2026-04-05T01:45:00Z",
          "2026-04-04T14:45:00Z");
    means("Pacific/Apia", "2011-12-31T00:30:00Z", "2011-12-30T10:30:00Z");
    means("Pacific/Apia", "2011-12-29T23:30:00Z", "2011-12-30T09:30:00Z");
}

/* One reader's zone never stays for the next. */
Test(zone, one_after_the_other)
{
    for (size_t i = 0; i < 3; i++) {
        expect("Europe/Berlin", "2026-11-20T03:12:04Z",
               "2026-11-20T04:12:04", "CET");
        expect(NULL, "2026-11-20T03:12:04Z", "2026-11-20T03:12:04", "UTC");
        expect("No/Where", "2026-11-20T03:12:04Z", "2026-11-20T03:12:04",
               "UTC");
        expect("Asia/Tokyo", "2026-11-20T03:12:04Z", "2026-11-20T12:12:04",
               "JST");
    }
}

Test(zone, before_the_epoch_and_parts_of_seconds)
{
    expect("Europe/Berlin", "1969-12-31T23:30:00.250000Z",
           "1970-01-01T00:30:00", "CET");
    expect("Europe/London", "1969-12-31T23:59:59.900000Z",
           "1970-01-01T00:59:59", "BST");
    expect("", "2026-11-20T03:12:04.999999Z", "2026-11-20T03:12:04", "UTC");
}

Test(zone, names)
{
    static const char *const known[] = {"Europe/Berlin", "UTC", "Etc/UTC",
                                        "America/Argentina/Ushuaia",
                                        "Etc/GMT-14", "EST5EDT"};
    static const char *const unknown[] = {
        "", "Europe", "Europe/", "Europe/Nowhere", "europe/berlin",
        "../zoneinfo/UTC", "/usr/share/zoneinfo/UTC", "Europe/../UTC",
        "tzdata.zi", "leapseconds", "right/UTC", "posix/UTC", ":UTC",
        "UTC+3", "CET-1CEST", "Europe/Berlin ", "Europe\n/Berlin",
        "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"};
    for (size_t i = 0; i < countof(known); i++)
        cr_expect(zone_known(str_of(known[i])), "%s", known[i]);
    for (size_t i = 0; i < countof(unknown); i++)
        cr_expect(!zone_known(str_of(unknown[i])), "%s", unknown[i]);
    cr_expect(!zone_known((struct str){"Europe/Berlin\0x", 15}));
    cr_expect(!zone_known(STR_NONE));
}
