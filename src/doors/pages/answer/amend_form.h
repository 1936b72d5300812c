/* The fields of an amendment: one for each thing that can be changed, posted as
 * f1, f2, ... like those of any form (shell/fields.h), and read back. Checks
 * no value beyond its form. */
#ifndef DOORS_PAGES_ANSWER_AMEND_FORM_H
#define DOORS_PAGES_ANSWER_AMEND_FORM_H

#include "domain/question/amend.h"
#include "world/web/request.h"

/* The field list for a choice that takes `takes`; its keys are the paths in the
 * errors of domain/question/amend.h. */
struct json *answer_amend_form(struct arena *a, const struct suspension *s,
                               enum takes takes);
/* Can each of the subject's values have a field of its own? */
bool answer_amend_form_flat(const struct json *subject);
/* The posted fields of this choice, those of the steps of a plan too.
 * ERR_INVALID amend.field with {"fields": {key: sentence}} in more. */
const struct err *answer_amend_form_read(struct arena *a,
                                         const struct suspension *s,
                                         const struct json *choice,
                                         const struct pairs *posted,
                                         struct amend_sent *out) MUST;

#endif
