/* The one door to libpq: a connection, prepared statements, pipelines.
 *
 * One connection for each process. A statement is run by its number; its first
 * use on a connection prepares it, in the same round trip. A batch is queued
 * and then run in one round trip; a transaction is two batches. Every wait has
 * a deadline, so a database that is down or stuck costs a request little time
 * and an ERR_BUSY, never a hang. Nothing here knows the meaning of a
 * statement. */
#ifndef WORLD_PG_PG_H
#define WORLD_PG_PG_H

#include "base/buf.h"
#include "base/err.h"
#include "base/shared/timeline.h"

#define PG_ARGS_MAX 48
#define PG_BATCH_MAX 256
/* The timeout of a statement unless pg_timeout sets another, seconds. */
#define PG_TIMEOUT 2
/* The timeout of a connection to one of several hosts, milliseconds. */
#define PG_CONNECT_MS 400

struct pg_statement {
    const char *name;
    const char *text;
};

struct pg;
struct pg_rows; /* the result of one statement; lives in the request's arena */

/* A parameter of a statement, made by the functions below. A text is copied
 * where the statement is queued. */
struct pg_value {
    enum { PG_TEXT, PG_NUMBER, PG_FLAG, PG_MOMENT, PG_TEXTS } type;
    int64_t number;        /* also the flag, and the moment */
    struct str text;
    const struct str *v; /* the texts: so many as number */
};
/* A slice with p NULL is SQL NULL; there is no NUL byte in one. */
static inline struct pg_value pg_text(struct str s)
{
    return (struct pg_value){.type = PG_TEXT, .text = s};
}
static inline struct pg_value pg_number(int64_t v)
{
    return (struct pg_value){.type = PG_NUMBER, .number = v};
}
/* true or false, never SQL NULL. */
static inline struct pg_value pg_flag(bool v)
{
    return (struct pg_value){.type = PG_FLAG, .number = v};
}
/* A moment in microseconds as a timestamptz; 0 is SQL NULL. */
static inline struct pg_value pg_moment(int64_t t)
{
    return (struct pg_value){.type = PG_MOMENT, .number = t};
}
/* A text[] of the given slices. */
static inline struct pg_value pg_texts(const struct str *v, size_t n)
{
    return (struct pg_value){.type = PG_TEXTS, .number = (int64_t)n, .v = v};
}

/* The parameters of a statement: PG(pg_text(id), pg_number(limit)), at most
 * PG_ARGS_MAX; NULL: none. */
struct pg_args {
    const struct pg_value *v;
    size_t n;
};
#define PG(...)                                                              \
    (&(const struct pg_args){                                                \
        (const struct pg_value[]){__VA_ARGS__},                              \
        sizeof((const struct pg_value[]){__VA_ARGS__}) /                     \
            sizeof(struct pg_value)})
/* Parameters whose number or order depends on something, and all of them. */
struct pg_list {
    struct pg_value v[PG_ARGS_MAX];
    size_t n;
};
void pg_add(struct pg_list *list, struct pg_value v);
#define PG_ALL(list) (&(const struct pg_args){(list)->v, (list)->n})

/* A connection that is opened at the first use. list has to live as long. name
 * becomes application_name. Statement i of list is number i.
 *
 * Where dsn names several hosts, or a host with several addresses, each is
 * tried once within the deadline, the last good one first, until one fits
 * target_session_attrs; without that key, one that accepts writes. A single
 * host has the whole time, and may be read-only. */
struct pg *pg_make(struct arena *process, struct str dsn, const char *name,
                   const struct pg_statement *list, size_t n);
/* Closes; the next use opens again. For fork and shutdown. */
void pg_close(struct pg *pg);

/* Sends a statement before the next batch, in the same round trip. check gets
 * its value (p NULL: no row) before the results of the batch count: the error
 * that it returns is the batch's, and a transaction that the batch began is
 * rolled back. A statement outside of a transaction has been committed by then,
 * so such a batch may only read. */
struct pg_ahead {
    int statement; /* returns a row at most, of one column */
    const struct pg_args *args;
    bool joins; /* see pg_ahead_join; it has PG_JOINED parameters */
    const struct err *(*check)(void *context, struct str value);
    void *context;
};
void pg_ahead(struct pg *pg, struct arena *a, const struct pg_ahead *ahead);
/* Before the first statement of a batch that returns the value as its last
 * column: adds the parameters of the one that waits to list, so that it needs
 * no statement of its own. NULL where none waits, or it does not join. Where
 * the statement has no row, the check is still to be made. */
#define PG_JOINED 2
void pg_ahead_join(struct pg *pg, struct pg_list *list);
/* Is there a statement that no batch has sent yet? pg_run with an empty batch
 * sends it alone. */
bool pg_ahead_waits(const struct pg *pg);
/* Puts a statement into the batch. a, which must live until pg_run, gets a copy
 * of the parameters; it may be NULL where there are none. */
void pg_queue(struct pg *pg, struct arena *a, int statement,
              const struct pg_args *args);
