/* Telling the other processes of this host that something was committed.
 *
 * A pipe to each of them, made by the supervisor before it forks, so that a
 * process that is started again finds what came meanwhile. A note that finds
 * no room is dropped: whoever waits for it reads again by itself, within a
 * second. Losing one costs time, never an answer (design.md 2). */
#ifndef WORLD_WAKE_H
#define WORLD_WAKE_H

#include "base/str.h"

enum wake_to {
    WAKE_WAIT,    /* an intent has changed */
    WAKE_DELIVER, /* something is to be sent */
    WAKE__MAX
};

/* NUL-terminated; what is longer than its field is not told. */
struct wake_note {
    int64_t version;    /* of the intent, now */
    char intent_id[40]; /* "" to the sender: look for yourself */
    char decided[72];   /* the id of a suspension that is no longer pending;
                           "": none */
};

/* Makes the pipes. Once, by the supervisor; where it was never called (the
 * commands), nothing is told. false and a log line on an error. */
bool wake_make(void);
/* Tells of a committed change; decided with p NULL: no suspension ended. */
void wake_changed(struct str intent_id, int64_t version, struct str decided);
/* Tells the sender that there are deliveries. */
void wake_deliver(void);
/* What to poll for reading; -1 without pipes. */
int wake_fd(enum wake_to to);
/* Takes up to n notes; how many there were. */
size_t wake_read(enum wake_to to, struct wake_note *v, size_t n);

#endif
