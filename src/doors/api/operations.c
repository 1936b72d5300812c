/* Endpoints for operators: liveness, readiness, metrics. */
#include "base/clock.h"
#include "base/shared/clock_watch.h"
#include "base/shared/decisions.h"
#include "base/shared/metrics.h"
#include "base/version.h"
#include "doors/api/api.h"
#include "store/log/verifications.h"
#include "store/question/suspensions.h"
#include "store/replication.h"
#include "store/sending/deliveries.h"
#include "store/sql.gen.h"
#include "work/work.h"
#include "world/pg/pg_error.h"

#define WROTE_FOR (10 * CLOCK_SECOND) /* a write proves that one succeeds */
#define FAILED_FOR (5 * CLOCK_SECOND)

/* Did the request come through the site that belongs to this version? */
static bool operations_site_fits(const struct call *c)
{
    return str_is(c->rq->site, version_site);
}

/* 200 when the process answers; no more is checked. */
const struct err *api_health(struct call *c)
{
    struct json *o = json_object(c->a);
    json_set_text(o, "status", STR("ok"));
    json_set_text(o, "site",
                  operations_site_fits(c) ? STR("current") : STR("other"));
    response_json(c->rs, 200, o);
    return NULL;
}

static bool operations_since(int64_t at, int64_t span)
{
    return at > 0 && clock_mono() - at < span;
}

/* Does the database answer, has it the tables, did it store what it got last,
 * and is this host's clock to be trusted? *rows: what the database said. */
static const struct err *operations_ready(struct call *c,
                                          struct pg_rows **rows)
{
    const int64_t before = clock_host();
    TRY(pg_query(c->pg, c->a, SQL_PING, NULL, rows));
    clock_watch_database(before, pg_time(*rows, 0, 2), clock_host());
    if (clock_watch_held())
        return work_clock_differs();
    if (pg_int(*rows, 0, 0) != SQL_TABLES) /* since this connection was made */
        return pg_error_upgrading();
    const struct metrics_writes writes = metrics_writes(c->serve->metrics);
    c->noted = operations_since(writes.failed_at, FAILED_FOR);
    if (c->noted)
        return writes.full ? pg_error_no_room() : pg_error_no_standby();
    return NULL;
}

/* 200 when a question would be stored. The clock's process tries a write every
 * two seconds. Where it does not run, this worker tries itself; a failure, of
 * any request, is not tried again at once, because each trial may take seconds
 * of a worker. */
const struct err *api_ready(struct call *c)
{
    struct json *o = json_object(c->a);
    struct pg_rows *rows = NULL;
    TRY(operations_ready(c, &rows));
    if (!operations_since(metrics_writes(c->serve->metrics).wrote_at,
                          WROTE_FOR))
        TRY(replication_write(c->pg, c->a, c->serve->metrics));
    json_set_text(o, "status", STR("ready"));
    json_set_int(o, "migration", pg_int(rows, 0, 0));
    response_json(c->rs, 200, o);
    return NULL;
}

static void operations_put_family(struct buf *b, const char *name,
                                  const char *type, const char *help)
{
    buf_printf(b, "# HELP sayso_%s %s\n# TYPE sayso_%s %s\n", name, help, name,
               type);
}

static void operations_put_name(struct buf *b, const char *name,
                                const char *help)
{
    operations_put_family(b, name, "gauge", help);
}

static void operations_put_number(struct buf *b, const char *name,
                                  const char *help, int64_t value)
{
    operations_put_name(b, name, help);
    buf_printf(b, "sayso_%s %lld\n", name, (long long)value);
}

static void operations_put_build(struct buf *b, const struct call *c)
{
    operations_put_name(b, "build_info",
                        "The version of the program, and the numbers of the "
                        "tables and of the site that it needs.");
    buf_printf(b,
               "sayso_build_info{version=\"%s\",tables=\"%d\","
               "site=\"%s\"} 1\n",
               version_build, SQL_TABLES, version_site);
    operations_put_number(b, "site_current",
                          "Does nginx's site belong to this version?",
                          operations_site_fits(c));
}

