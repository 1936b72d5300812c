/* The declarations shared by world/pg*.c; private to them.
 *
 * pg.c calls libpq and runs the batch of pg_batch.c, which has its deadline;
 * pg_hosts.c chooses the next host, and pg_keys.c makes the parameters of the
 * connection. */
#ifndef WORLD_PG_PG_PARTS_H
#define WORLD_PG_PG_PARTS_H

#include "world/pg/pg.h"
#include "world/pg/pg_hosts.h"

#define PG_KEYS_MAX 64 /* parameters of a connection string */
#define PG_KEYS_TEXT 256

/* Parameters as libpq takes them: NULL for SQL NULL. */
struct pg_bound {
    const char *v[PG_ARGS_MAX];
    int n;
    size_t bytes; /* of all of them */
};

struct pg_queued {
    int statement;
    struct pg_bound args;
    bool prepares; /* the batch prepares it, too */
};

/* Parameters of a connection, as libpq takes them: NULL after the last. */
struct pg_keys {
    const char *key[PG_KEYS_MAX], *value[PG_KEYS_MAX];
    size_t n;
    bool whole; /* libpq has to read the string itself */
    char options[PG_KEYS_TEXT], gone[24];
};

struct pg {
    struct pg_conn *conn; /* libpq's; NULL: not open */
    const char *name;
    const struct pg_statement *list;
    size_t statements;
    bool *prepared; /* which of them the connection has */
    bool *stores;   /* which of them insert or update */
    struct pg_queued queue[PG_BATCH_MAX];
    size_t queued;
    struct pg_queued ahead; /* of pg_ahead; check NULL: none */
    const struct err *(*check)(void *context, struct str value);
    void *check_context;
    bool joins;  /* it may be a part of another statement */
    bool joined; /* it is a part of the first one of the batch */
    size_t pending, stored; /* bytes: of the open transaction; committed */
    int64_t spent;
    int64_t timeout; /* of a statement, milliseconds */
    int64_t slice;   /* of an attempt to connect, milliseconds */
    int64_t opened;  /* how often it connected */
    const char *expect_sql; /* of pg_expect; NULL: any server will do */
    int64_t expected, number; /* number: of the newest connection */
    int standby;     /* a statement; -1: none */
    struct pg_heard (*hear)(struct str text); /* of pg_greet; NULL: nobody */
    struct pg_heard heard;                    /* by the newest connection */
    bool behind; /* the newest connection's server is behind */
    bool quiet;  /* a host that cannot be reached is not logged */
    bool patient;
    bool locked; /* the last script could not have a lock in time */
    void (*look)(void *context); /* of pg_look; NULL: nobody */
    void *look_context;
    bool underway; /* a batch is running, or was left in the middle */
    struct pg_keys keys; /* of the connection string, but for its hosts */
    struct pg_hosts hosts;
};

/* The deadline of the current work. */
int64_t pg_deadline(const struct pg *pg);
/* Did the newest connection get the number that is expected? */
bool pg_fits(const struct pg *pg);
/* The error of a batch that found no connection, or lost it. */
const struct err *pg_unreached(const struct pg *pg);
/* May the batch be sent again when its result is unknown? Only one that cannot
 * have committed anything. */
bool pg_repeatable(const struct pg *pg);

/* Does a statement store its arguments? One that only locks or deletes does
 * not. */
bool pg_stores(const char *sql);
/* Adds the bytes of the batch, which has run: of an open transaction, or
 * committed. */
void pg_count_stored(struct pg *pg, bool open);

/* Adds one; value NULL stands for libpq's own default. */
void pg_keys_add(struct pg_keys *k, const char *key, const char *value);
/* Takes the hosts out of the connection string, because they are tried here. A
 * string that libpq cannot read is passed on, so that libpq reports the error
 * when it connects. */
void pg_keys_split(struct pg *pg, struct arena *a, const char *dsn);
/* The parameters for a connection to one place; lives as long as pg and
 * *out. */
void pg_keys_for(const struct pg *pg, const struct pg_hosts_place *place,
                 struct pg_keys *out);

#endif
