/* The log over all events in the database: its end, leaves, tiles and heads.
 *
 * Only one process writes at a time; whoever reads computes proofs from the
 * tiles. */
#ifndef STORE_LOG_TLOGS_H
#define STORE_LOG_TLOGS_H

#include "base/clock.h"
#include "domain/intent/event.h"
#include "domain/log/note.h"
#include "world/pg/pg.h"

#define TLOGS_PAGE 500 /* events */
/* A page ends with the event that reaches them; the bytes of an event that has
 * more are not read. */
#define TLOGS_PAGE_BYTES ((size_t)8 << 20)

/* A log that is not signed, as people are shown it: the faults that are named,
 * and how old its first event has to be. */
#define TLOGS_NAMED 3
#define TLOGS_BEHIND (60 * CLOCK_SECOND)

/* The code of errors where what is stored is not a whole log. */
extern const char tlogs_inconsistent[];

/* The end of the log of an epoch, and the place in the order over all events
 * after which it goes on. */
struct tlogs_end {
    int64_t epoch, size;
    struct str xid, intent_id;
    int64_t sequence;
    int64_t head_size; /* of the newest head; 0: none */
    int64_t latest; /* the latest time at which anything was signed; 0: none */
};
/* Locks the end until the transaction ends, and begins a log that is not
 * there. *taken false: another process has it. */
const struct err *tlogs_take(struct pg *pg, struct arena *a, int64_t epoch,
                             struct tlogs_end *out, bool *taken) MUST;

/* Work that is left. */
struct tlogs_waiting {
    int64_t since;  /* the time of the first such event; 0: there is none */
    bool events;    /* it may be taken */
    bool decisions; /* one without a receipt may be taken */
    bool requests;  /* one for a checkpoint may be taken */
    bool held;      /* one of these waits for an older transaction */
    int64_t broken; /* number of broken chains, 1000 at most */
};
const struct err *tlogs_waiting(struct pg *pg, struct arena *a, int64_t epoch,
                                struct tlogs_waiting *out) MUST;

/* An event that is to be appended. */
struct tlogs_event {
    struct event event;
    struct str intent_id, xid;
    struct tlog_hash before; /* of the event before, where known */
    bool known;
    bool logged; /* the log has it: it is passed over */
    bool faulty; /* the intent's fault is known */
    bool late;   /* the event before is there, and comes later */
};
struct tlogs_events {
    struct tlogs_event *v; /* by intent and sequence */
    size_t n;
    size_t last; /* in the order over all */
    bool more;   /* the page is full */
};
/* Those after the end, at most max; an event of too many bytes has none. */
const struct err *tlogs_next(struct pg *pg, struct arena *a,
                             const struct tlogs_end *end, size_t max,
                             struct tlogs_events *out) MUST;

/* Those of one intent that the log does not have yet. */
const struct err *tlogs_next_of(struct pg *pg, struct arena *a, int64_t epoch,
                                struct str intent_id, size_t max,
                                struct tlogs_events *out) MUST;

/* Into the batch: the leaves of these events from position size on. */
struct tlogs_leaf {
    struct str intent_id;
    int64_t sequence;
    struct tlog_hash hash;
};
void tlogs_queue_leaves(struct pg *pg, struct arena *a,
                        const struct tlogs_end *end,
                        const struct tlogs_leaf *v, size_t n);
void tlogs_queue_tile(struct pg *pg, struct arena *a, int64_t epoch,
                      unsigned level, int64_t number,
                      const struct tlog_hash *v, size_t n);
void tlogs_queue_end(struct pg *pg, struct arena *a,
                     const struct tlogs_end *end);
void tlogs_queue_head(struct pg *pg, struct arena *a, int64_t epoch,
                      const struct note_head *head, struct str note,
                      int64_t now);

/* An intent whose chain is broken, or, late, an event of which came before the
 * one that it follows. */
struct tlogs_fault {
    struct str intent_id;
    int64_t sequence;
    bool late;
    struct str reason;
    int64_t found_at;
};
/* The first fault of an intent stays; one that is late may become broken. */
void tlogs_queue_faults(struct pg *pg, struct arena *a,
                        const struct tlogs_fault *v, size_t n, int64_t now);
