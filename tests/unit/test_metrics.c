/* The counters: what is counted where, over processes, and how it is told. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/shared/metrics.h"

static struct arena *arena;
static struct metrics *metrics;

static const char *const names[] = {"GET /a", "POST /b\"\\\n", "unmatched"};

static void setup(void)
{
    arena = arena_make((size_t)8 << 20);
    metrics = metrics_make(names, countof(names));
    cr_assert(metrics != NULL);
}

static void teardown(void)
{
    arena_free(arena);
}

TestSuite(metrics, .init = setup, .fini = teardown);

static struct str rendered(void)
{
    struct buf b = buf_make(arena, (size_t)1 << 20);
    metrics_render(metrics, &b);
    cr_assert(not(b.over));
    return buf_text(&b);
}

/* Does the exposition hold exactly this line? */
static bool tells(const char *line)
{
    struct str rest = rendered();
    while (rest.p)
        if (str_is(str_cut(&rest, '\n'), line))
            return true;
    return false;
}

static bool mentions(const char *text)
{
    const struct str s = rendered();
    return str_search(s, str_of(text)) < s.n;
}

Test(metrics, how_many_routes_there_may_be)
{
    static const char *many[METRICS_ROUTES_MAX + 1];
    for (size_t i = 0; i < countof(many); i++)
        many[i] = "x";
    cr_expect(metrics_make(many, 0) == NULL);
    cr_expect(metrics_make(many, METRICS_ROUTES_MAX) != NULL);
    cr_expect(metrics_make(many, METRICS_ROUTES_MAX + 1) == NULL);
}

Test(metrics, at_the_start_all_is_zero)
{
    cr_expect(tells("sayso_database_seconds_total 0.000000"));
    cr_expect(tells("sayso_database_errors_total 0"));
    cr_expect(tells("sayso_workers{state=\"busy\"} 0"));
    cr_expect(tells("sayso_workers{state=\"idle\"} 0"));
    cr_expect(tells("sayso_worker_restarts_total 0"));
    cr_expect(not(mentions("sayso_http_requests_total{")));
    cr_expect(not(mentions("sayso_http_request_duration_seconds_")));
}

Test(metrics, requests_by_route_and_status)
{
    static const struct {
        size_t route;
        int status;
    } rows[] = {
        {0, 200}, {0, 200}, {0, 404}, {1, 201}, {2, 503}, {3, 400},
        {SIZE_MAX, 400}, {0, 418}, {0, 0}, {0, -1}, {0, 599},
    };
    for (size_t i = 0; i < countof(rows); i++)
        metrics_request(metrics, rows[i].route, rows[i].status, 10, 5);
    static const char *const wanted[] = {
        "sayso_http_requests_total{route=\"GET /a\",status=\"200\"} 2",
        "sayso_http_requests_total{route=\"GET /a\",status=\"404\"} 1",
        "sayso_http_requests_total{route=\"GET /a\",status=\"other\"} 4",
        ("sayso_http_requests_total{route=\"POST /b\\\"\\\\\\n\","
         "status=\"201\"} 1"),
        "sayso_http_requests_total{route=\"unmatched\",status=\"400\"} 2",
        "sayso_http_requests_total{route=\"unmatched\",status=\"503\"} 1",
        "sayso_database_seconds_total 0.000055",
    };
    for (size_t i = 0; i < countof(wanted); i++)
        cr_expect(tells(wanted[i]), "%s", wanted[i]);
}

Test(metrics, every_status_that_is_used)
{
    static const int statuses[] = {200, 201, 204, 303, 304, 400, 401, 403, 404,
                                   405, 409, 413, 415, 422, 429, 500, 503};
    for (size_t i = 0; i < countof(statuses); i++) {
        metrics_request(metrics, 0, statuses[i], 1, 0);
        struct buf b = buf_make(arena, 200);
        buf_printf(&b, "sayso_http_requests_total{route=\"GET /a\","
                       "status=\"%d\"} 1", statuses[i]);
        buf_char(&b, '\0');
        cr_expect(tells(buf_text(&b).p), "status %d", statuses[i]);
    }
    cr_expect(not(mentions("other")));
}

