/* One decision for many questions. Pure: each call looks at one question. */
#include "domain/answer/bulk.h"

#include "domain/kind/effect.h"
#include "domain/kind/subject.h"
#include "domain/question/risk.h"

static bool bulk_says(const struct json *choice, bool yes)
{
    const enum effect e = effect_of_choice(choice);
    return yes ? e == EFFECT_AUTHORIZE || e == EFFECT_ACCEPT
               : e == EFFECT_VETO || e == EFFECT_DECLINE;
}

struct bulk_answer bulk_answer(struct arena *a, const struct suspension *s,
                               bool yes)
{
    const struct bulk_answer none = {.value = STR_NONE};
    const struct json *found = NULL, *choices = suspension_choices(a, s);
    const bool choice = s->response_type == ANSWER_CHOICE;
    if (!choice && s->response_type != ANSWER_CONFIRM)
        return none;
    if (!choice) {
        found = suspension_choice(choices, yes ? STR("yes") : STR("no"));
        const enum effect e = effect_of_choice(found);
        if (!bulk_says(found, yes) && e != EFFECT_NONE && e != EFFECT_ANSWER)
            return none; /* a confirm that does something else */
    }
    for (size_t i = 0; choice && i < json_count(choices) && !found; i++) {
        const struct json *c = json_at(choices, i);
        if (bulk_says(c, yes) && (yes || !json_get(c, "takes")))
            found = c;
    }
    if (!found || json_get(found, "takes"))
        return none;
    for (size_t i = 0; (yes || !choice) && i < json_count(choices); i++) {
        if (json_at(choices, i) != found &&
            bulk_says(json_at(choices, i), yes))
            return none;
    }
    return (struct bulk_answer){
        .value = json_get_text(found, "value"),
        .reason = effect_reason(found) == REASON_REQUIRED};
}

struct str bulk_left_out(struct arena *a, const struct suspension *s,
                         const struct principal *reader, bool yes, int64_t now)
{
    const struct responder_case rule = suspension_case(s);
    const struct err *e = responder_check(a, &rule, reader);
    if (s->state != SUSPENSION_PENDING)
        return STR("It was answered in the meantime.");
    if (suspension_due(s, now))
        return STR("It has expired.");
    if (e)
        return e->say;
    if (s->restored_from)
        return STR("It was open in a backup, and may have been answered "
                   "since. Answer it individually.");
    if (s->severity == SEVERITY_UNSAID)
        return STR("It has no risk level. Answer it individually.");
    const enum severity own = reader->account.bulk_limit;
    const enum severity limit = own == SEVERITY_UNSAID ? SEVERITY_MEDIUM : own;
    if (s->severity > limit)
        return arena_join(a, STR("Above your limit ("),
                          vocabulary_severity(limit)->wire,
                          STR("). Answer it individually."));
    const struct str value = bulk_answer(a, s, yes).value;
    if (yes && value.p &&
        risk_typed(a, s, suspension_choice(suspension_choices(a, s), value)).p)
        return STR("It needs a typed confirmation. Answer it individually.");
    if (yes && (s->subject.n > BULK_SUBJECT_MAX ||
                subject_values(suspension_subject(a, s)) > BULK_VALUES_MAX))
        return STR("Its details are too long for a list. Answer it "
                   "individually.");
    if (!value.p)
        return yes ? STR("It has no simple approval. Answer it individually.")
                   : STR("It has no simple rejection. Answer it "
                         "individually.");
    return STR_NONE;
}
