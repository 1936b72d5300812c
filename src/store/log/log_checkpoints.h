/* Checkpoints of the log in the database. */
#ifndef STORE_LOG_LOG_CHECKPOINTS_H
#define STORE_LOG_LOG_CHECKPOINTS_H

#include "domain/intent/event.h"
#include "domain/log/log_checkpoint.h"
#include "world/pg/pg.h"

/* ERR_NOT_FOUND log_checkpoint.unknown. */
const struct err *log_checkpoints_get(struct pg *pg, struct arena *a,
                                      struct str id,
                                      struct log_checkpoint *out) MUST;
/* The checkpoint that covers an event of an intent, by its sequence, or with
 * intent_id p NULL of the server, by its position + 1. */
const struct err *log_checkpoints_covering(struct pg *pg, struct arena *a,
                                           int64_t epoch, struct str intent_id,
                                           int64_t sequence,
                                           struct log_checkpoint *out,
                                           bool *found) MUST;
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
/* The position + 1 up to which checkpoints of the server reach, and the time
 * of the last; 0: there is none. */
const struct err *log_checkpoints_server(struct pg *pg, struct arena *a,
                                         int64_t epoch, int64_t *last,
                                         int64_t *at) MUST;

struct log_checkpoints_page {
    struct str intent_id; /* p NULL: any */
    struct str scope;     /* p NULL: any */
    struct str after;     /* an id; p NULL: from the newest */
    int64_t limit;
};
struct log_checkpoint_rows {
    struct log_checkpoint *v;
    size_t n;
};
/* Newest first. */
const struct err *log_checkpoints_list(struct pg *pg, struct arena *a,
                                       const struct log_checkpoints_page *page,
                                       struct log_checkpoint_rows *out) MUST;

/* Asks the signer for a checkpoint over the events that are there now. id: a
 * UUID of the caller's choice; the same once more changes nothing. */
const struct err *log_checkpoints_ask(struct pg *pg, struct arena *a,
                                      struct str id, struct str intent_id,
                                      struct str by, int64_t now) MUST;
/* Its result. *ended: the signer has answered; *checkpoint_id p NULL: nothing
 * was new. One that is not answered is taken back, and will not be. */
const struct err *log_checkpoints_asked(struct pg *pg, struct arena *a,
                                        struct str id, bool *ended,
                                        struct str *checkpoint_id) MUST;

/* An event that a checkpoint covers. */
struct log_checkpoints_event {
    int64_t index; /* among the events of the checkpoint, from 0 */
    struct str hash, intent_id;
};
/* ERR_NOT_FOUND log.not_covered. */
const struct err *
log_checkpoints_event(struct pg *pg, struct arena *a,
                      const struct log_checkpoint *c, struct str event_id,
                      struct log_checkpoints_event *out) MUST;
/* Do checkpoints without a gap reach from the one to the other, and is the
 * chain unbroken over each boundary? *next: the first event after from;
 * sequence 0: the log has none. ERR_INVALID log.too_far. */
#define LOG_CHECKPOINTS_REACH 10000
const struct err *log_checkpoints_reach(struct pg *pg, struct arena *a,
                                        const struct log_checkpoint *from,
                                        const struct log_checkpoint *to,
                                        bool *whole, struct event *next) MUST;

#endif
