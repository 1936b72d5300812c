/* The caller of a request, and the rights of a role. */
#include "base/buf.h"
#include "domain/intent/principal.h"

#include "suite.h"

SUITE(principal);

static const struct {
    const char *word;
    enum role role;
    bool decides;
} roles[] = {
    {"agent", ROLE_AGENT, false},     {"operator", ROLE_OPERATOR, true},
    {"admin", ROLE_ADMIN, true},      {"auditor", ROLE_AUDITOR, false},
    {"clock", ROLE_CLOCK, false},
};

Test(principal, every_role_has_its_word)
{
    for (size_t i = 0; i < countof(roles); i++) {
        cr_assert_eq(role_of(str_of(roles[i].word)), roles[i].role);
        cr_assert_str_eq(role_word(roles[i].role), roles[i].word);
    }
}

Test(principal, other_words_are_no_role)
{
    static const char *const words[] = {"",       "Agent", "agents", "agen",
                                        "nobody", "root",  " admin", "*"};
    for (size_t i = 0; i < countof(words); i++)
        cr_assert_eq(role_of(str_of(words[i])), ROLE_NONE, "%s",
                     words[i]);
    cr_assert_eq(role_of(STR_NONE), ROLE_NONE);
}

Test(principal, what_is_no_role_has_no_word)
{
    static const int none[] = {ROLE_NONE, ROLE_AGENT | ROLE_ADMIN, 128, -1};
    for (size_t i = 0; i < countof(none); i++)
        cr_assert_str_eq(role_word((enum role)none[i]), "nobody");
}

Test(principal, roles_are_single_bits)
{
    int seen = 0;
    for (size_t i = 0; i < countof(roles); i++) {
        const int bit = (int)roles[i].role;
        cr_assert(bit != 0 && (bit & (bit - 1)) == 0 && (seen & bit) == 0);
        seen |= bit;
    }
}

Test(principal, only_operators_and_admins_decide)
{
    for (size_t i = 0; i < countof(roles); i++) {
        const struct principal p = {.role = roles[i].role, .person = true};
        const struct principal key = {.role = roles[i].role};
        cr_assert_eq(principal_decides(&p), roles[i].decides, "%s",
                     roles[i].word);
        cr_assert_eq(principal_decides(&key), roles[i].decides);
    }
    cr_assert(!principal_decides(&(struct principal){.role = ROLE_NONE}));
    cr_assert(!principal_decides(
        &(struct principal){.role = ROLE_AGENT | ROLE_OPERATOR}));
}

Test(principal, an_agent_acts_by_its_name_and_others_by_theirs)
{
    for (size_t i = 0; i < countof(roles); i++) {
        const struct principal p = {.role = roles[i].role,
                                    .name = STR("label"),
                                    .agent = STR("refund-bot")};
        const char *wanted =
            roles[i].role == ROLE_AGENT ? "refund-bot" : "label";
        cr_assert(str_is(principal_actor(&p), wanted), "%s", roles[i].word);
    }
}

Test(principal, names_that_an_agent_may_have)
{
    static const char *const names[] = {
        "a", "refund-bot", "org.team:bot@v2", "**", "*a", "clock2", "Sayso",
        "\xC3\xA9t\xC3\xA9", "\xE4\xBB\xA3\xE7\x90\x86", "\xF0\x9F\xA4\x96",
        "!", "~", "\xC2\xA1"};
    for (size_t i = 0; i < countof(names); i++)
        cr_assert(principal_agent_name(str_of(names[i])), "%s", names[i]);
}

Test(principal, names_that_an_agent_may_not_have)
{
    static const char *const names[] = {
        "",
        "*",
        "clock",
        "sayso",
        " a",
        "a ",
        "two words",
        "/",
        "org/bot",
        "a\tb",
        "a\nb",
        "a\rb",
        "\x01",
        "a\x1F",
        "a\x7F",             /* DEL */
        "a\xC2\x80",         /* the first C1 control */
        "a\xC2\x85z",        /* next line */
        "a\xC2\x9F",         /* the last C1 control */
        "a\xC2\xA0z",        /* no-break space */
        "a\xFF",             /* no UTF-8 */
        "\xC3",              /* cut off */
        "\xED\xA0\x80",      /* a surrogate */
        "ada\xE2\x80\x8B",   /* U+200B, zero width space */
        "\xE2\x80\x8E" "ada", /* U+200E, left-to-right mark */
        "a\xE2\x80\xAEz",    /* U+202E, right-to-left override */
        "a\xE2\x81\xA6z",    /* U+2066, an isolate */
        "a\xC2\xADz",        /* soft hyphen */
        "\xEF\xBB\xBF" "a",  /* byte order mark */
    };
    for (size_t i = 0; i < countof(names); i++)
        cr_assert(!principal_agent_name(str_of(names[i])), "case %zu: %s", i,
                  names[i]);
    cr_assert(!principal_agent_name(STR_NONE));
    cr_assert(!principal_agent_name(STR("a\0b")));
}

