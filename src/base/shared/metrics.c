/* Counters shared by all processes of one pool, and their exposition.
 *
 * Every number is a separate atomic. A reader may see a request counted in one
 * place and not yet in another; nothing is ever locked. */
#include "base/shared/metrics.h"

#include <inttypes.h>

#include "base/clock.h"
#include "base/shared/region.h"

const char metrics_limit_streams[] = "limit.streams";
const char metrics_limit_held[] = "limit.held";
const char metrics_limit_rate[] = "limit.rate";
const char metrics_limit_workers[] = "limit.workers";
const char metrics_limit_open[] = "limit.open";
const char metrics_limit_bytes[] = "limit.bytes";
const char metrics_limit_subscriptions[] = "limit.subscriptions";
const char metrics_limit_endpoints[] = "limit.endpoints";
const char metrics_limit_artifacts[] = "limit.artifacts";

/* The statuses that are counted by themselves; others are in the last place. */
static const int statuses[] = {
    200, 201, 204, 303, 304, 400, 401, 403, 404, 405,
    409, 413, 415, 422, 429, 500, 503,
};
#define OTHER countof(statuses)
#define LOG_SILENT (30 * CLOCK_SECOND)

/* The upper limits of the buckets; the last bucket has none. */
static const struct {
    int64_t us;
    const char *label; /* in seconds */
} limits[METRICS_BUCKETS - 1] = {
    {1000, "0.001"}, {2500, "0.0025"}, {5000, "0.005"},  {10000, "0.01"},
    {25000, "0.025"}, {50000, "0.05"}, {100000, "0.1"},  {250000, "0.25"},
    {500000, "0.5"}, {1000000, "1"},   {2500000, "2.5"},
};

/* The ceilings that a key can reach. */
static const char *const ceilings[] = {
    metrics_limit_streams,   metrics_limit_held,
    metrics_limit_rate,      metrics_limit_open,
    metrics_limit_bytes,     metrics_limit_subscriptions,
    metrics_limit_endpoints, metrics_limit_workers,
    metrics_limit_artifacts};

static const char *const sign_ins[] = {"ok",       "wrong",     "unknown",
                                       "disabled", "throttled", "busy"};

static const struct {
    const char *name, *help;
} counters[METRICS_COUNTERS] = {
    [METRICS_DATABASE_ERRORS] = {"sayso_database_errors_total",
                                 "Requests that ended because the "
                                 "database did not answer."},
    [METRICS_RESTARTS] = {"sayso_worker_restarts_total",
                          "Workers that died and were replaced."},
    [METRICS_RECYCLED] = {"sayso_worker_recycled_total",
                          "Workers that were replaced because they had "
                          "grown."},
    [METRICS_MEMORY] = {"sayso_requests_over_memory_total",
                        "Requests ended because they needed more memory than "
                        "one request may use."},
    [METRICS_STORED] = {"sayso_stored_bytes_total",
                        "Bytes that agents stored, as they count for "
                        "limit_bytes_mb."},
    [METRICS_CUT] = {"sayso_streams_cut_total",
                     "Streams cut because too many bytes were unsent."},
};

struct route {
    _Atomic uint64_t by_status[OTHER + 1];
    _Atomic uint64_t by_time[METRICS_BUCKETS];
    _Atomic uint64_t us;
};

/* Not in the shared memory: a process that was taken over could have another
 * one follow a pointer, or go beyond an array. */
static const char *const *names;
static size_t names_n;
static const char *kinds[METRICS_SLOTS_MAX];

