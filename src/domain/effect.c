/* What one choice of a question does: the table, and reading it. Pure. */
#include "domain/effect.h"

#include <assert.h>

static const struct {
    const char *wire, *word, *outcome;
    enum effect_class class;
} table[] = {
    [EFFECT_NONE] = {"none", "", "none", EFFECT_NEUTRAL},
    [EFFECT_AUTHORIZE] = {"authorize", "Approve", "authorized", EFFECT_YES},
    [EFFECT_AUTHORIZE_MODIFIED] = {"authorize_modified",
                                   "Approve with changes", "authorized",
                                   EFFECT_YES},
    [EFFECT_VETO] = {"veto", "Reject", "vetoed", EFFECT_NO},
    [EFFECT_REQUEST_CHANGES] = {"request_changes", "Request changes",
                                "changes_requested", EFFECT_NO},
    [EFFECT_ANSWER] = {"answer", "Answer", "answered", EFFECT_NEUTRAL},
    [EFFECT_DECLINE] = {"decline", "Decline", "declined", EFFECT_NO},
    [EFFECT_ACCEPT] = {"accept", "Accept", "accepted", EFFECT_YES},
    [EFFECT_ESCALATE] = {"escalate", "Escalate", "none", EFFECT_NEUTRAL},
    [EFFECT_STOP_TASK] = {"stop_task", "Stop the task", "vetoed", EFFECT_NO},
};
static_assert(countof(table) == EFFECT__MAX, "a row each");

enum effect effect_of(struct str word)
{
    unsigned e = 0;
    while (e < EFFECT__MAX && !str_is(word, table[e].wire))
        e++;
    return (enum effect)e;
}

enum effect effect_of_choice(const struct json *choice)
{
    const enum effect e = effect_of(json_get_text(choice, "effect"));
    return e == EFFECT__MAX ? EFFECT_NONE : e;
}

const char *effect_wire(enum effect e)
{
    return table[e].wire;
}

const char *effect_word(enum effect e)
{
    return table[e].word;
}

const char *effect_outcome(enum effect e)
{
    return table[e].outcome;
}

enum effect_class effect_class(enum effect e)
{
    return table[e].class;
}
