/* One decision for many: what has a plain yes or no, and what is left out. */
#include "base/clock.h"
#include "domain/answer/bulk.h"

#include "suite.h"

SUITE(bulk);

#define CHOICE(value, effect, more)                                            \
    "{\"value\":\"" value "\",\"effect\":\"" effect "\"" more "}"

/* The values of a plain yes and no; NULL: none. */
static const struct {
    enum answer_type type;
    const char *choices, *yes, *no;
} cases[] = {
    {ANSWER_CONFIRM, "[]", "yes", "no"},
    {ANSWER_CONFIRM,
     "[" CHOICE("no", "authorize", "") ","
         CHOICE("yes", "stop_task", "") "]",
     NULL, NULL},
    {ANSWER_CONFIRM,
     "[" CHOICE("no", "veto", "") ","
         CHOICE("yes", "veto", "") "]",
     NULL, NULL},
    {ANSWER_CONFIRM,
     "[" CHOICE("no", "veto", "") ","
         CHOICE("yes", "authorize", "") "]",
     "yes", "no"},
    {ANSWER_TEXT, "[]", NULL, NULL},
    {ANSWER_FORM, "[" CHOICE("a", "authorize", "") "]", NULL, NULL},
    {ANSWER_CHOICE,
     "[" CHOICE("n", "veto", "") ","
         CHOICE("y", "authorize", "") "]",
     "y", "n"},
    {ANSWER_CHOICE,
     "[" CHOICE("n", "decline", "") ","
         CHOICE("y", "accept", "") "]",
     "y", "n"},
    {ANSWER_CHOICE,
     "[" CHOICE("n", "none", "") ","
         CHOICE("y", "none", "") "]",
     NULL, NULL},
    {ANSWER_CHOICE,
     "[" CHOICE("s", "stop_task", "") ","
         CHOICE("y", "answer", "") "]",
     NULL, NULL},
    {ANSWER_CHOICE,
     "[" CHOICE("n", "veto", "") ","
         CHOICE("y", "authorize", ",\"takes\":\"limit\"") "]",
     NULL, "n"},
    {ANSWER_CHOICE,
     "[" CHOICE("a", "authorize", "") ","
         CHOICE("b", "authorize", "") "]", NULL,
     NULL},
    /* A no is never harder than a yes. */
    {ANSWER_CHOICE,
     "[" CHOICE("y", "authorize", "") ","
         CHOICE("m", "veto", ",\"takes\":\"limit\"") ","
         CHOICE("n", "veto", "") ","
         CHOICE("k", "decline", "") "]",
     "y", "n"}};

static struct suspension question(void)
{
    return (struct suspension){.id = STR("s"),
                               .response_type = ANSWER_CONFIRM,
                               .choices = STR("[]"),
                               .asked_by = STR("agent"),
                               .severity = SEVERITY_LOW};
}

static struct principal person(const char *limit)
{
    return (struct principal){.role = ROLE_OPERATOR,
                              .person = true,
                              .name = STR("ines@example.com"),
                              .account.bulk_limit =
                                  vocabulary_severity_of(str_of(limit))};
}

static void gives(struct str found, const char *wanted, size_t i)
{
    cr_expect(wanted ? str_is(found, wanted) : !found.p, "case %zu: %.*s", i,
              STR_FMT(found));
}

Test(bulk, a_plain_yes_or_no)
{
    for (size_t i = 0; i < countof(cases); i++) {
        struct suspension s = question();
        s.response_type = cases[i].type;
        s.choices = str_of(cases[i].choices);
        gives(bulk_answer(a, &s, true).value, cases[i].yes, i);
        gives(bulk_answer(a, &s, false).value, cases[i].no, i);
    }
}

Test(bulk, a_reason_is_asked_for)
{
    struct suspension s = question();
    s.response_type = ANSWER_CHOICE;
    s.choices = STR("[" CHOICE("n", "veto", ",\"reason\":\"required\"") "]");
    cr_expect(bulk_answer(a, &s, false).reason);
}