struct metrics {
    _Atomic uint64_t database_us;
    _Atomic uint64_t counts[METRICS_COUNTERS];
    _Atomic bool standbys_known;
    _Atomic int64_t standbys_us, standbys_sync, standbys_async;
    _Atomic int64_t lag; /* 1 more than the microseconds; 0: not known */
    _Atomic int64_t log_lag; /* the same */
    _Atomic int64_t log_at;  /* of the last look, by clock_mono */
    _Atomic int64_t log_broken, log_key_age;
    _Atomic bool log_no_key, log_inconsistent;
    _Atomic uint64_t refused[countof(ceilings)];
    _Atomic uint64_t sign_ins[countof(sign_ins)];
    _Atomic uint64_t reads, streams;
    _Atomic int64_t round_at; /* clock_mono; 0: none yet */
    int64_t started_at;       /* clock_now */
    _Atomic int64_t wrote_at, unwritable_at;
    _Atomic bool full;
    struct metrics_worker workers[METRICS_SLOTS_MAX];
    struct route routes[METRICS_ROUTES_MAX];
};

struct metrics *metrics_make(const char *const *routes, size_t n)
{
    if (n < 1 || n > METRICS_ROUTES_MAX)
        return NULL;
    names = routes;
    names_n = n;
    struct metrics *m = region_take(sizeof *m);
    if (!m || region_joined())
        return m;
    m->started_at = clock_now();
    atomic_store(&m->log_at, clock_mono());
    return m;
}

void metrics_kind(size_t slot, const char *kind)
{
    if (slot < METRICS_SLOTS_MAX)
        kinds[slot] = kind;
}

struct metrics_worker *metrics_worker(struct metrics *m, size_t slot)
{
    return slot < METRICS_SLOTS_MAX ? &m->workers[slot] : NULL;
}

static void metrics_add(_Atomic uint64_t *counter, uint64_t n)
{
    atomic_fetch_add_explicit(counter, n, memory_order_relaxed);
}