Test(metrics, the_buckets_and_their_limits)
{
    /* How many of these are within each bucket: */
    static const int64_t us[] = {-5,    0,      1000,    1001,    2500,
                                 49999, 100000, 2500000, 2500001, INT64_MAX};
    static const struct {
        const char *le;
        int count;
    } rows[] = {
        {"0.001", 3}, {"0.0025", 5}, {"0.005", 5}, {"0.01", 5},
        {"0.025", 5}, {"0.05", 6},   {"0.1", 7},   {"0.25", 7},
        {"0.5", 7},   {"1", 7},      {"2.5", 8},   {"+Inf", 10},
    };
    cr_assert(eq(sz, countof(rows), METRICS_BUCKETS));
    for (size_t i = 0; i < countof(us); i++)
        metrics_request(metrics, 0, 200, us[i], 0);
    for (size_t i = 0; i < countof(rows); i++) {
        char line[200];
        snprintf(line, sizeof(line),
                 "sayso_http_request_duration_seconds_bucket{route=\"GET /a\","
                 "le=\"%s\"} %d", rows[i].le, rows[i].count);
        cr_expect(tells(line), "%s", line);
    }
    cr_expect(tells("sayso_http_request_duration_seconds_count"
                    "{route=\"GET /a\"} 10"));
}

Test(metrics, the_sum_is_in_seconds)
{
    metrics_request(metrics, 0, 200, 1500000, 250000);
    metrics_request(metrics, 0, 200, 7, 1000003);
    metrics_request(metrics, 0, 200, -9, -9);
    cr_expect(tells("sayso_http_request_duration_seconds_sum"
                    "{route=\"GET /a\"} 1.500007"));
    cr_expect(tells("sayso_database_seconds_total 1.250003"));
}

Test(metrics, workers)
{
    cr_expect(metrics_worker(metrics, METRICS_SLOTS_MAX) == NULL);
    cr_expect(metrics_worker(metrics, METRICS_SLOTS_MAX - 1) != NULL);
    metrics_worker(metrics, 0)->pid = 10;
    metrics_worker(metrics, 1)->pid = 11;
    metrics_worker(metrics, 1)->busy_since = 5;
    metrics_worker(metrics, 255)->pid = 12;
    metrics_worker(metrics, 7)->busy_since = 5; /* a free slot's rest */
    cr_expect(tells("sayso_workers{state=\"busy\"} 1"));
    cr_expect(tells("sayso_workers{state=\"idle\"} 2"));
    metrics_count(metrics, METRICS_RESTARTS, 1);
    metrics_count(metrics, METRICS_RESTARTS, 1);
    metrics_count(metrics, METRICS_DATABASE_ERRORS, 1);
    cr_expect(tells("sayso_worker_restarts_total 2"));
    cr_expect(tells("sayso_database_errors_total 1"));
}

Test(metrics, processes_share_them_and_lose_nothing)
{
    enum { CHILDREN = 4, EACH = 20000 };
    for (int i = 0; i < CHILDREN; i++) {
        const pid_t pid = fork();
        cr_assert(pid >= 0);
        if (pid == 0) {
            for (int n = 0; n < EACH; n++)
                metrics_request(metrics, 0, 200, 1, 1);
            _exit(0);
        }
    }
    for (int i = 0; i < CHILDREN; i++) {
        int status = 1;
        cr_assert(wait(&status) > 0);
        cr_assert(eq(int, status, 0));
    }
    cr_expect(tells("sayso_http_requests_total{route=\"GET /a\","
                    "status=\"200\"} 80000"));
    cr_expect(tells("sayso_database_seconds_total 0.080000"));
}

/* Every sample belongs to the family named above it, every line ends, and
 * each family is named once. */
Test(metrics, the_exposition_is_well_formed)
{
    metrics_request(metrics, 0, 200, 1, 1);
    metrics_request(metrics, 1, 500, 1, 1);
    struct str rest = rendered();
    cr_assert(str_ends(rest, STR("\n")));
    struct str type = STR_NONE;
    size_t families = 0;
    while (rest.n) {
        struct str line = str_cut(&rest, '\n');
        if (str_starts(line, STR("# HELP ")))
            continue;
        if (str_starts(line, STR("# TYPE "))) {
            line = str_sub(line, 7, line.n);
            type = str_cut(&line, ' ');
            families++;
            continue;
        }
        cr_expect(type.n && str_starts(line, type), "%.*s", STR_FMT(line));
    }
    cr_expect(eq(sz, families, 15));
}

Test(metrics, a_small_buffer_is_over_and_no_more)
{
    metrics_request(metrics, 0, 200, 1, 1);
    struct buf b = buf_make(arena, 100);
    metrics_render(metrics, &b);
    cr_expect(b.over);
    cr_expect(le(sz, b.n, 100));
}

