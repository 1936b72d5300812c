/* The effect of an answer: one table of its words. */
#include "doors/pages/kinds/effect_text.h"

#include "domain/answer/resolve.h"
#include "domain/question/side_question.h"
#include "doors/pages/kinds/card.h"

/* Of a yes whose limit can be lowered; "" where the subject has none. */
static struct str effect_text_limit(struct arena *a,
                                    const struct suspension *s)
{
    const struct json *limit = json_get(suspension_subject(a, s), "limit");
    if (!limit)
        return STR("");
    return arena_join(
        a, STR("At most "), page_facts_number(a, json_get(limit, "amount")),
        STR(" "), words_plain(a, json_get_text(limit, "unit"), KIND_UNIT_MAX),
        STR(". You can lower it."));
}

/* Is a check needed before the answer that it is set up counts? */
static bool effect_text_probes(struct arena *a, const struct suspension *s)
{
    return s->kind == KIND_CREDENTIAL_NEEDED &&
           json_get_text(suspension_subject(a, s), "probe").n > 0;
}

/* Of a yes that changes nothing. */
static struct str effect_text_yes(struct arena *a, const struct suspension *s,
                                  const struct json *choice)
{
    if (str_is(json_get_text(choice, "value"), "allow_once"))
        return STR("Allows this once.");
    if (s->kind != KIND_PERMISSION)
        return STR("Approves exactly what is shown.");
    /* An agent's own yes has no shorter time than was asked for. */
    const struct json *subject = suspension_subject(a, s);
    if (!subject)
        return STR("");
    const struct json *duration = json_get(subject, "duration");
    const int64_t seconds = json_int(json_get(duration, "seconds"));
    if (str_is(json_get_text(duration, "kind"), "once") || seconds < 1)
        return STR("Allows this once.");
    return arena_join(a, STR("Valid for "), kinds_card_span(a, seconds),
                      STR(", as requested."));
}

/* The effect of a choice, in the words of each place that says it. */
struct effect_row {
    enum origin origin; /* ORIGIN__MAX: of every origin */
    enum kind kind;     /* KIND__MAX: of every kind */
    enum effect effect;
    const char *button; /* NULL: the agent does what `confirm` says; "": it
                         * depends on the facts */
    const char *confirm;
    const char *record; /* NULL: as `confirm`; "": the agent continues with the
                         * choice */
    const char *result; /* NULL: none */
};

#define ANY ORIGIN__MAX, KIND__MAX
#define OF_KIND(kind_) ORIGIN__MAX, KIND_##kind_
#define OF_ORIGIN(origin_) ORIGIN_##origin_, KIND__MAX

/* The first row that fits counts. */
static const struct effect_row effect_rows[] = {
    {OF_ORIGIN(CHECKPOINT), EFFECT_AUTHORIZE, "The plan goes on.",
     "is notified, and the plan goes on.", NULL, "The plan goes on."},
    {OF_ORIGIN(CHECKPOINT), EFFECT_VETO,
     "The plan fails, and its open steps are cancelled.",
     "gets your rejection, and the plan fails.", NULL, "The plan failed."},
    {OF_ORIGIN(OWN_CHECKPOINT), EFFECT_AUTHORIZE,
     "Approves the details shown and the checkpoint. The plan goes on.",
     "is notified, and the plan goes on.", NULL, "The plan goes on."},
    {OF_ORIGIN(OWN_CHECKPOINT), EFFECT_VETO,
     "Rejects the checkpoint. Its plan states whether the step runs again or "
     "the plan fails.",
     "gets your rejection. Its plan states whether the step runs again or the "
     "plan fails.",
     NULL,
     "The checkpoint was rejected. Its plan states whether the step runs "
     "again or the plan fails."},
    {OF_ORIGIN(PLAN_REVIEW), EFFECT_AUTHORIZE, "The plan is carried out.",
     "is notified, and the plan is carried out.", NULL,
     "The plan is carried out."},
    {OF_ORIGIN(PLAN_REVIEW), EFFECT_REQUEST_CHANGES,
     "The plan goes back to its agent as a draft.",
     "gets the plan back as a draft. Nothing is approved.", NULL,
     "The plan went back to its agent as a draft."},
    {OF_ORIGIN(PLAN_REVIEW), EFFECT_VETO,
     "The plan fails, and its open steps are cancelled.",
     "gets your rejection, and the plan fails.", NULL, "The plan failed."},
    {OF_ORIGIN(ACCESS), EFFECT_AUTHORIZE, "", "gets this access.", "", NULL},
    {OF_ORIGIN(ACCESS), EFFECT_VETO, NULL, "does not get access.", NULL, NULL},
    {OF_KIND(HANDOFF_ACCEPTANCE), EFFECT_DECLINE, NULL, "keeps the task.",
     NULL, NULL},
    {OF_KIND(CREDENTIAL_NEEDED), EFFECT_DECLINE, NULL,
     "continues without the credential.", NULL, NULL},
    {OF_KIND(CREDENTIAL_NEEDED), EFFECT_ANSWER, NULL,
     "continues. Sayso does not verify the setup.", "", NULL},
    {ANY, EFFECT_DECLINE, NULL, "continues without an answer.", NULL, NULL},
    {ANY, EFFECT_ACCEPT, "You become the owner of the task.",
     "is notified, and you become the owner of the task.",
     "handed the task over to its new owner.", NULL},
    {ANY, EFFECT_VETO, NULL, "skips this and continues.", NULL, NULL},
    {ANY, EFFECT_REQUEST_CHANGES,
     "Sends your comment. The agent can submit a revised request.",
     "is asked for a revision. Nothing is approved.",
     "was asked for a revision. Nothing was approved.", NULL},
    {ANY, EFFECT_ANSWER, NULL, "gets this answer. It approves nothing.", "",
     NULL},
    {ANY, EFFECT_AUTHORIZE, "", "gets this answer and may act on it.", "",
     NULL},
    {ANY, EFFECT_AUTHORIZE_MODIFIED, "", "gets this answer and may act on it.",
     "", NULL},
};