static uint64_t metrics_get(_Atomic uint64_t *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

static uint64_t metrics_positive(int64_t us)
{
    return us > 0 ? (uint64_t)us : 0;
}

void metrics_request(struct metrics *m, size_t route, int status, int64_t us,
                     int64_t database_us)
{
    struct route *r = &m->routes[route < names_n ? route : names_n - 1];
    size_t s = 0;
    while (s < OTHER && statuses[s] != status)
        s++;
    size_t bucket = 0;
    while (bucket < countof(limits) && us > limits[bucket].us)
        bucket++;
    metrics_add(&r->by_status[s], 1);
    metrics_add(&r->by_time[bucket], 1);
    metrics_add(&r->us, metrics_positive(us));
    metrics_add(&m->database_us, metrics_positive(database_us));
}

void metrics_count(struct metrics *m, enum metrics_counter what, uint64_t n)
{
    metrics_add(&m->counts[what], n);
}

void metrics_wrote(struct metrics *m, int64_t now)
{
    atomic_store(&m->wrote_at, now);
}

void metrics_unwritable(struct metrics *m, bool full, int64_t now)
{
    atomic_store(&m->full, full);
    atomic_store(&m->unwritable_at, now);
}

struct metrics_writes metrics_writes(struct metrics *m)
{
    return (struct metrics_writes){.wrote_at = atomic_load(&m->wrote_at),
                                   .failed_at = atomic_load(&m->unwritable_at),
                                   .full = atomic_load(&m->full)};
}

void metrics_standbys(struct metrics *m, const struct metrics_standbys *now)
{
    if (now) {
        atomic_store(&m->standbys_us, now->us);
        atomic_store(&m->standbys_sync, now->sync);
        atomic_store(&m->standbys_async, now->async);
    }
    atomic_store(&m->standbys_known, now != NULL);
}

void metrics_lag(struct metrics *m, int64_t us)
{
    atomic_store(&m->lag, us < 0 ? 0 : us + 1);
}

void metrics_waiting(struct metrics *m, size_t reads, size_t streams)
{
    atomic_store(&m->reads, reads);
    atomic_store(&m->streams, streams);
}

void metrics_round(struct metrics *m, int64_t now)
{
    atomic_store(&m->round_at, now);
}

void metrics_sign_in(struct metrics *m, const char *result)
{
    for (size_t i = 0; i < countof(sign_ins); i++)
        if (strcmp(result, sign_ins[i]) == 0)
            metrics_add(&m->sign_ins[i], 1);
}

void metrics_log(struct metrics *m, const struct metrics_log *now)
{
    atomic_store(&m->log_broken, now->broken);
    atomic_store(&m->log_key_age, now->key_age);
    atomic_store(&m->log_no_key, now->no_key);
    atomic_store(&m->log_inconsistent, now->inconsistent);
    if (now->known)
        atomic_store(&m->log_at, clock_mono());
    atomic_store(&m->log_lag, now->known ? now->lag + 1 : 0);
}

struct metrics_log metrics_log_read(struct metrics *m)
{
    const int64_t lag = atomic_load(&m->log_lag);
    const bool silent = clock_mono() > atomic_load(&m->log_at) + LOG_SILENT;
    struct metrics_log out = {.silent = silent};
    if (silent || lag == 0)
        return out;
    out.known = true;
    out.lag = lag - 1;
    out.broken = atomic_load(&m->log_broken);
    out.key_age = atomic_load(&m->log_key_age);
    out.no_key = atomic_load(&m->log_no_key);
    out.inconsistent = atomic_load(&m->log_inconsistent);
    return out;
}

void metrics_refused(struct metrics *m, const char *code)
{
    for (size_t i = 0; i < countof(ceilings); i++)
        if (code == ceilings[i])
            metrics_add(&m->refused[i], 1);
}

static void metrics_family(struct buf *b, const char *name, const char *type,
                           const char *help)
{
    buf_printf(b, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void metrics_label(struct buf *b, const char *name)
{
    for (const char *p = name; *p; p++) {
        if (*p == '\\' || *p == '"')
            buf_char(b, '\\');
        if (*p == '\n')
            buf_put(b, "\\n");
        else
            buf_char(b, *p);
    }
}

/* Microseconds as seconds, exactly. */
static void metrics_seconds(struct buf *b, uint64_t us)
{
    buf_printf(b, "%" PRIu64 ".%06" PRIu64 "\n", us / 1000000, us % 1000000);
}

static void metrics_statuses(struct metrics *m, struct buf *b)
{
    static const char name[] = "sayso_http_requests_total";
    metrics_family(b, name, "counter",
                   "Requests answered, by route and status.");
    for (size_t i = 0; i < names_n; i++) {
        for (size_t s = 0; s <= OTHER; s++) {
            const uint64_t count = metrics_get(&m->routes[i].by_status[s]);
            if (count == 0)
                continue;
            buf_printf(b, "%s{route=\"", name);
            metrics_label(b, names[i]);
            buf_put(b, "\",status=\"");
            if (s == OTHER)
                buf_put(b, "other");
            else
                buf_int(b, statuses[s]);
            buf_printf(b, "\"} %" PRIu64 "\n", count);
        }
    }
}

static void metrics_series(struct buf *b, const char *suffix, const char *route)
{
    buf_printf(b, "sayso_http_request_duration_seconds_%s{route=\"", suffix);
    metrics_label(b, route);
}

static void metrics_histogram(struct route *r, const char *name, struct buf *b)
{
    uint64_t counts[METRICS_BUCKETS];
    uint64_t total = 0;
    for (size_t i = 0; i < METRICS_BUCKETS; i++)
        counts[i] = total += metrics_get(&r->by_time[i]);
    if (total == 0)
        return;
    for (size_t i = 0; i < METRICS_BUCKETS; i++) {
        const char *le = i < countof(limits) ? limits[i].label : "+Inf";
        metrics_series(b, "bucket", name);
        buf_printf(b, "\",le=\"%s\"} %" PRIu64 "\n", le, counts[i]);
    }
    metrics_series(b, "sum", name);
    buf_put(b, "\"} ");
    metrics_seconds(b, metrics_get(&r->us));
    metrics_series(b, "count", name);
    buf_printf(b, "\"} %" PRIu64 "\n", total);
}

static void metrics_workers(struct metrics *m, struct buf *b)
{
    unsigned busy = 0, idle = 0;
    for (size_t i = 0; i < METRICS_WORKERS_MAX; i++) {
        struct metrics_worker *w = &m->workers[i];
        if (atomic_load(&w->pid) == 0)
            continue;
        if (atomic_load(&w->busy_since) != 0)
            busy++;
        else
            idle++;
    }
    metrics_family(b, "sayso_workers", "gauge",
                   "Workers, by their current activity.");
    buf_printf(b, "sayso_workers{state=\"busy\"} %u\n", busy);
    buf_printf(b, "sayso_workers{state=\"idle\"} %u\n", idle);
}

/* The age of the oldest process of a kind, from slot `first` on; -1: none. */
static int64_t metrics_oldest(struct metrics *m, const char *kind,
                              size_t first)
{
    const int64_t now = clock_mono();
    int64_t most = -1;
    for (size_t i = first; i < METRICS_SLOTS_MAX; i++) {
        struct metrics_worker *w = &m->workers[i];
        const int64_t age = now - atomic_load(&w->seen);
        if (atomic_load(&w->pid) != 0 && kinds[i] == kind && age > most)
            most = age;
    }
    return most;
}

/* A kind has several slots: it is reported at the first of them. */
static void metrics_ages(struct metrics *m, struct buf *b)
{
    static const char name[] = "sayso_process_age_seconds";
    const char *told[METRICS_KINDS_MAX] = {NULL};
    size_t n = 0;
    for (size_t i = 0; i < METRICS_SLOTS_MAX && n < METRICS_KINDS_MAX; i++) {
        const char *kind = kinds[i];
        const int64_t age = kind ? metrics_oldest(m, kind, i) : -1;
        size_t k = 0;
        while (k < n && told[k] != kind)
            k++;
        if (age < 0 || k < n)
            continue;
        if (n == 0)
            metrics_family(b, name, "gauge",
                           "The time since the last sign of life of the "
                           "process, of the oldest of a kind.");
        told[n++] = kind;
        buf_printf(b, "%s{kind=\"%s\"} ", name, kind);
        metrics_seconds(b, metrics_positive(age));
    }
}

/* Nothing without a measurement: a 0 would read as no lag. */
static void metrics_put_standbys(struct metrics *m, struct buf *b)
{
    static const char standbys[] = "sayso_replication_standbys";
    static const char lag[] = "sayso_replication_lag_seconds";
    if (!atomic_load(&m->standbys_known))
        return;
    const int64_t sync = atomic_load(&m->standbys_sync);
    const int64_t async = atomic_load(&m->standbys_async);
    metrics_family(b, standbys, "gauge",
                   "Standbys of the database, by whether a commit waits for "
                   "them.");
    buf_printf(b, "%s{sync=\"yes\"} %" PRId64 "\n", standbys, sync);
    buf_printf(b, "%s{sync=\"no\"} %" PRId64 "\n", standbys, async);
    if (sync + async == 0)
        return;
    metrics_family(b, lag, "gauge", "The lag of the slowest standby.");
    buf_printf(b, "%s ", lag);
    metrics_seconds(b, metrics_positive(atomic_load(&m->standbys_us)));
}

static void metrics_put_log(struct metrics *m, struct buf *b)
{
    static const char stopped[] = "sayso_log_stopped";
    const struct metrics_log now = metrics_log_read(m);
    metrics_family(b, stopped, "gauge", "Is nothing signed, and why?");
    buf_printf(b, "%s{why=\"no_key\"} %d\n", stopped, now.no_key);
    buf_printf(b, "%s{why=\"inconsistent\"} %d\n", stopped, now.inconsistent);
    buf_printf(b, "%s{why=\"silent\"} %d\n", stopped, now.silent);
    if (!now.known)
        return;
    metrics_family(b, "sayso_log_broken_intents", "gauge",
                   "Intents whose chain of events is broken, up to 1000.");
    buf_printf(b, "sayso_log_broken_intents %" PRId64 "\n", now.broken);
    metrics_family(b, "sayso_log_key_age_seconds", "gauge",
                   "The time since which the current key signs.");
    buf_put(b, "sayso_log_key_age_seconds ");
    metrics_seconds(b, metrics_positive(now.key_age));
    metrics_family(b, "sayso_log_lag_seconds", "gauge",
                   "The age of the oldest event that the log does not have "
                   "yet.");
    buf_put(b, "sayso_log_lag_seconds ");
    metrics_seconds(b, metrics_positive(now.lag));
}

static void metrics_put_waiting(struct metrics *m, struct buf *b)
{
    static const char waiting[] = "sayso_waiting";
    metrics_family(b, waiting, "gauge",
                   "Connections that wait now: held reads and streams.");
    buf_printf(b, "%s{as=\"read\"} %" PRIu64 "\n", waiting,
               metrics_get(&m->reads));
    buf_printf(b, "%s{as=\"stream\"} %" PRIu64 "\n", waiting,
               metrics_get(&m->streams));
}

/* Nothing before the first round: its age would be the server's. */
static void metrics_put_round(struct metrics *m, struct buf *b)
{
    static const char name[] = "sayso_clock_round_age_seconds";
    const int64_t at = atomic_load(&m->round_at);
    if (at == 0)
        return;
    metrics_family(b, name, "gauge",
                   "The time since the clock last ended all that was due.");
    buf_printf(b, "%s ", name);
    metrics_seconds(b, metrics_positive(clock_mono() - at));
}

static void metrics_put_sign_ins(struct metrics *m, struct buf *b)
{
    static const char name[] = "sayso_sign_ins_total";
    metrics_family(b, name, "counter", "Tries to sign in, by result.");
    for (size_t i = 0; i < countof(sign_ins); i++)
        buf_printf(b, "%s{result=\"%s\"} %" PRIu64 "\n", name, sign_ins[i],
                   metrics_get(&m->sign_ins[i]));
}

void metrics_render(struct metrics *m, struct buf *b)
{
    metrics_family(b, "process_start_time_seconds", "gauge",
                   "The time at which the supervisor started, in seconds "
                   "since 1970.");
    buf_put(b, "process_start_time_seconds ");
    metrics_seconds(b, metrics_positive(m->started_at));
    metrics_statuses(m, b);
    metrics_family(
        b, "sayso_http_request_duration_seconds", "histogram",
        "Time from a request's acceptance to its answer, by route.");
    for (size_t i = 0; i < names_n; i++)
        metrics_histogram(&m->routes[i], names[i], b);
    metrics_family(b, "sayso_database_seconds_total", "counter",
                   "Time that requests waited for the database.");
    buf_put(b, "sayso_database_seconds_total ");
    metrics_seconds(b, metrics_get(&m->database_us));
    for (size_t i = 0; i < METRICS_COUNTERS; i++) {
        metrics_family(b, counters[i].name, "counter", counters[i].help);
        buf_printf(b, "%s %" PRIu64 "\n", counters[i].name,
                   metrics_get(&m->counts[i]));
    }
    metrics_workers(m, b);
    metrics_ages(m, b);
    metrics_put_standbys(m, b);
    const int64_t lag = atomic_load(&m->lag);
    if (lag > 0) {
        metrics_family(b, "sayso_stream_lag_seconds", "gauge",
                       "The age of the oldest event that streams cannot send "
                       "yet.");
        buf_put(b, "sayso_stream_lag_seconds ");
        metrics_seconds(b, metrics_positive(lag - 1));
    }
    metrics_put_waiting(m, b);
    metrics_put_round(m, b);
    metrics_put_sign_ins(m, b);
    metrics_put_log(m, b);
    metrics_family(
        b, "sayso_refused_total", "counter",
        "Requests refused because a key or session reached a limit.");
    for (size_t i = 0; i < countof(ceilings); i++)
        buf_printf(b, "sayso_refused_total{code=\"%s\"} %" PRIu64 "\n",
                   ceilings[i], metrics_get(&m->refused[i]));
}
