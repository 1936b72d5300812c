/* Checks a receipt with its bundle, with a public key and nothing else: no
 * database, and no word of the server. */
#ifndef DOMAIN_LOG_RECEIPT_CHECK_H
#define DOMAIN_LOG_RECEIPT_CHECK_H

#include "domain/log/note.h"

#define RECEIPT_CHECK_MAX ((size_t)16 << 20) /* bytes of a bundle */

/* Gets each step: why is NULL where it holds, else why it does not; and each
 * text that a rule erased, of which nothing can be checked. */
struct receipt_check_report {
    void (*step)(void *own, const char *step, const char *why);
    void (*erased)(void *own, const char *step, struct str rule,
                   struct str at);
    void *own;
};

/* n keys that are trusted: one signed the receipt, and the proofs of later days
 * may be signed by a later one. The steps that the bundle has parts for; a
 * bundle without a part, such as ?texts=no, is checked without it. false: it is
 * no bundle, and no step was made. */
bool receipt_check(struct arena *a, struct str bundle,
                   const struct note_key *keys, size_t n,
                   const struct receipt_check_report *report) MUST;

#endif
