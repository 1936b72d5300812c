/* What each key and person has used lately, in memory that all processes of
 * one pool share.
 *
 * Made before the fork, never locked, and of a fixed size: where more callers
 * than it has places are busy at once, the one that is quietest is forgotten.
 * Knows callers by their ids and no limit: those are given. */
#ifndef BASE_QUOTA_H
#define BASE_QUOTA_H

#include "base/str.h"

#define QUOTA_BURST 5 /* seconds' worth of requests may come at once */
/* Bytes that one pool may have counted and not saved yet, for each caller. */
#define QUOTA_UNSAVED (INT64_C(4) << 20)

struct quota; /* private, shared memory */
/* The mapping; NULL when the system has none to give. */
struct quota *quota_make(void);

/* Counts one request of id at now (clock_mono), of rate a second. 0, or the
 * whole seconds after which there is room again: then it was not counted. */
int64_t quota_request(struct quota *q, struct str id, int64_t rate,
                      int64_t now);

/* One more open question of id, of at most `most`. true: it was counted, and
 * there is room as far as is known. false: nobody has counted for ten seconds,
 * or there is no room by what was counted; then the database is asked, and
 * quota_opened told. What was answered meanwhile is known by that alone. */
bool quota_open(struct quota *q, struct str id, int64_t most, int64_t now);
/* id has n of them at now (clock_mono). */
void quota_opened(struct quota *q, struct str id, int64_t n, int64_t now);

/* The bytes that are known to be stored by id on that day (any number that
 * grows by one). */
int64_t quota_bytes(struct quota *q, struct str id, int64_t day);
/* Counts n more. How many are to be saved now: 0, until there are
 * QUOTA_UNSAVED. */
int64_t quota_store(struct quota *q, struct str id, int64_t day, int64_t n);
/* They were, and total is what all pools have saved; or they could not be. */
void quota_saved(struct quota *q, struct str id, int64_t day, int64_t total);
void quota_unsaved(struct quota *q, struct str id, int64_t day, int64_t n);

#endif