/* The number of statements in it. */
size_t pg_queued(const struct pg *pg);
/* Runs the batch in one round trip. rows (may be NULL) gets one result for
 * each queued statement, in order. On an error the rest of the batch did not
 * run, and an open transaction has been rolled back. A lost connection is
 * opened again, and a batch outside of a transaction is then sent again,
 * unless it may have committed something. A server that ends or has become
 * read-only is a lost connection too. Nothing is ever cancelled: PostgreSQL
 * reports success for a commit whose wait for a standby was cancelled.
 *
 * Errors: ERR_MEMORY request.memory when the arena has no room for the results;
 * ERR_BUSY database.unavailable | database.full | database.standby |
 * server.upgrading (pg_expect) | server.restored (pg_greet); ERR_INVALID
 * reference.unknown for a foreign key without its row; ERR_AGAIN for deadlock
 * and serialisation failure, and for a unique violation of a constraint whose
 * name ends in "_once" (the row now exists: running the call again finds it);
 * ERR_CONFLICT database.conflict for other unique violations; ERR_INVALID for
 * data that PostgreSQL refuses as text; else ERR_INTERNAL, with the cause in
 * the log. */
const struct err *pg_run(struct pg *pg, struct arena *a,
                         struct pg_rows **rows) MUST;
/* Runs one statement by itself, as pg_queue and pg_run do. */
const struct err *pg_query(struct pg *pg, struct arena *a, int statement,
                           const struct pg_args *args,
                           struct pg_rows **rows) MUST;
/* Is a transaction open on the connection? Always false between requests. */
bool pg_in_transaction(const struct pg *pg);
/* Rolls back an open transaction and drops a queued batch. A batch that an
 * arena over its ceiling left in the middle closes the connection. */
void pg_rollback(struct pg *pg);
/* Runs a constant SQL text that may have several statements (migrations).
 * ERR_AGAIN: a lock was not to be had within the lock_timeout that an earlier
 * script set; the connection, with its transaction, is still open. After any
 * other error it is closed. */
const struct err *pg_script(struct pg *pg, const char *sql) MUST;
/* look is called about once a second while an answer is awaited. It may not use
 * pg. */
void pg_look(struct pg *pg, void (*look)(void *context), void *context);
/* Time spent in pg_run since the last call of this, microseconds. */
int64_t pg_spent(struct pg *pg);
/* The bytes that committed statements were given to store since the last call
 * of this: the arguments of all that insert or update, and what pg_store added.
 * Without what is calculated in the database, and without indexes. */
size_t pg_stored(struct pg *pg);
/* Adds bytes that the database itself copied. */
void pg_store(struct pg *pg, size_t n);
/* The timeout of a statement, 1 to 20 seconds, from the next connection on. A
 * lock may be awaited for 0.9 of it; all database work of a request, connecting
 * included and counted from the last pg_spent, may take 1.2 of it. */
void pg_timeout(struct pg *pg, int64_t seconds);
/* The timeout of a connection to one of several hosts, 50 to 10000. */
void pg_connect_ms(struct pg *pg, int64_t ms);
/* Each new connection first asks for a number with this constant SQL text, and
 * is used only where it gets this one. With another number, or where the
 * statement fails because there are no tables yet, each call ends in ERR_BUSY
 * server.upgrading. The number may change while a connection is open; a
 * statement that the database refuses (ERR_INTERNAL) closes it, and if the
 * number is another one by then, the error is server.upgrading too. */
void pg_expect(struct pg *pg, const char *sql, int64_t number);
/* The server of a new connection, as far as it is known. */
struct pg_heard {
    bool elsewhere; /* it is not the one that was registered: the connection is
                     * not used, and each call ends in ERR_BUSY
                     * server.restored */
    timeline_at at; /* its place in the history. A server that is behind the
                     * newest is not used, now or once a newer one was seen; the
                     * other hosts are */
};
/* hear gets the second column of that row, each time it has been read. */
void pg_greet(struct pg *pg, struct pg_heard (*hear)(struct str text));
/* Connects to each host of several, a standby too, only for what hear gets, and
 * closes the connection again: pg is for this alone. Takes the time of an
 * attempt for each host that does not answer. Where the first call finds one
 * host, no call looks a name up again. */
void pg_survey(struct pg *pg);
/* The number of connections so far: another number means another connection. */
int64_t pg_opened(const struct pg *pg);
/* The address or the socket's directory that it is connected to; "": none.
 * Good until the next pg_run or pg_close. */
const char *pg_host(const struct pg *pg);
/* The statement that says, in its first column, whether commits wait for a
 * standby: run after a batch that was too slow, to choose its error. */
void pg_standby(struct pg *pg, int statement);
/* A pg without deadlines, for commands that read a whole table. */
void pg_patient(struct pg *pg);

/* The connection's socket, to be watched for notifications; -1: not open. It
 * may be another one after each pg_run and pg_notification. */
int pg_socket(const struct pg *pg);
/* The payload of the next notification; false: there is none. */
bool pg_notification(struct pg *pg, struct arena *a, struct str *payload);

size_t pg_count(const struct pg_rows *r);    /* rows returned */
int pg_columns(const struct pg_rows *r);     /* columns of a row */
size_t pg_affected(const struct pg_rows *r); /* rows changed */
/* NULL gives STR_NONE, 0 or false. Slices live in the request's arena. A time
 * is a timestamptz. */
struct str pg_str(const struct pg_rows *r, size_t row, int col);
int64_t pg_int(const struct pg_rows *r, size_t row, int col);
int64_t pg_time(const struct pg_rows *r, size_t row, int col);
bool pg_bool(const struct pg_rows *r, size_t row, int col);

#endif
