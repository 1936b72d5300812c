/* People: what was typed is read into what is kept, and who may become what. */
#include "base/buf.h"
#include "domain/intent/person.h"

#include "suite.h"

SUITE(person);

Test(person, email)
{
    static const char *const fine[][2] = {
        {"a@b", "a@b"}, {" Ines@Example.COM ", "ines@example.com"}};
    static const char *const wrong[] = {"", "a", "@b", "a@", "a b@c", "a\t@c",
                                        "a@b\n.c", "a@b\x7f", "\xff@b.c",
                                        "\xC3\xA4@example.com"};
    struct str s;
    for (size_t i = 0; i < countof(fine); i++) {
        cr_expect(!person_email(a, str_of(fine[i][0]), &s), "%s", fine[i][0]);
        cr_expect(str_is(s, fine[i][1]), "%.*s", STR_FMT(s));
    }
    for (size_t i = 0; i < countof(wrong); i++) {
        const struct err *e = person_email(a, str_of(wrong[i]), &s);
        cr_assert(e, "%s", wrong[i]);
        cr_expect(e->kind == ERR_INVALID && str_is(e->at, "email"));
    }
    struct buf b = buf_make(a, 300);
    buf_str(&b, copies("x", PERSON_EMAIL_MAX - 2));
    buf_put(&b, "@y");
    cr_expect(!person_email(a, buf_text(&b), &s));
    buf_put(&b, "z");
    cr_expect(person_email(a, buf_text(&b), &s));
}

Test(person, names_and_passwords_have_their_lengths)
{
    struct str s;
    cr_expect(!person_name(a, "name", STR("  Ines Roth "), &s));
    cr_expect(str_is(s, "Ines Roth"));
    cr_expect(!person_name(a, "name", copies("x", PERSON_NAME_MAX), &s));
    const struct err *e =
        person_name(a, "label", copies("x", PERSON_NAME_MAX + 1), &s);
    cr_expect(e && str_is(e->at, "label"));
    cr_expect(person_name(a, "name", STR("  "), &s));
    cr_expect(person_name(a, "name", STR("\xff"), &s));
    cr_expect(person_password(a, copies("x", PERSON_PASSWORD_MIN - 1)));
    cr_expect(!person_password(a, copies("x", PERSON_PASSWORD_MIN)));
    cr_expect(!person_password(a, copies("x", PERSON_PASSWORD_MAX)));
    cr_expect(person_password(a, copies("x", PERSON_PASSWORD_MAX + 1)));
    cr_expect(person_password(a, STR_NONE));
}

Test(person, words)
{
    enum role role;
    enum severity limit;
    struct str s;
    static const char *const people[] = {"operator", "admin", "auditor"};
    for (size_t i = 0; i < countof(people); i++) {
        cr_expect(!person_role(a, str_of(people[i]), &role));
        cr_expect_str_eq(role_word(role), people[i]);
    }
    cr_expect(person_role(a, STR("agent"), &role));
    cr_expect(person_role(a, STR("clock"), &role));
    cr_expect(person_role(a, STR_NONE, &role));
    cr_expect(!person_bulk_limit(a, STR("critical"), &limit));
    cr_expect(limit == SEVERITY_CRITICAL);
    cr_expect(person_bulk_limit(a, STR("Low"), &limit));
    cr_expect(person_bulk_limit(a, STR("none"), &limit));
    cr_expect(person_bulk_limit(a, STR_NONE, &limit));
    cr_expect(!person_theme(a, STR("auto"), &s) && str_is(s, "auto"));
    cr_expect(person_theme(a, STR_NONE, &s));
    cr_expect(!person_after_answer(a, STR("stay"), &s) && str_is(s, "stay"));
    cr_expect(person_after_answer(a, STR("auto"), &s));
    cr_expect(person_after_answer(a, STR_NONE, &s));
}

Test(person, groups_are_kept_sorted_and_once)
{
    static const struct {
        const char *typed, *kept;
    } cases[] = {{"", NULL}, {" , ,", NULL}, {"b", "b"}, {"b,a", "a b"},
                 {"b a, b  a", "a b"}, {"on-call,finance.eu,x_1",
                                        "finance.eu on-call x_1"}};
    static const char *const wrong[] = {"A", "a/b", "a;b", "\xC3\xA4", "a\nb"};
    struct str s;
    for (size_t i = 0; i < countof(cases); i++) {
        cr_expect(!person_groups(a, str_of(cases[i].typed), &s));
        cr_expect(cases[i].kept ? str_is(s, cases[i].kept) : !s.p, "%s",
                  cases[i].typed);
    }
    for (size_t i = 0; i < countof(wrong); i++) {
        const struct err *e = person_groups(a, str_of(wrong[i]), &s);
        cr_expect(e && str_is(e->at, "groups"), "%s", wrong[i]);
    }
    cr_expect(!person_groups(a, STR_NONE, &s) && !s.p);
}