/* The host is the one that this worker uses as the primary, of several. */
static void operations_put_database(struct buf *b, const struct pg *pg,
                                    const struct suspensions_now *open,
                                    const struct deliveries_waiting *w)
{
    static const char *const ages[] = {"5m", "1h", "1d", "older"};
    const int64_t us = w->since ? clock_now() - w->since : 0;
    operations_put_name(b, "database_host",
                        "The host in use, an address or the directory of a "
                        "socket.");
    buf_printf(b, "sayso_database_host{host=\"%s\"} 1\n", pg_host(pg));
    operations_put_number(b, "database_timeline",
                          "The newest timeline of the database that was seen.",
                          timeline_number(timeline_newest()));
    operations_put_family(b, "database_behind_total", "counter",
                          "Connections to an old primary that were refused.");
    buf_printf(b, "sayso_database_behind_total %llu\n",
               (unsigned long long)timeline_refusals());
    operations_put_name(b, "suspensions_open", "Open questions by age.");
    for (size_t i = 0; i < countof(ages); i++)
        buf_printf(b, "sayso_suspensions_open{younger_than=\"%s\"} %lld\n",
                   ages[i], (long long)open->ages[i]);
    operations_put_name(b, "suspensions_open_by_risk",
                        "Open questions by their risk.");
    for (unsigned i = 0; i < SEVERITY__MAX; i++)
        buf_printf(b,
                   "sayso_suspensions_open_by_risk{severity=\"%.*s\"} "
                   "%lld\n",
                   STR_FMT(vocabulary_key(vocabulary_severity(i))),
                   (long long)open->severity[i]);
    operations_put_number(b, "suspensions_late",
                          "Open questions that are past their end for more "
                          "than 10 seconds.",
                          open->late);
    operations_put_number(b, "deliveries_waiting",
                          "Deliveries that have not arrived, up to 10001.",
                          w->n);
    operations_put_number(b, "delivery_oldest_seconds",
                          "How long the oldest of them waits.",
                          us / CLOCK_SECOND);
    operations_put_number(b, "deliveries_failed",
                          "Deliveries that were given up and not sent again, "
                          "up to 10001.",
                          w->failed);
}

/* Those with a question, so that most pairs are left out. */
static void operations_put_decisions(struct buf *b)
{
    operations_put_family(b, "decisions_total", "counter",
                          "Questions that ended, by kind and outcome.");
    for (unsigned k = 0; k < KIND__MAX; k++) {
        for (unsigned o = 0; o < OUTCOME__MAX; o++) {
            const uint64_t n = decisions_number(k, o);
            if (n > 0)
                buf_printf(b,
                           "sayso_decisions_total{kind=\"%.*s\","
                           "outcome=\"%.*s\"} %llu\n",
                           STR_FMT(vocabulary_key(kind_words(k))),
                           STR_FMT(vocabulary_key(vocabulary_outcome(o))),
                           (unsigned long long)n);
        }
    }
    decisions_render_times(b);
}

/* As the database has it: the command may run on any host. */
static void operations_put_verify(struct buf *b, const struct verifications *v)
{
    operations_put_name(b, "verify_last_success_timestamp_seconds",
                        "When `sayso verify` last found nothing broken; 0: "
                        "never.");
    for (size_t i = 0; i < VERIFICATION__MAX; i++)
        buf_printf(b,
                   "sayso_verify_last_success_timestamp_seconds{scope=\"%s\"} "
                   "%lld\n",
                   verification_scopes[i],
                   (long long)(v->of[i].sound_at / CLOCK_SECOND));
    operations_put_name(b, "verify_broken",
                        "Faults that the last run of `sayso verify` found.");
    for (size_t i = 0; i < VERIFICATION__MAX; i++)
        buf_printf(b, "sayso_verify_broken{scope=\"%s\"} %lld\n",
                   verification_scopes[i], (long long)v->of[i].broken);
}

/* As any process has measured it last. */
static void operations_put_clock(struct buf *b)
{
    const struct clock_watch w = clock_watch_read();
    operations_put_name(b, "clock_skew_seconds",
                        "This host's clock less the database's.");
    buf_printf(b, "sayso_clock_skew_seconds %.6f\n",
               (double)w.skew / CLOCK_SECOND);
    operations_put_number(b, "clock_held",
                          "Has the clock been wrong, so that nothing is ended "
                          "by time until a reload?",
                          w.since ? 1 : 0);
}

/* The other metrics are sent even when the database does not answer. */
const struct err *api_metrics(struct call *c)
{
    struct deliveries_waiting waiting = {.n = 0};
    struct suspensions_now open = {.late = 0};
    struct verifications verified;
    struct buf *b = &c->rs->body;
    struct pg_rows *rows = NULL;
    const bool up = suspensions_now(c->pg, c->a, &open) == NULL &&
                    deliveries_waiting(c->pg, c->a, &waiting) == NULL &&
                    verifications_get(c->pg, c->a, &verified) == NULL;
    const bool ready = up && operations_ready(c, &rows) == NULL;
    if (c->serve->metrics)
        metrics_render(c->serve->metrics, b);
    operations_put_build(b, c);
    operations_put_number(b, "database_up",
                          "Did the database answer just now?", up);
    operations_put_number(b, "ready", "Is /readyz 200?", ready);
    if (up) {
        operations_put_database(b, c->pg, &open, &waiting);
        operations_put_verify(b, &verified);
    }
    operations_put_decisions(b);
    operations_put_clock(b);
    c->rs->status = 200;
    response_header(c->rs, "Content-Type",
                    STR("text/plain; version=0.0.4; charset=utf-8"));
    return NULL;
}
