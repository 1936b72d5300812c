/* Where a text has what is searched for, so that a page can mark it. Pure. */
#ifndef DOMAIN_SEARCH_SEARCH_FOUND_H
#define DOMAIN_SEARCH_SEARCH_FOUND_H

#include "domain/search/search.h"

#define SEARCH_FOUND_MAX 40 /* places of one text; others are passed over */

/* A place, in bytes of the text: whole characters, with the marks that are
 * drawn on the last one. */
struct search_found {
    size_t from, to;
};
/* The starts of words that the typed words are, by the rules of the search
 * (search_text.h), in their order, none touching another. Returns their
 * number; 0 for a text that is not UTF-8. */
size_t search_found(struct arena *a, const struct search_query *q,
                    struct str text,
                    struct search_found out[static SEARCH_FOUND_MAX]);

#endif
