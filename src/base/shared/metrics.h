/* Counters shared by all processes of one pool, and the slots of its workers.
 *
 * A part of the shared memory (base/shared/region.h), made before the fork;
 * updated with atomic adds, read by the worker that answers /metrics. A killed
 * worker loses no count.
 * Route numbers and names are arguments. */
#ifndef BASE_SHARED_METRICS_H
#define BASE_SHARED_METRICS_H

#include <stdatomic.h>
#include <sys/types.h>

#include "base/buf.h"

#define METRICS_ROUTES_MAX 320
#define METRICS_WORKERS_MAX 256 /* web workers: the first slots */
/* The rest: other children. */
#define METRICS_SLOTS_MAX (METRICS_WORKERS_MAX + 20)
#define METRICS_KINDS_MAX 8 /* of processes */
#define METRICS_BUCKETS 12 /* 1 2.5 5 10 25 50 100 250 500 1000 2500 ms, inf */

struct metrics_worker {
    _Atomic pid_t pid;          /* 0: free slot */
    _Atomic int64_t busy_since; /* clock_mono; 0: idle */
    _Atomic int64_t seen;       /* its last sign of life, clock_mono */
};

struct metrics; /* private, shared memory */

/* The counters; NULL when the system has none to give or n is not within
 * 1..METRICS_ROUTES_MAX. routes[i] is the label of route i
 * ("GET /api/v1/intents/{id}"); the last one stands for requests that matched
 * none. They must live as long as the process. */
struct metrics *metrics_make(const char *const *routes, size_t n);
/* The word for the processes of a slot ("web"), before the fork; it lives as
 * long as the program. */
void metrics_kind(size_t slot, const char *kind);
/* The slot below METRICS_SLOTS_MAX; NULL for any other. */
struct metrics_worker *metrics_worker(struct metrics *m, size_t slot);
/* One request answered: its route, status, total and database time (us). */
void metrics_request(struct metrics *m, size_t route, int status, int64_t us,
                     int64_t database_us);
/* The counters without labels. */
enum metrics_counter {
    METRICS_DATABASE_ERRORS, /* requests that the database did not answer */
    METRICS_RESTARTS, /* children that ended by themselves, and are started
                       * again */
    METRICS_RECYCLED, /* workers that had grown, and were replaced */
    METRICS_MEMORY,   /* requests that needed more memory than one may use */
    METRICS_STORED,   /* bytes that agents stored */
    METRICS_CUT,      /* streams with too many unsent bytes */
    METRICS_COUNTERS
};
void metrics_count(struct metrics *m, enum metrics_counter what, uint64_t n);
/* A write to the database succeeded at that time (clock_mono), or failed: it is
 * full, or no standby answers. 0: nobody knows whether one succeeds. */
void metrics_wrote(struct metrics *m, int64_t now);
void metrics_unwritable(struct metrics *m, bool full, int64_t now);
/* The last ones, of any process; 0: none yet. */
struct metrics_writes {
    int64_t wrote_at, failed_at;
    bool full;
};
struct metrics_writes metrics_writes(struct metrics *m);
/* The database's standbys at the last measurement. */
struct metrics_standbys {
    int64_t us; /* the lag of the slowest standby */
    int64_t sync, async;
};
/* NULL: no measurement. */
void metrics_standbys(struct metrics *m, const struct metrics_standbys *now);
/* How long the oldest event has waited that streams cannot send yet,
 * microseconds; negative: not known. */
void metrics_lag(struct metrics *m, int64_t us);
/* The held reads and the streams that are open now. */
void metrics_waiting(struct metrics *m, size_t reads, size_t streams);
/* The clock has ended all that was due, at that time (clock_mono). */
void metrics_round(struct metrics *m, int64_t now);
/* A try to sign in had this result: ok, wrong, unknown, disabled, throttled or
 * busy; other words are not counted. */
void metrics_sign_in(struct metrics *m, const char *result);
/* The log, as its signer found it at its last look. */
struct metrics_log {
    bool known;     /* otherwise the signer could not look */
    int64_t lag;    /* the age of the first event that it does not have,
                     * microseconds; 0: none */
    int64_t broken; /* number of broken chains, 1000 at most */
    int64_t key_age; /* of the current key, microseconds; 0: none */
    /* Nothing is signed: there is no key; what is stored does not fit the last
     * head; the signer has not looked for half a minute. */
    bool no_key, inconsistent, silent;
};
/* Whether it is silent is found here. */
void metrics_log(struct metrics *m, const struct metrics_log *now);
struct metrics_log metrics_log_read(struct metrics *m);
/* The codes of the ceilings that a key can reach: limit.streams and so on. */
extern const char metrics_limit_streams[];
extern const char metrics_limit_held[];
extern const char metrics_limit_rate[];
extern const char metrics_limit_workers[];
extern const char metrics_limit_open[];
extern const char metrics_limit_bytes[];
extern const char metrics_limit_artifacts[];
extern const char metrics_limit_subscriptions[];
extern const char metrics_limit_endpoints[];

/* A request was refused for one of these limits; other codes are not
 * counted. */
void metrics_refused(struct metrics *m, const char *code);
/* Prometheus text exposition format 0.0.4. */
void metrics_render(struct metrics *m, struct buf *b);

#endif
