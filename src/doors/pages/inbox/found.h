/* The words that a list is searched for, marked in the texts of its rows.
 * Never loads, never decides. */
#ifndef DOORS_PAGES_INBOX_FOUND_H
#define DOORS_PAGES_INBOX_FOUND_H

#include "doors/pages/shell/view.h"

/* From here on the rows of the view are those of a search for these words, as
 * somebody typed them; p NULL: of none. */
void inbox_found_begin(struct page_view *v, struct str typed);
/* `found` of a row: for the title, reason, asked_by and who that it has, the
 * runs {text, hit} of the text, at most PAGE_VIEW_ROW characters; null where
 * nothing is found in it, and the text is shown as it is. */
void inbox_found_set(struct page_view *v, struct json *row);

#endif
