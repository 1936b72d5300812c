/* The readers of a page: for a while, and of that page alone. */
#include <stdio.h>

#include "base/shared/presence.h"

#include "suite.h"

#define NOW (INT64_C(1000) * CLOCK_SECOND)
#define INES STR("0193a5b2-7c00-7000-8000-00000000000a")
#define DEV STR("f193a5b2-7c00-7000-8000-f0000000000b")

SUITE(presence);

static size_t others(struct presence *p, const char *page, struct str me,
                     int64_t now, struct presence_reader *out)
{
    return presence_others(a, p, str_of(page), me, now, out);
}

Test(presence, others_for_a_while)
{
    struct presence *p = presence_make();
    struct presence_reader out[PRESENCE_MAX];
    presence_see(p, STR("s-1"), INES, NOW);
    cr_assert_eq(others(p, "s-1", INES, NOW, out), 0);
    cr_assert_eq(others(p, "s-2", DEV, NOW, out), 0);
    cr_assert_eq(others(p, "s-1", DEV, NOW, out), 1);
    cr_expect(str_eq(out[0].person, INES));
    cr_expect_eq(out[0].since, NOW);
    presence_see(p, STR("s-1"), INES, NOW + PRESENCE_LIFE);
    cr_assert_eq(others(p, "s-1", DEV, NOW + 2 * PRESENCE_LIFE, out), 1);
    cr_expect_eq(out[0].since, NOW, "without a break");
    cr_assert_eq(others(p, "s-1", DEV, NOW + 2 * PRESENCE_LIFE + 1, out), 0);
    presence_see(p, STR("s-1"), INES, NOW + 9 * PRESENCE_LIFE);
    cr_assert_eq(others(p, "s-1", DEV, NOW + 9 * PRESENCE_LIFE, out), 1);
    cr_expect_eq(out[0].since, NOW + 9 * PRESENCE_LIFE);
}

Test(presence, what_is_no_person)
{
    static const char *const ids[] = {"", "x",
                                      "0193a5b2-7c00-7000-8000-00000000000",
                                      "0193a5b2-7c00-7000-8000-00000000000ab",
                                      "0193a5b2-7c00-7000-8000-00000000000G"};
    struct presence *p = presence_make();
    struct presence_reader out[PRESENCE_MAX];
    for (size_t i = 0; i < countof(ids); i++)
        presence_see(p, STR("s-1"), str_of(ids[i]), NOW);
    cr_assert_eq(others(p, "s-1", DEV, NOW, out), 0);
}

/* The longest unseen ones give way. */
Test(presence, too_many)
{
    struct presence *p = presence_make();
    struct presence_reader out[PRESENCE_MAX];
    char id[40];
    for (int i = 0; i < 3 * PRESENCE_MAX; i++) {
        snprintf(id, sizeof id, "0193a5b2-7c00-7000-8000-%012d", i);
        presence_see(p, STR("s-1"), str_of(id), NOW + i);
    }
    cr_assert_eq(others(p, "s-1", INES, NOW + 100, out), PRESENCE_MAX);
    for (int i = 0; i < PRESENCE_MAX; i++)
        cr_expect(out[i].since >= NOW + 2 * PRESENCE_MAX);
}