Test(principal, names_that_a_new_agent_may_not_have)
{
    static const char *const old[] = {
        "mara\xEF\xBC\xA0" "example.org", /* a full-width @ */
        "Sayso", "SAYSO", "Clock", "\xEF\xBC\xB3" "ayso", "s\xD0\xB0yso",
        "cl\xD0\xBE" "ck", "mara@example.org",
        "\xEF\xBC\xA1" "da",       /* full width */
        "Zoe\xCC\x88",             /* decomposed */
        "a\xE2\x80\x91z",         /* U+2011, a hyphen of another look */
        "a\xEF\xBF\xBCz",         /* U+FFFC, an object */
        "a\xEF\xBF\xBFz",         /* U+FFFF, no character */
        "a\xEE\x80\x80z",         /* private */
        "a\xCD\xB8z",             /* U+0378, not assigned */
        "q\u0301\u0301\u0301\u0301\u0301", /* too many marks */
        "\u0301q",               /* one without a letter */
    };
    static const char *const hidden[] = {
        "a\xCD\x8Fz", "a\xE1\x85\x9Fz", "a\xE1\x9E\xB4z", "a\xE1\xA0\x8Bz",
        "a\xE2\xA0\x80z", "a\xE3\x85\xA4z", "a\xEF\xB8\x80z",
        "a\xEF\xBE\xA0z", "a\xEF\xBF\xB9z", "a\xF3\xA0\x81\x81z"};
    static const char *const fine[] = {
        "refunds-agent", "Zo\xC3\xAB", "\xD0\x90\xD0\xB3\xD0\xB5\xD0\xBD\xD1\x82",
        "\xE6\x97\xA5\xE6\x9C\xAC", "sayso-bot", "clocks", "a_b.c:d",
        "\xF0\x9F\xA4\x96"};
    for (size_t i = 0; i < countof(old); i++)
        cr_assert_not(principal_agent_name_new(str_of(old[i])), "%s", old[i]);
    for (size_t i = 0; i < countof(hidden); i++)
        cr_assert_not(principal_agent_name(str_of(hidden[i])), "%zu", i);
    for (size_t i = 0; i < countof(fine); i++)
        cr_assert(principal_agent_name_new(str_of(fine[i])), "%s", fine[i]);
}

Test(principal, white_space_of_other_scripts_is_white_space)
{
    static const char *const names[] = {
        "a\xE1\x9A\x80z",    /* U+1680, ogham space */
        "a\xE2\x80\x83z",    /* U+2003, em space */
        "a\xE2\x80\xA8z",    /* U+2028, line separator */
        "a\xE2\x80\xA9z",    /* U+2029, paragraph separator */
        "a\xE2\x80\xAFz",    /* U+202F, narrow no-break space */
        "a\xE2\x81\x9Fz",    /* U+205F */
        "a\xE3\x80\x80z",    /* U+3000, ideographic space */
    };
    for (size_t i = 0; i < countof(names); i++)
        cr_assert(!principal_agent_name(str_of(names[i])), "case %zu", i);
}

/* n times the letter e with an acute accent. */
static struct str long_name(size_t n)
{
    struct buf b = buf_make(a, 1024);
    for (size_t i = 0; i < n; i++)
        buf_put(&b, "\xC3\xA9");
    return buf_text(&b);
}

Test(principal, a_name_is_counted_in_characters)
{
    cr_assert(principal_agent_name(long_name(PRINCIPAL_AGENT_NAME_MAX)));
    cr_assert(!principal_agent_name(long_name(PRINCIPAL_AGENT_NAME_MAX + 1)));
    cr_assert_eq(PRINCIPAL_AGENT_NAME_MAX, 120);
}

/* ---- which agent a key speaks for ----------------------------------- */

#define REFUSED NULL

static const struct {
    const char *names[3];
    const char *asked; /* NULL: no X-Agent-ID */
    const char *label;
    const char *speaks;
} speak[] = {
    /* one name */
    {{"a"}, NULL, "label", "a"},
    {{"a"}, "a", "label", "a"},
    {{"a"}, "b", "label", REFUSED},
    {{"a"}, "A", "label", REFUSED},
    {{"a"}, "a ", "label", REFUSED},
    {{"a"}, "", "label", REFUSED},
    {{"a"}, "*", "label", REFUSED},
    {{"a"}, "label", "label", REFUSED},
    /* several */
    {{"a", "b", "c"}, NULL, "label", "a"},
    {{"a", "b", "c"}, "b", "label", "b"},
    {{"a", "b", "c"}, "c", "label", "c"},
    {{"a", "b", "c"}, "d", "label", REFUSED},
    /* any */
    {{"*"}, NULL, "label", "label"},
    {{"*"}, NULL, "two words", "agent"},
    {{"*"}, NULL, "", "agent"},
    {{"*"}, NULL, NULL, "agent"},
    {{"*"}, NULL, "clock", "agent"},
    {{"*"}, "x", "label", "x"},
    {{"*"}, "agent", "label", "agent"},
    {{"*"}, "*", "label", REFUSED},
    {{"*"}, "", "label", REFUSED},
    {{"*"}, "sayso", "label", REFUSED},
    {{"*"}, "clock", "label", REFUSED},
    {{"*"}, "two words", "label", REFUSED},
    {{"*"}, "a\xFF", "label", REFUSED},
    /* any, beside a name */
    {{"a", "*"}, NULL, "label", "a"},
    {{"a", "*"}, "x", "label", "x"},
    {{"a", "*"}, "a", "label", "a"},
    {{"a", "*"}, "sayso", "label", REFUSED},
    {{"*", "a"}, NULL, "label", "label"},
    {{"*", "a"}, "x", "label", "x"},
    /* nobody */
    {{NULL}, "x", "label", REFUSED},
};

