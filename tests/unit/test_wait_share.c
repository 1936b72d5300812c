/* Shares of callers: of one key, of all keys, and the rest for people. */
#include "suite.h"

#include <criterion/new/assert.h>
#include <stdio.h>

#include "process/wait/wait_share.h"

static struct wait_shares *all;

static void setup(void)
{
    const struct wait_share_limits limits = {.each = {3, 2, 1},
                                             .keys = {5, 4, 4}};
    all = wait_share_make(a, &limits);
}

SUITE_WITH(wait_share, setup());

static struct wait_share *take(const char *id, bool person)
{
    return wait_share_take(all, str_of(id), person, WAIT_SHARE_STREAM);
}

Test(wait_share, one_key_has_a_ceiling_for_each_sort)
{
    struct wait_share *s = take("a", false);
    cr_assert(s != NULL);
    cr_assert(take("a", false) == s && take("a", false) == s);
    cr_assert(take("a", false) == NULL, "the fourth");
    cr_assert(wait_share_take(all, STR("a"), false, WAIT_SHARE_HELD) == s,
              "another sort");
    wait_share_give(all, s, WAIT_SHARE_STREAM);
    cr_assert(take("a", false) == s, "one was given back");
}

Test(wait_share, all_keys_leave_something_to_people)
{
    for (int i = 0; i < 3; i++)
        cr_assert(take("a", false) != NULL);
    for (int i = 0; i < 2; i++)
        cr_assert(take("b", false) != NULL);
    cr_assert(take("c", false) == NULL, "all keys have five");
    for (int i = 0; i < 3; i++)
        cr_assert(take("a", true) != NULL, "a session of the same spelling");
    cr_assert(take("a", true) == NULL, "it has its own ceiling");
    cr_assert(take("d", true) != NULL);
}

Test(wait_share, what_holds_nothing_is_forgotten)
{
    for (int i = 0; i < 3 * WAIT_SHARES_MAX; i++) {
        char id[16];
        const int n = snprintf(id, sizeof id, "p%d", i);
        struct wait_share *s = wait_share_take(
            all, (struct str){id, (size_t)n}, true, WAIT_SHARE_HELD);
        cr_assert(s && s->held[WAIT_SHARE_HELD] == 1, "%d", i);
        wait_share_give(all, s, WAIT_SHARE_HELD);
    }
}

Test(wait_share, the_table_has_an_end)
{
    struct wait_share *one = NULL;
    for (int i = 0; i < WAIT_SHARES_MAX; i++) {
        char id[16];
        const int n = snprintf(id, sizeof id, "p%d", i);
        one = wait_share_take(all, (struct str){id, (size_t)n}, true,
                              WAIT_SHARE_HELD);
        cr_assert(one != NULL);
    }
    cr_assert(take("new", true) == NULL);
    wait_share_give(all, one, WAIT_SHARE_HELD);
    cr_assert(take("new", true) != NULL);
}

Test(wait_share, an_id_that_is_none)
{
    char id[WAIT_SHARE_ID_MAX + 2];
    memset(id, 'x', sizeof id);
    cr_assert(wait_share_take(all, (struct str){id, sizeof id - 1}, true,
                              WAIT_SHARE_HELD) == NULL);
    cr_assert(wait_share_take(all, (struct str){id, sizeof id - 2}, true,
                              WAIT_SHARE_HELD) != NULL);
    cr_assert(take("", true) == NULL);
}
