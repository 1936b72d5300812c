/* A question as an event of the Agent UI protocol, for clients that show
 * questions themselves. The event only repeats what the stored question says.
 * Pure. */
#ifndef DOMAIN_ANSWER_AGENT_UI_H
#define DOMAIN_ANSWER_AGENT_UI_H

#include "domain/question/suspension.h"

/* action.required while it is pending, action.resolved afterwards. */
struct json *agent_ui_event(struct arena *a, const struct intent *i,
                            const struct suspension *s);

#endif
