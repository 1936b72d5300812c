/* The choice that a word means.
 *
 * Where any choice of a question has an effect, a word of ours means an effect
 * and nothing else; an agent's value is taken only where the word is none of
 * ours. A no may be spelled in other ways (no, deny, REJECT, full-width); a yes
 * has to be spelled as it stands. Where no choice has an effect, every word is
 * the agent's value (OpenIntent RFC-0025). Pure. */
#ifndef DOMAIN_QUESTION_MEANT_H
#define DOMAIN_QUESTION_MEANT_H

#include "base/err.h"
#include "domain/question/suspension.h"

enum meant_how {
    MEANT_SAID, /* the text is a word that somebody said */
    MEANT_VALUE /* the text is to be a choice's value, sent by a program */
};

/* The choice of s that the text means; NULL where there is none, or where it
 * could be meant in two ways. choices: suspension_choices(a, s). A button that
 * a person pressed is not a word: suspension_choice. A no finds the first
 * choice that rejects; a yes only one that is alone. The value of a choice
 * that says the opposite of its effect (meant_check lets it pass under a label
 * like "Cancel order 1234"): as MEANT_SAID never that choice; as MEANT_VALUE
 * that choice where the word is no answer by itself ("cancel"), never where it
 * is one ("reject"). */
const struct json *meant_choice(struct arena *a, const struct suspension *s,
                                const struct json *choices, struct str text,
                                enum meant_how how);
/* The choice that means this effect: the first that rejects, the only one that
 * does anything else. NULL: none. */
const struct json *meant_effect(const struct json *choices, enum effect effect);
/* Is the answer of s a word for a no, or the choice that was pressed one?
 * "cancel" is none under a label like "Cancel order 1234". For answers without
 * an effect: only their agent knows what else they mean. */
bool meant_no(struct arena *a, const struct suspension *s);
/* May the choices of s have these values? Checked only where one of them has an
 * effect. ERR_INVALID choice.value_opposite at choices[i].value: a yes whose
 * value is a no, or the other way round, unless the label begins with that word
 * and says more ("Cancel order 1234"), which a confirm's never does; and
 * choice.label_opposite at choices[i].label: a confirm's own yes that is called
 * a no, or the other way round. */
const struct err *meant_check(struct arena *a, const struct suspension *s,
                              const struct json *choices) MUST;

#endif
