/* Labels: what an agent may call its choices, and how they are named. */
#include "domain/kind/label.h"

#include "suite.h"

SUITE(label);

#define ZERO_WIDTH "\xE2\x80\x8B"

/* The choice that a label is refused at; -1: none is. */
static int refused(const char *choices, const char *code)
{
    const struct err *e = label_check(a, tree(choices));
    if (!e)
        return -1;
    cr_assert(code && str_is(str_of(e->code), code), "%s: %s", choices,
              e->code);
    cr_assert_eq(e->kind, ERR_INVALID);
    cr_assert(str_starts(e->at, STR("choices[")));
    cr_assert(str_ends(e->at, STR("].label")));
    return e->at.p[strlen("choices[")] - '0';
}

static const char *pair(const char *label, const char *effect)
{
    struct buf b = buf_make(a, 4096);
    buf_put(&b, "[{'value':'x','label':'A longer word','effect':'answer'},"
                "{'value':'y','label':'");
    buf_put(&b, label);
    buf_put(&b, "','effect':'");
    buf_put(&b, effect);
    buf_put(&b, "'}]");
    return arena_z(a, buf_text(&b));
}

Test(label, a_yes_is_not_called_a_no)
{
    static const char *const labels[] = {
        "Reject",      "No, stop",       "Deny (safe)",      "no",
        "NO!",         " Cancel ",       "Stop",             "Don" "\xE2\x80\x99" "t",
        "(No)",        "- Reject -",     "\xE2\x9D\x8C Reject",
        "Abort: safe", "Not now",        "Do not / leave it",
        ("R" ZERO_WIDTH "eject"),        ("\xE2\x80\xAE" "No"),
        "\xEF\xBC\xA2\xEF\xBC\xAC\xEF\xBC\xAF\xEF\xBC\xA3\xEF\xBC\xAB",
        "Do  not",     "Stop the task",  "Nein, danke",      "n.",
        "No \xE2\x80\x94 stop", "No-", "No - op", "No\xE2\x80\x94stop",
        /* Letters of Cyrillic, Greek and Turkish. */
        "N\xD0\xBE", "Rej\xD0\xB5" "ct", "\xCE\x9D\xCE\x9F",
        "DECL\xC4\xB0NE", "decl\xC4\xB1ne", "don\xCA\xBCt",
    };
    static const char *const yes[] = {"authorize", "authorize_modified",
                                      "accept"};
    for (size_t i = 0; i < countof(labels); i++) {
        for (size_t k = 0; k < countof(yes); k++)
            cr_assert_eq(refused(pair(labels[i], yes[k]),
                                 "choice.label_opposite"),
                         1, "%s", labels[i]);
        cr_assert_eq(refused(pair(labels[i], "veto"), NULL), -1);
        cr_assert_eq(refused(pair(labels[i], "answer"), NULL), -1);
        cr_assert_eq(refused(pair(labels[i], "none"), NULL), -1);
    }
}

Test(label, a_no_is_not_called_a_yes)
{
    static const char *const labels[] = {
        "Approve", "Yes",  "Yes, go on", "OK", "ok!", "Go ahead", "Allow (all)",
        "\xE2\x9C\x85 Approve", "Accept", "Confirm.", "Continue", "Do it",
        "Y" ZERO_WIDTH "es",
    };
    static const char *const no[] = {"veto", "decline", "stop_task",
                                     "request_changes"};
    for (size_t i = 0; i < countof(labels); i++) {
        for (size_t k = 0; k < countof(no); k++)
            cr_assert_eq(refused(pair(labels[i], no[k]),
                                 "choice.label_opposite"),
                         1, "%s", labels[i]);
        cr_assert_eq(refused(pair(labels[i], "authorize"), NULL), -1);
        cr_assert_eq(refused(pair(labels[i], "answer"), NULL), -1);
    }
}

Test(label, what_says_more_stands)
{
    static const struct {
        const char *label, *effect;
    } rows[] = {
        {"Cancel order 1234", "authorize"},
        {"Stop the build runner", "authorize"},
        {"Reject all open claims", "authorize"},
        {"No-op migration", "authorize_modified"},
        {"Refund 499.99 EUR", "authorize"},
        {"Nothing, keep it", "veto"},
        {"Approve nothing", "veto"},
        {"Yesterday", "veto"},
        {"Keep it as it is", "decline"},
        {"", "authorize"},
        {ZERO_WIDTH, "veto"},
        {"!!!", "authorize"},
    };
    for (size_t i = 0; i < countof(rows); i++)
        cr_assert_eq(refused(pair(rows[i].label, rows[i].effect), NULL),
                     -1, "%s", rows[i].label);
}

