/* Claims about what a restore lost: what an agent says that it received, or
 * did, before it. Evidence for the people who answer; it decides nothing.
 * Pure. */
#ifndef DOMAIN_CONTAINERS_CLAIM_H
#define DOMAIN_CONTAINERS_CLAIM_H

#include "base/json/json.h"

#define CLAIMS_MAX 5 /* of a question */
#define CLAIM_VALUE_MAX ((size_t)4 << 10) /* bytes of JSON text */
#define CLAIM_SAID_MAX ((size_t)16 << 10) /* the same, of the whole */
#define CLAIM_NOTE_MAX 1000

struct claim {
    struct str said; /* JSON text, an object: the members as they were sent */
    struct str said_sha256;
    struct str by; /* the agent */
    int64_t at;
};

/* Reads a body into said and said_sha256. epoch: of the newest loss; now: a
 * claim is about the past. ERR_INVALID names the member; ERR_TOO_LARGE
 * claim.too_large. */
const struct err *claim_read(struct arena *a, const struct json *body,
                             int64_t epoch, int64_t now,
                             struct claim *out) MUST;
/* The record that the API shows: what was said, with claimed_by and
 * claimed_at. */
struct json *claim_record(struct arena *a, const struct claim *c);

#endif
