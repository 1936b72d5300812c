/* The row of an intent against its events. */
#include "domain/log/intent_check.h"

#include "suite.h"

SUITE(intent_check);

static void say(struct intent_check *c, const char *type, const char *bytes)
{
    const struct event e = {.type = str_of(type), .canonical = str_of(bytes)};
    intent_check_event(a, c, &e);
}

static struct intent_check created(void)
{
    struct intent_check c = {.arena = a};
    const struct str digest =
        intent_state_sha256(a, json_read(a, STR("{\"b\":1}")));
    say(&c, "intent_created",
        arena_z(a, arena_join(a,
                              STR("{\"payload\":{\"status\":\"active\","
                                  "\"title\":\"T\",\"state_sha256\":\""),
                              digest, STR("\"}}"))));
    return c;
}

static struct intent intent(const char *title, enum intent_status status,
                            const char *state)
{
    return (struct intent){
        .title = str_of(title), .status = status, .state = str_of(state)};
}

Test(intent_check, what_the_events_say)
{
    const struct intent_check c = created();
    const struct {
        const char *title;
        enum intent_status status;
        const char *state, *why;
    } cases[] = {
        {"T", INTENT_ACTIVE, "{\"b\":1}", NULL},
        {"T", INTENT_ACTIVE, "{ \"b\": 1, \"_suspension\": {\"a\": 2}}", NULL},
        {"T", INTENT_ACTIVE, "{\"abandonment_reason\":\"x\",\"b\":1}", NULL},
        {"t", INTENT_ACTIVE, "{\"b\":1}", "its title"},
        {"T", INTENT_COMPLETED, "{\"b\":1}", "its status"},
        {"T", INTENT_ACTIVE, "{\"b\":2}", "its state"},
        {"T", INTENT_ACTIVE, "{}", "its state"},
        {"T", INTENT_ACTIVE, "x", "its state"}};
    for (size_t i = 0; i < countof(cases); i++) {
        const struct intent row =
            intent(cases[i].title, cases[i].status, cases[i].state);
        const char *why = intent_check_row(a, &c, &row);
        cr_assert_eq(!why, !cases[i].why, "case %zu", i);
        cr_assert(!why || str_starts(str_of(why), str_of(cases[i].why)),
                  "case %zu: %s", i, why);
    }
}

/* The last word counts; of bytes that were erased there is none. */
Test(intent_check, later_events)
{
    struct intent_check c = created();
    const struct intent active = intent("T", INTENT_ACTIVE, "{\"b\":1}"),
                        asks = intent("T", INTENT_SUSPENDED, "{\"b\":1}"),
                        done = intent("T", INTENT_COMPLETED, "{\"b\":3}");
    say(&c, "intent.suspended", "");
    cr_assert_null(intent_check_row(a, &c, &asks));
    cr_assert(intent_check_row(a, &c, &active));
    say(&c, "intent.resumed", "{}");
    cr_assert_null(intent_check_row(a, &c, &active));
    say(&c, "status_changed", "{\"payload\":{\"new_status\":\"completed\"}}");
    cr_assert(intent_check_row(a, &c, &active));
    cr_assert(intent_check_row(a, &c, &done));
    say(&c, "state_patched", "");
    cr_assert_null(intent_check_row(a, &c, &done));
    say(&c, "status_changed", "");
    cr_assert_null(intent_check_row(a, &c, &active));
    say(&c, "comment", "{\"payload\":{\"title\":\"x\"}}");
    cr_assert_null(intent_check_row(a, &c, &active));
}
