/* Checks the log in the database against the events: each leaf, tile, head and
 * checkpoint, and heads that were kept elsewhere. Changes nothing. Reads in
 * pages, so that it needs little memory however long the log is. */
#ifndef WORK_LOG_LOG_CHECK_H
#define WORK_LOG_LOG_CHECK_H

#include "base/conf.h"
#include "store/log/log_checks.h"
#include "store/log/signing_keys.h"

/* Gets each fault: what is broken, and why. hint: more about the last one.
 * first: is this event of the chain the first that has a fault? Those after it
 * have another hash because it has. */
struct log_check_report {
    void (*fault)(void *own, struct str what, struct str why);
    void (*hint)(void *own, struct str text);
    bool (*first)(void *own, struct str intent_id, int64_t sequence);
    void *own;
};

/* A head that somebody kept. */
struct log_check_kept {
    struct str name; /* of its file */
    struct str note;
};

struct log_check {
    struct pg *pg;
    const struct conf *conf;
    const struct log_check_kept *kept;
    size_t kept_n;
    struct log_check_report report;
    struct signing_key_rows keys; /* that signed the log, ever */
    /* Only what came after it, in the newest log, is checked. NULL: all. */
    const struct log_checks_point *since;
    int64_t leaves, heads, checkpoints; /* that were checked; from 0 */
};

/* Checks the checkpoint of since, which is not NULL, with its events. */
const struct err *log_check_point(struct log_check *c, struct arena *a) MUST;

/* ERR_INVALID field.value where a kept head cannot be read, or is of another
 * log. A stored head after since vouches for the tiles before it, which are not
 * read: one has to be there. */
const struct err *log_check(struct log_check *c, struct arena *a) MUST;

#endif
