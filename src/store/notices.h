/* Telling the processes of other hosts what was committed here, by NOTIFY.
 *
 * Never inside of a deciding transaction, whose commit would then take a lock
 * on the whole database (design.md 2, "Waking"): the notes of some
 * milliseconds go out together, afterwards. */
#ifndef STORE_NOTICES_H
#define STORE_NOTICES_H

#include "base/err.h"
#include "world/pg.h"
#include "world/wake.h"

#define NOTICES_MAX 512    /* notes of one call of notices_send */
#define NOTICES_BYTES 7900 /* of one notice; PostgreSQL takes less than 8000 */

/* Begins to listen, or goes on after the connection was lost. The connection
 * is for listening alone. */
const struct err *notices_listen(struct pg *pg, struct arena *a) MUST;
/* Tells; self is a word that tells this sender from others. */
const struct err *notices_send(struct pg *pg, struct arena *a,
                               struct str self, const struct wake_note *v,
                               size_t n) MUST;
/* The notes of the next notice that has come, up to n; none of one that self
 * has sent, or of none of ours. false: no notice is there. */
bool notices_next(struct pg *pg, struct arena *a, struct str self,
                  struct wake_note *v, size_t *n);

/* One notice's text: of as many of the notes as fit, how many those are. */
size_t notices_write(struct buf *b, struct str self,
                     const struct wake_note *v, size_t n);
/* The notes of a notice's text, as notices_next has them. */
size_t notices_read(struct str text, struct str self, struct wake_note *v,
                    size_t n);

#endif
