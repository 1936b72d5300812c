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

#define LOG_WRITER_KEYS 64

/* The keys that sign: the first is the current one, the others are retired
 * ones that still sign heads. */
struct log_writer_keys {
    struct signer v[LOG_WRITER_KEYS];
    size_t n;
};

/* The memory of the process between batches. Starts as all zeros. */
struct log_writer {
    int64_t epoch;
    bool loaded; /* what follows is as the database has it */
    struct tlog_edge edge;
    int64_t head_size;   /* of the newest head; 0: none */
    int64_t head_at;     /* of the next head, by clock_mono */
    int64_t server_size; /* events that the server's checkpoints cover */
    int64_t server_at;   /* of its next checkpoint */
    int64_t faults_at;   /* of the next look at broken chains, by clock_mono */
    char fault[40];      /* the intent of the last one; "": from the first */
    size_t page;         /* events of a batch; fewer after one that failed */
};

/* The name of the log of this epoch: the public host, "/log", and after a
 * restore its number. */
struct str log_writer_origin(struct arena *a, const struct conf *conf,
                             int64_t epoch);

/* NULL where the stored log of that size begins with its newest head, and one
 * of these keys, or one that the database knows, signed that; ERR_INTERNAL
 * log.inconsistent otherwise. A log without a head fits. */
const struct err *log_writer_fits(struct pg *pg, struct arena *a,
                                  int64_t epoch, int64_t size,
                                  const struct log_writer_keys *keys) MUST;

/* Has something become due that needs no new event? */
bool log_writer_due(const struct log_writer *w, int64_t now);
/* The time until the next head, microseconds; negative: nothing is to be
 * signed. */
int64_t log_writer_head_in(const struct log_writer *w);

/* One batch. clock: arena, pg, conf and now. *more: there may be more at once.
 * ERR_INTERNAL log.inconsistent where what is stored does not fit the last
 * head: nothing is signed until somebody has looked. No time that it signs is
 * before an earlier one: a clock that went back is waited for. */
const struct err *log_writer_batch(struct log_writer *w,
                                   const struct work *clock,
                                   const struct log_writer_keys *keys,
                                   bool *more) MUST;
/* A batch failed, or was ended by its memory's limit: the next one reads the
 * log again, and takes fewer events. */
void log_writer_failed(struct log_writer *w);

#endif
