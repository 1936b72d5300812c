/* Notes to the other processes of this host that a change was committed.
 *
 * A pipe to each of them, made by the supervisor before it forks, so that a
 * process that is started again finds the notes of the meantime. A note that
 * finds no room is dropped: its reader polls every second anyway. A lost
 * note costs time, never an answer (docs/design.md, "Processes"). */
#ifndef WORLD_WAKE_H
#define WORLD_WAKE_H

#include "base/str.h"

enum wake_to {
    WAKE_WAIT,    /* an intent has changed */
    WAKE_DELIVER, /* there are deliveries to send */
    WAKE_SEAL,    /* an intent has new events */
    WAKE__MAX
};

/* NUL-terminated; a text that is longer than its field is left out. */
struct wake_note {
    int64_t version;    /* of the intent, now */
    char intent_id[40]; /* "" to the sender */
    char decided[72];   /* the id of a suspension that is no longer pending;
                           "": none */
};

/* Makes the pipes. Called once, by the supervisor; without it (in the commands)
 * notes are dropped. false and a log line on an error. */
bool wake_make(void);
/* Sends a note of a committed change, to the signer of the log too; decided
 * with p NULL: no suspension ended. */
void wake_changed(struct str intent_id, int64_t version, struct str decided);
/* Sends a note to the sender that there are deliveries. */
void wake_deliver(void);
/* Sends a note to the signer of the log. */
void wake_seal(void);
/* The descriptor to poll for reading; -1 without pipes. */
int wake_fd(enum wake_to to);
/* The other one; -1 without pipes. */
int wake_out(enum wake_to to);
/* In place of wake_make, for a process that was not forked: the ends that it
 * was given, -1 for those that it does not need. */
void wake_join(enum wake_to to, int in, int out);
/* Reads up to n notes; returns their number. */
size_t wake_read(enum wake_to to, struct wake_note *v, size_t n);
/* Reads all notes, where none says more than another; false: there was none.
 */
bool wake_drain(enum wake_to to);

#endif
