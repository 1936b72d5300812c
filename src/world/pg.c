/* The room of libpq: connecting, preparing, running batches, reading rows.
 *
 * Entered through pg_queue and pg_run. Never blocks without a deadline, never
 * builds SQL, never shows a database's message to a client. */
#include "world/pg.h"

#include <errno.h>
#include <inttypes.h>
#include <libpq-fe.h>
#include <poll.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/log.h"
#include "world/pg_error.h"

struct queued {
    int statement;
    struct pg_args args;
};

struct pg {
    PGconn *conn; /* NULL: not open */
    const char *dsn;
    const char *name;
    const struct pg_statement *list;
    size_t statements;
    struct queued queue[PG_BATCH_MAX];
    size_t queued;
    struct pg_ahead ahead; /* check NULL: none */
    int64_t spent;
    int64_t timeout; /* of a statement, milliseconds */
    bool patient;
};

struct pg_rows {
    PGresult *result;
};

struct pg *pg_make(struct arena *process, struct str dsn, const char *name,
                   const struct pg_statement *list, size_t n)
{
    struct pg *pg = arena_new(process, struct pg);
    pg->dsn = arena_z(process, dsn);
    pg->name = name;
    pg->list = list;
    pg->statements = n;
    pg_timeout(pg, PG_TIMEOUT);
    return pg;
}

void pg_close(struct pg *pg)
{
    if (pg->conn)
        PQfinish(pg->conn);
    pg->conn = NULL;
}

void pg_timeout(struct pg *pg, int64_t seconds)
{
    pg->timeout = seconds * 1000;
}

void pg_patient(struct pg *pg)
{
    pg->patient = true;
}

int64_t pg_spent(struct pg *pg)
{
    const int64_t spent = pg->spent;
    pg->spent = 0;
    return spent;
}

bool pg_in_transaction(const struct pg *pg)
{
    return pg->conn && PQtransactionStatus(pg->conn) != PQTRANS_IDLE &&
           PQtransactionStatus(pg->conn) != PQTRANS_UNKNOWN;
}

/* Waits until the socket is ready for events; false at the deadline. */
static bool wait_socket(const struct pg *pg, short events, int64_t deadline)
{
    struct pollfd p = {.fd = PQsocket(pg->conn), .events = events};
    while (p.fd >= 0) {
        const int64_t left = deadline - clock_mono();
        if (left <= 0)
            return false;
        const int n = poll(&p, 1, pg->patient ? -1 : (int)(left / 1000 + 1));
        if (n > 0)
            return true;
        if (n < 0 && errno != EINTR)
            return false;
    }
    return false;
}

/* Sends what libpq has buffered, reading along so that neither side blocks. */
static bool flush(struct pg *pg, int64_t deadline)
{
    for (;;) {
        const int left = PQflush(pg->conn);
        if (left == 0)
            return true;
        if (left < 0 || !wait_socket(pg, POLLIN | POLLOUT, deadline) ||
            !PQconsumeInput(pg->conn))
            return false;
    }
}

/* The next result, NULL at the end of a statement's results. */
static bool next_result(struct pg *pg, int64_t deadline, PGresult **out)
{
    while (PQisBusy(pg->conn))
        if (!wait_socket(pg, POLLIN, deadline) || !PQconsumeInput(pg->conn))
            return false;
    *out = PQgetResult(pg->conn);
    return true;
}

static bool poll_connect(struct pg *pg, int64_t deadline)
{
    for (;;) {
        const PostgresPollingStatusType s = PQconnectPoll(pg->conn);
        const bool reads = s == PGRES_POLLING_READING;
        if (s == PGRES_POLLING_OK)
            return true;
        if ((!reads && s != PGRES_POLLING_WRITING) ||
            !wait_socket(pg, reads ? POLLIN : POLLOUT, deadline))
            return false;
    }
}

/* Reads one prepared statement's answer, which is two PQgetResult calls. */
static bool prepared(struct pg *pg, size_t i, int64_t deadline)
{
    PGresult *r = NULL;
    if (!next_result(pg, deadline, &r) || !r)
        return false;
    const bool ok = PQresultStatus(r) == PGRES_COMMAND_OK;
    if (!ok)
        log_line(LOG_ERR, "database statement=%s cannot be prepared: %s",
                 pg->list[i].name, PQresultErrorMessage(r));
    PQclear(r);
    r = NULL;
    return next_result(pg, deadline, &r) && !r && ok;
}

/* Reads the end of a pipeline's batch. */
static bool read_sync(struct pg *pg, int64_t deadline)
{
    PGresult *sync = NULL;
    if (!next_result(pg, deadline, &sync) || !sync)
        return false;
    const bool ok = PQresultStatus(sync) == PGRES_PIPELINE_SYNC;
    PQclear(sync);
    return ok;
}

