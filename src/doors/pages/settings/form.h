/* A form of the server: a table of fields, shown and read by the same code as
 * an agent's form, with errors at their fields and typed values kept. */
#ifndef DOORS_PAGES_SETTINGS_FORM_H
#define DOORS_PAGES_SETTINGS_FORM_H

#include "base/err.h"
#include "doors/pages/shell/view.h"
#include "world/web/request.h"

struct settings_form_option {
    const char *value, *label;
};
/* A field of a form, as domain/kind/form.h has them. */
struct settings_form_field {
    const char *key, *label, *help, *type;
    const char *format;  /* NULL: none */
    const char *initial; /* the value of a new one; NULL: none */
    bool required;
    bool fresh; /* only for a new one: it cannot be changed later */
    int64_t max;
    const struct settings_form_option *options;
    size_t options_n;
};
/* A member that is an array, and its length: of the options of a field, and of
 * the fields and actions of a page. */
#define SETTINGS_FORM_ALL(member, all)                                        \
    .member = (all), .member##_n = countof(all)

/* One form while its page is built. */
struct settings_form {
    const struct settings_form_field *fields;
    size_t fields_n;
    bool change; /* of an existing one: fresh fields are left out */
    /* The values of the fields, {key: value}; kept: {key: help} of those whose
     * value is not shown and is kept. NULL: the initial ones. */
    const struct json *values;
    const struct pairs *typed; /* NULL: none */
    struct json *errors;       /* {key: sentence}; NULL: none */
    const struct err *problem; /* of no single field; or NULL */
    const char *heading, *note, *submit;
    struct str url; /* where it is sent */
};
/* The posted values, as {key: value} that fit their fields. NULL: s has the
 * errors. */
const struct json *settings_form_read(struct arena *a,
                                      struct settings_form *s);
/* Moves an error to the field that it names. NULL, or e where no typed value
 * can have caused it. */
const struct err *settings_form_wrong(struct arena *a, struct settings_form *s,
                                      const struct err *e);

/* Adds `form`, and `errors` where there are any. */
void settings_form_view(struct page_view *v, struct json *view,
                        const struct settings_form *s);

#endif
