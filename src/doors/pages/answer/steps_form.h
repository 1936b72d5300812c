/* The fields by which a yes keeps, drops, reorders and notes the steps of a
 * plan. Whether that is allowed is domain/question/amend.h's to check; never
 * loads, never decides. */
#ifndef DOORS_PAGES_ANSWER_STEPS_FORM_H
#define DOORS_PAGES_ANSWER_STEPS_FORM_H

#include "domain/question/amend.h"
#include "doors/pages/shell/view.h"
#include "world/web/request.h"

/* amend.field: a field of this form, or of amend_form.h, is invalid. */
extern const char answer_steps_form_wrong[];
/* That error with {"fields": errors} in more; NULL where there are none.
 * errors: {field: sentence}. */
const struct err *answer_steps_form_invalid(struct arena *a,
                                            const struct json *errors) MUST;

/* `confirm.amend.steps`: the fields of each step, as in the plan or as they
 * were typed. errors: {field id: sentence}, or NULL. */
struct answer_steps_form_of {
    const struct pairs *typed; /* NULL: as in the plan */
    const struct json *errors;
};
struct json *answer_steps_form(struct page_view *v, const struct suspension *s,
                               const struct answer_steps_form_of *of);
/* The posted fields, as constraints. ERR_INVALID amend.field with more.fields
 * {field id: sentence} where a field cannot be read. */
const struct err *answer_steps_form_read(struct arena *a,
                                         const struct suspension *s,
                                         const struct pairs *posted,
                                         struct amend_sent *out) MUST;
/* The wrong fields as {href, text}. */
struct json *answer_steps_form_errors(struct arena *a,
                                      const struct json *errors);

#endif
