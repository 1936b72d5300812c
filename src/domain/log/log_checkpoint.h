/* Checkpoints of the log (OpenIntent RFC-0019): a signed root over a batch of
 * events, of an intent or of all of the server. Pure.
 *
 * The signature is over the RFC 8785 form of the object without its signature,
 * and with anchor null, which is filled in later. So the object has the eleven
 * members of the RFC and no more: another one would be signed by others and
 * not here. */
#ifndef DOMAIN_LOG_LOG_CHECKPOINT_H
#define DOMAIN_LOG_LOG_CHECKPOINT_H

#include "domain/log/merkle.h"
#include "domain/log/signer.h"
#include "domain/record.h"

#define LOG_CHECKPOINT_EVENTS 100 /* of an intent, until the next one */

struct log_checkpoint {
    struct str id;        /* chk_ and 22 characters */
    struct str intent_id; /* p NULL: the server's */
    enum log_scope scope;
    struct str merkle_root; /* as an event_hash is written */
    int64_t event_count, first_sequence, last_sequence;
    int64_t created_at;
    struct str signed_by; /* a did:key */
    struct str signature;
    struct str anchor; /* JSON; p NULL: none */
    int64_t epoch;
};
extern const struct record log_checkpoint_record;

/* A batch of events, by their sequence; of the server, by their position + 1.
 */
struct log_batch {
    struct str intent_id; /* p NULL: the server's */
    int64_t epoch, first, last;
    const struct tlog_hash *v; /* their digests */
};
/* The checkpoint over it, signed. */
struct log_checkpoint log_checkpoint_make(struct arena *a,
                                          const struct log_batch *batch,
                                          const struct signer *k, int64_t now);
/* The signed bytes of a checkpoint as an object. */
struct str log_checkpoint_signed(struct arena *a, const struct json *object);
/* Is it signed by this key? */
bool log_checkpoint_ok(struct arena *a, const struct json *object,
                       const struct signer_public *key);
/* The proof of RFC-0019 that the checkpoint covers an event, by its index
 * among the digests v of all its events. */
struct json *log_checkpoint_proof(struct arena *a,
                                  const struct log_checkpoint *c,
                                  struct str event_id, struct str event_hash,
                                  int64_t index, const struct tlog_hash *v);
/* "sha256:" and the digest as base64url, as RFC-0019 writes hashes. */
struct str log_checkpoint_hash(struct arena *a, const struct tlog_hash *h);
/* false: the text is no such hash. */
bool log_checkpoint_hash_read(struct arena *a, struct str text,
                              struct tlog_hash *out) MUST;

#endif
