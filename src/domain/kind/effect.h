/* Effects: what one choice of a question does.
 *
 * The word on a button comes from this table, never from the agent: the agent
 * says what it wants to do, the server says what an answer does. */
#ifndef DOMAIN_KIND_EFFECT_H
#define DOMAIN_KIND_EFFECT_H

#include "base/json/json.h"
#include "domain/vocabulary.h"

/* The meaning of an effect for the agent. */
enum effect_class {
    EFFECT_NEUTRAL, /* neither: an answer, or no effect */
    EFFECT_YES,     /* it may go on: authorize, authorize_modified, accept */
    EFFECT_NO       /* it may not */
};

/* The effect of a choice (a JSON object); EFFECT_NONE for NULL, for a choice
 * without one and for an unknown word. */
enum effect effect_of_choice(const struct json *choice);
/* The value of "takes" of the choice; TAKES_NOTHING as above. */
enum takes effect_takes(const struct json *choice);
/* The reason that the choice needs; REASON_NEED__MAX where it does not say. */
enum reason_need effect_reason(const struct json *choice);
/* The outcome of a question that is answered with a choice of this effect. */
enum outcome effect_outcome(enum effect e);
enum effect_class effect_class(enum effect e);
enum effect_class effect_class_of_choice(const struct json *choice);
/* Does a word that says this contradict the effect: a no that authorizes, or a
 * yes that rejects? */
bool effect_opposite(enum effect_class said, enum effect e);
/* Has any of the choices an effect? */
bool effect_any(const struct json *choices);
/* Is any of them a yes? */
bool effect_any_yes(const struct json *choices);

#endif
