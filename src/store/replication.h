/* The standbys of the database: who follows the primary, and how far behind. */
#ifndef STORE_REPLICATION_H
#define STORE_REPLICATION_H

#include "world/pg.h"

#define REPLICATION_MAX 16

struct replication_standby {
    struct str name, address, state, sync;
    int64_t bytes, us; /* behind */
};
struct replication {
    bool standby;     /* the server itself follows another one */
    bool told;        /* the role may see who follows it */
    struct str names; /* synchronous_standby_names; empty: nobody has to */
    struct replication_standby v[REPLICATION_MAX];
    size_t n;
    size_t sync; /* how many of them a commit waits for; they come first */
    int64_t us;  /* of the one that is furthest behind */
};

/* As the server that pg is connected to has it. */
const struct err *replication_read(struct pg *pg, struct arena *a,
                                   struct replication *out) MUST;

#endif
