/* Receipts: the signed statement of how a question ended. Pure.
 *
 * A receipt is an SD-JWT (RFC 9901): digests stand for what was asked, and for
 * the names and words of people, so that it can be shown to anybody. The text
 * is in disclosures that go with it, with salts that come from one secret of
 * the receipt: where that is erased nothing can be guessed. The bytes are the
 * same each time it is made. */
#ifndef DOMAIN_LOG_RECEIPT_H
#define DOMAIN_LOG_RECEIPT_H

#include "domain/intent/event.h"
#include "domain/log/signer.h"
#include "domain/permit/permit.h"
#include "domain/question/suspension.h"

#define RECEIPT_TYPE "sayso-receipt+jwt"
#define RECEIPT_MAX ((size_t)384 << 10) /* bytes of a JWS that is read */

struct receipt {
    struct str issuer; /* the address of the server */
    struct str salt;   /* random; p NULL: it was erased */
    const struct suspension *s;
    struct str calls; /* the calls of tools that it is about, a list of {id,
                       * tool, arguments_sha256}; p NULL: none */
    const struct permit *permit; /* that the answer granted; NULL: none */
    const struct event *asked, *ended;
};

/* The claims that are signed. */
struct json *receipt_claims(struct arena *a, const struct receipt *r);
/* The compact JWS. p NULL where the claims are larger than SIGNER_JWS_MAX. */
struct str receipt_sign(struct arena *a, const struct receipt *r,
                        const struct signer *k);
/* The disclosures, a list of texts; empty where the salt was erased. */
struct json *receipt_disclosures(struct arena *a, const struct receipt *r);

#endif
