/* The risks of a yes, as the confirm step repeats them. Never loads, never
 * decides. */
#ifndef DOORS_PAGES_KINDS_RISK_NOTE_H
#define DOORS_PAGES_KINDS_RISK_NOTE_H

#include "domain/question/suspension.h"
#include "doors/pages/shell/view.h"

#define KINDS_RISK_NOTE_NONE "No consequence stated"

/* Did the server raise the risk, so that the agent did not have to state the
 * consequence? */
bool kinds_risk_note_unstated(const struct suspension *s);
/* `stakes`: {lead, words shown} for a yes that is grave or cannot be undone;
 * NULL for any other choice. */
struct json *kinds_risk_note(struct page_view *v, const struct suspension *s,
                             const struct json *choice);

#endif
