/* The signature of a webhook: Standard Webhooks, symmetric (v1). Pure. */
#ifndef DOMAIN_SENDING_SIGNATURE_H
#define DOMAIN_SENDING_SIGNATURE_H

#include "base/arena.h"

struct signature {
    struct str id;     /* webhook-id */
    int64_t timestamp; /* webhook-timestamp, seconds */
    struct str body;   /* the exact bytes */
    struct str secret; /* "whsec_" and base64, or base64 alone */
    struct str previous_secret; /* p NULL: none */
};
/* The value of webhook-signature: "v1,<base64>", with one of the previous
 * secret after a space. p NULL: no secret is valid. */
struct str signature_make(struct arena *a, const struct signature *s);

#endif
