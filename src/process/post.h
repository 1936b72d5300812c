/* The kinds of process that a pool has, and the slots of each. */
#ifndef PROCESS_POST_H
#define PROCESS_POST_H

#include "process/start/pool.h"
#include "process/start/child.h"
#include "process/start/user.h"

enum post_kind {
    POST_WEB,
    POST_WAIT,
    POST_TICK,
    POST_DELIVER,
    POST_SEAL,
    POST_ERASE,
    POST__MAX
};

struct post_row {
    const char *name; /* of the process: "sayso: web" */
    int (*run)(const struct child *c);
    const char *user;
    enum wake_to hears; /* WAKE__MAX: no notes */
    bool tells;         /* sends notes to the others */
};
extern const struct post_row post_rows[POST__MAX];

/* The name alone: "web". */
const char *post_word(enum post_kind k);
/* POST__MAX: there is no such kind. */
enum post_kind post_find(struct str word);
/* Web workers have the first slots, each other kind some of the rest. The first
 * one of POST__MAX is the end. */
size_t post_first(enum post_kind k);
/* The system users of all kinds. false and a log line: one is missing. */
bool post_users(struct user out[POST__MAX]);
/* The kind as a member of a pool. */
struct pool_member post_member(enum post_kind k, const struct user *u);

#endif
