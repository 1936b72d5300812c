/* A pool whose kinds of process run in containers of their own.
 *
 * The supervisor of the workers has what the processes of a pool share, and
 * gives it to the supervisors of the other kinds over a unix socket: the memory
 * of counters, clock and history, the pipes of notes, and to the process that
 * holds waiters the secret of the workers. The kernel says which user has
 * connected; nothing that a member writes is ever read. A connection lasts as
 * long as both do. */
#ifndef PROCESS_START_POOL_H
#define PROCESS_START_POOL_H

#include <sys/types.h>

#include "base/arena.h"
#include "world/wake.h"
#include "world/web/fcgi.h"

#define POOL_MEMBERS 8
#define POOL_SECRET 64

/* A kind of process, and what it gets besides the memory. */
struct pool_member {
    uid_t uid;
    enum wake_to hears; /* its notes; WAKE__MAX: none */
    bool tells;         /* sends notes to the others */
    bool holds;         /* gets the secret */
    int fd;             /* of its connection; -1: it is not there */
};

struct pool {
    struct fcgi_socket socket; /* fd -1: there is no such pool */
    struct pool_member member[POOL_MEMBERS]; /* uid 0: nobody */
    struct str secret;
};

/* Listens at path for p->member, when all memory was taken and the pipes are
 * made. false and a log line on an error. */
bool pool_listen(struct arena *a, struct str path, struct pool *p);
/* Gives those that have connected their share. */
void pool_admit(struct pool *p);
/* Is that member there? */
bool pool_has(struct pool *p, size_t member);
/* Closes all in a child of the supervisor. */
void pool_forget(struct pool *p);
/* Ends the pool; its members see it. */
void pool_end(struct pool *p);

/* Of a member: */
struct pool_share {
    int fd; /* of the connection */
    struct str secret; /* empty but for the one that gets it */
    size_t taken;      /* the other's region_taken */
};
enum pool_joined {
    POOL_AWAY,    /* nobody listens there yet */
    POOL_REFUSED, /* logged */
    POOL_JOINED
};
/* Joins the pool of the user `keeper` at path: the memory (region_join) and the
 * pipes (wake_join). Takes up to three seconds. */
enum pool_joined pool_join(struct arena *a, struct str path, uid_t keeper,
                           const struct pool_member *me,
                           struct pool_share *out);
/* Is the pool still there? */
bool pool_lasts(const struct pool_share *s);

#endif