static const struct effect_row *effect_text_row(struct arena *a,
                                                const struct suspension *s,
                                                const struct json *choice)
{
    static const struct effect_row none = {
        ANY, EFFECT_NONE, "", "gets this answer.", "", NULL};
    static const struct effect_row ends = {
        ANY,
        EFFECT_NONE,
        "Stops the whole task.",
        "gets your rejection, and the task stops.",
        NULL,
        "The task was stopped."};
    static const struct effect_row again = {
        ANY,
        EFFECT_VETO,
        "The step runs again if it has an attempt left. Otherwise the plan "
        "fails.",
        "gets your rejection. The step runs again if it has an attempt left. "
        "Otherwise the plan fails.",
        NULL,
        "The step runs again if it had an attempt left. Otherwise the plan "
        "failed."};
    static const struct effect_row probed = {
        ANY,
        EFFECT_ANSWER,
        "Sayso verifies the setup before the agent continues.",
        "is notified after Sayso has verified the setup. If the check fails, "
        "nothing is recorded.",
        "",
        NULL};
    const enum effect effect = effect_of_choice(choice);
    if (resolve_ends(s, choice))
        return &ends;
    if (s->origin == ORIGIN_CHECKPOINT && effect == EFFECT_VETO &&
        checkpoint_rejects(a, s) == CHECKPOINT_REJECT_RETRY)
        return &again;
    if (effect == EFFECT_ANSWER && effect_text_probes(a, s))
        return &probed;
    for (size_t i = 0; i < countof(effect_rows); i++) {
        const struct effect_row *row = &effect_rows[i];
        if ((row->origin == ORIGIN__MAX || row->origin == s->origin) &&
            (row->kind == KIND__MAX || row->kind == s->kind) &&
            row->effect == effect)
            return row;
    }
    return &none;
}

/* Of a yes, from its facts. */
static struct str effect_text_of_facts(struct arena *a,
                                       const struct suspension *s,
                                       const struct json *choice)
{
    static const char *const by_takes[TAKES__MAX] = {
        [TAKES_SUBJECT] = "Edit the values, then approve. Only your "
                          "version can run.",
        [TAKES_CONSTRAINTS] = "Approve with lower limits.",
        [TAKES_STEPS] = "Remove, reorder or annotate steps, then approve the "
                        "rest.",
        [TAKES_SECONDS] = "Access expires automatically after the time that "
                          "you set."};
    const enum takes takes = effect_takes(choice);
    if (s->origin == ORIGIN_ACCESS)
        return side_question_access_words(json_get_text(choice, "value"));
    if (takes == TAKES_LIMIT)
        return effect_text_limit(a, s);
    if (by_takes[takes])
        return str_of(by_takes[takes]);
    return effect_of_choice(choice) == EFFECT_AUTHORIZE
               ? effect_text_yes(a, s, choice)
               : STR("");
}

struct kinds_effect_text kinds_effect_text(struct arena *a,
                                           const struct suspension *s,
                                           const struct json *choice)
{
    const struct effect_row *row = effect_text_row(a, s, choice);
    const char *record = row->record ? row->record : row->confirm;
    struct kinds_effect_text o = {
        .confirm = str_of(row->confirm),
        .record = *record ? str_of(record) : STR_NONE,
        .result = row->result ? str_of(row->result) : STR_NONE};
    if (!row->button)
        o.button = arena_join(a, STR("The agent "), o.confirm);
    else
        o.button = *row->button ? str_of(row->button)
                                : effect_text_of_facts(a, s, choice);
    if (!o.button.p)
        o.button = STR("");
    return o;
}
