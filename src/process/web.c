/* A web worker: wait, read, serve, answer, log, reset.
 *
 * Runs in a new child of the supervisor. Knows no route and no page: serve_one
 * does. Keeps nothing from one request to the next but its database connection
 * and its cache of keys. */
#include "process/web.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "doors/serve.h"
#include "store/person/principals.h"
#include "store/tables.h"
#include "world/outbound.h"
#include "world/web/fcgi.h"

/* One turn of the loop, in an empty arena. */
static enum fcgi_got web_answer(struct serve *serve, struct fcgi *f,
                                struct arena *a)
{
    struct pairs params;
    struct str body;
    bool too_large;
    int64_t start = clock_mono();
    enum fcgi_got got = fcgi_accept(f, a, REQUEST_BODY_MAX, &params, &body,
                                    &too_large);
    if (got != FCGI_REQUEST)
        return got;
    struct response rs = response_make(a);
    struct served s = serve_one(serve, a, params, body, too_large, &rs);
    log_request(s.request_id);
    /* No transaction outlives its request: its locks would stop others. */
    if (pg_in_transaction(serve->pg)) {
        log_line(LOG_ERR, "web: a transaction was left open; rolled back");
        pg_rollback(serve->pg);
    }
    fcgi_answer(f, &rs, str_is(pairs_get(params, "REQUEST_METHOD"), "HEAD"));
    const int64_t us = clock_mono() - start;
    struct str who = s.principal.n > 0 ? s.principal : STR("-");
    metrics_request(serve->metrics, s.route, s.status, us, s.database_us);
    log_answer(s.status >= 500 ? LOG_WARN : LOG_INFO,
               &(struct log_answer){.route = s.name,
                                    .status = s.status,
                                    .principal = who,
                                    .database_us = s.database_us,
                                    .total_us = us,
                                    .bytes = rs.body.n});
    log_request(STR_NONE);
    log_trace(STR_NONE);
    return got;
}

/* Has the process kept, beyond its initial size, more than one request may use?
 * The allocator may keep the fragments of a large request for ever; a new
 * process has none of them. Measured only after a request that used an eighth
 * of its ceiling, so that others cost no system call. */
static bool web_grown(size_t first, size_t peak, size_t max)
{
    const size_t now = peak >= max / 8 ? child_resident() : 0;
    if (now == 0 || now < first || now - first <= max)
        return false;
    log_line(LOG_NOTICE, "web: replaced by a new worker; this one has %zu MB, "
                         "at most %zu", now >> 20, child_resident_peak() >> 20);
    return true;
}

static int web_work(const struct child *c, struct serve *serve, struct fcgi *f)
{
    const size_t max = (size_t)c->conf->request_memory_mb << 20;
    const size_t first = child_resident();
    struct arena *a = arena_make(max);
    tables_greet(serve->pg, a);
    arena_reset(a);
    enum fcgi_got got = FCGI_NONE;
    bool fresh = true;
    while (fresh && got != FCGI_STOPPED && got != FCGI_FAILED &&
           fcgi_wait(f, &child_stop, &c->slot->seen)) {
        child_busy(c, true);
        got = web_answer(serve, f, a);
        const size_t peak = arena_peak(a);
        arena_reset(a);
        fresh = !web_grown(first, peak, max);
        child_busy(c, false);
    }
    arena_free(a);
    if (!fresh)
        return CHILD_RECYCLED;
    return got == FCGI_FAILED ? EXIT_FAILURE : EXIT_SUCCESS;
}

int web_run(const struct child *c)
{
    struct arena *process = arena_make(ARENA_PROCESS_MAX);
    int result = EXIT_FAILURE;
    struct fcgi *f = fcgi_make(process, c->listen_fd);
    if (f) {
        child_signals(); /* again, because FCGX_Init has installed its own */
        const struct outbound_settings settings = {
            .ca_file = c->conf->ca_file};
        struct serve serve = {
            .conf = c->conf,
            .templates = c->templates,
            .pg = tables_serve(process, c->conf->database, "sayso web"),
            .principals = principals_make(process),
            .metrics = c->metrics,
            .quota = c->quota,
            .presence = c->presence,
            .seat = c->seat,
            .secret = c->secret,
            .outbound = outbound_make(process, &settings),
        };
        pg_timeout(serve.pg, c->conf->database_timeout);
        pg_connect_ms(serve.pg, c->conf->database_connect_ms);
        result = web_work(c, &serve, f);
        pg_close(serve.pg);
        if (serve.outbound)
            outbound_close(serve.outbound);
    }
    arena_free(process);
    return result;
}
