/* A form of our own: a table of fields, shown and read by the same code as an
 * agent's form, with what is wrong at its field and what was typed kept. */
#ifndef DOORS_PAGE_SHEET_H
#define DOORS_PAGE_SHEET_H

#include "base/err.h"
#include "doors/page_view.h"
#include "world/request.h"

struct page_sheet_option {
    const char *value, *label;
};
/* A field of a form, as domain/form.h has them. */
struct page_sheet_field {
    const char *key, *label, *help, *type;
    const char *format; /* NULL: none */
    bool required;
    bool fresh; /* asked only when it is made: it cannot be changed later */
    int64_t max;
    const struct page_sheet_option *options;
    size_t options_n;
};

/* One form on its way. */
struct page_sheet {
    const struct page_sheet_field *fields;
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
const struct json *page_sheet_read(struct arena *a, struct page_sheet *s);
/* Takes a refusal to the field that it speaks of. NULL, or e where it is
 * nothing that somebody could have typed. */
const struct err *page_sheet_wrong(struct arena *a, struct page_sheet *s,
                                   const struct err *e);

struct page_sheet_words {
    const char *heading, *note, *submit;
    struct str url;
};
/* Adds `form`, and `errors` where something was wrong. */
void page_sheet_view(struct page_view *v, struct json *view,
                     const struct page_sheet *s,
                     const struct page_sheet_words *words);

#endif
