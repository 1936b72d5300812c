/* Identifiers: those we make, and which ones of others we take. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "base/clock.h"
#include "base/crypt.h"
#include "base/id.h"

#include "suite.h"

SUITE(id);

static int64_t hex(struct str s)
{
    int64_t v = 0;
    for (size_t i = 0; i < s.n; i++)
        v = v * 16 + (s.p[i] <= '9' ? s.p[i] - '0' : s.p[i] - 'a' + 10);
    return v;
}

Test(id, a_new_one_is_version_7_of_now)
{
    for (int i = 0; i < 1000; i++) {
        const int64_t before = clock_now() / 1000;
        const struct str s = id_new(a);
        const int64_t after = clock_now() / 1000;
        cr_assert(id_uuid(s), "%.*s", STR_FMT(s));
        cr_assert(eq(chr, s.p[14], '7'));
        cr_assert(strchr("89ab", s.p[19]) != NULL, "%.*s", STR_FMT(s));
        for (size_t j = 0; j < s.n; j++)
            cr_assert(strchr("0123456789abcdef-", s.p[j]) != NULL);
        const int64_t ms =
            hex(str_sub(s, 0, 8)) << 16 | hex(str_sub(s, 9, 13));
        cr_assert(ms >= before && ms <= after);
    }
}

Test(id, new_ones_differ_in_all_random_digits)
{
    static const size_t random[] = {15, 16, 17, 19, 20, 21, 22, 24, 29, 35};
    const struct str first = id_new(a);
    bool changed[countof(random)] = {false};
    for (int i = 0; i < 200; i++) {
        const struct str s = id_new(a);
        cr_assert(not(str_eq(first, s)));
        for (size_t j = 0; j < countof(random); j++)
            changed[j] = changed[j] || s.p[random[j]] != first.p[random[j]];
    }
    for (size_t j = 0; j < countof(random); j++)
        cr_expect(changed[j], "digit %zu", random[j]);
}

Test(id, uuids)
{
    static const struct {
        const char *s;
        bool ok;
    } rows[] = {
        {"0193a5b0-7c3e-7def-8abc-0123456789ab", true},
        {"00000000-0000-0000-0000-000000000000", true},
        {"FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF", true},
        {"6ba7b810-9dad-11d1-80b4-00C04FD430C8", true},
        {"", false},
        {"0193a5b0-7c3e-7def-8abc-0123456789a", false},
        {"0193a5b0-7c3e-7def-8abc-0123456789abc", false},
        {"0193a5b07c3e-7def-8abc-0123456789abcd", false},
        {"0193a5b07c3e7def8abc0123456789abcdef", false},
        {"0193a5b0-7c3e-7def-8abc-0123456789ag", false},
        {"0193a5b0-7c3e-7def-8abc-0123456789aG", false},
        {"0193a5b0-7c3e-7def-8abc-0123456789a-", false},
        {"0193a5b0_7c3e_7def_8abc_0123456789ab", false},
        {"{193a5b0-7c3e-7def-8abc-0123456789a}", false},
        {"0193a5b0-7c3e-7def-8abc-0123456789a ", false},
        {"0193a5b0-7c3e-7def-8abc-0123456789a@", false},
        {"0193a5b0-7c3e-7def-8abc-0123456789a`", false},
    };
    for (size_t i = 0; i < countof(rows); i++)
        cr_expect(id_uuid(str_of(rows[i].s)) == rows[i].ok, "%s", rows[i].s);
    cr_expect(not(id_uuid(STR_NONE)));
}

Test(id, tokens)
{
    static const struct {
        const char *s;
        bool ok;
    } rows[] = {
        {"a", true},          {"A.b_c~d-9", true},  {"susp_123", true},
        {"...", true},        {".a", true},         {"-", true},
        {"az", true},         {"AZ", true},         {"09", true},
        {".", false},         {"..", false},        {"", false},
        {"a b", false},       {"a/b", false},       {"a%2F", false},
        {"a?b", false},       {"a#b", false},       {"a:b", false},
        {"a@b", false},       {"a[b", false},       {"a`b", false},
        {"a{b", false},       {"a\nb", false},      {"\xC3\xA4", false},
        {"a\\b", false},      {"a\"b", false},      {"a<b", false},
    };
    for (size_t i = 0; i < countof(rows); i++)
        cr_expect(id_token(str_of(rows[i].s)) == rows[i].ok, "%s", rows[i].s);
    cr_expect(not(id_token(STR_NONE)));
    cr_expect(not(id_token(STR("a\0"))));
}

Test(id, the_length_of_tokens)
{
    char long_one[65];
    memset(long_one, 'x', sizeof(long_one));
    cr_expect(id_token((struct str){long_one, 64}));
    cr_expect(not(id_token((struct str){long_one, 65})));
}

Test(id, spelled_otherwise)
{
    static const char lower[] = "0193a5b0-7c3e-7def-8abc-0123456789ab";
    const struct str found =
        id_respelled(a, STR("0193A5B0-7c3e-7DEF-8abc-0123456789AB"));
    cr_expect(str_is(found, lower));
    cr_expect(id_respelled(a, STR(lower)).p == NULL);
    cr_expect(id_respelled(a, STR("SUSP-1")).p == NULL);
    cr_expect(id_respelled(a, STR_NONE).p == NULL);
}
