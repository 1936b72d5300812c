/* The hosts of a connection string: how they are read, in which order and for
 * how long each is tried. */
#include "suite.h"

#include <string.h>

#include "base/clock.h"
#include "world/pg/pg_hosts.h"

SUITE(pg_hosts);

static bool reads(const char *host, const char *addr, const char *port,
                  const char *attrs, struct pg_hosts *h)
{
    const struct pg_hosts_text text = {.host = str_of(host),
                                       .hostaddr = str_of(addr),
                                       .port = str_of(port),
                                       .attrs = str_of(attrs)};
    return pg_hosts_read(a, &text, h);
}

static bool is(const char *z, const char *wanted)
{
    return wanted ? z && strcmp(z, wanted) == 0 : !z;
}

static bool named(const struct pg_hosts *h, size_t i, const char *host,
                  const char *addr, const char *port)
{
    const struct pg_hosts_name *n = &h->names[i];
    return is(n->host, host) && is(n->hostaddr, addr) && is(n->port, port);
}

Test(pg_hosts, the_lists_are_read_by_the_rules_of_libpq)
{
    struct pg_hosts h;
    cr_assert(reads(NULL, NULL, NULL, NULL, &h));
    cr_expect(h.n == 1 && named(&h, 0, NULL, NULL, NULL), "nothing is said");
    cr_assert(reads("/run/postgresql", NULL, NULL, NULL, &h));
    cr_expect(h.n == 1 && named(&h, 0, "/run/postgresql", NULL, NULL));
    cr_assert(reads("db-a,db-b,", NULL, "5433", NULL, &h));
    cr_expect(h.n == 3 && named(&h, 0, "db-a", NULL, "5433") &&
                  named(&h, 1, "db-b", NULL, "5433") &&
                  named(&h, 2, NULL, NULL, "5433"),
              "one port for all, and the default host");
    cr_assert(reads("a,b", "192.0.2.1,2001:db8::2", ",5433", NULL, &h));
    cr_expect(h.n == 2 && named(&h, 0, "a", "192.0.2.1", NULL) &&
              named(&h, 1, "b", "2001:db8::2", "5433"));
    cr_assert(reads(NULL, "192.0.2.1,192.0.2.2", NULL, NULL, &h));
    cr_expect(h.n == 2 && named(&h, 1, NULL, "192.0.2.2", NULL));
}

Test(pg_hosts, lists_that_do_not_match)
{
    struct pg_hosts h;
    cr_expect(!reads("a,b", "192.0.2.1", NULL, NULL, &h));
    cr_expect(!reads("a,b,c", NULL, "1,2", NULL, &h));
    cr_expect(!reads("a", NULL, "1,2", NULL, &h));
    cr_expect(!reads("1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17", NULL, NULL,
                     NULL, &h), "more than there is room for");
}

Test(pg_hosts, names_are_looked_up_and_nothing_else)
{
    static const char *const not[] = {"/run/postgresql", "@sayso",
                                      "192.0.2.1", "2001:db8::1", NULL};
    const struct pg_hosts_name name = {.host = "db.example.org"};
    const struct pg_hosts_name with = {.host = "db.example.org",
                                       .hostaddr = "192.0.2.1"};
    cr_expect(pg_hosts_looked_up(&name));
    cr_expect(!pg_hosts_looked_up(&with));
    for (size_t i = 0; i < countof(not); i++) {
        const struct pg_hosts_name n = {.host = not[i]};
        cr_expect(!pg_hosts_looked_up(&n), "%zu", i);
    }
}

Test(pg_hosts, which_server_does)
{
    static const struct {
        const char *hosts, *attrs;
        bool writer, reader;
    } cases[] = {
        {"a", NULL, true, true},
        {"a,b", NULL, true, false},
        {"a,b", "any", true, true},
        {"a", "read-write", true, false},
        {"a", "primary", true, false},
        {"a,b", "read-only", false, true},
        {"a,b", "standby", false, true},
        {"a,b", "prefer-standby", true, true},
    };
    for (size_t i = 0; i < countof(cases); i++) {
        struct pg_hosts h;
        cr_assert(reads(cases[i].hosts, NULL, NULL, cases[i].attrs, &h));
        cr_expect(pg_hosts_does(&h, false) == cases[i].writer, "%zu", i);
        cr_expect(pg_hosts_does(&h, true) == cases[i].reader, "%zu", i);
    }
}

/* The order as one letter a place. */
static const char *order(const struct pg_hosts *h)
{
    static char text[PG_HOSTS_MAX + 1];
    for (size_t i = 0; i < h->places_n; i++)
        text[i] = (char)('a' + h->places[i].name);
    text[h->places_n] = '\0';
    return text;
}

