/* What is at stake with a yes, as the confirm step repeats it. Never loads,
 * never decides. */
#ifndef DOORS_PAGES_KINDS_STAKES_H
#define DOORS_PAGES_KINDS_STAKES_H

#include "domain/suspension.h"
#include "doors/pages/shell/view.h"

#define KINDS_STAKES_NONE "No consequence stated"

/* Is its risk the server's word, so that the agent had not to state what comes
 * of it? */
bool kinds_stakes_unstated(const struct suspension *s);
/* `stakes`: {lead, words shown} for a yes that is grave or cannot be undone;
 * NULL for any other choice. */
struct json *kinds_stakes(struct page_view *v, const struct suspension *s,
                          const struct json *choice);

#endif
