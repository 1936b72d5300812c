/* The server's part of a new question, before it is stored. */
#ifndef DOMAIN_QUESTION_SUSPENSION_SEAL_H
#define DOMAIN_QUESTION_SUSPENSION_SEAL_H

#include "domain/question/suspension.h"

/* Fills in the server's part: times, the first reminder, subject digest, and
 * the record as it will be mirrored. */
const struct err *suspension_seal(struct arena *a, struct suspension *s,
                                  int64_t now) MUST;
/* The digest of all that a sealed question asks, for the event that asks it:
 * SHA-256, as hexadecimal text, of the RFC 8785 form of an object with each
 * column that is inserted and has a value, as text. Without asked_sequence,
 * which is that event's, channel_hint, which moves, and asked_by_key, which
 * nobody is shown. */
struct str suspension_asked_sha256(struct arena *a,
                                   const struct suspension *s);

#endif
