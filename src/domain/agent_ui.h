/* A question as an event of Agent UI (reference/surfaces.md 1.5, 4.9), for
 * clients that show it themselves. A projection: it says what the stored
 * question says, and owns nothing. Pure. */
#ifndef DOMAIN_AGENT_UI_H
#define DOMAIN_AGENT_UI_H

#include "domain/suspension.h"

/* action.required while it is pending, action.resolved afterwards. */
struct json *agent_ui_event(struct arena *a, const struct intent *i,
                            const struct suspension *s);

#endif