Test(person, no_more_groups_than_there_is_room)
{
    struct buf b = buf_make(a, 1000);
    struct str s;
    for (int i = 0; i < PERSON_GROUPS_MAX; i++)
        buf_printf(&b, "g%d,", i);
    cr_expect(!person_groups(a, buf_text(&b), &s));
    buf_put(&b, "g1,");
    cr_expect(!person_groups(a, buf_text(&b), &s)); /* is there already */
    buf_put(&b, "more");
    cr_expect(person_groups(a, buf_text(&b), &s));
}

/* The caller, the change, the number of other admins, and the expected
 * error. */
Test(person, who_may_become_what)
{
    static const struct {
        const char *by;
        enum role old, new;
        int64_t was, is; /* disabled */
        size_t admins;
        const char *code, *at;
    } cases[] = {
        {"me", ROLE_OPERATOR, ROLE_ADMIN, 0, 0, 1, NULL, NULL},
        {"me", ROLE_OPERATOR, ROLE_OPERATOR, 0, 1, 1, NULL, NULL},
        {"me", ROLE_ADMIN, ROLE_OPERATOR, 0, 0, 1, NULL, NULL},
        {"me", ROLE_ADMIN, ROLE_ADMIN, 0, 1, 1, NULL, NULL},
        {"me", ROLE_ADMIN, ROLE_AUDITOR, 0, 0, 0, "person.last_admin",
         "role"},
        {"me", ROLE_ADMIN, ROLE_ADMIN, 0, 1, 0, "person.last_admin", ""},
        {"me", ROLE_ADMIN, ROLE_OPERATOR, 1, 1, 0, NULL, NULL},
        {"me", ROLE_ADMIN, ROLE_ADMIN, 1, 0, 0, NULL, NULL},
        {"them", ROLE_ADMIN, ROLE_ADMIN, 0, 0, 0, NULL, NULL},
        {"them", ROLE_ADMIN, ROLE_OPERATOR, 0, 0, 5, "person.self", "role"},
        {"them", ROLE_ADMIN, ROLE_ADMIN, 0, 1, 5, "person.self", ""},
    };
    for (size_t i = 0; i < countof(cases); i++) {
        const struct person old = {.id = STR("them"),
                                   .role = cases[i].old,
                                   .disabled_at = cases[i].was};
        struct person new = old;
        new.role = cases[i].new;
        new.disabled_at = cases[i].is;
        const struct err *e = person_may_become(
            a, str_of(cases[i].by), &old, &new, cases[i].admins);
        cr_assert_eq(!e, !cases[i].code, "case %zu", i);
        if (!e)
            continue;
        cr_expect_str_eq(e->code, cases[i].code, "case %zu", i);
        cr_expect(str_is(e->at, cases[i].at), "case %zu", i);
    }
}

Test(person, a_reference_is_spelled_as_it_is_compared)
{
    static const char *const cases[][2] = {
        {" Ada@Example.com ", "ada@example.com"},
        {"ada@example.com", "ada@example.com"},
        {"Ada Lovelace", "Ada Lovelace"}};
    for (size_t i = 0; i < countof(cases); i++)
        cr_expect(str_is(person_reference(a, str_of(cases[i][0])),
                         cases[i][1]));
    cr_expect(!person_reference(a, STR(" ")).p);
    cr_expect(!person_reference(a, STR_NONE).p);
}

Test(person, a_key_is_not_called_like_somebody_else)
{
    static const struct {
        enum role role;
        const char *label;
        bool fine;
    } cases[] = {{ROLE_OPERATOR, "night desk", true},
                 {ROLE_OPERATOR, "ada@example.com", false},
                 {ROLE_ADMIN, "ada@example.com", false},
                 {ROLE_AGENT, "bot@example.com", true},
                 {ROLE_AGENT, "clock", false},
                 {ROLE_OPERATOR, " sayso ", false},
                 {ROLE_AUDITOR, "", false}};
    for (size_t i = 0; i < countof(cases); i++) {
        struct str s;
        const struct err *e =
            person_key_label(a, "label", cases[i].role,
                             str_of(cases[i].label), &s);
        cr_expect(!e == cases[i].fine, "%s", cases[i].label);
    }
}