static bool prepare_all(struct pg *pg, int64_t deadline)
{
    for (size_t i = 0; i < pg->statements; i++)
        if (!PQsendPrepare(pg->conn, pg->list[i].name, pg->list[i].text, 0,
                           NULL))
            return false;
    if (!PQpipelineSync(pg->conn) || !flush(pg, deadline))
        return false;
    for (size_t i = 0; i < pg->statements; i++)
        if (!prepared(pg, i, deadline))
            return false;
    return read_sync(pg, deadline);
}

static PGconn *begin_connection(const struct pg *pg)
{
    /* All statements are short: compiling one takes longer than it runs. */
    const char *options = "-c jit=off -c client_min_messages=error";
    char with_limits[256], gone[24];
    if (!pg->patient) {
        snprintf(with_limits, sizeof with_limits,
                 "%s -c statement_timeout=%" PRId64 " -c lock_timeout=%" PRId64
                 " -c idle_in_transaction_session_timeout=%" PRId64,
                 options, pg->timeout, pg->timeout * 9 / 10, pg->timeout * 5);
        options = with_limits;
    }
    snprintf(gone, sizeof gone, "%" PRId64, pg->timeout * 5 / 4);
    const char *const keys[] = {"dbname", "fallback_application_name",
                                "options", "client_encoding",
                                "tcp_user_timeout", NULL};
    const char *const values[] = {pg->dsn, pg->name, options, "UTF8", gone,
                                  NULL};
    return PQconnectStartParams(keys, values, 1);
}

static bool open_connection(struct pg *pg, int64_t deadline)
{
    pg->conn = begin_connection(pg);
    const bool open = pg->conn && PQstatus(pg->conn) != CONNECTION_BAD &&
                      poll_connect(pg, deadline) &&
                      PQsetnonblocking(pg->conn, 1) == 0;
    if (open && PQenterPipelineMode(pg->conn) && prepare_all(pg, deadline))
        return true;
    log_line(LOG_WARN, "database cannot be reached: %s",
             pg->conn ? PQerrorMessage(pg->conn) : "out of memory");
    pg_close(pg);
    return false;
}

static const struct err *classify(const struct pg *pg, int statement,
                                  const PGresult *r)
{
    const struct str state = str_of(PQresultErrorField(r, PG_DIAG_SQLSTATE));
    const struct str constraint =
        str_of(PQresultErrorField(r, PG_DIAG_CONSTRAINT_NAME));
    const struct err *e = pg_error(state, constraint);
    if (e->kind == ERR_BUSY || e->kind == ERR_INTERNAL)
        log_line(LOG_ERR, "database statement=%s sqlstate=%.*s %s",
                 pg->list[statement].name, STR_FMT(state),
                 PQresultErrorMessage(r));
    return e;
}

void pg_queue(struct pg *pg, int statement, const struct pg_args *args)
{
    /* A batch's length is decided by our code, never by input. */
    if (pg->queued >= PG_BATCH_MAX) {
        log_line(LOG_ERR, "database batch is over its ceiling");
        __builtin_trap();
    }
    struct queued *q = &pg->queue[pg->queued++];
    q->statement = statement;
    q->args.n = 0;
    if (args)
        q->args = *args;
}

size_t pg_queued(const struct pg *pg)
{
    return pg->queued;
}

void pg_ahead(struct pg *pg, const struct pg_ahead *ahead)
{
    pg->ahead = *ahead;
}

bool pg_ahead_waits(const struct pg *pg)
{
    return pg->ahead.check != NULL;
}

static bool send_one(struct pg *pg, int statement, const struct pg_args *args)
{
    return PQsendQueryPrepared(pg->conn, pg->list[statement].name, args->n,
                               args->v, NULL, NULL, 0);
}

static bool send_batch(struct pg *pg, int64_t deadline)
{
    if (pg_ahead_waits(pg) &&
        !send_one(pg, pg->ahead.statement, &pg->ahead.args))
        return false;
    for (size_t i = 0; i < pg->queued; i++)
        if (!send_one(pg, pg->queue[i].statement, &pg->queue[i].args))
            return false;
    return PQpipelineSync(pg->conn) && flush(pg, deadline);
}

static void clear_result(void *p)
{
    PQclear(p);
}

/* A batch that is being read. */
struct reading {
    struct arena *arena;
    int64_t deadline;
    const struct err *e; /* what the database said against it */
};

/* Reads one statement's answer. false: the connection is lost. */
static bool read_one(struct pg *pg, struct reading *b, int statement,
                     struct pg_rows **row)
{
    PGresult *r = NULL;
    if (!next_result(pg, b->deadline, &r) || !r)
        return false;
    const ExecStatusType status = PQresultStatus(r);
    if (status == PGRES_FATAL_ERROR && !b->e)
        b->e = classify(pg, statement, r);
    arena_defer(b->arena, clear_result, r);
    if (row) {
        *row = arena_new(b->arena, struct pg_rows);
        (*row)->result = r;
    }
    PGresult *end = NULL;
    return next_result(pg, b->deadline, &end) && !end;
}

static bool read_ahead(struct pg *pg, struct reading *b)
{
    struct pg_rows *rows = NULL;
    if (!read_one(pg, b, pg->ahead.statement, &rows))
        return false;
    if (!b->e)
        b->e = pg->ahead.check(pg->ahead.context, rows);
    return true;
}