static bool left_out(const struct suspension *s, const char *limit)
{
    const struct principal p = person(limit);
    return bulk_left_out(a, s, &p, true, CLOCK_SECOND).p != NULL;
}

Test(bulk, risk_above_the_limit_is_left_out)
{
    static const char *const levels[] = {"low", "medium", "high", "critical"};
    for (size_t risk = 0; risk < countof(levels); risk++) {
        for (size_t limit = 0; limit < countof(levels); limit++) {
            struct suspension s = question();
            s.severity = vocabulary_severity_of(str_of(levels[risk]));
            cr_expect_eq(left_out(&s, levels[limit]), risk > limit);
        }
    }
}

Test(bulk, what_is_not_said_is_in_none)
{
    struct suspension s = question();
    s.severity = SEVERITY_UNSAID;
    cr_expect(left_out(&s, "medium") && left_out(&s, "critical"));
    s.severity = SEVERITY_MEDIUM;
    cr_expect(!left_out(&s, NULL), "a limit that is not said is medium");
}

Test(bulk, a_typed_yes_is_in_none)
{
    struct suspension s = question();
    s.choices = STR("[" CHOICE("yes", "authorize", "") ","
                        CHOICE("no", "veto", "") "]");
    s.severity = SEVERITY_CRITICAL;
    cr_expect(left_out(&s, "critical"));
    s.severity = SEVERITY_HIGH;
    cr_expect(!left_out(&s, "critical"));
    s.subject = STR("{\"reversible\":false}");
    cr_expect(left_out(&s, "critical"));
}

static struct str with_subject(const char *subject, bool yes)
{
    const struct principal p = person("critical");
    struct suspension s = question();
    s.subject = str_of(subject);
    return bulk_left_out(a, &s, &p, yes, CLOCK_SECOND);
}

Test(bulk, what_a_list_cannot_show_whole_is_left_out_of_a_yes)
{
    char text[BULK_SUBJECT_MAX + 2], list[2 * BULK_VALUES_MAX + 8] = "[[],{}";
    memset(text, 'x', sizeof text);
    text[0] = text[BULK_SUBJECT_MAX - 1] = '"';
    text[BULK_SUBJECT_MAX] = '\0';
    cr_expect(!with_subject(text, true).p);
    text[BULK_SUBJECT_MAX - 1] = 'x';
    text[BULK_SUBJECT_MAX] = '"';
    text[BULK_SUBJECT_MAX + 1] = '\0';
    cr_expect(with_subject(text, true).p && !with_subject(text, false).p);
    for (size_t i = 2; i < BULK_VALUES_MAX; i++)
        strcat(list, ",1");
    cr_expect(!with_subject(strcat(list, "]"), true).p);
    list[strlen(list) - 1] = '\0';
    cr_expect(with_subject(strcat(list, ",1]"), true).p);
    cr_expect(!with_subject(list, false).p);
}

Test(bulk, a_grave_permission_is_left_out_of_a_yes)
{
    const struct principal p = person("critical");
    struct suspension s = question();
    s.kind = KIND_PERMISSION;
    s.choices = STR("[" CHOICE("yes", "authorize", "") ","
                        CHOICE("no", "veto", "") "]");
    for (size_t high = 0; high < 2; high++) {
        s.severity = high ? SEVERITY_HIGH : SEVERITY_MEDIUM;
        const bool out =
            bulk_left_out(a, &s, &p, true, CLOCK_SECOND).p != NULL;
        cr_expect_eq(out, high);
        cr_expect(!bulk_left_out(a, &s, &p, false, CLOCK_SECOND).p);
    }
}

Test(bulk, what_is_closed_late_or_not_theirs_is_left_out)
{
    struct suspension decided = question(), late = question(),
                      other = question();
    decided.state = SUSPENSION_RESOLVED;
    late.expires_at = 1;
    other.responder = (struct responder){.mode = RESPONDER_NAMED,
                                         .who = STR("tom@example.com")};
    cr_expect(left_out(&decided, "critical"));
    cr_expect(left_out(&late, "critical"));
    cr_expect(left_out(&other, "critical"));
}
