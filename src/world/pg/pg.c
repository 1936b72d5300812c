/* libpq connection, pipelines, rows; the one file that includes libpq.
 *
 * Called through pg_queue and pg_run. Never blocks without a deadline, never
 * builds SQL, never shows a database's message to a client. */
#include <errno.h>
#include <libpq-fe.h>
#include <poll.h>

#include "base/clock.h"
#include "base/log.h"
#include "world/pg/pg.h"
#include "world/pg/pg_error.h"
#include "world/pg/pg_parts.h"

struct pg_rows {
    PGresult *result;
};

void pg_close(struct pg *pg)
{
    if (pg->conn)
        PQfinish(pg->conn);
    pg->conn = NULL;
    pg->underway = false;
    for (size_t i = 0; i < pg->statements; i++)
        pg->prepared[i] = false;
}

bool pg_in_transaction(const struct pg *pg)
{
    return pg->conn && PQtransactionStatus(pg->conn) != PQTRANS_IDLE &&
           PQtransactionStatus(pg->conn) != PQTRANS_UNKNOWN;
}

/* Waits until the socket is ready for events; false at the deadline. */
static bool pg_wait(const struct pg *pg, short events, int64_t deadline)
{
    struct pollfd p = {.fd = PQsocket(pg->conn), .events = events};
    while (p.fd >= 0) {
        const int64_t left = deadline - clock_mono();
        if (left <= 0)
            return false;
        const bool looks = pg->look && left > CLOCK_SECOND;
        const bool ever = deadline == INT64_MAX && !looks;
        const int64_t us = looks ? CLOCK_SECOND : left;
        const int n = poll(&p, 1, ever ? -1 : (int)(us / 1000 + 1));
        if (n > 0)
            return true;
        if (n < 0 && errno != EINTR)
            return false;
        if (n == 0 && looks)
            pg->look(pg->look_context);
    }
    return false;
}

/* Sends the bytes that libpq has buffered, reading meanwhile so that neither
 * side blocks. */
static bool pg_flush(struct pg *pg, int64_t deadline)
{
    for (;;) {
        const int left = PQflush(pg->conn);
        if (left == 0)
            return true;
        if (left < 0 || !pg_wait(pg, POLLIN | POLLOUT, deadline) ||
            !PQconsumeInput(pg->conn))
            return false;
    }
}

/* The next result, NULL at the end of a statement's results. */
static bool pg_next(struct pg *pg, int64_t deadline, PGresult **out)
{
    while (PQisBusy(pg->conn))
        if (!pg_wait(pg, POLLIN, deadline) || !PQconsumeInput(pg->conn))
            return false;
    *out = PQgetResult(pg->conn);
    return true;
}

static bool pg_connect(struct pg *pg, int64_t deadline)
{
    for (;;) {
        const PostgresPollingStatusType s = PQconnectPoll(pg->conn);
        const bool reads = s == PGRES_POLLING_READING;
        if (s == PGRES_POLLING_OK)
            return true;
        if ((!reads && s != PGRES_POLLING_WRITING) ||
            !pg_wait(pg, reads ? POLLIN : POLLOUT, deadline))
            return false;
    }
}

/* Reads the end of a pipeline's batch. */
static bool pg_read_sync(struct pg *pg, int64_t deadline)
{
    PGresult *sync = NULL;
    if (!pg_next(pg, deadline, &sync) || !sync)
        return false;
    const bool ok = PQresultStatus(sync) == PGRES_PIPELINE_SYNC;
    PQclear(sync);
    return ok;
}

/* Reads the server's role; false: the connection cannot be used. */
static bool pg_read_role(struct pg *pg, int64_t deadline)
{
    PGresult *r = NULL, *end = NULL;
    if (!pg_next(pg, deadline, &r) || !r)
        return false;
    const bool ok = PQresultStatus(r) == PGRES_TUPLES_OK &&
                    pg_hosts_does(&pg->hosts,
                                  strcmp(PQgetvalue(r, 0, 0), "on") == 0);
    PQclear(r);
    return ok && pg_next(pg, deadline, &end) && !end;
}

static bool pg_ask(struct pg *pg, const char *sql)
{
    return PQsendQueryParams(pg->conn, sql, 0, NULL, NULL, NULL, NULL, 0);
}

