/* The effect of an answer, in one line of the server, whatever the agent's
 * label. */
#ifndef DOORS_PAGES_KINDS_EFFECT_TEXT_H
#define DOORS_PAGES_KINDS_EFFECT_TEXT_H

#include "domain/question/suspension.h"

/* Is a check needed before the answer that it is set up counts? */
bool kinds_effect_text_probes(struct arena *a, const struct suspension *s);
/* A sentence; "" for a choice without an effect. */
struct str kinds_effect_text(struct arena *a, const struct suspension *s,
                             const struct json *choice);

#endif
