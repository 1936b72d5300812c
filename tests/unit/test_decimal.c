/* Decimal texts: which are some, their order, their sums. */
#include "domain/decimal.h"
#include "suite.h"

SUITE(decimal);

static struct decimal of(const char *text)
{
    struct decimal d = {-1, -1};
    cr_assert(decimal_read(str_of(text), &d), "%s", text);
    return d;
}

Test(decimal, one_to_fifteen_digits_and_up_to_six_behind_a_point)
{
    static const char *const good[] = {
        "0",  "00",  "7",  "50.00",  "0.000001",  "007.5",
        "999999999999999", "999999999999999.999999"};
    static const char *const bad[] = {
        "",     ".",     "5.",     ".5",    "-1",      "+1",      "5e1",
        "5E1",  " 5",    "5 ",     "5,0",   "1.2.3",   "0x10",    "50.0000001",
        "1000000000000000", "1000000000000000.5", "5.0000000", "inf", "nan",
        "\xD9\xA5", "5\n"};
    struct decimal d;
    for (size_t i = 0; i < countof(good); i++)
        cr_assert(decimal_read(str_of(good[i]), &d), "%s", good[i]);
    for (size_t i = 0; i < countof(bad); i++)
        cr_assert(!decimal_read(str_of(bad[i]), &d), "%s", bad[i]);
    cr_assert(!decimal_read(STR_NONE, &d));
}

Test(decimal, they_are_compared_by_value_to_the_last_digit)
{
    static const struct {
        const char *a, *b;
        int sign;
    } rows[] = {
        {"50", "50.00", 0},
        {"050", "50", 0},
        {"50.000001", "50.00", 1},
        {"49.999999", "50", -1},
        {"9.5", "10", -1},
        {"0.1", "0.10", 0},
        {"0.09", "0.1", -1},
        /* Equal as doubles. */
        {"999999999999999.999999", "999999999999999.999998", 1},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        const int sign = decimal_compare(of(rows[i].a), of(rows[i].b));
        cr_assert_eq((sign > 0) - (sign < 0), rows[i].sign, "%s %s",
                     rows[i].a, rows[i].b);
        cr_assert_eq(decimal_compare(of(rows[i].b), of(rows[i].a)),
                     -rows[i].sign, "%s %s", rows[i].b, rows[i].a);
    }
}

Test(decimal, sums_are_exact_and_end_at_fifteen_digits)
{
    static const struct {
        const char *a, *b, *sum;
    } rows[] = {
        {"0.1", "0.2", "0.3"},
        {"60", "60.00", "120"},
        {"0.999999", "0.000001", "1"},
        {"49.90", "0.05", "49.95"},
        {"999999999999998", "1.5", "999999999999999.5"},
    };
    struct decimal sum;
    for (size_t i = 0; i < countof(rows); i++) {
        cr_assert(decimal_add(of(rows[i].a), of(rows[i].b), &sum));
        cr_assert(str_is(decimal_text(a, sum), rows[i].sum), "%s: %.*s",
                  rows[i].sum, STR_FMT(decimal_text(a, sum)));
    }
    cr_assert(!decimal_add(of("999999999999999"), of("1"), &sum));
    cr_assert(!decimal_add(of("999999999999999.5"), of("0.5"), &sum));
}

Test(decimal, nothing_is_zero_in_every_spelling)
{
    cr_assert(decimal_zero(of("0")));
    cr_assert(decimal_zero(of("000.000000")));
    cr_assert(!decimal_zero(of("0.000001")));
    cr_assert(str_is(decimal_text(a, of("000.10")), "0.1"));
    cr_assert(str_is(decimal_text(a, of("0")), "0"));
}