/* Reads the number of pg_expect; a statement that failed has none. */
static bool pg_read_number(struct pg *pg, int64_t deadline)
{
    PGresult *r = NULL, *end = NULL;
    if (!pg->expect_sql)
        return true;
    if (!pg_next(pg, deadline, &r) || !r)
        return false;
    pg->number = 0;
    const bool ok = PQresultStatus(r) == PGRES_TUPLES_OK && PQntuples(r) == 1;
    if (ok)
        (void)str_int(str_of(PQgetvalue(r, 0, 0)), 0, INT64_MAX, &pg->number);
    if (ok && pg->hear && pg->number == pg->expected)
        pg->heard = pg->hear(str_of(PQgetvalue(r, 0, 1)));
    pg->behind = !pg->heard.elsewhere && !timeline_saw(pg->heard.at);
    PQclear(r);
    return pg_next(pg, deadline, &end) && !end;
}

static bool pg_ask_role(struct pg *pg, int64_t deadline)
{
    return pg_ask(pg, "SHOW transaction_read_only") &&
           (!pg->expect_sql || pg_ask(pg, pg->expect_sql)) &&
           PQpipelineSync(pg->conn) && pg_flush(pg, deadline) &&
           pg_read_role(pg, deadline) && pg_read_number(pg, deadline) &&
           pg_read_sync(pg, deadline) && pg_fits(pg) && !pg->behind;
}

/* Connects to place i of the hosts: it has to accept the connection by `until`,
 * and to be ready by the deadline. *late: it did not answer in time. */
static bool pg_attempt(struct pg *pg, size_t i, int64_t until,
                       int64_t deadline, bool *late)
{
    struct pg_keys k;
    pg->number = pg->expected;
    pg->heard = (struct pg_heard){.at = 0};
    pg->behind = false;
    pg_keys_for(pg, &pg->hosts.places[i], &k);
    pg->conn = PQconnectStartParams(k.key, k.value, k.whole);
    const bool open = pg->conn && PQstatus(pg->conn) != CONNECTION_BAD &&
                      pg_connect(pg, until) &&
                      PQsetnonblocking(pg->conn, 1) == 0;
    if (open && PQenterPipelineMode(pg->conn) && pg_ask_role(pg, deadline)) {
        pg->opened++;
        return true;
    }
    *late = clock_mono() >= until;
    const char *why = pg->conn ? PQerrorMessage(pg->conn) : "out of memory";
    if (pg->behind)
        log_line(LOG_WARN,
                 "database at %s is an old primary, of timeline %lld: the "
                 "newest is %lld; it is not used",
                 pg_host(pg), (long long)timeline_number(pg->heard.at),
                 (long long)timeline_number(timeline_newest()));
    else if (pg->heard.elsewhere)
        log_line(LOG_WARN,
                 "database is not the one that was registered, as after a "
                 "restore: `sayso restored` (docs/operations/backup.md)");
    else if (!pg_fits(pg))
        log_line(LOG_WARN,
                 "database tables are number %lld, this program needs %lld",
                 (long long)pg->number, (long long)pg->expected);
    else if (!pg->quiet)
        log_line(LOG_WARN, "database cannot be reached at %s: %s",
                 pg_host(pg),
                 why[0]  ? why
                 : *late ? "it does not answer in time"
                         : "it does not match target_session_attrs");
    pg_close(pg);
    return false;
}

struct pg *pg_make(struct arena *process, struct str dsn, const char *name,
                   const struct pg_statement *list, size_t n)
{
    struct pg *pg = arena_new(process, struct pg);
    pg->name = name;
    pg->standby = -1;
    pg->list = list;
    pg->statements = n;
    pg->prepared = arena_many(process, n, bool);
    pg->stores = arena_many(process, n, bool);
    for (size_t i = 0; i < n; i++)
        pg->stores[i] = pg_stores(list[i].text);
    pg_timeout(pg, PG_TIMEOUT);
    pg_connect_ms(pg, PG_CONNECT_MS);
    const char *text = arena_z(process, dsn);
    PQconninfoOption *options = PQconninfoParse(text, NULL);
    for (const PQconninfoOption *o = options; o && o->keyword; o++)
        if (o->val)
            pg_keys_add(&pg->keys, arena_z(process, str_of(o->keyword)),
                        arena_z(process, str_of(o->val)));
    PQconninfoFree(options);
    pg_keys_split(pg, process, text);
    return pg;
}

