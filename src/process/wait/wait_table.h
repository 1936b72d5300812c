/* Table of held requests: key, deadline, what ends the hold; and the last
 * changes.
 *
 * Knows no connection and no clock: a held request is a pointer of the
 * caller's, and times are arguments. */
#ifndef PROCESS_WAIT_WAIT_TABLE_H
#define PROCESS_WAIT_WAIT_TABLE_H

#include "base/arena.h"
#include "world/wake.h"

#define WAIT_TABLE_MAX 20000   /* held at once */
#define WAIT_TABLE_RECENT 8192 /* changes that are kept */

struct wait_table;
/* An empty table. */
struct wait_table *wait_table_make(struct arena *process);

/* The condition that ends a hold. */
struct wait_table_ask {
    struct str intent_id;     /* n 0: only the deadline ends it */
    struct str suspension_id; /* its end; n 0: any change of the intent ... */
    int64_t since;            /* ... that makes its version greater */
    int64_t until;            /* by the clock that tests may move */
    int64_t cap;              /* by the monotonic clock */
};
/* Called with the held request when its hold ends. */
struct wait_table_fn {
    void (*fn)(void *context, void *who);
    void *context;
};

/* Did the change happen lately? Called before a hold, so that no change between
 * the worker's read and the hold is missed. */
bool wait_table_happened(const struct wait_table *t,
                         const struct wait_table_ask *ask);
/* Holds who. Returns the slot, or -1: the table is full, or an id is too
 * long. */
int wait_table_add(struct wait_table *t, const struct wait_table_ask *ask,
                   void *who);
/* Removes a hold; slot may be -1. */
void wait_table_remove(struct wait_table *t, int slot);
/* Stores a change, and ends all holds that wait for it: each is removed, then
 * the callback is called. */
void wait_table_changed(struct wait_table *t, const struct wake_note *note,
                        const struct wait_table_fn *go);
/* Ends all holds past their deadline. The greatest times end all. */
void wait_table_due(struct wait_table *t, int64_t now, int64_t mono,
                    const struct wait_table_fn *go);
/* Ends so many of a thousand holds, as evenly spread as they were begun: always
 * the same ones and more, and at 1000 all. */
void wait_table_part(struct wait_table *t, size_t part,
                     const struct wait_table_fn *go);
/* Does the one with number i belong to that part? */
bool wait_table_within(size_t i, size_t part);
/* The number of holds. */
size_t wait_table_count(const struct wait_table *t);

#endif
