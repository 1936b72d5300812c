/* The way through the pages, at their left: the views of the inbox with how
 * many questions stand in each, and the views that somebody saved. */
#ifndef DOORS_PAGES_SHELL_NAV_H
#define DOORS_PAGES_SHELL_NAV_H

#include "doors/call/call.h"

/* Sets `open_count` and `nav` of a page. load false: without what the database
 * knows, for an error page, which must not need it. */
void page_nav(struct call *c, struct json *page, bool load);

#endif
