/* The log beside the events, as `sayso verify` reads them: page by page, as the
 * owner. */
#ifndef STORE_LOG_LOG_CHECKS_H
#define STORE_LOG_LOG_CHECKS_H

#include "domain/intent/intent.h"
#include "domain/log/log_checkpoint.h"
#include "domain/log/question_check.h"
#include "store/intent/events.h"
#include "store/log/tlogs.h"

/* A log, and what there is of it at one moment. */
struct log_checks_end {
    struct tlogs_end end;
    int64_t leaves; /* from a position on */
    int64_t tiles, head; /* their number; the size of the newest */
};
struct log_checks_ends {
    struct log_checks_end *v;
    size_t n;
};
/* Oldest first. */
const struct err *log_checks_ends(struct pg *pg, struct arena *a, int64_t from,
                                  struct log_checks_ends *out) MUST;
/* The epoch of the log that had this origin; -1: none had. */
const struct err *log_checks_epoch(struct pg *pg, struct arena *a,
                                   struct str origin, int64_t *out) MUST;

struct log_checks_leaf {
    int64_t position, sequence;
    struct str intent_id;
    struct tlog_hash hash, event;
    bool has_event; /* there is such an event, and its hash can be read */
};
struct log_checks_leaves {
    struct log_checks_leaf *v;
    size_t n;
};
/* Those at positions from to to - 1; with intent_id not NULL those of its
 * events from sequence from to to - 1. */
const struct err *log_checks_leaves(struct pg *pg, struct arena *a,
                                    int64_t epoch, struct str intent_id,
                                    int64_t from, int64_t to,
                                    struct log_checks_leaves *out) MUST;

struct log_checks_heads {
    struct tlogs_head *v;
    size_t n;
};
/* The next ones by their size, up to max. */
const struct err *log_checks_heads(struct pg *pg, struct arena *a,
                                   int64_t epoch, int64_t after, int64_t max,
                                   struct log_checks_heads *out) MUST;

struct log_checks_checkpoints {
    struct log_checkpoint *v;
    int64_t *before; /* the last sequence that the one before covers */
    size_t n;
};
/* The next ones by their time and id; at 0: the first. */
const struct err *
log_checks_checkpoints(struct pg *pg, struct arena *a, int64_t at,
                       struct str id, struct log_checks_checkpoints *out) MUST;

/* A checkpoint of the server that a check relies on: it begins after it. */
struct log_checks_point {
    struct log_checkpoint checkpoint;
    int64_t before; /* the last sequence that the one before covers */
    struct str xid; /* the transaction of its last event */
};
struct log_checks_which {
    struct str id;    /* p NULL: any */
    int64_t size, at; /* so many events and this time at most; 0: any */
};
/* The newest such one that a head covers, in the log of an epoch. */
const struct err *log_checks_point(struct pg *pg, struct arena *a,
                                   int64_t epoch,
                                   const struct log_checks_which *which,
                                   struct log_checks_point *out,
                                   bool *found) MUST;

/* The end of a chain, as its intent has it. */
struct log_checks_tail {
    struct str intent_id;
    struct event_tail tail;
};
/* Goes over the ends of chains, a page at a time. Starts as zeros but for
 * since: chains with an event after it alone, one of them twice where the log
 * takes its event meanwhile; NULL: all chains. */
struct log_checks_tails {
    const struct log_checks_point *since;
    struct log_checks_tail *v;
    size_t n;
    bool end; /* that was the last page */
    /* The place of the next one. */
    char xid[24], intent_id[40];
    int64_t sequence, position;
    bool logged; /* those that the log has */
};
/* The next page, in a. */
const struct err *log_checks_tails(struct pg *pg, struct arena *a,
                                   struct log_checks_tails *t) MUST;

/* An event, and whether its row was written again since. */
struct log_checks_row {
    struct str intent_id;
    int64_t position, sequence;
    bool again;
};
struct log_checks_rows {
    struct log_checks_row *v;
    size_t n;
};
/* 20 events up to the end of a log, from the transaction xid on, that it should
 * have and has not. */
const struct err *log_checks_unlogged(struct pg *pg, struct arena *a,
                                      const struct tlogs_end *end,
                                      struct str xid,
                                      struct log_checks_rows *out) MUST;
/* 21 of the events at these positions, first those that were written again. */
const struct err *log_checks_written(struct pg *pg, struct arena *a,
                                     int64_t epoch, int64_t from, int64_t to,
                                     struct log_checks_rows *out) MUST;

struct log_checks_questions {
    struct question_check *v;
    size_t n;
    bool more; /* there are others after them */
};
/* The next questions of an intent, by their seq. */
const struct err *log_checks_questions(struct pg *pg, struct arena *a,
                                       struct str intent_id, int64_t after,
                                       struct log_checks_questions *out) MUST;

/* A chain, its intent and its questions, as far as they fit into what is read
 * of many at once. The endings of the questions are among its events. */
struct log_checks_chain {
    struct event_rows events;
    struct intent intent; /* as it was after the events; id p NULL: not read */
    struct log_checks_questions questions; /* as they were after the intent */
    bool whole; /* that is all of them */
};
/* The most chains at once. */
#define LOG_CHECKS_CHAINS 50
/* The chains of n intents, in one round trip. */
const struct err *log_checks_chains(struct pg *pg, struct arena *a,
                                    const struct log_checks_tail *tails,
                                    size_t n,
                                    struct log_checks_chain *out) MUST;

#endif
