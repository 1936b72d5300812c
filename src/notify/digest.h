/* A digest's body (domain/sending/digest.h), read for a mail. */
#ifndef NOTIFY_DIGEST_H
#define NOTIFY_DIGEST_H

#include "base/json/json.h"

struct digest_mail {
    struct str about; /* the subject */
    struct str text;
    struct json *view; /* of the template mail/digest */
};
/* Is it a digest's body, and not that of a notice? */
bool digest_is(struct arena *a, struct str body);
/* ERR_INTERNAL message.body when it is no digest. */
const struct err *digest_read(struct arena *a, struct str body,
                              struct digest_mail *out) MUST;

#endif
