/* The fields of a form on a page: shown with typed values, and read back into
 * the JSON value that the domain checks. Never checks a value itself. */
#ifndef DOORS_PAGES_SHELL_FIELDS_H
#define DOORS_PAGES_SHELL_FIELDS_H

#include "domain/question/suspension.h"
#include "doors/pages/shell/view.h"
#include "world/web/request.h"

/* The form's field list: the agent's, or the one defined by its context's keys.
 * An empty list for another kind of question. */
struct json *page_fields_form(struct arena *a, const struct suspension *s);

struct page_fields_of {
    const struct json *form;
    const struct pairs *typed;  /* NULL: the defaults */
    const struct json *errors;  /* {key: sentence}, or NULL */
    const char *id; /* of their form, where they stand outside of it, with the
                     * values that they had; or NULL */
};
/* `fields`, with the ids f1, f2, ... */
struct json *page_fields(struct page_view *v, const struct page_fields_of *of);
/* "2 of 3 fields are needed." */
struct str page_fields_note(struct arena *a, const struct json *form);
/* The errors, as {href, text} for each field. */
struct json *page_fields_errors(struct page_view *v, const struct json *form,
                                const struct json *errors);
/* "2 fields need a change"; n: from 1 on. */
struct str page_fields_heading(struct arena *a, size_t n);
/* The posted values, as an object of the fields' types. A value of another type
 * stays text, which form_check refuses; empty fields are left out. zone: of the
 * reader, whose clock a moment was typed by. */
struct json *page_fields_read(struct arena *a, const struct json *form,
                              const struct pairs *posted, struct str zone);
/* An answered field's value for people: labels of options, yes. */
struct str page_fields_words(struct arena *a, const struct json *field,
                             const struct json *value);

#endif
