/* Notices to the processes of other hosts about committed changes, by NOTIFY.
 *
 * Never inside a deciding transaction, whose commit would then take a lock on
 * the whole database (docs/design.md, "Processes"): the notes of some
 * milliseconds are sent together, afterwards. */
#ifndef STORE_QUESTION_NOTICES_H
#define STORE_QUESTION_NOTICES_H

#include "base/err.h"
#include "world/pg/pg.h"
#include "world/wake.h"

#define NOTICES_MAX 512    /* notes of one call of notices_send */
#define NOTICES_BYTES 7900 /* of one notice; PostgreSQL takes less than 8000 */

/* Starts to listen, or continues after the connection was lost. The connection
 * is used for listening alone. */
const struct err *notices_listen(struct pg *pg, struct arena *a) MUST;
/* Sends notes; self is a word that identifies this sender. */
const struct err *notices_send(struct pg *pg, struct arena *a,
                               struct str self, const struct wake_note *v,
                               size_t n) MUST;
/* The notes of the next notice, up to n; none for a notice of self, or of
 * another program. false: there is no notice. */
bool notices_next(struct pg *pg, struct arena *a, struct str self,
                  struct wake_note *v, size_t *n);

/* The text of one notice: with as many of the notes as fit; returns their
 * number. */
size_t notices_write(struct buf *b, struct str self,
                     const struct wake_note *v, size_t n);
/* The notes in the text of a notice, as in notices_next. */
size_t notices_read(struct str text, struct str self, struct wake_note *v,
                    size_t n);

#endif
