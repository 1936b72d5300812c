/* The step before something that ends another person's work: what it does,
 * and one button that says it once more. Never loads, never decides. */
#ifndef DOORS_PAGES_SETTINGS_CONFIRM_H
#define DOORS_PAGES_SETTINGS_CONFIRM_H

#include "doors/pages/shell/view.h"

struct settings_confirm {
    const char *verb;     /* "Disable" */
    struct str name;      /* of whom or what; p NULL: the verb says it */
    const char *sentence; /* what comes of it */
    const char *none;     /* "Nothing is ended yet." */
    const char *act;      /* on the button, after "Confirm: " */
    const char *what;     /* of `do`, where the button posts to */
    struct str url, back, key;
};
/* `confirm` */
struct json *settings_confirm(struct page_view *v,
                              const struct settings_confirm *s);

#endif
