/* Who is held, for what, and until when; and what has changed lately.
 *
 * Knows no connection and no clock: who is held is a pointer of the caller's,
 * and times are given. */
#ifndef PROCESS_WAIT_TABLE_H
#define PROCESS_WAIT_TABLE_H

#include "base/arena.h"
#include "world/wake.h"

#define WAIT_TABLE_MAX 20000   /* held at once */
#define WAIT_TABLE_RECENT 8192 /* changes that are remembered */

struct wait_table;
/* An empty table. */
struct wait_table *wait_table_make(struct arena *process);

/* What ends a hold. */
struct wait_table_ask {
    struct str intent_id;     /* n 0: only the time ends it */
    struct str suspension_id; /* its end; n 0: any change of the intent ... */
    int64_t since;            /* ... that makes its version greater */
    int64_t until;            /* by the clock that tests may move */
    int64_t cap;              /* by the one that only goes forward */
};
/* Is asked when there is something to be told to who. */
struct wait_table_fn {
    void (*fn)(void *context, void *who);
    void *context;
};

/* Has it happened lately? To be asked by whoever is about to be held, so that
 * nothing falls between a worker's look and the hold. */
bool wait_table_happened(const struct wait_table *t,
                         const struct wait_table_ask *ask);
/* Holds who. The slot, or -1: the table is full, or an id is too long. */
int wait_table_add(struct wait_table *t, const struct wait_table_ask *ask,
                   void *who);
/* Holds it no more; slot may be -1. */
void wait_table_remove(struct wait_table *t, int slot);
/* Remembers a change, and lets all go whose hold it ends: they are taken out,
 * then asked for. */
void wait_table_changed(struct wait_table *t, const struct wake_note *note,
                        const struct wait_table_fn *go);
/* Lets all go whose time is over. Times that are the greatest let all go. */
void wait_table_due(struct wait_table *t, int64_t now, int64_t mono,
                    const struct wait_table_fn *go);
/* How many are held. */
size_t wait_table_count(const struct wait_table *t);

#endif