/* Prepared in the same round trip, unless the connection has it. */
static bool pg_send_one(struct pg *pg, struct pg_queued *q)
{
    const struct pg_statement *s = &pg->list[q->statement];
    q->prepares = !pg->prepared[q->statement];
    pg->prepared[q->statement] = true;
    return (!q->prepares ||
            PQsendPrepare(pg->conn, s->name, s->text, 0, NULL)) &&
           PQsendQueryPrepared(pg->conn, s->name, q->args.n, q->args.v, NULL,
                               NULL, 0);
}

static bool pg_send(struct pg *pg, int64_t deadline)
{
    if (pg_ahead_waits(pg) && !pg->joined && !pg_send_one(pg, &pg->ahead))
        return false;
    for (size_t i = 0; i < pg->queued; i++)
        if (!pg_send_one(pg, &pg->queue[i]))
            return false;
    return PQpipelineSync(pg->conn) && pg_flush(pg, deadline);
}

static void pg_clear(void *p)
{
    struct pg_rows *rows = p;
    PQclear(rows->result);
    rows->result = NULL;
}

/* A batch that is being read. */
struct reading {
    struct arena *arena;
    int64_t deadline;
    const struct err *e; /* the database's error */
    size_t done;         /* statements that succeeded */
    bool lost;           /* the error makes the connection unusable */
    bool locked;         /* it waited too long for a lock */
};

static const struct err *pg_classify(const struct pg *pg, struct reading *b,
                                     int statement, const PGresult *r)
{
    const struct str state = str_of(PQresultErrorField(r, PG_DIAG_SQLSTATE));
    const struct str constraint =
        str_of(PQresultErrorField(r, PG_DIAG_CONSTRAINT_NAME));
    const struct err *e = pg_error(state, constraint);
    b->lost = pg_error_lost(state);
    b->locked = str_is(state, "55P03");
    if (e->kind == ERR_BUSY || e->kind == ERR_INTERNAL)
        log_line(LOG_ERR, "database statement=%s sqlstate=%.*s %s",
                 pg->list[statement].name, STR_FMT(state),
                 PQresultErrorMessage(r));
    return e;
}

/* Reads whether a statement was prepared. It was not where the batch failed
 * before it. false: the connection is lost, or does not fit the program. */
static bool pg_read_prepared(struct pg *pg, struct reading *b, int statement)
{
    PGresult *r = NULL, *end = NULL;
    if (!pg_next(pg, b->deadline, &r) || !r)
        return false;
    const bool refused = PQresultStatus(r) == PGRES_FATAL_ERROR;
    if (refused)
        log_line(LOG_ERR, "database statement=%s cannot be prepared: %s",
                 pg->list[statement].name, PQresultErrorMessage(r));
    pg->prepared[statement] = PQresultStatus(r) == PGRES_COMMAND_OK;
    PQclear(r);
    return pg_next(pg, b->deadline, &end) && !end && !refused;
}

/* Reads one statement's answer. false: the connection is lost. */
static bool pg_read_one(struct pg *pg, struct reading *b,
                        const struct pg_queued *q, struct pg_rows **row)
{
    if (q->prepares && !pg_read_prepared(pg, b, q->statement))
        return false;
    /* Allocated before the result, which would leak if there was no room. */
    struct pg_rows *rows = arena_new(b->arena, struct pg_rows);
    arena_defer(b->arena, pg_clear, rows);
    if (!pg_next(pg, b->deadline, &rows->result) || !rows->result)
        return false;
    if (PQresultStatus(rows->result) == PGRES_FATAL_ERROR && !b->e)
        b->e = pg_classify(pg, b, q->statement, rows->result);
    b->done += !b->e;
    /* A result without room is dropped and the rest are read on, so that the
     * connection stays usable. */
    if (!arena_offer(b->arena, PQresultMemorySize(rows->result))) {
        pg_clear(rows);
        if (!b->e)
            b->e = ERROR(ERR_MEMORY, "request.memory",
                         "The result needs more memory than one request may "
                         "use.");
    }
    *row = rows;
    PGresult *end = NULL;
    return pg_next(pg, b->deadline, &end) && !end;
}

