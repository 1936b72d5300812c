/* A choice as all pages name it: the server's word for its effect first, then
 * the agent's label. Never decides. */
#ifndef DOORS_PAGES_SHELL_CHOICE_H
#define DOORS_PAGES_SHELL_CHOICE_H

#include "doors/pages/shell/view.h"

/* `choice`, {word, label, value}: word "" where it has no effect; label NULL
 * where it adds nothing to the word; value, where another choice has the same
 * label, else NULL. NULL for no choice. */
struct json *page_choice(struct page_view *v, const struct json *choices,
                         const struct json *choice);

#endif