Test(label, two_that_read_alike)
{
    static const char *const rows[][2] = {
        {"Delete", "Delete"},
        {"Delete", " dELETE "},
        {"Caf\xC3\xA9", "Cafe\xCC\x81"},
        {"Delete", "De" ZERO_WIDTH "lete"},
        {"Delete", "\xE2\x80\xAE" "Delete"},
        {"file", "\xEF\xAC\x81le"},
        {"Stra\xC3\x9F" "e", "STRASSE"},
        {"Delete  it", "Delete it"},
    };
    static const char shape[] =
        "[{'value':'a','label':'%s','effect':'%s'},"
        "{'value':'b','label':'Other','effect':'none'},"
        "{'value':'c','label':'%s','effect':'none'}]";
    for (size_t i = 0; i < countof(rows); i++) {
        struct buf b = buf_make(a, 4096), none = buf_make(a, 4096);
        buf_printf(&b, shape, rows[i][0], "answer", rows[i][1]);
        buf_printf(&none, shape, rows[i][0], "none", rows[i][1]);
        cr_assert_eq(refused(arena_z(a, buf_text(&b)), "choice.label_equal"),
                     2, "%s", rows[i][0]);
        cr_assert_eq(refused(arena_z(a, buf_text(&none)), NULL), -1);
    }
}

/* The Cyrillic letter reads alike and is another one: the server's word
 * leads, and that is what holds there. */
Test(label, other_alphabets_differ)
{
    cr_assert_eq(refused("[{'value':'a','label':'Delete','effect':'veto'},"
                         "{'value':'b','label':'D\xD0\xB5lete',"
                         "'effect':'authorize'}]",
                         NULL),
                 -1);
}

Test(label, the_word_leads)
{
    static const struct {
        const char *label, *effect, *line;
    } rows[] = {
        {"Refund 499.99 EUR", "authorize", "Approve: Refund 499.99 EUR"},
        {"approve", "authorize", "Approve"},
        {" APPR" ZERO_WIDTH "OVE ", "authorize", "Approve"},
        {"Approved", "authorize", "Approve: Approved"},
        {"Keep it", "veto", "Reject: Keep it"},
        {"Edit", "authorize_modified", "Approve with changes: Edit"},
        {"Request changes", "request_changes", "Request changes"},
        {"London", "answer", "Answer: London"},
        {"Not now", "decline", "Decline: Not now"},
        {"Take it", "accept", "Accept: Take it"},
        {"Stop the task", "stop_task", "Stop the task"},
        {"Blue", "none", "Blue"},
        {"Approve", "none", "Approve"},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        const struct json *c = json_at(
            tree(pair(rows[i].label, rows[i].effect)), 1);
        const struct str line = label_line(a, c);
        cr_assert(str_is(line, rows[i].line), "%.*s", STR_FMT(line));
    }
    cr_assert_null(label_line(a, NULL).p);
}

Test(label, where_none_has_an_effect_equal_ones_show_their_value)
{
    const struct json *plain =
        tree("[{'value':'a','label':'Caf\xC3\xA9','effect':'none'},"
             "{'value':'b','label':'Cafe\xCC\x81','effect':'none'},"
             "{'value':'c','label':'Tea','effect':'none'}]");
    const struct json *more =
        tree("[{'value':'a','label':'Tea','effect':'none'},"
             "{'value':'b','label':'Tea','effect':'veto'}]");
    cr_assert(str_is(label_of(a, plain, json_at(plain, 0)).value, "a"));
    cr_assert(str_is(label_of(a, plain, json_at(plain, 1)).value, "b"));
    cr_assert_null(label_of(a, plain, json_at(plain, 2)).value.p);
    cr_assert_null(label_of(a, more, json_at(more, 0)).value.p);
}

/* A list that was read again has the same choices. */
Test(label, a_choice_is_no_twin_of_itself)
{
    static const char list[] =
        "[{'value':'a','label':'Coffee','effect':'none'},"
        "{'value':'b','label':'Tea','effect':'none'}]";
    const struct json *choice = json_at(tree(list), 1);
    cr_assert_null(label_of(a, tree(list), choice).value.p);
}
