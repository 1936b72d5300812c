/* Subjects: the size limits of a question's facts. Pure. */
#ifndef DOMAIN_KIND_SUBJECT_H
#define DOMAIN_KIND_SUBJECT_H

#include "base/err.h"
#include "base/json/json.h"

#define SUBJECT_MAX ((size_t)256 << 10) /* bytes */
#define SUBJECT_VALUES_MAX 2000

/* The number of values; an empty list or object counts as one. */
size_t subject_values(const struct json *v);
/* Is the subject small enough? ERR_INVALID subject.too_large at "subject".
 * text: its bytes. */
const struct err *subject_check(struct arena *a, const struct json *v,
                                struct str text) MUST;

#endif
