/* The events that ended questions, found in the events of their intents. */
#ifndef STORE_LOG_ENDINGS_H
#define STORE_LOG_ENDINGS_H

#include "domain/question/ending.h"
#include "world/pg/pg.h"

struct endings_row {
    const struct suspension *s;
    struct str xid; /* the transaction that decided it; p NULL: any may have */
    /* Filled in: */
    enum ending ending; /* what the event is for s */
    struct event event; /* with its canonical text; unless ENDING_NONE */
    bool logged;        /* the log has it, */
    bool passed;        /* or is past its place without it */
};

/* The first event that ended each of the questions, one that fits its row
 * before one that does not. ever: by any transaction, for all of them. */
const struct err *endings_find(struct pg *pg, struct arena *a, int64_t epoch,
                               bool ever, struct endings_row *v,
                               size_t n) MUST;
/* The same for one question, among the events of its intent that were read:
 * all of them, up to its end. */
void endings_among(struct arena *a, const struct event *events, size_t n,
                   struct endings_row *d);

#endif
