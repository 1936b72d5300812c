/* The step before something that ends another person's work: what it does,
 * and one button that says it once more. Never loads, never decides. */
#ifndef DOORS_PAGE_SURE_H
#define DOORS_PAGE_SURE_H

#include "doors/page_view.h"

struct page_sure {
    const char *verb;     /* "Disable" */
    struct str name;      /* of whom or what; p NULL: the verb says it */
    const char *sentence; /* what comes of it */
    const char *none;     /* "Nothing is ended yet." */
    const char *act;      /* on the button, after "Confirm: " */
    const char *what;     /* of `do`, where the button posts to */
    struct str url, back, key;
};
/* `confirm` */
struct json *page_sure(struct page_view *v, const struct page_sure *s);

#endif
