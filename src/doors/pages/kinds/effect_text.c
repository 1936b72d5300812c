/* The effect of an answer, in one line. */
#include "doors/pages/kinds/effect_text.h"

#include "domain/answer/resolve.h"
#include "domain/question/beside.h"
#include "doors/pages/kinds/card.h"

/* "At most 1,800 USD. You can lower it." */
static struct str limit_words(struct arena *a, const struct suspension *s)
{
    struct json *subject = NULL;
    if (json_parse(a, s->subject, &subject))
        return STR("");
    const struct json *limit = json_get(subject, "limit");
    return arena_join(
        a, STR("At most "), page_facts_number(a, json_get(limit, "amount")),
        STR(" "), words_plain(a, json_get_text(limit, "unit"), KIND_UNIT_MAX),
        STR(". You can lower it."));
}

/* An agent's own yes has no shorter time than was asked for. */
static struct str whole_time(struct arena *a, const struct suspension *s)
{
    struct json *subject = NULL;
    if (json_parse(a, s->subject, &subject))
        return STR("");
    const struct json *duration = json_get(subject, "duration");
    const int64_t seconds = json_int(json_get(duration, "seconds"));
    if (str_is(json_get_text(duration, "kind"), "once") || seconds < 1)
        return STR("One use only.");
    return arena_join(a, STR("Valid for "), kinds_card_span(a, seconds),
                      STR(", as requested."));
}

/* By the part that it may change; p NULL: none. */
static struct str takes_words(struct arena *a, const struct suspension *s,
                              enum takes takes)
{
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
        return limit_words(a, s);
    case TAKES_NOTHING:
    case TAKES__MAX:
    default:
        return STR_NONE;
    }
}

bool kinds_effect_text_look(struct arena *a, const struct suspension *s)
{
    struct json *subject = NULL;
    return s->kind == KIND_CREDENTIAL_NEEDED &&
           !json_parse(a, s->subject, &subject) &&
           json_get_text(subject, "probe").n > 0;
}

static struct str answer_words(struct arena *a, const struct suspension *s)
{
    if (kinds_effect_text_look(a, s))
        return STR("Sayso verifies the setup before the agent continues.");
    return s->kind == KIND_CREDENTIAL_NEEDED
               ? STR("The agent continues. Sayso does not verify the setup.")
               : STR("The agent gets this answer. It approves nothing.");
}

static struct str authorize_words(struct arena *a, const struct suspension *s)
{
    return s->kind == KIND_PERMISSION ? whole_time(a, s)
                                      : STR("Approves exactly the details "
                                            "shown.");
}

/* Of a plan's checkpoint. */
static struct str checkpoint_words(struct arena *a, const struct suspension *s,
                                   const struct json *choice)
{
    if (effect_of_choice(choice) == EFFECT_AUTHORIZE)
        return STR("The plan goes on.");
    return checkpoint_rejects(a, s) == CHECKPOINT_REJECT_RETRY
               ? STR("The step is done again, if it has an attempt left. Else "
                     "the plan fails.")
               : STR("The plan fails, and its open steps are cancelled.");
}

/* Of an agent's own request about one; p NULL: it decides nothing there. */
static struct str own_words(const struct suspension *s,
                            const struct json *choice)
{
    const enum effect effect = effect_of_choice(choice);
    if (resolve_ends(s, choice))
        return STR_NONE;
    if (effect == EFFECT_AUTHORIZE)
        return STR("Approves the details shown and the checkpoint. The plan "
                   "goes on.");
    return effect == EFFECT_VETO
               ? STR("Rejects the checkpoint. Its plan says whether the step "
                     "is done again or the plan fails.")
               : STR_NONE;
}

/* Of the review of a plan. */
static struct str review_words(const struct json *choice)
{
    const enum effect effect = effect_of_choice(choice);
    if (effect == EFFECT_AUTHORIZE)
        return STR("The plan is carried out.");
    return effect == EFFECT_REQUEST_CHANGES
               ? STR("The plan goes back to its agent as a draft.")
               : STR("The plan fails, and its open steps are cancelled.");
}

/* Of a request for access. */
static struct str access_words(const struct json *choice)
{
    const struct str words =
        beside_access_words(json_get_text(choice, "value"));
    return words.p ? words : STR("The agent gets no access by this.");
}

struct str kinds_effect_text(struct arena *a, const struct suspension *s,
                             const struct json *choice)
{
    if (s->origin == ORIGIN_CHECKPOINT)
        return checkpoint_words(a, s, choice);
    if (s->origin == ORIGIN_OWN_CHECKPOINT && own_words(s, choice).p)
        return own_words(s, choice);
    if (s->origin == ORIGIN_PLAN_REVIEW)
        return review_words(choice);
    if (s->origin == ORIGIN_ACCESS)
        return access_words(choice);
    const struct str takes = takes_words(a, s, effect_takes(choice));
    if (takes.p)
        return takes;
    if (resolve_ends(s, choice))
        return STR("Stops the whole task.");
    switch (effect_of_choice(choice)) {
    case EFFECT_VETO:
        return STR("The agent is told no and continues without it.");
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
        return answer_words(a, s);
    case EFFECT_AUTHORIZE:
        return str_is(json_get_text(choice, "value"), "allow_once")
                   ? STR("One use only.")
                   : authorize_words(a, s);
    case EFFECT_NONE:
    case EFFECT_AUTHORIZE_MODIFIED:
    case EFFECT_ESCALATE:
    case EFFECT_STOP_TASK:
    case EFFECT__MAX:
    default:
        return STR("");
    }
}
