/* The parts of a tool call that people read first: command, content, patch,
 * changes of a file. */
#ifndef DOORS_PAGES_KINDS_PARTS_H
#define DOORS_PAGES_KINDS_PARTS_H

#include "domain/permit/tool_action.h"
#include "doors/pages/kinds/card.h"

/* A list for the template kinds/part. A long part is folded: a command as a
 * fact is, the others beyond 40 lines, of which a change keeps its changed
 * lines unfolded if they are few. NULL: there are none, or the page has no more
 * room; then the call's table shows them. */
struct json *kinds_parts(struct kinds_card *c, const struct tool_action *call);
/* `runs` of that template: the lines of a patch, nothing of it folded. */
struct json *kinds_parts_patch(struct page_view *v, struct str text);

#endif
