/* Checkpoints of the log, and the signing keys, in the database. */
#ifndef STORE_LOG_LOG_CHECKPOINTS_H
#define STORE_LOG_LOG_CHECKPOINTS_H

#include "domain/log/log_checkpoint.h"
#include "domain/log/signing_key.h"
#include "world/pg/pg.h"

/* ERR_NOT_FOUND log_checkpoint.unknown. */
const struct err *log_checkpoints_get(struct pg *pg, struct arena *a,
                                      struct str id,
                                      struct log_checkpoint *out) MUST;
void log_checkpoints_queue(struct pg *pg, struct arena *a,
                           const struct log_checkpoint *c);

/* The events of an intent that no checkpoint covers, of those in the log. */
struct log_checkpoints_open {
    struct str intent_id;
    int64_t first, last;
    bool ended; /* the intent has ended */
};
/* *out: in a, *n of them; intents without such events are left out. */
const struct err *log_checkpoints_of(struct pg *pg, struct arena *a,
                                     int64_t epoch, const struct str *ids,
                                     size_t n,
                                     struct log_checkpoints_open **out,
                                     size_t *out_n) MUST;
/* The position + 1 up to which checkpoints of the server reach, and the time of
 * the last; 0: there is none. */
const struct err *log_checkpoints_server(struct pg *pg, struct arena *a,
                                         int64_t epoch, int64_t *last,
                                         int64_t *at) MUST;

struct signing_key_rows {
    struct signing_key *v;
    size_t n;
};
/* Oldest first. */
const struct err *signing_keys_list(struct pg *pg, struct arena *a,
                                    struct signing_key_rows *out) MUST;
const struct err *signing_keys_insert(struct pg *pg, struct arena *a,
                                      const struct signing_key *k) MUST;

#endif
