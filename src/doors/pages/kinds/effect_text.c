/* The effect of an answer, in one line. */
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

bool kinds_effect_text_probes(struct arena *a, const struct suspension *s)
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

/* Of a question about a plan or about access, whose answer the server carries
 * out itself; p NULL: it is none of these, or decides nothing there. */
static struct str effect_text_origin(struct arena *a,
                                     const struct suspension *s,
                                     const struct json *choice)
{
    const enum effect effect = effect_of_choice(choice);
    const bool yes = effect == EFFECT_AUTHORIZE;
    if (s->origin == ORIGIN_CHECKPOINT)
        return yes ? STR("The plan goes on.")
               : checkpoint_rejects(a, s) == CHECKPOINT_REJECT_RETRY
                   ? STR("The step runs again if it has an attempt left. "
                         "Otherwise the plan fails.")
                   : STR("The plan fails, and its open steps are cancelled.");
    /* The agent's own request about a checkpoint. */
    if (s->origin == ORIGIN_OWN_CHECKPOINT && !resolve_ends(s, choice))
        return yes ? STR("Approves the details shown and the checkpoint. The "
                         "plan goes on.")
               : effect == EFFECT_VETO
                   ? STR("Rejects the checkpoint. Its plan states whether the "
                         "step runs again or the plan fails.")
                   : STR_NONE;
    if (s->origin == ORIGIN_PLAN_REVIEW)
        return yes ? STR("The plan is carried out.")
               : effect == EFFECT_REQUEST_CHANGES
                   ? STR("The plan goes back to its agent as a draft.")
                   : STR("The plan fails, and its open steps are cancelled.");
    if (s->origin != ORIGIN_ACCESS)
        return STR_NONE;
    const struct str words =
        side_question_access_words(json_get_text(choice, "value"));
    return words.p ? words : STR("The agent does not get access.");
}

struct str kinds_effect_text(struct arena *a, const struct suspension *s,
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
    static const char *const by_effect[EFFECT__MAX] = {
        [EFFECT_VETO] = "The agent skips this and continues.",
        [EFFECT_REQUEST_CHANGES] = "Sends your comment. The agent can submit "
                                   "a revised request.",
        [EFFECT_ACCEPT] = "You become the owner of the task.",
        [EFFECT_DECLINE] = "The agent continues without an answer.",
        [EFFECT_ANSWER] = "The agent gets this answer. It approves nothing."};
    const enum effect effect = effect_of_choice(choice);
    const enum takes takes = effect_takes(choice);
    const struct str done = effect_text_origin(a, s, choice);
    if (done.p)
        return done;
    if (takes == TAKES_LIMIT)
        return effect_text_limit(a, s);
    if (by_takes[takes])
        return str_of(by_takes[takes]);
    if (resolve_ends(s, choice))
        return STR("Stops the whole task.");
    if (effect == EFFECT_AUTHORIZE)
        return effect_text_yes(a, s, choice);
    if (effect == EFFECT_DECLINE && s->kind == KIND_HANDOFF_ACCEPTANCE)
        return STR("The agent keeps the task.");
    if (effect == EFFECT_ANSWER && s->kind == KIND_CREDENTIAL_NEEDED)
        return kinds_effect_text_probes(a, s)
                   ? STR("Sayso verifies the setup before the agent "
                         "continues.")
                   : STR("The agent continues. Sayso does not verify the "
                         "setup.");
    return by_effect[effect] ? str_of(by_effect[effect]) : STR("");
}
