/* Writes the log: numbers the events, keeps the tiles, signs heads and
 * checkpoints. Called by process/seal.c, which alone has the secret keys.
 *
 * Takes nothing on trust: each event's hash and link are computed again from
 * its bytes, a new head is signed only where the last one begins it, and its
 * signature holds. One transaction for each batch, so that a process may be
 * killed at any moment; the lock on the end of the log lets only one write. */
#ifndef WORK_LOG_LOG_WRITER_H
#define WORK_LOG_LOG_WRITER_H

#include "domain/log/signing_key.h"
#include "store/log/tlogs.h"
#include "work/work.h"

#define LOG_WRITER_KEYS 8

/* The keys that sign: the first is the current one, the others are retired
 * ones that still sign heads. */
struct log_writer_keys {
    struct signer v[LOG_WRITER_KEYS];
    size_t n;
};

/* The memory of the process between batches. Starts as all zeros. */
struct log_writer {
    int64_t epoch;
    bool loaded; /* the edge is that of the database */
    struct tlog_edge edge;
    struct note_head head; /* the newest signed; size 0: none */
    int64_t head_at;
    int64_t faults_at; /* of the next look at broken chains */
};

/* The name of the log of this epoch: the public host, "/log", and after a
 * restore its number. */
struct str log_writer_origin(struct arena *a, const struct conf *conf,
                             int64_t epoch);

/* One batch. clock: arena, pg, conf and now. *n: the events that were taken,
 * also those that break; *more: there may be more at once. ERR_INTERNAL
 * log.inconsistent where what is stored does not fit the last head: nothing is
 * signed until somebody has looked. */
const struct err *log_writer_batch(struct log_writer *w,
                                   const struct work *clock,
                                   const struct log_writer_keys *keys,
                                   size_t *n, bool *more) MUST;

#endif
