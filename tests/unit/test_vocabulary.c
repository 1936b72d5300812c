/* The vocabularies: each word leads back to its value, and to no other. */
#include "domain/kind/kind.h"
#include "domain/vocabulary.h"

#include "base/json/fields.h"
#include "suite.h"

SUITE(vocabulary);

#define ROW(name_) {#name_, &vocabulary_##name_##_all}
static const struct {
    const char *name;
    const struct vocabulary *v;
} all[] = {
    ROW(intent_status),
    ROW(answer_type),
    ROW(suspension_state),
    ROW(fallback_policy),
    ROW(severity),
    ROW(effect),
    ROW(outcome),
    ROW(via),
    ROW(takes),
    ROW(reason_need),
    ROW(responder_mode),
    ROW(on_reject),
    ROW(lease_status),
    ROW(delivery_state),
    ROW(endpoint_kind),
    ROW(channel_detail),
    ROW(inbox_view),
    ROW(tool_effect),
    ROW(permit_state),
    ROW(permit_view),
    ROW(redemption_result),
    ROW(task_status),
    ROW(task_hold),
    ROW(plan_state),
    ROW(plan_pause),
    ROW(plan_failure),
    ROW(checkpoint_status),
    ROW(checkpoint_timeout),
    ROW(checkpoint_reject),
    ROW(reach),
    ROW(access),
    ROW(portfolio_status),
    ROW(member_role),
    ROW(failure_strategy),
    ROW(failure_next),
    ROW(coordinator_type),
    ROW(coordinator_status),
    ROW(coordinator_policy),
    ROW(coordinator_exceed),
    ROW(coordinator_decision),
    {"kind", &kind_all},
};

Test(vocabulary, words_and_back)
{
    for (size_t k = 0; k < countof(all); k++) {
        const struct vocabulary *v = all[k].v;
        for (unsigned i = 0; i < v->n; i++) {
            const struct str word = v->word(i)->wire;
            if (word.p)
                cr_assert_eq(vocabulary_value(v, word), i, "%s %s",
                             all[k].name, word.p);
        }
        cr_assert_null(v->word(v->n)->wire.p, "%s", all[k].name);
    }
}

Test(vocabulary, an_unknown_word_is_no_value)
{
    const struct str words[] = {STR(""), STR("High"), STR("highest"),
                                STR(" low"), STR("crit"), STR("pending ")};
    for (size_t k = 0; k < countof(all); k++) {
        for (size_t i = 0; i < countof(words); i++)
            cr_assert_eq(vocabulary_value(all[k].v, words[i]), all[k].v->n,
                         "%s", all[k].name);
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
static const struct vocabulary *const badges[] = {
    &vocabulary_intent_status_all,     &vocabulary_task_status_all,
    &vocabulary_plan_state_all,        &vocabulary_checkpoint_status_all,
    &vocabulary_portfolio_status_all,
};

/* Every value that a badge or a button shows has its words. */
Test(vocabulary, what_people_see_has_words)
{
    for (unsigned i = OUTCOME_AUTHORIZED; i < OUTCOME__MAX; i++) {
        const struct vocabulary_word *w = vocabulary_outcome((enum outcome)i);
        cr_assert(w->label && w->icon && w->tone, "%s", w->wire.p);
    }
    for (size_t v = 0; v < countof(badges); v++) {
        for (unsigned i = 0; i < badges[v]->n; i++) {
            const struct vocabulary_word *w = badges[v]->word(i);
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
