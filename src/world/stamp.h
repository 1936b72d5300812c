/* Time stamps of RFC 3161: the request for one, and the check of the answer.
 * Another door to libcrypto.
 *
 * Checked is what only whoever asked can check: that the stamp was granted, is
 * of this digest, and answers this request; and that its signature holds for
 * the certificate that it brings. Whether that certificate is to be trusted is
 * for whoever relies on the stamp. */
#ifndef WORLD_STAMP_H
#define WORLD_STAMP_H

#include "base/crypt.h"
#include "base/err.h"

#define STAMP_ANSWER_MAX ((size_t)12 << 10) /* bytes */
#define STAMP_NONCE 8

/* The question: a digest by SHA-256, and a random number. */
struct stamp_ask {
    uint8_t digest[CRYPT_SHA256];
    uint8_t nonce[STAMP_NONCE];
};
/* A TimeStampReq; the certificate is asked for too. p NULL: no memory. */
struct str stamp_request(struct arena *a, const struct stamp_ask *ask);

struct stamp {
    struct str serial; /* hexadecimal */
    int64_t at;        /* in whole seconds */
};
/* Reads a TimeStampResp. NULL, or why it is no stamp for this request, in
 * words. */
const char *stamp_read(struct arena *a, struct str answer,
                       const struct stamp_ask *ask, struct stamp *out) MUST;

#endif