/* false: the connection is lost. */
static bool read_batch(struct pg *pg, struct reading *b, struct pg_rows **rows)
{
    if (pg_ahead_waits(pg) && !read_ahead(pg, b))
        return false;
    for (size_t i = 0; i < pg->queued; i++)
        if (!read_one(pg, b, pg->queue[i].statement, rows ? &rows[i] : NULL))
            return false;
    return read_sync(pg, b->deadline);
}

/* Runs SQL of ours outside of pipeline mode, which must be idle. */
static bool run_plain(struct pg *pg, const char *sql, int64_t deadline)
{
    bool ok = true;
    if (!PQexitPipelineMode(pg->conn) || !PQsendQuery(pg->conn, sql) ||
        !flush(pg, deadline))
        return false;
    for (;;) {
        PGresult *r = NULL;
        if (!next_result(pg, deadline, &r))
            return false;
        if (!r)
            break;
        ok = ok && PQresultStatus(r) != PGRES_FATAL_ERROR;
        if (!ok)
            log_line(LOG_ERR, "database script: %s", PQresultErrorMessage(r));
        PQclear(r);
    }
    return PQenterPipelineMode(pg->conn) && ok;
}

static int64_t deadline_of(const struct pg *pg, int64_t now)
{
    const int64_t left = pg->timeout * 1200 - pg->spent;
    return pg->patient ? INT64_MAX
                       : now + (left > 200000 ? left : INT64_C(200000));
}

void pg_rollback(struct pg *pg)
{
    pg->queued = 0;
    pg->ahead.check = NULL;
    if (!pg_in_transaction(pg))
        return;
    if (!run_plain(pg, "ROLLBACK", deadline_of(pg, clock_mono())))
        pg_close(pg);
}

static const struct err *run(struct pg *pg, struct arena *a,
                             struct pg_rows **rows)
{
    const int64_t deadline = deadline_of(pg, clock_mono());
    const bool inside = pg_in_transaction(pg);
    for (int tries = 0; tries < 2; tries++) {
        const bool kept = pg->conn != NULL;
        if (!kept && (inside || !open_connection(pg, deadline)))
            return pg_error(STR_NONE, STR_NONE);
        struct reading b = {.arena = a, .deadline = deadline};
        if (send_batch(pg, deadline) && read_batch(pg, &b, rows)) {
            if (b.e)
                pg_rollback(pg);
            return b.e;
        }
        log_line(LOG_WARN, "database connection lost: %s",
                 PQerrorMessage(pg->conn));
        pg_close(pg);
        /* Only a connection that had grown stale while idle is worth a
         * second try; with a fresh one the database itself is gone. */
        if (inside || !kept || clock_mono() >= deadline)
            return pg_error(STR_NONE, STR_NONE);
    }
    return pg_error(STR_NONE, STR_NONE);
}

const struct err *pg_run(struct pg *pg, struct arena *a, struct pg_rows **rows)
{
    const int64_t start = clock_mono();
    const struct err *e = run(pg, a, rows);
    pg->queued = 0;
    pg->ahead.check = NULL;
    pg->spent += clock_mono() - start;
    return e;
}

const struct err *pg_script(struct pg *pg, const char *sql)
{
    const int64_t deadline = deadline_of(pg, clock_mono());
    if (!pg->conn && !open_connection(pg, deadline))
        return pg_error(STR_NONE, STR_NONE);
    if (run_plain(pg, sql, deadline))
        return NULL;
    pg_close(pg);
    return ERROR(ERR_INTERNAL, "database.script",
                 "The database refused a script; the log says why.");
}

int pg_socket(const struct pg *pg)
{
    return pg->conn ? PQsocket(pg->conn) : -1;
}

bool pg_notification(struct pg *pg, struct arena *a, struct str *payload)
{
    if (!pg->conn || !PQconsumeInput(pg->conn)) {
        pg_close(pg);
        return false;
    }
    PGnotify *n = PQnotifies(pg->conn);
    if (n)
        *payload = arena_str(a, str_of(n->extra));
    PQfreemem(n);
    return n != NULL;
}

size_t pg_count(const struct pg_rows *r)
{
    const int n = PQntuples(r->result);
    return n > 0 ? (size_t)n : 0;
}

size_t pg_affected(const struct pg_rows *r)
{
    int64_t n = 0;
    (void)str_int(str_of(PQcmdTuples(r->result)), 0, INT64_MAX, &n);
    return (size_t)n;
}

bool pg_null(const struct pg_rows *r, size_t row, int col)
{
    return PQgetisnull(r->result, (int)row, col) != 0;
}

struct str pg_str(const struct pg_rows *r, size_t row, int col)
{
    if (pg_null(r, row, col))
        return STR_NONE;
    return (struct str){PQgetvalue(r->result, (int)row, col),
                        (size_t)PQgetlength(r->result, (int)row, col)};
}
