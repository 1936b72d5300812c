/* A choice as all pages name it: the word of what it does first, which is the
 * server's, then what the agent calls it. Never decides. */
#ifndef DOORS_PAGES_SHELL_CHOICE_H
#define DOORS_PAGES_SHELL_CHOICE_H

#include "doors/pages/shell/view.h"

/* `choice`, {word, label, value}: word "" where it has no effect; label NULL
 * where it says nothing beyond the word; value, where another choice has the
 * same label, else NULL. NULL for no choice. */
struct json *page_choice(struct page_view *v, const struct json *choices,
                         const struct json *choice);

#endif
