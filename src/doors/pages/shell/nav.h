/* The navigation at the left of the pages: the views of the inbox with the
 * number of questions in each, and saved views. */
#ifndef DOORS_PAGES_SHELL_NAV_H
#define DOORS_PAGES_SHELL_NAV_H

#include "doors/call/call.h"

/* Sets `open_count` and `nav` of a page. load false: without the database, for
 * an error page. ended: of a question's page, that it is in the history. */
void page_nav(struct call *c, struct json *page, bool load, bool ended);

#endif
