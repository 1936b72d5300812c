/* The confirm step before an action that ends another person's work: its
 * effect, and one button that names it again. Never loads, never decides. */
#ifndef DOORS_PAGES_SETTINGS_CONFIRM_H
#define DOORS_PAGES_SETTINGS_CONFIRM_H

#include "doors/pages/shell/view.h"

struct settings_confirm {
    const char *verb;     /* "Disable" */
    struct str name;      /* of the person or thing; p NULL: only the verb */
    const char *sentence; /* the effect */
    const char *none;     /* "Nothing is ended yet." */
    const char *act;      /* on the button, after "Confirm: " */
    const char *what;     /* of `do`, in the button's form */
    bool comment; /* offers a field for a comment, `reason` */
    struct str url, back, key;
};
/* `confirm` */
struct json *settings_confirm(struct page_view *v,
                              const struct settings_confirm *s);

#endif
