/* The choice that a word means, and the values that an agent may use. */
#include "domain/kind/label.h"
#include "domain/question/meant.h"

#include "suite.h"

SUITE(meant);

#define ZERO_WIDTH "\xE2\x80\x8B"
#define WIDE_NO "\xEF\xBC\xAE\xEF\xBC\xAF"

static struct suspension question(const char *choices)
{
    return (struct suspension){.response_type = ANSWER_CHOICE,
                               .choices = json_of(choices)};
}

/* The value of the choice that is meant; "" for none. */
static struct str meant(const struct suspension *s, const char *word,
                        enum meant_how how)
{
    const struct str value = json_get_text(
        meant_choice(a, s, suspension_choices(a, s), str_of(word), how),
        "value");
    return value.p ? value : STR("");
}

static void means(const struct suspension *s, const char *word,
                  const char *said, const char *value)
{
    const struct str one = meant(s, word, MEANT_SAID),
                     two = meant(s, word, MEANT_VALUE);
    cr_expect(str_is(one, said), "%.*s: \"%s\" said: %.*s",
              STR_FMT(s->choices), word, STR_FMT(one));
    cr_expect(str_is(two, value), "%.*s: \"%s\" sent: %.*s",
              STR_FMT(s->choices), word, STR_FMT(two));
}

/* word, its choice when it is said, and when it is sent as a value */
struct row {
    const char *word, *said, *value;
};

static void expect_all(const struct suspension *s, const struct row *rows,
                       size_t n)
{
    for (size_t i = 0; i < n; i++)
        means(s, rows[i].word, rows[i].said, rows[i].value);
}

Test(meant, a_word_means_its_effect)
{
    static const struct row rows[] = {
        {"reject", "approve", "approve"},
        {"REJECT", "approve", "approve"},
        {" re" ZERO_WIDTH "ject ", "approve", "approve"},
        {"no", "approve", "approve"},
        {WIDE_NO, "approve", "approve"},
        {"Deny", "approve", "approve"},
        {"decline", "approve", "approve"},
        {"No, stop", "approve", "approve"},
        /* Meant in two ways as a value, and so none of them. */
        {"approve", "reject", ""},
        {"APPROVE", "", ""},
        {"yes", "", ""},
        {"accept", "", ""},
        {"complete", "", ""},
        {"cancel", "", ""},
        {"maybe", "", ""},
        {"", "", ""},
    };
    static const char *const orders[] = {
        "[{'value':'reject','effect':'authorize'},"
        "{'value':'approve','effect':'veto'}]",
        "[{'value':'approve','effect':'veto'},"
        "{'value':'reject','effect':'authorize'}]"};
    for (size_t i = 0; i < countof(orders); i++) {
        const struct suspension s = question(orders[i]);
        expect_all(&s, rows, countof(rows));
    }
}

Test(meant, a_no_finds_the_first_that_rejects)
{
    static const struct row rows[] = {
        {"reject", "b", "b"}, {"decline", "d", "d"}, {"no", "b", "b"},
        {"approve", "", ""},  {"a", "a", "a"},       {"c", "c", "c"},
    };
    const struct suspension s = question(
        "[{'value':'a','effect':'authorize'},{'value':'b','effect':'veto'},"
        "{'value':'c','effect':'veto'},{'value':'d','effect':'decline'},"
        "{'value':'e','effect':'authorize'}]");
    expect_all(&s, rows, countof(rows));
}

Test(meant, whatever_rejects_is_a_no)
{
    static const char *const noes[] = {"decline", "stop_task",
                                       "request_changes", "veto"};
    static const char *const words[] = {"reject", "decline", "no", "DENIED"};
    for (size_t i = 0; i < countof(noes); i++) {
        struct buf b = buf_make(a, 256);
        buf_printf(&b,
                   "[{'value':'a','effect':'authorize'},"
                   "{'value':'b','effect':'%s'}]",
                   noes[i]);
        const struct suspension s = question(arena_z(a, buf_text(&b)));
        for (size_t k = 0; k < countof(words); k++)
            means(&s, words[k], "b", "b");
    }
}

Test(meant, a_value_that_agrees_is_that_choice)
{
    static const struct row rows[] = {
        {"cancel", "cancel", "cancel"},
        {"stop", "stop", "stop"},
        {"go", "go", "go"},
        {"yes", "yes", "yes"},
        /* Alone it means the effect; sent as a value it is the choice. */
        {"reject", "cancel", "reject"},
        {"approve", "", ""},
    };
    const struct suspension s = question(
        "[{'value':'go','effect':'authorize'},"
        "{'value':'yes','effect':'authorize'},"
        "{'value':'cancel','effect':'veto'},"
        "{'value':'stop','effect':'stop_task'},"
        "{'value':'reject','effect':'request_changes'}]");
    expect_all(&s, rows, countof(rows));
}

Test(meant, a_word_about_the_action)
{
    static const struct row rows[] = {
        {"cancel", "", "cancel"}, {"approve", "cancel", "cancel"},
        {"reject", "keep", "keep"}, {"continue", "", "continue"},
    };
    const struct suspension s = question(
        "[{'value':'cancel','effect':'authorize'},"
        "{'value':'keep','effect':'veto'},"
        "{'value':'continue','effect':'decline'}]");
    expect_all(&s, rows, countof(rows));
}

