/* Settings pages: counts, states, lists in words, and which field an error
 * is shown at. */
#include "doors/pages/settings/destinations.h"
#include "doors/pages/settings/page.h"

#include "suite.h"

SUITE(settings_page);

Test(settings_page, counts_end_where_counting_does)
{
    static const struct {
        int64_t n;
        const char *words;
    } cases[] = {{0, "0"}, {999, "999"}, {1000, "1,000"},
                 {1001, "more than 1,000"}, {5000, "more than 1,000"}};
    for (size_t i = 0; i < countof(cases); i++) {
        const struct str s = settings_page_count(a, cases[i].n, 1000);
        cr_expect(str_is(s, cases[i].words), "%.*s", STR_FMT(s));
    }
}

Test(settings_page, what_waits)
{
    struct endpoint e = {.waiting = 0};
    cr_expect(str_is(settings_destinations_waiting(a, &e), "none pending"));
    e.waiting = 1;
    cr_expect(str_is(settings_destinations_waiting(a, &e), "1 pending"));
    e.waiting = ENDPOINTS_WAITING_MAX + 1;
    cr_expect(str_is(settings_destinations_waiting(a, &e),
                     "more than 1,000 pending"));
}

Test(settings_page, gone_is_told_before_paused)
{
    static const struct {
        int64_t paused_at, gone_at;
        const char *word, *tone;
    } cases[] = {{0, 0, "Active", "plain"},
                 {1, 0, "Paused", "plain"},
                 {0, 1, "Disabled (410)", "high"},
                 {1, 1, "Disabled (410)", "high"}};
    for (size_t i = 0; i < countof(cases); i++) {
        const struct endpoint e = {.paused_at = cases[i].paused_at,
                                   .gone_at = cases[i].gone_at};
        const struct vocabulary_word *w = settings_destinations_state(&e);
        cr_expect(strcmp(w->label, cases[i].word) == 0);
        cr_expect(strcmp(w->tone, cases[i].tone) == 0);
    }
}

Test(settings_page, lists_in_words)
{
    static const struct {
        const char *list, *words;
    } cases[] = {{"[]", ""},
                 {"[\"a\"]", "a"},
                 {"[\"a\",\"b, c\"]", "a; b, c"},
                 {"not JSON", ""}};
    for (size_t i = 0; i < countof(cases); i++) {
        const struct str s =
            settings_page_joined(a, str_of(cases[i].list), "; ");
        cr_expect(str_is(s, cases[i].words), "%s", cases[i].list);
    }
    cr_expect(str_is(settings_page_joined(a, STR_NONE, "; "), ""));
}

/* ---- errors --------------------------------------------------------- */

static const struct settings_form_field form_rows[] = {{.key = "name"},
                                                       {.key = "notify_to"}};
static const struct settings_form form = {.fields = form_rows,
                                          .fields_n = countof(form_rows)};

/* The field that an error is taken to; p NULL: the whole. */
static struct str field_of(enum err_kind e, const char *code, const char *at)
{
    struct settings_form f = form;
    const struct err *left = settings_form_wrong(
        a, &f, err_at(a, e, code, str_of(at), "%s", "No."));
    cr_assert(!left, "%s was given back", code);
    cr_assert(f.errors, "%s was forgotten", code);
    struct json_iter i = json_iter(f.errors);
    const bool found = json_next(&i);
    cr_expect(found == !f.problem, "%s at %s", code, at);
    return found ? i.key : STR_NONE;
}

Test(settings_page, an_error_stands_at_its_field)
{
    cr_expect(str_is(field_of(ERR_INVALID, "x", "name"), "name"));
    cr_expect(str_is(field_of(ERR_INVALID, "x", "notify_to[3]"),
                     "notify_to"));
    cr_expect(!field_of(ERR_CONFLICT, "endpoint.too_many", "").p);
    cr_expect(!field_of(ERR_INVALID, "x", "other").p);
}

Test(settings_page, what_nobody_typed_is_given_back)
{
    struct settings_form f = form;
    const struct err *busy = ERROR(ERR_BUSY, "database.unavailable", "Wait.");
    cr_expect(settings_form_wrong(a, &f, busy) == busy);
    cr_expect(!settings_form_wrong(a, &f, NULL));
    cr_expect(!f.errors);
}
