/* The effect of an answer, in one line. */
#include "doors/pages/kinds/effect_text.h"

#include "domain/answer/resolve.h"
#include "domain/question/side_question.h"
#include "doors/pages/kinds/card.h"

/* By the part that a yes may change; p NULL: none. */
static struct str effect_text_takes(struct arena *a,
                                    const struct suspension *s,
                                    enum takes takes)
{
    const struct json *limit;
    switch (takes) {
    case TAKES_SUBJECT:
        return STR("Edit the values, then approve them. Only your version "
                   "can run.");
    case TAKES_CONSTRAINTS:
        return STR("Approve with lower limits.");
    case TAKES_STEPS:
        return STR("Remove, reorder or annotate steps, then approve the "
                   "rest.");
    case TAKES_SECONDS:
        return STR("Access expires automatically after the time that you "
                   "set.");
    case TAKES_LIMIT:
        limit = json_get(suspension_subject(a, s), "limit");
        if (!limit)
            return STR("");
        return arena_join(
            a, STR("At most "),
            page_facts_number(a, json_get(limit, "amount")), STR(" "),
            words_plain(a, json_get_text(limit, "unit"), KIND_UNIT_MAX),
            STR(". You can lower it."));
    case TAKES_NOTHING:
    case TAKES__MAX:
    default:
        return STR_NONE;
    }
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
        return STR("One use only.");
    if (s->kind != KIND_PERMISSION)
        return STR("Approves exactly the details shown.");
    /* An agent's own yes has no shorter time than was asked for. */
    const struct json *subject = suspension_subject(a, s);
    if (!subject)
        return STR("");
    const struct json *duration = json_get(subject, "duration");
    const int64_t seconds = json_int(json_get(duration, "seconds"));
    if (str_is(json_get_text(duration, "kind"), "once") || seconds < 1)
        return STR("One use only.");
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
    const struct str done = effect_text_origin(a, s, choice);
    const struct str takes = effect_text_takes(a, s, effect_takes(choice));
    if (done.p)
        return done;
    if (takes.p)
        return takes;
    if (resolve_ends(s, choice))
        return STR("Stops the whole task.");
    switch (effect_of_choice(choice)) {
    case EFFECT_VETO:
        return STR("The agent gets the rejection and continues without it.");
    case EFFECT_REQUEST_CHANGES:
        return STR("Sends your comment. The agent can submit a revised "
                   "request.");
    case EFFECT_ACCEPT:
        return STR("You become the owner of the task.");
    case EFFECT_DECLINE:
        return s->kind == KIND_HANDOFF_ACCEPTANCE
                   ? STR("The agent keeps the task.")
                   : STR("The agent continues without an answer.");
    case EFFECT_ANSWER:
        return kinds_effect_text_probes(a, s)
                   ? STR("Sayso verifies the setup before the agent "
                         "continues.")
               : s->kind == KIND_CREDENTIAL_NEEDED
                   ? STR("The agent continues. Sayso does not verify the "
                         "setup.")
                   : STR("The agent gets this answer. It approves nothing.");
    case EFFECT_AUTHORIZE:
        return effect_text_yes(a, s, choice);
    case EFFECT_NONE:
    case EFFECT_AUTHORIZE_MODIFIED:
    case EFFECT_ESCALATE:
    case EFFECT_STOP_TASK:
    case EFFECT__MAX:
    default:
        return STR("");
    }
}
