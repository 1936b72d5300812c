/* The effect of an answer, in the words of the server, whatever the agent's
 * label. */
#ifndef DOORS_PAGES_KINDS_EFFECT_TEXT_H
#define DOORS_PAGES_KINDS_EFFECT_TEXT_H

#include "domain/question/suspension.h"

/* The same effect in the places that say it. A button, the step that confirms
 * it and the record never disagree: they are one row of one table. */
struct kinds_effect_text {
    struct str button;  /* next to the button: a sentence, or "" */
    struct str confirm; /* on the step that confirms it, after the agent's
                         * name */
    struct str record;  /* in the record, after the agent's name; p NULL: the
                         * agent continues with the choice */
    struct str result;  /* in its place, where it is about the task or a plan;
                         * p NULL: none */
};

/* choice: one of the question's choices, or any object with an effect. */
struct kinds_effect_text kinds_effect_text(struct arena *a,
                                           const struct suspension *s,
                                           const struct json *choice);

#endif