Test(meant, an_answer_is_no_effect_of_a_word)
{
    static const struct row rows[] = {
        {"approve", "", "approve"}, {"reject", "", "reject"},
        {"no", "", "no"},           {"other", "other", "other"},
    };
    const struct suspension s = question(
        "[{'value':'approve','effect':'answer'},"
        "{'value':'reject','effect':'answer'},"
        "{'value':'no','effect':'answer'},"
        "{'value':'other','effect':'answer'}]");
    expect_all(&s, rows, countof(rows));
}

Test(meant, without_effects_every_word_is_the_agents)
{
    static const struct row rows[] = {
        {"approve", "approve", "approve"}, {"reject", "reject", "reject"},
        {"REJECT", "", ""},                {"no", "no", "no"},
        {"decline", "", ""},
    };
    const struct suspension s = question(
        "[{'value':'approve','effect':'none'},{'value':'reject'},"
        "{'value':'no','effect':'none'}]");
    expect_all(&s, rows, countof(rows));
}

Test(meant, a_confirm_has_its_own_words)
{
    static const struct row rows[] = {
        {"yes", "yes", "yes"}, {"no", "no", "no"}, {"NO", "no", "no"},
        {"reject", "skip", "skip"}, {"approve", "", ""},
    };
    struct suspension s = question(
        "[{'value':'yes','effect':'answer'},{'value':'no','effect':'answer'},"
        "{'value':'skip','effect':'decline'}]");
    s.response_type = ANSWER_CONFIRM;
    expect_all(&s, rows, countof(rows));
}

Test(meant, complete_is_of_credentials)
{
    struct suspension s = question(
        "[{'value':'set','effect':'answer'},"
        "{'value':'later','effect':'decline'}]");
    means(&s, "complete", "", "");
    s.kind = KIND_CREDENTIAL_NEEDED;
    means(&s, "complete", "set", "set");
}

/* ---- values ------------------------------------------------------------ */

static bool refused(const char *value, const char *label, const char *effect,
                    enum answer_type type)
{
    struct buf b = buf_make(a, 4096);
    buf_printf(&b,
               "[{'value':'x','label':'Another','effect':'answer'},"
               "{'value':'%s','label':'%s','effect':'%s'}]",
               value, label, effect);
    struct suspension s = question(arena_z(a, buf_text(&b)));
    s.response_type = type;
    const struct err *e = meant_check(a, &s, suspension_choices(a, &s));
    if (e) {
        cr_expect_str_eq(e->code, "choice.value_opposite");
        cr_expect(str_is(e->at, "choices[1].value"));
    }
    return e != NULL;
}

Test(meant, a_value_does_not_say_the_opposite)
{
    static const char *const noes[] = {
        "reject", "NO", "Deny", " decline ", "do_not", "do-not", "stop",
        "cancel", WIDE_NO, "re" ZERO_WIDTH "ject", "no!", "(no)", "n", "nein"};
    static const char *const yeses[] = {"approve", "YES", "Allow", " ok ",
                                        "go_ahead", "go-ahead", "confirm",
                                        "y", "yes!", "(yes)", "ja"};
    for (enum answer_type t = ANSWER_CHOICE; t < ANSWER_TYPE__MAX; t++) {
        for (size_t i = 0; i < countof(noes); i++) {
            cr_expect(refused(noes[i], "Send it", "authorize", t), "%s",
                      noes[i]);
            cr_expect(refused(noes[i], "Send it", "accept", t), "%s", noes[i]);
            cr_expect(!refused(noes[i], "Keep it", "veto", t), "%s", noes[i]);
            cr_expect(!refused(noes[i], "Other", "answer", t), "%s", noes[i]);
        }
        for (size_t i = 0; i < countof(yeses); i++) {
            cr_expect(refused(yeses[i], "Keep it", "veto", t), "%s", yeses[i]);
            cr_expect(refused(yeses[i], "Keep it", "decline", t), "%s",
                      yeses[i]);
            cr_expect(!refused(yeses[i], "Pay", "authorize", t), "%s",
                      yeses[i]);
        }
    }
}

Test(meant, what_says_more_stands)
{
    static const struct {
        const char *value, *label;
        bool refused;
    } rows[] = {
        {"cancel", "Cancel order 1234", false},
        {"CANCEL", "cancel order 1234", false},
        {"do_not", "Do not send it", false},
        {"cancel_order", "Send it", false},
        {"no-op", "Send it", false},
        {"cancel", "Cancel", true},
        {"cancel", "Cancelled order", true},
        {"cancel", "Do not cancel", true},
        {"cancel", "Stop order 1234", true},
        {"n", "No order", true},
    };
    for (size_t i = 0; i < countof(rows); i++)
        cr_expect_eq(refused(rows[i].value, rows[i].label, "authorize",
                             ANSWER_CHOICE),
                     rows[i].refused, "%s %s", rows[i].value, rows[i].label);
    cr_expect(refused("no", "No delay", "authorize", ANSWER_CONFIRM));
}

Test(meant, a_long_text_is_no_word)
{
    struct buf b = buf_make(a, 8192);
    buf_put(&b, "no, ");
    while (b.n < 5000)
        buf_put(&b, "and no ");
    cr_expect(!label_word(a, buf_text(&b)));
    cr_expect(label_word(a, STR("no, and no")));
}
