/* Effects: what one choice of a question does. The one table of their words.
 *
 * The word on a button comes from here, never from the agent: the agent says
 * what it wants to do, the server says what an answer does. */
#ifndef DOMAIN_EFFECT_H
#define DOMAIN_EFFECT_H

#include "base/json.h"

enum effect {
    EFFECT_NONE, /* the agent alone knows what the choice means */
    EFFECT_AUTHORIZE,
    EFFECT_AUTHORIZE_MODIFIED,
    EFFECT_VETO,
    EFFECT_REQUEST_CHANGES,
    EFFECT_ANSWER,
    EFFECT_DECLINE,
    EFFECT_ACCEPT,
    EFFECT_ESCALATE,
    EFFECT_STOP_TASK,
    EFFECT__MAX
};

/* What an effect says to the agent. */
enum effect_class {
    EFFECT_NEUTRAL, /* neither: an answer, or no effect */
    EFFECT_YES,     /* it may go on: authorize, authorize_modified, accept */
    EFFECT_NO       /* it may not */
};

/* The effect of a word on the wire; EFFECT__MAX for an unknown one. */
enum effect effect_of(struct str word);
/* The effect of a choice (a JSON object); EFFECT_NONE for NULL, for a choice
 * without one and for an unknown word. */
enum effect effect_of_choice(const struct json *choice);
/* The word on the wire. */
const char *effect_wire(enum effect e);
/* The server's word for people, as it stands on a button: "Approve". "" for
 * EFFECT_NONE. */
const char *effect_word(enum effect e);
/* The outcome of a question that is answered with it: "authorized". */
const char *effect_outcome(enum effect e);
enum effect_class effect_class(enum effect e);

#endif
