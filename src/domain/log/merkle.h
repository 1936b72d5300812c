/* The tree of a checkpoint, as OpenIntent RFC-0019 has it: leaves are the raw
 * digests of event_hash, the last one repeated up to a power of two, a parent
 * is the SHA-256 of its two children.
 *
 * Leaves and nodes are not told apart in what is hashed, and the repeated leaf
 * is not marked: a root alone accepts proofs for what is no event. The check
 * here therefore takes the number of events too. Pure. */
#ifndef DOMAIN_LOG_MERKLE_H
#define DOMAIN_LOG_MERKLE_H

#include "domain/log/tlog.h"

#define MERKLE_EVENTS_MAX 65536 /* of a checkpoint */
#define MERKLE_STEPS_MAX 16     /* of a proof */

struct merkle_step {
    struct tlog_hash hash;
    bool left; /* the side on which this hash stands */
};

struct merkle_proof {
    struct merkle_step v[MERKLE_STEPS_MAX];
    size_t n;
};

/* The root over n hashes, 1 to MERKLE_EVENTS_MAX. */
struct tlog_hash merkle_root(struct arena *a, const struct tlog_hash *v,
                             size_t n);
/* The proof of the hash at index, below n. */
void merkle_prove(struct arena *a, const struct tlog_hash *v, size_t n,
                  size_t index, struct merkle_proof *out);
/* Does the proof lead from the hash of the event at index, of event_count, to
 * the root? false for a proof of another length, for an index beyond the last
 * event, and where a side differs from the index. */
bool merkle_check(const struct merkle_proof *p, const struct tlog_hash *event,
                  int64_t index, int64_t event_count,
                  const struct tlog_hash *root);

#endif
