/* What an answer does, in a line of Sayso's own, whatever the agent says of it.
 * Never decides what it does: its effect does. */
#ifndef DOORS_PAGES_KINDS_DOES_H
#define DOORS_PAGES_KINDS_DOES_H

#include "domain/suspension.h"
#include "doors/pages/shell/view.h"

/* Is it looked for before the answer that it is there counts? */
bool kinds_does_look(struct arena *a, const struct suspension *s);
/* A sentence; "" for an effect of none, of which only the agent knows. */
struct str kinds_does(struct arena *a, const struct suspension *s,
                      const struct json *choice);

#endif
