/* The recent use of each key and person, in memory that all processes of one
 * pool share.
 *
 * Made before the fork, never locked, and of a fixed size: where more callers
 * than it has slots are active at once, the least active one is forgotten.
 * Callers are ids, and limits are arguments. */
#ifndef BASE_SHARED_QUOTA_H
#define BASE_SHARED_QUOTA_H

#include "base/str.h"

#define QUOTA_BURST 5 /* seconds' worth of requests in one burst */
/* Bytes of each caller that one pool may have counted and not saved yet. */
#define QUOTA_UNSAVED (INT64_C(4) << 20)

struct quota; /* private, shared memory */
/* The mapping; NULL when the system has none to give. */
struct quota *quota_make(void);

/* Counts one request of id at now (clock_mono), of rate a second. 0, or the
 * whole seconds after which there is room again: then it was not counted. */
int64_t quota_request(struct quota *q, struct str id, int64_t rate,
                      int64_t now);

/* Charges n requests more to id, whether there is room or not, and no more than
 * a whole burst; the next ones wait for it, for QUOTA_DEBT seconds at most. */
#define QUOTA_DEBT 30
void quota_charge(struct quota *q, struct str id, int64_t rate, int64_t n,
                  int64_t now);

/* Seats: each worker has one, by its number below QUOTA_SEATS, and takes it for
 * a large or long request. */
#define QUOTA_SEATS 256
struct quota_seats {
    int64_t own;  /* taken for requests of the caller */
    int64_t keys; /* taken for requests of keys, and not of people */
};
/* The seats that are taken now. */
struct quota_seats quota_seats(struct quota *q, struct str id, bool person);
/* Takes the seat for a request of id, and gives it back. The supervisor gives
 * back the seat of a worker that died. */
void quota_seat_take(struct quota *q, size_t seat, struct str id, bool person);
void quota_seat_give(struct quota *q, size_t seat);

/* A request of that kind (below QUOTA_KINDS) by id was large or long at now. */
#define QUOTA_KINDS 320
void quota_heavy(struct quota *q, struct str id, size_t kind, int64_t now);
/* Was one within the last ten seconds? Each new one of any kind prolongs it. */
bool quota_was_heavy(struct quota *q, struct str id, size_t kind,
                     int64_t now);

/* Counts one more open question of id, of at most `most`. true: it was counted,
 * and there is room as far as is known. false: the count is older than ten
 * seconds, or there is no room; the caller then counts in the database and
 * calls quota_opened. Only that count includes answers since the last one. */
bool quota_open(struct quota *q, struct str id, int64_t most, int64_t now);
/* id has n open questions at now (clock_mono). */
void quota_opened(struct quota *q, struct str id, int64_t n, int64_t now);

/* The known number of bytes stored by id on that day (any number that grows by
 * one each day). */
int64_t quota_bytes(struct quota *q, struct str id, int64_t day);
/* Counts n more. Returns the bytes to be saved now: 0, until there are
 * QUOTA_UNSAVED. */
int64_t quota_store(struct quota *q, struct str id, int64_t day, int64_t n);
/* Those bytes were saved, and total is the sum of all pools; or the saving
 * failed. */
void quota_saved(struct quota *q, struct str id, int64_t day, int64_t total);
void quota_unsaved(struct quota *q, struct str id, int64_t day, int64_t n);

#endif
