/* The vocabularies: each word leads back to its value, and to no other. */
#include "domain/vocabulary.h"

#include "base/json/fields.h"
#include "suite.h"

SUITE(vocabulary);

/* A vocabulary in a form that all of them have. */
#define WORDS(name_)                                                          \
    static const char *name_##_wire(unsigned i)                               \
    {                                                                         \
        return vocabulary_##name_((enum name_)i)->wire.p;                     \
    }                                                                         \
    static unsigned name_##_back(struct str word)                             \
    {                                                                         \
        return vocabulary_##name_##_of(word);                                 \
    }
WORDS(intent_status)
WORDS(answer_type)
WORDS(suspension_state)
WORDS(fallback_policy)
WORDS(severity)
WORDS(effect)
WORDS(outcome)
WORDS(via)
WORDS(takes)
WORDS(reason_need)
WORDS(responder_mode)
WORDS(on_reject)
WORDS(lease_status)
WORDS(delivery_state)
WORDS(endpoint_kind)
WORDS(channel_detail)
WORDS(inbox_view)
WORDS(tool_effect)
WORDS(permit_state)
WORDS(permit_view)
WORDS(redemption_result)
WORDS(task_status)
WORDS(task_hold)
WORDS(plan_state)
WORDS(plan_pause)
WORDS(plan_failure)
WORDS(checkpoint_status)
WORDS(checkpoint_timeout)
WORDS(checkpoint_reject)
WORDS(portfolio_status)
WORDS(member_role)
WORDS(failure_strategy)
WORDS(failure_next)
WORDS(coordinator_type)
WORDS(coordinator_status)
WORDS(coordinator_policy)
WORDS(coordinator_exceed)
WORDS(coordinator_decision)

#define ROW(name_, max_) {#name_, max_, name_##_wire, name_##_back}
static const struct {
    const char *name;
    unsigned max;
    const char *(*wire)(unsigned i);
    unsigned (*back)(struct str word);
} all[] = {
    ROW(intent_status, INTENT_STATUS__MAX),
    ROW(answer_type, ANSWER_TYPE__MAX),
    ROW(suspension_state, SUSPENSION_STATE__MAX),
    ROW(fallback_policy, FALLBACK_POLICY__MAX),
    ROW(severity, SEVERITY__MAX),
    ROW(effect, EFFECT__MAX),
    ROW(outcome, OUTCOME__MAX),
    ROW(via, VIA__MAX),
    ROW(takes, TAKES__MAX),
    ROW(reason_need, REASON_NEED__MAX),
    ROW(responder_mode, RESPONDER_MODE__MAX),
    ROW(on_reject, ON_REJECT__MAX),
    ROW(lease_status, LEASE_STATUS__MAX),
    ROW(delivery_state, DELIVERY_STATE__MAX),
    ROW(endpoint_kind, ENDPOINT_KIND__MAX),
    ROW(channel_detail, CHANNEL_DETAIL__MAX),
    ROW(inbox_view, INBOX_VIEW__MAX),
    ROW(tool_effect, TOOL_EFFECT__MAX),
    ROW(permit_state, PERMIT_STATE__MAX),
    ROW(permit_view, PERMIT_VIEW__MAX),
    ROW(redemption_result, REDEMPTION_RESULT__MAX),
    ROW(task_status, TASK_STATUS__MAX),
    ROW(task_hold, TASK_HOLD__MAX),
    ROW(plan_state, PLAN_STATE__MAX),
    ROW(plan_pause, PLAN_PAUSE__MAX),
    ROW(plan_failure, PLAN_FAILURE__MAX),
    ROW(checkpoint_status, CHECKPOINT_STATUS__MAX),
    ROW(checkpoint_timeout, CHECKPOINT_TIMEOUT__MAX),
    ROW(checkpoint_reject, CHECKPOINT_REJECT__MAX),
    ROW(portfolio_status, PORTFOLIO_STATUS__MAX),
    ROW(member_role, MEMBER_ROLE__MAX),
    ROW(failure_strategy, FAILURE_STRATEGY__MAX),
    ROW(failure_next, FAILURE_NEXT__MAX),
    ROW(coordinator_type, COORDINATOR_TYPE__MAX),
    ROW(coordinator_status, COORDINATOR_STATUS__MAX),
    ROW(coordinator_policy, COORDINATOR_POLICY__MAX),
    ROW(coordinator_exceed, COORDINATOR_EXCEED__MAX),
    ROW(coordinator_decision, COORDINATOR_DECISION__MAX),
};

Test(vocabulary, words_and_back)
{
    for (size_t v = 0; v < countof(all); v++) {
        for (unsigned i = 0; i < all[v].max; i++) {
            const char *word = all[v].wire(i);
            if (word)
                cr_assert_eq(all[v].back(str_of(word)), i, "%s %s",
                             all[v].name, word);
        }
        cr_assert_null(all[v].wire(all[v].max), "%s", all[v].name);
    }
}

