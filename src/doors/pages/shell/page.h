/* The parts that all pages share: the view, the frame, the form's token, and an
 * error as a page. */
#ifndef DOORS_PAGES_SHELL_PAGE_H
#define DOORS_PAGES_SHELL_PAGE_H

#include "doors/call/call.h"
#include "doors/pages/shell/view.h"

/* The view of a page as of now, its moments in the reader's time zone. */
struct page_view page_begin(const struct call *c);
/* An error as a page. Falls back to problem JSON when it cannot be shown. */
void page_error(struct call *c, const struct err *e);
/* Renders template name over view, whose "page" member is filled in here:
 * title, the person who is signed in, the token for forms, the open
 * questions. */
const struct err *page_render(struct call *c, int status, const char *name,
                              const char *title, struct json *view) MUST;
/* Reads the form of a POST and checks its token and its origin. ERR_FORBIDDEN
 * request.csrf | request.origin. */
const struct err *page_form(struct call *c, struct pairs *out) MUST;

/* The keyboard shortcuts of the pages, as a page of its own: a handler of the
 * route table. */
const struct err *page_keyboard(struct call *c) MUST;

#endif
