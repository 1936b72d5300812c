/* How `sayso verify` ended last, in the database: any pool shows it, wherever
 * the command ran. */
#ifndef STORE_LOG_VERIFICATIONS_H
#define STORE_LOG_VERIFICATIONS_H

#include "world/pg/pg.h"

/* A run checks all, or only the part after a checkpoint. */
enum verification_scope {
    VERIFICATION_ALL,
    VERIFICATION_SINCE,
    VERIFICATION__MAX
};
extern const char *const verification_scopes[VERIFICATION__MAX];

struct verifications {
    struct {
        int64_t sound_at; /* the end of the last sound run; 0: there is none */
        int64_t broken;   /* faults of the last run */
    } of[VERIFICATION__MAX];
};
/* Both, as the tables have them now. */
const struct err *verifications_get(struct pg *pg, struct arena *a,
                                    struct verifications *out) MUST;

/* The end of a run. */
struct verifications_run {
    enum verification_scope scope;
    int64_t ended_at, broken;
    struct str checkpoint_id; /* the newest that it covers; p NULL: none */
};
const struct err *verifications_put(struct pg *pg, struct arena *a,
                                    const struct verifications_run *run) MUST;
/* The checkpoint up to which the last sound run has checked; p NULL: none. */
const struct err *verifications_last(struct pg *pg, struct arena *a,
                                     struct str *checkpoint_id) MUST;

#endif
