/* The buttons of a question, one for each of its choices. A choice does what
 * its effect says, whatever its label. */
#ifndef DOORS_PAGES_ANSWER_BUTTON_H
#define DOORS_PAGES_ANSWER_BUTTON_H

#include "domain/question/suspension.h"
#include "doors/pages/question/folded.h"
#include "doors/pages/shell/view.h"

/* `buttons`: the primary one first, or the yes of a confirm, then the no, and
 * the others in the agent's order. `changes`: the several ways of a yes with
 * changes, which are not among them. `dock`: the first and the no fit in a row
 * of a phone. */
void answer_button_set(struct page_view *v, struct json *o,
                       const struct suspension *s, const struct json *choices);
/* The choices by which a text or a form is declined. */
struct json *answer_button_decline(struct page_view *v,
                                   const struct suspension *s,
                                   const struct json *choices);
/* Does this choice have a page of its own, where it is filled in or confirmed?
 * A choice that allows more than the page shows also leads there, with the
 * typed values. */
bool answer_button_own_page(struct arena *a, const struct suspension *s,
                            const struct question_folded *unseen,
                            const struct json *choice);
/* The key that presses it: a for the yes, r for the no, e for the yes that
 * changes something; "" for any other, which has its number alone. A choice
 * that ends the task or has no effect is never a or r, except the yes and no of
 * a confirm. */
struct str answer_button_key(const struct suspension *s,
                             const struct json *choices,
                             const struct json *choice);
/* The tone of the choice in the confirm step. */
struct str answer_button_tone(const struct json *choices,
                              const struct json *choice);

#endif
