/* The fields of an amendment: one for each thing that can be changed, posted as
 * f1, f2, ... like those of any form (shell/fields.h). Checks only their
 * form. */
#ifndef DOORS_PAGES_ANSWER_AMEND_FORM_H
#define DOORS_PAGES_ANSWER_AMEND_FORM_H

#include "doors/pages/answer/amend.h"

/* The field list for a choice that takes `takes`; its keys are the paths in the
 * errors of domain/question/amend.h. */
struct json *answer_amend_form(struct arena *a, const struct suspension *s,
                               enum takes takes);
/* Can each of the subject's values have a field of its own? */
bool answer_amend_form_flat(const struct json *subject);
/* The units of a time. */
#define ANSWER_AMEND_FORM_UNITS 4
struct answer_amend_form_unit {
    const char *word;
    int64_t seconds;
};
extern const struct answer_amend_form_unit
    answer_amend_form_units[ANSWER_AMEND_FORM_UNITS];

#endif