Test(metrics, standbys_are_told_where_they_are_known)
{
    const struct metrics_standbys two = {.us = 1250000, .sync = 1, .async = 1};
    const struct metrics_standbys none = {.us = 0};
    cr_expect(not(tells("sayso_replication_standbys{sync=\"yes\"} 0")),
              "nobody has looked");
    metrics_standbys(metrics, &two);
    cr_expect(tells("sayso_replication_standbys{sync=\"yes\"} 1"));
    cr_expect(tells("sayso_replication_standbys{sync=\"no\"} 1"));
    cr_expect(tells("sayso_replication_lag_seconds 1.250000"));
    metrics_standbys(metrics, &none);
    cr_expect(tells("sayso_replication_standbys{sync=\"yes\"} 0"));
    cr_expect(not(tells("sayso_replication_lag_seconds 0.000000")),
              "nobody is behind where nobody is");
    metrics_standbys(metrics, NULL);
    cr_expect(not(tells("sayso_replication_standbys{sync=\"yes\"} 0")));
}

Test(metrics, the_log_is_told_where_it_is_known)
{
    struct metrics_log now = {.known = true,
                              .lag = 1250000,
                              .broken = 2,
                              .key_age = 60000000,
                              .no_key = true,
                              .silent = true};
    cr_expect(not(tells("sayso_log_lag_seconds")), "nobody has looked");
    cr_expect(tells("sayso_log_stopped{why=\"no_key\"} 0"));
    cr_expect(tells("sayso_log_stopped{why=\"silent\"} 0"));
    metrics_log(metrics, &now);
    cr_expect(tells("sayso_log_lag_seconds 1.250000"));
    cr_expect(tells("sayso_log_broken_intents 2"));
    cr_expect(tells("sayso_log_key_age_seconds 60.000000"));
    cr_expect(tells("sayso_log_stopped{why=\"no_key\"} 1"));
    cr_expect(tells("sayso_log_stopped{why=\"inconsistent\"} 0"));
    cr_expect(tells("sayso_log_stopped{why=\"silent\"} 0"), "it has looked");
    now.known = false;
    metrics_log(metrics, &now);
    cr_expect(not(tells("sayso_log_lag_seconds")));
    cr_expect(tells("sayso_log_stopped{why=\"no_key\"} 0"));
}

Test(metrics, refusals_by_their_ceiling)
{
    metrics_refused(metrics, metrics_limit_rate);
    metrics_refused(metrics, metrics_limit_rate);
    metrics_refused(metrics, "request.too_many");
    metrics_count(metrics, METRICS_CUT, 1);
    cr_expect(tells("sayso_refused_total{code=\"limit.rate\"} 2"));
    cr_expect(tells("sayso_refused_total{code=\"limit.streams\"} 0"));
    cr_expect(not(mentions("request.too_many")));
    cr_expect(tells("sayso_streams_cut_total 1"));
}

Test(metrics, tries_to_sign_in_by_result)
{
    metrics_sign_in(metrics, "wrong");
    metrics_sign_in(metrics, "wrong");
    metrics_sign_in(metrics, "something else");
    cr_expect(tells("sayso_sign_ins_total{result=\"wrong\"} 2"));
    cr_expect(tells("sayso_sign_ins_total{result=\"ok\"} 0"));
    cr_expect(not(mentions("something else")));
}

Test(metrics, what_waits_and_the_round_of_the_clock)
{
    cr_expect(not(mentions("sayso_clock_round_age_seconds")));
    metrics_waiting(metrics, 20, 3);
    metrics_round(metrics, clock_mono());
    cr_expect(tells("sayso_waiting{as=\"read\"} 20"));
    cr_expect(tells("sayso_waiting{as=\"stream\"} 3"));
    cr_expect(mentions("\nsayso_clock_round_age_seconds 0."));
}

static void process(size_t slot, const char *kind, int64_t seconds_ago)
{
    metrics_worker(metrics, slot)->pid = 10;
    metrics_kind(slot, kind);
    metrics_worker(metrics, slot)->seen =
        clock_mono() - seconds_ago * CLOCK_SECOND;
}

Test(metrics, the_oldest_sign_of_life_of_each_kind)
{
    static const char web[] = "web", wait[] = "wait";
    cr_expect(not(mentions("sayso_process_age_seconds")), "none yet");
    process(0, web, 1);
    process(1, web, 2000);
    process(2, web, 3000);
    process(METRICS_WORKERS_MAX, wait, 5000);
    metrics_worker(metrics, 2)->pid = 0; /* it has ended */
    cr_expect(mentions("sayso_process_age_seconds{kind=\"web\"} 200"));
    cr_expect(mentions("sayso_process_age_seconds{kind=\"wait\"} 500"));
    metrics_worker(metrics, METRICS_WORKERS_MAX)->pid = 0;
    cr_expect(not(mentions("kind=\"wait\"")));
}