Test(principal, speak)
{
    for (size_t i = 0; i < countof(speak); i++) {
        struct str names[3], out = STR("untouched");
        size_t n = 0;
        while (n < 3 && speak[i].names[n]) {
            names[n] = str_of(speak[i].names[n]);
            n++;
        }
        const struct err *e =
            principal_speak(names, n, str_of(speak[i].asked),
                            str_of(speak[i].label), &out);
        if (speak[i].speaks) {
            cr_assert(e == NULL, "case %zu: %s", i, e ? e->code : "");
            cr_assert(str_is(out, speak[i].speaks), "case %zu: %.*s", i,
                      STR_FMT(out));
        } else {
            cr_assert(e != NULL, "case %zu: %.*s", i, STR_FMT(out));
            cr_assert_eq(e->kind, ERR_FORBIDDEN);
            cr_assert_str_eq(e->code, "agent.not_named");
        }
    }
}

/* ---- groups --------------------------------------------------------- */

Test(principal, names_that_a_group_may_have)
{
    static const char *const good[] = {"a", "payments", "a.b_c-1", "-", "0"};
    static const char *const bad[] = {"", "Payments", "a b", "a,b", "a/b",
                                      "a\n", "\xC3\xA9", "pay\xE2\x80\x8B",
                                      "p\xD0\xB0y", "*"};
    char longest[PERSON_GROUP_NAME_MAX + 2];
    for (size_t i = 0; i < countof(good); i++)
        cr_assert(person_group_name(str_of(good[i])), "%s", good[i]);
    for (size_t i = 0; i < countof(bad); i++)
        cr_assert(!person_group_name(str_of(bad[i])), "case %zu", i);
    memset(longest, 'x', sizeof longest);
    cr_assert(person_group_name(
        (struct str){longest, PERSON_GROUP_NAME_MAX}));
    cr_assert(!person_group_name(
        (struct str){longest, PERSON_GROUP_NAME_MAX + 1}));
    cr_assert(!person_group_name(STR("a\0b")));
    cr_assert(!person_group_name(STR_NONE));
}

Test(principal, in_a_group_by_its_whole_name)
{
    const struct principal p = {.groups = STR("legal pay payments.eu")};
    cr_assert(principal_in_group(&p, STR("legal")));
    cr_assert(principal_in_group(&p, STR("pay")));
    cr_assert(principal_in_group(&p, STR("payments.eu")));
    static const char *const others[] = {"", "payments", "pay ", "legal pay",
                                         "Legal", "eu", " "};
    for (size_t i = 0; i < countof(others); i++)
        cr_assert(!principal_in_group(&p, str_of(others[i])), "%s",
                  others[i]);
    cr_assert(!principal_in_group(&p, STR_NONE));
    cr_assert(!principal_in_group(&(struct principal){.groups = STR_NONE},
                                  STR("pay")));
    cr_assert(!principal_in_group(&(struct principal){.groups = STR("")},
                                  STR("")));
}

Test(principal, a_name_is_of_one_sort)
{
    static const struct {
        bool test, any;
        const char *taken, *code;
    } cases[] = {{false, false, NULL, NULL},
                 {true, false, NULL, NULL},
                 {true, true, NULL, NULL},
                 {false, true, "beta gamma", NULL},
                 {true, true, "beta gamma", NULL},
                 {false, true, "beta alpha", "agent.not_named"},
                 {true, true, "alpha", "agent.not_named"},
                 {true, false, "alpha", "key.test"},
                 {true, false, "beta", "key.test"}};
    for (size_t i = 0; i < countof(cases); i++) {
        const struct principal p = {.role = ROLE_AGENT,
                                    .agent = STR("alpha"),
                                    .test = cases[i].test};
        const struct err *e = principal_check_sort(
            &p, cases[i].taken ? str_of(cases[i].taken) : STR_NONE,
            cases[i].any);
        if (cases[i].code)
            cr_assert_str_eq(e->code, cases[i].code, "case %zu", i);
        else
            cr_assert_null(e, "case %zu", i);
    }
}
