/* A form of our own: a table of fields, shown and read by the same code as an
 * agent's form, with what is wrong at its field and what was typed kept. */
#ifndef DOORS_PAGES_SETTINGS_FORM_H
#define DOORS_PAGES_SETTINGS_FORM_H

#include "base/err.h"
#include "doors/pages/shell/view.h"
#include "world/request.h"

struct settings_form_option {
    const char *value, *label;
};
/* A field of a form, as domain/form.h has them. */
struct settings_form_field {
    const char *key, *label, *help, *type;
    const char *format; /* NULL: none */
    bool required;
    bool fresh; /* asked only when it is made: it cannot be changed later */
    int64_t max;
    const struct settings_form_option *options;
    size_t options_n;
};

/* One form on its way. */
struct settings_form {
    const struct settings_form_field *fields;
    size_t fields_n;
    bool change; /* of what is there: fresh fields are not asked */
    /* What stands in the fields, {key: value}; kept: {key: help} of those
     * whose value is not shown and stays. */
    const struct json *values;
    const struct pairs *typed; /* NULL: nothing was posted */
    struct json *errors;       /* {key: sentence}; NULL: nothing is wrong */
    const struct err *problem; /* with no single field; or NULL */
};
/* What was posted, as {key: value} that fit their fields. NULL: s has what is
 * wrong. */
const struct json *settings_form_read(struct arena *a,
                                      struct settings_form *s);
/* Takes a refusal to the field that it speaks of. NULL, or e where it is
 * nothing that somebody could have typed. */
const struct err *settings_form_wrong(struct arena *a, struct settings_form *s,
                                      const struct err *e);

struct settings_form_words {
    const char *heading, *note, *submit;
    struct str url;
};
/* Adds `form`, and `errors` where something was wrong. */
void settings_form_view(struct page_view *v, struct json *view,
                        const struct settings_form *s,
                        const struct settings_form_words *words);

#endif
