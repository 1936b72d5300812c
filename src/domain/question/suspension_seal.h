/* The server's part of a new question, before it is stored. */
#ifndef DOMAIN_QUESTION_SUSPENSION_SEAL_H
#define DOMAIN_QUESTION_SUSPENSION_SEAL_H

#include "domain/question/suspension.h"

/* Fills in the server's part: times, the first reminder, subject digest, and
 * the record as it will be mirrored. */
const struct err *suspension_seal(struct arena *a, struct suspension *s,
                                  int64_t now) MUST;

#endif
