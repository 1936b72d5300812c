/* Rules of retention. */
#include "domain/retention/retention.h"
#include "suite.h"

SUITE(retention);

Test(retention, a_rule_has_a_name_and_days)
{
    static const struct {
        const char *name, *kind, *outcome, *at;
        int64_t days;
    } rows[] = {
        {"approvals-1y", "approval", "vetoed", NULL, 365},
        {"a", NULL, NULL, NULL, 7},
        {"0.a_b", "none", "expired", NULL, 36500},
        {"", NULL, NULL, "name", 7},
        {"-a", NULL, NULL, "name", 7},
        {"A", NULL, NULL, "name", 7},
        {"a b", NULL, NULL, "name", 7},
        {"person", NULL, NULL, "name", 7},
        {"a", NULL, NULL, "days", 6},
        {"a", NULL, NULL, "days", 36501},
        {"a", "nothing", NULL, "kind", 7},
        {"a", NULL, "nothing", "outcome", 7},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        const struct retention r = {.name = str_of(rows[i].name),
                                    .kind = str_of(rows[i].kind),
                                    .outcome = str_of(rows[i].outcome),
                                    .days = rows[i].days};
        const struct err *e = retention_check(a, &r);
        cr_assert_eq(e == NULL, rows[i].at == NULL, "%zu", i);
        cr_assert(!e || str_is(e->at, rows[i].at), "%zu", i);
    }
}

Test(retention, its_words)
{
    const struct retention all = {.days = 7};
    const struct retention one = {.kind = STR("approval"),
                                  .outcome = STR("vetoed")};
    const struct retention plain = {.kind = STR("none")};
    cr_assert(str_is(retention_text(a, &all), "All requests, any outcome"));
    cr_assert(str_is(retention_text(a, &one), "Approval, Rejected"));
    cr_assert(str_is(retention_text(a, &plain), "Question, any outcome"));
}