Test(vocabulary, an_unknown_word_is_no_value)
{
    const struct str words[] = {STR(""), STR("High"), STR("highest"),
                                STR(" low"), STR("crit"), STR("pending ")};
    for (size_t v = 0; v < countof(all); v++) {
        for (size_t i = 0; i < countof(words); i++)
            cr_assert_eq(all[v].back(words[i]), all[v].max, "%s",
                         all[v].name);
    }
}

Test(vocabulary, no_word_is_the_value_without_one)
{
    cr_assert_eq(vocabulary_severity_of(STR_NONE), SEVERITY_UNSAID);
    cr_assert_eq(vocabulary_outcome_of(STR_NONE), OUTCOME_UNDECIDED);
    cr_assert_eq(vocabulary_takes_of(STR_NONE), TAKES_NOTHING);
    cr_assert_eq(vocabulary_lease_status_of(STR_NONE), LEASE_STATUS__MAX);
}

Test(vocabulary, none_in_an_address_is_no_word)
{
    cr_assert_str_eq(vocabulary_key(vocabulary_severity(SEVERITY_UNSAID)).p,
                     "none");
    cr_assert_str_eq(vocabulary_key(vocabulary_severity(SEVERITY_LOW)).p,
                     "low");
    cr_assert_null(vocabulary_of_key(STR("none")).p);
    cr_assert(str_is(vocabulary_of_key(STR("low")), "low"));
}

/* The states that pages show as badges. */
#define BADGES(name_)                                                          \
    static const struct vocabulary_word *name_##_badge(unsigned i)             \
    {                                                                          \
        return vocabulary_##name_((enum name_)i);                              \
    }
BADGES(intent_status)
BADGES(task_status)
BADGES(plan_state)
BADGES(checkpoint_status)
BADGES(portfolio_status)

static const struct {
    unsigned max;
    const struct vocabulary_word *(*words)(unsigned i);
} badges[] = {
    {INTENT_STATUS__MAX, intent_status_badge},
    {TASK_STATUS__MAX, task_status_badge},
    {PLAN_STATE__MAX, plan_state_badge},
    {CHECKPOINT_STATUS__MAX, checkpoint_status_badge},
    {PORTFOLIO_STATUS__MAX, portfolio_status_badge},
};

/* Every value that a badge or a button shows has its words. */
Test(vocabulary, what_people_see_has_words)
{
    for (unsigned i = OUTCOME_AUTHORIZED; i < OUTCOME__MAX; i++) {
        const struct vocabulary_word *w = vocabulary_outcome((enum outcome)i);
        cr_assert(w->label && w->icon && w->tone, "%s", w->wire.p);
    }
    for (size_t v = 0; v < countof(badges); v++) {
        for (unsigned i = 0; i < badges[v].max; i++) {
            const struct vocabulary_word *w = badges[v].words(i);
            cr_assert(w->label && w->icon && w->tone, "%s", w->wire.p);
        }
    }
    for (unsigned i = 0; i < SEVERITY__MAX; i++)
        cr_assert_gt(strlen(vocabulary_severity((enum severity)i)->label), 2);
    for (unsigned i = 0; i < EFFECT__MAX; i++)
        cr_assert(vocabulary_effect((enum effect)i)->label);
    for (unsigned i = 0; i < VIA__MAX; i++)
        cr_assert(vocabulary_via((enum via)i)->past);
}

/* ---- what an agent may send ------------------------------------------ */

static const struct err *read(const char *body, enum effect *out)
{
    struct fields f = fields(a, tree(body), STR(""));
    *out = vocabulary_effect_read(&f, "effect");
    return fields_error(&f);
}

Test(vocabulary, an_agent_sends_a_word)
{
    enum effect e = EFFECT_NONE;
    cr_assert(!read("{\"effect\":\"stop_task\"}", &e));
    cr_assert_eq(e, EFFECT_STOP_TASK);
    cr_assert(!read("{}", &e));
    cr_assert_eq(e, EFFECT__MAX);
}

Test(vocabulary, what_is_the_servers_own_is_refused)
{
    const char *const bodies[] = {"{\"effect\":\"authorize_modified\"}",
                                  "{\"effect\":\"escalate\"}",
                                  "{\"effect\":\"\"}", "{\"effect\":1}"};
    enum effect e = EFFECT_NONE;
    for (size_t i = 0; i < countof(bodies); i++) {
        const struct err *wrong = read(bodies[i], &e);
        cr_assert(wrong, "%s", bodies[i]);
        cr_assert_str_eq(wrong->code, "field.value");
        cr_assert(str_ends(wrong->say,
                           STR("none authorize veto request_changes answer "
                               "decline accept stop_task.")));
    }
}