/* The chain of the intent holds again. */
void tlogs_queue_fault_end(struct pg *pg, struct arena *a,
                           struct str intent_id);
enum tlogs_which { TLOGS_ALL, TLOGS_LATE, TLOGS_BROKEN };
/* At most max of them, in the order of their ids, after one; p NULL: from the
 * first. */
const struct err *tlogs_faults(struct pg *pg, struct arena *a,
                               enum tlogs_which which, struct str after,
                               size_t max, struct tlogs_fault **out,
                               size_t *n) MUST;

/* Checkpoints that somebody asked for. */
struct tlogs_request {
    struct str id;
    struct str intent_id; /* p NULL: the server's */
};
const struct err *tlogs_requests(struct pg *pg, struct arena *a,
                                 struct tlogs_request **out, size_t *n) MUST;
/* checkpoint_id p NULL: nothing was new. */
void tlogs_queue_request_end(struct pg *pg, struct arena *a, struct str id,
                             struct str checkpoint_id, int64_t now);

/* The tiles at the end of a log of this size. ERR_INTERNAL log.inconsistent,
 * here and below. */
const struct err *tlogs_edge(struct pg *pg, struct arena *a, int64_t epoch,
                             int64_t size, struct tlog_edge *out) MUST;

struct tlogs_head {
    struct note_head head; /* without an origin; size 0: there is none */
    struct str note;
    int64_t signed_at;
};
/* Row i of size, root, note, time. false: the root is none, and is zero. */
bool tlogs_head_row(const struct pg_rows *r, size_t i, struct tlogs_head *out);
/* The newest head. */
const struct err *tlogs_head(struct pg *pg, struct arena *a, int64_t epoch,
                             struct tlogs_head *out) MUST;
/* The one of this size. */
const struct err *tlogs_head_of(struct pg *pg, struct arena *a, int64_t epoch,
                                int64_t size, struct tlogs_head *out) MUST;
/* The newest that a witness has signed. */
const struct err *tlogs_head_cosigned(struct pg *pg, struct arena *a,
                                      int64_t epoch,
                                      struct tlogs_head *out) MUST;
/* The lines that witnesses have added to a head. */
const struct err *tlogs_cosignatures(struct pg *pg, struct arena *a,
                                     int64_t epoch, int64_t size,
                                     struct str *out) MUST;

/* The line that a witness adds to a head. */
struct tlogs_cosignature {
    int64_t epoch, size;
    struct str key; /* of the witness, as it is configured */
    struct str line;
    struct str by;
    int64_t at;
};
/* The first line of a witness stays. */
void tlogs_queue_cosignature(struct pg *pg, struct arena *a,
                             const struct tlogs_cosignature *c);

/* The position of an event; -1: the log does not have it. */
const struct err *tlogs_position(struct pg *pg, struct arena *a, int64_t epoch,
                                 struct str intent_id, int64_t sequence,
                                 int64_t *out) MUST;

/* n digests as the statements write them. false: the text is no such. */
bool tlogs_unhex(struct str text, struct tlog_hash *out, size_t n) MUST;
/* A stored tile: its hashes, n of them; n 0: there is none. */
const struct err *tlogs_tile(struct pg *pg, struct arena *a, int64_t epoch,
                             unsigned level, int64_t number,
                             struct tlog_hash **out, size_t *n) MUST;

/* Reads hashes of the stored tiles, for proofs; keeps those that it read. */
struct tlogs_source {
    struct pg *pg;
    struct arena *arena;
    int64_t epoch;
    struct {
        unsigned level;
        int64_t number;
        struct tlog_hash *v; /* NULL: free */
        size_t n;
    } tile[32];
    size_t next;
};
struct tlog_source tlogs_source(struct tlogs_source *s);

/* The digests of an intent's events from first to last, or, with intent_id p
 * NULL, those at positions first - 1 to last - 1. */
const struct err *tlogs_hashes(struct pg *pg, struct arena *a, int64_t epoch,
                               struct str intent_id, int64_t first,
                               int64_t last, struct tlog_hash **out) MUST;

#endif