/* false: the connection is lost. */
static bool pg_read(struct pg *pg, struct reading *b,
                    struct pg_rows **rows)
{
    if (pg_ahead_waits(pg) && !pg->joined) {
        struct pg_rows *r = NULL;
        if (!pg_read_one(pg, b, &pg->ahead, &r))
            return false;
        if (!b->e)
            b->e = pg->check(pg->check_context,
                             pg_count(r) ? pg_str(r, 0, 0) : STR_NONE);
    }
    for (size_t i = 0; i < pg->queued; i++) {
        struct pg_rows *r = NULL;
        if (!pg_read_one(pg, b, &pg->queue[i], &r))
            return false;
        if (pg->joined && i == 0 && !b->e && pg_count(r) > 0) {
            /* The value of the one ahead, in the first statement's last
             * column. */
            b->e =
                pg->check(pg->check_context, pg_str(r, 0, pg_columns(r) - 1));
            pg->joined = false;
        }
        if (rows)
            rows[i] = r;
    }
    return pg_read_sync(pg, b->deadline);
}

/* Runs a constant SQL text outside of pipeline mode, which must be idle. */
static bool pg_plain(struct pg *pg, const char *sql, int64_t deadline)
{
    bool ok = true;
    if (!PQexitPipelineMode(pg->conn) || !PQsendQuery(pg->conn, sql) ||
        !pg_flush(pg, deadline))
        return false;
    for (;;) {
        PGresult *r = NULL;
        if (!pg_next(pg, deadline, &r))
            return false;
        if (!r)
            break;
        const char *state = PQresultErrorField(r, PG_DIAG_SQLSTATE);
        ok = ok && PQresultStatus(r) != PGRES_FATAL_ERROR;
        pg->locked = !ok && str_is(str_of(state), "55P03");
        if (!ok && !pg->locked)
            log_line(LOG_ERR, "database script: %s", PQresultErrorMessage(r));
        PQclear(r);
    }
    return PQenterPipelineMode(pg->conn) && ok;
}

void pg_rollback(struct pg *pg)
{
    pg->queued = 0;
    pg->pending = 0;
    pg->check = NULL;
    if (pg->underway)
        pg_close(pg);
    if (!pg_in_transaction(pg))
        return;
    if (!pg_plain(pg, "ROLLBACK", pg_deadline(pg)))
        pg_close(pg);
}

static void pg_lose(struct pg *pg)
{
    log_line(LOG_WARN, "database connection lost: %s",
             PQerrorMessage(pg->conn));
    pg_close(pg);
}

/* Connects to one of the hosts; each is tried once. */
static bool pg_open(struct pg *pg, int64_t deadline)
{
    bool late[PG_HOSTS_MAX] = {false};
    pg_hosts_resolve(&pg->hosts);
    const size_t n = pg->hosts.places_n;
    for (size_t i = 0; i < n; i++) {
        const int64_t until = pg_hosts_until(
            &pg->hosts, n - i, pg->slice * 1000, clock_mono(), deadline);
        if (pg_attempt(pg, i, until, deadline, &late[i])) {
            pg_hosts_good(&pg->hosts, i);
            return true;
        }
    }
    pg_hosts_none(&pg->hosts, late);
    return false;
}

void pg_survey(struct pg *pg)
{
    pg->hosts.wanted = PG_HOSTS_ANY;
    pg->quiet = true;
    if (pg->hosts.places_n != 1)
        pg_hosts_resolve(&pg->hosts);
    for (size_t i = 0; pg->hosts.places_n > 1 && i < pg->hosts.places_n; i++) {
        const int64_t until = clock_mono() + pg->slice * 1000;
        bool late = false;
        if (pg_attempt(pg, i, until, until, &late))
            pg_close(pg);
    }
}

/* Closes an idle connection whose server announced its end, or is behind. */
static void pg_drop_stale(struct pg *pg)
{
    if (pg->conn && timeline_behind(pg->heard.at)) {
        log_line(LOG_WARN, "database connection closed: %s is an old primary",
                 pg_host(pg));
        pg_close(pg);
    }
    for (int i = 0; i < 2 && pg->conn; i++) {
        struct pollfd p = {.fd = PQsocket(pg->conn), .events = POLLIN};
        if (poll(&p, 1, 0) <= 0)
            return;
        if (!PQconsumeInput(pg->conn))
            pg_lose(pg);
    }
}

/* Sends the batch and reads its answers. false: the connection is lost, and
 * closed. */
static bool pg_exchange(struct pg *pg, struct reading *b,
                        struct pg_rows **rows)
{
    pg->underway = true;
    if (pg_send(pg, b->deadline) && pg_read(pg, b, rows) && !b->lost) {
        pg->underway = false;
        return true;
    }
    pg_lose(pg);
    return false;
}

