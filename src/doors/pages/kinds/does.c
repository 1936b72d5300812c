/* What an answer does, in a line for each. */
#include "doors/pages/kinds/does.h"

#include "domain/resolve.h"
#include "doors/pages/kinds/card.h"

/* "At most 1,800 USD; you can lower it." */
static struct str limit_words(struct arena *a, const struct suspension *s)
{
    struct json *subject = NULL;
    struct buf b = buf_make(a, 1024);
    if (json_parse(a, s->subject, &subject))
        return STR("");
    const struct json *limit = json_get(subject, "limit");
    buf_put(&b, "At most ");
    buf_str(&b, page_facts_number(a, json_get(limit, "amount")));
    buf_char(&b, ' ');
    buf_str(&b, words_plain(a, json_get_text(limit, "unit"), KIND_UNIT_MAX));
    buf_put(&b, "; you can lower it.");
    return buf_text(&b);
}

/* A yes of the agent's own has no shorter time than what was asked for. */
static struct str whole_time(struct arena *a, const struct suspension *s)
{
    struct json *subject = NULL;
    struct buf b = buf_make(a, 128);
    if (json_parse(a, s->subject, &subject))
        return STR("");
    const struct json *duration = json_get(subject, "duration");
    const int64_t seconds = json_int(json_get(duration, "seconds"));
    if (str_is(json_get_text(duration, "kind"), "once") || seconds < 1)
        return STR("For one time only.");
    buf_put(&b, "For the whole ");
    buf_str(&b, kinds_card_span(a, seconds));
    buf_put(&b, " that it asks for.");
    return buf_text(&b);
}

/* By what it takes; p NULL: nothing. */
static struct str takes_words(struct arena *a, const struct suspension *s,
                              enum takes takes)
{
    switch (takes) {
    case TAKES_SUBJECT:
        return STR("You change it; only your version can run.");
    case TAKES_CONSTRAINTS:
        return STR("You set tighter limits.");
    case TAKES_STEPS:
        return STR("You drop, move and note steps; only what is left can "
                   "run.");
    case TAKES_SECONDS:
        return STR("It ends by itself after the time you give.");
    case TAKES_LIMIT:
        return limit_words(a, s);
    case TAKES_NOTHING:
    case TAKES__MAX:
    default:
        return STR_NONE;
    }
}

bool kinds_does_look(struct arena *a, const struct suspension *s)
{
    struct json *subject = NULL;
    return s->kind == KIND_CREDENTIAL_NEEDED &&
           !json_parse(a, s->subject, &subject) &&
           json_get_text(subject, "probe").n > 0;
}

static struct str answer_words(struct arena *a, const struct suspension *s)
{
    if (kinds_does_look(a, s))
        return STR("It is looked for; only when it is there, the agent goes "
                   "on.");
    return s->kind == KIND_CREDENTIAL_NEEDED
               ? STR("Nobody checks it; the agent goes on.")
               : STR("The agent gets this answer. It permits nothing.");
}

static struct str authorize_words(struct arena *a, const struct suspension *s)
{
    return s->kind == KIND_PERMISSION ? whole_time(a, s)
                                      : STR("It covers exactly what is "
                                            "shown.");
}

struct str kinds_does(struct arena *a, const struct suspension *s,
                      const struct json *choice)
{
    const struct str takes = takes_words(a, s, effect_takes(choice));
    if (takes.p)
        return takes;
    if (resolve_ends(s, choice))
        return STR("The intent is abandoned.");
    switch (effect_of_choice(choice)) {
    case EFFECT_VETO:
        return STR("The agent is told no, and goes on without it.");
    case EFFECT_REQUEST_CHANGES:
        return STR("Nothing is approved; the agent is asked for a revision.");
    case EFFECT_ACCEPT:
        return STR("The goal becomes yours, whatever stands under To.");
    case EFFECT_DECLINE:
        return s->kind == KIND_HANDOFF_ACCEPTANCE
                   ? STR("The goal stays where it is.")
                   : STR("The agent goes on without an answer.");
    case EFFECT_ANSWER:
        return answer_words(a, s);
    case EFFECT_AUTHORIZE:
        return str_is(json_get_text(choice, "value"), "allow_once")
                   ? STR("For one time only.")
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