Test(pg_hosts, the_good_one_first_and_the_silent_one_last)
{
    struct pg_hosts h;
    cr_assert(reads("a,b,c", NULL, NULL, NULL, &h));
    cr_expect_str_eq(order(&h), "abc");
    pg_hosts_good(&h, 2);
    cr_expect_str_eq(order(&h), "cab");
    pg_hosts_good(&h, 0);
    cr_expect_str_eq(order(&h), "cab");
    /* c is cut off; a and b refuse at once, as standbys do. */
    pg_hosts_none(&h, (bool[PG_HOSTS_MAX]){true});
    cr_expect_str_eq(order(&h), "abc");
    pg_hosts_none(&h, (bool[PG_HOSTS_MAX]){false, false, true});
    cr_expect_str_eq(order(&h), "abc");
    pg_hosts_good(&h, 1);
    cr_expect_str_eq(order(&h), "bac");
}

Test(pg_hosts, each_has_a_slice_and_all_fit_into_the_deadline)
{
    const int64_t s = CLOCK_SECOND, slice = s / 5 * 2;
    struct pg_hosts h;
    cr_assert(reads("a", NULL, NULL, NULL, &h));
    cr_expect_eq(pg_hosts_until(&h, 1, slice, 100, 100 + 2 * s), 100 + 2 * s,
                 "one alone has all of the time");
    cr_assert(reads("a,b", NULL, NULL, NULL, &h));
    cr_expect_eq(pg_hosts_until(&h, 2, slice, 100, 100 + 2 * s), 100 + slice);
    cr_expect_eq(pg_hosts_until(&h, 2, slice, 100, 100 + s / 2),
                 100 + s / 4, "half of what is left");
    cr_expect_eq(pg_hosts_until(&h, 2, slice, 100, 50), 50, "it is over");
    cr_expect_eq(pg_hosts_until(&h, 2, slice, 100, INT64_MAX), 100 + slice,
                 "a command without a deadline walks on too");
    /* A host that is slow gets more, up to four times. */
    for (int i = 0; i < 5; i++)
        pg_hosts_none(&h, (bool[PG_HOSTS_MAX]){true});
    cr_expect_eq(pg_hosts_until(&h, 2, slice, 100, 100 + 9 * s),
                 100 + 4 * slice);
    pg_hosts_good(&h, 0);
    cr_expect_eq(pg_hosts_until(&h, 2, slice, 100, 100 + 9 * s),
                 100 + slice);
    pg_hosts_none(&h, (bool[PG_HOSTS_MAX]){false});
    cr_expect_eq(pg_hosts_until(&h, 2, slice, 100, 100 + 9 * s),
                 100 + slice, "refusals lose no time");
}

Test(pg_hosts, a_name_may_lead_to_several_places_and_to_others_later)
{
    struct pg_hosts h;
    cr_assert(reads("a,/run/postgresql", NULL, NULL, NULL, &h));
    const struct pg_hosts_place now[] = {
        {0, "192.0.2.1"}, {0, "192.0.2.2"}, {1, ""}};
    const struct pg_hosts_place later[] = {
        {0, "192.0.2.3"}, {0, "192.0.2.2"}, {1, ""}};
    pg_hosts_found(&h, now, countof(now));
    cr_assert_eq(h.places_n, 3);
    for (size_t i = 0; i < h.places_n; i++)
        if (strcmp(h.places[i].address, "192.0.2.2") == 0) {
            pg_hosts_good(&h, i);
            break;
        }
    pg_hosts_found(&h, later, countof(later));
    cr_assert_eq(h.places_n, 3);
    cr_expect_str_eq(h.places[0].address, "192.0.2.2", "still the first");
    cr_expect_eq(h.places[1].name, 1);
    cr_expect_str_eq(h.places[2].address, "192.0.2.3", "new: at the end");
}

Test(pg_hosts, this_hosts_own_name_is_found)
{
    struct pg_hosts h;
    cr_assert(reads("localhost", NULL, NULL, NULL, &h));
    pg_hosts_resolve(&h);
    cr_assert(h.places_n >= 1);
    cr_expect(strcmp(h.places[0].address, "127.0.0.1") == 0 ||
              strcmp(h.places[0].address, "::1") == 0);
    cr_assert(reads("no-such-host.invalid,192.0.2.1", NULL, NULL, NULL, &h));
    pg_hosts_resolve(&h);
    cr_expect_eq(h.places_n, 2, "libpq says what is wrong with it");
}
