/* Subjects: how large the facts of a question may be. Pure. */
#ifndef DOMAIN_SUBJECT_H
#define DOMAIN_SUBJECT_H

#include "base/err.h"
#include "base/json.h"

#define SUBJECT_MAX ((size_t)256 << 10) /* bytes */
#define SUBJECT_VALUES_MAX 2000

/* How many values there are, an empty list or object being one. */
size_t subject_values(const struct json *v);
/* May a person be asked about so much? ERR_INVALID subject.too_large at
 * "subject". text: the bytes of it. */
const struct err *subject_check(struct arena *a, const struct json *v,
                                struct str text) MUST;

#endif