/* A statement that is refused may no longer fit the tables. */
static const struct err *pg_doubt(struct pg *pg, const struct err *e,
                                  int64_t deadline)
{
    if (e->kind != ERR_INTERNAL || !pg->expect_sql)
        return e;
    pg_close(pg);
    return pg_open(pg, deadline) || pg_fits(pg) ? e : pg_error_upgrading();
}

const struct err *pg_script(struct pg *pg, const char *sql)
{
    const int64_t deadline = pg_deadline(pg);
    if (!pg->conn && !pg_open(pg, deadline))
        return pg_unreached(pg);
    if (pg_plain(pg, sql, deadline))
        return NULL;
    if (pg->locked)
        return pg_error_again();
    pg_close(pg);
    return ERROR(ERR_INTERNAL, "database.script",
                 "The database refused a script. See the log.");
}

const char *pg_host(const struct pg *pg)
{
    const char *address = pg->conn ? PQhostaddr(pg->conn) : NULL;
    if (address && address[0])
        return address;
    const char *host = pg->conn ? PQhost(pg->conn) : NULL;
    return host ? host : "";
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

int pg_columns(const struct pg_rows *r)
{
    return PQnfields(r->result);
}

size_t pg_affected(const struct pg_rows *r)
{
    int64_t n = 0;
    (void)str_int(str_of(PQcmdTuples(r->result)), 0, INT64_MAX, &n);
    return (size_t)n;
}

struct str pg_str(const struct pg_rows *r, size_t row, int col)
{
    if (PQgetisnull(r->result, (int)row, col))
        return STR_NONE;
    return (struct str){PQgetvalue(r->result, (int)row, col),
                        (size_t)PQgetlength(r->result, (int)row, col)};
}

const struct err *pg_query(struct pg *pg, struct arena *a, int statement,
                           const struct pg_args *args, struct pg_rows **rows)
{
    pg_queue(pg, a, statement, args);
    return pg_run(pg, a, rows);
}

/* The error of a batch that was too slow: was it a commit that waits for a
 * standby, or a lock that such a one holds? */
static const struct err *pg_slow(struct pg *pg, struct arena *a,
                                 const struct err *e)
{
    struct pg_rows *waits = NULL;
    struct reading b = {.arena = a, .deadline = pg_deadline(pg)};
    pg->queued = 0;
    pg->check = NULL;
    pg->joined = false;
    if (pg->standby < 0 || (!pg->conn && !pg_open(pg, b.deadline)))
        return e;
    pg_queue(pg, NULL, pg->standby, NULL);
    const bool told = pg_exchange(pg, &b, &waits) && !b.e;
    return told && pg_bool(waits, 0, 0) ? pg_error_no_standby() : e;
}

/* ---- retries ---------------------------------------------- */

static const struct err *pg_try(struct pg *pg, struct arena *a,
                                struct pg_rows **rows)
{
    const int64_t deadline = pg_deadline(pg);
    const bool inside = pg_in_transaction(pg);
    for (int tries = 0; tries < 2; tries++) {
        struct reading b = {.arena = a, .deadline = deadline};
        if (!inside)
            pg_drop_stale(pg);
        const bool kept = pg->conn != NULL;
        if (!kept && (inside || !pg_open(pg, deadline)))
            break;
        if (pg_exchange(pg, &b, rows)) {
            if (!b.e)
                return NULL;
            pg_rollback(pg);
            return b.locked ? pg_slow(pg, a, b.e)
                            : pg_doubt(pg, b.e, deadline);
        }
        /* Only a connection that was lost while idle is tried a second time,
         * and only where the batch has not run or may run twice: a commit whose
         * answer is lost is not repeated. */
        const bool refused = b.lost && b.done == 0;
        if (inside || !kept || clock_mono() >= deadline ||
            !(refused || pg_repeatable(pg)))
            break;
    }
    return clock_mono() >= deadline ? pg_slow(pg, a, pg_unreached(pg))
                                    : pg_unreached(pg);
}

const struct err *pg_run(struct pg *pg, struct arena *a, struct pg_rows **rows)
{
    const int64_t start = clock_mono();
    const struct err *e = pg_try(pg, a, rows);
    if (!e)
        pg_count_stored(pg, pg_in_transaction(pg));
    pg->queued = 0;
    if (e || !pg->joined)
        pg->check = NULL;
    pg->joined = false;
    pg->spent += clock_mono() - start;
    return e;
}
