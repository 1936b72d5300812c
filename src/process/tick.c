/* The clock: work that is due by time.
 *
 * Reminders, escalations and expiries of questions, through the one resolve
 * path; expired leases and access; rows past their retention. Any number of
 * these processes on any number of hosts do each thing once: the holder of an
 * intent's lock works on it, and finished work is no longer due. Never waits
 * for a lock. All state is in the database, but for the questions that failed
 * just now, which are left out for a while. Where this host's clock is not to
 * be trusted (clock_watch) it only goes on looking. */
#include "process/tick.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/shared/clock_watch.h"
#include "domain/answer/retry_silence.h"
#include "domain/question/retry.h"
#include "domain/question/risk.h"
#include "store/replication.h"
#include "store/sending/deliveries.h"
#include "store/sending/endpoints.h"
#include "store/sending/event_cursor.h"
#include "store/sql.gen.h"
#include "store/tables.h"
#include "work/ask.h"
#include "work/clock/due_mail.h"
#include "work/clock/failure_steps.h"
#include "work/clock/lapse.h"
#include "world/pg/pg_error.h"
#include "world/wake.h"

/* Between two looks; new questions do not wake the clock. */
#define NAP (CLOCK_SECOND / 4)
#define BACKOFF_MAX (5 * CLOCK_SECOND)
#define STANDBYS (5 * CLOCK_SECOND) /* between two measurements */
#define LAG (2 * CLOCK_SECOND)      /* the same */
#define WRITES (2 * CLOCK_SECOND)   /* between two trials */
#define SURVEYS (3 * CLOCK_SECOND)  /* of all hosts of the database */
#define SKIPPED_MAX 128
#define SKIPPED_FOR (60 * CLOCK_SECOND)
/* Of a batch: about DUE_BYTES of questions, and their messages to as many
 * channels as there may be. Seldom more than a few megabytes. */
#define MEMORY ((size_t)1 << 30)

/* A question that failed is skipped for a while, so that it does not stop the
 * others. */
struct skipped {
    char id[72];
    int64_t until; /* by clock_mono */
};

struct tick {
    const struct child *child;
    struct pg *pg;
    struct arena *a; /* of a batch */
    struct skipped skipped[SKIPPED_MAX];
    size_t next_skipped;
    size_t alone; /* number of further batches with one question each, to find a
                   * bad one */
    int64_t backoff; /* 0: the database answers */
    int64_t standbys_at, lag_at; /* of the next measurement, by clock_mono */
    int64_t write_at;    /* of the next trial of a write */
    struct pg *survey;   /* for tick_survey alone */
    int64_t survey_at;   /* of the next one */
    int64_t mail_at;     /* of the next look at people's mail, after one that
                          * failed; the same */
    const struct err *no_standby; /* of the last trial, where it found that no
                                   * standby answers; else NULL */
    struct lapse lapse;
};

/* ---- skipped questions ------------------------------------------------ */

static void tick_skip(struct tick *t, struct str id, const struct err *e)
{
    struct skipped *s = &t->skipped[t->next_skipped++ % SKIPPED_MAX];
    log_line(LOG_ERR, "tick: question %.*s is skipped for a minute: %s %.*s",
             STR_FMT(id), e->code, STR_FMT(e->say));
    *s = (struct skipped){.until = clock_mono() + SKIPPED_FOR};
    if (!str_copy(s->id, sizeof s->id, id))
        s->until = 0;
}

/* ---- questions ------------------------------------------------------ */

/* The end wins over a reminder. */
static const struct err *tick_decide(const struct tick *t, struct due_unit *u)
{
    const struct terms terms = risk_terms(t->child->conf, KIND_NONE);
    struct work *w = &u->work;
    struct decision d = work_decision(w);
    if (work_due(w)) {
        TRY(work_expire(w, &terms));
        return work_follow(w);
    }
    if (w->suspension.next_attempt_at == 0 ||
        w->suspension.next_attempt_at > w->now)
        return NULL; /* another process was faster */
    u->reminded = true;
    return retry_silence_remind(w->arena, &d, &u->round);
}

/* Did a checkpoint that the clock approved lead to the next? */
static bool tick_asks(const struct work *w)
{
    return w->plans && w->plans->has_asked;
}

/* Decides all before the intents are written, and removes those that fail;
 * *fires: a reminder has to be sent. An error of the database has ended the
 * transaction, and with it the locks of all. */
static const struct err *tick_decide_all(struct tick *t, struct due_batch *b,
                                         bool *fires)
{
    size_t n = 0;
    for (size_t i = 0; i < b->n; i++) {
        struct due_unit *u = &b->v[i];
        const struct err *e = tick_decide(t, u);
        if (e && !pg_in_transaction(t->pg))
            return e;
        if (e)
            tick_skip(t, u->work.suspension.id, e);
        else if (u->work.suspension_decided || u->reminded)
            b->v[n++] = *u;
        *fires = *fires || u->round.fires || tick_asks(&u->work);
    }
    b->n = n;
    return NULL;
}

/* The clock's unit of work. */
static struct work tick_work(const struct tick *t, int64_t now)
{
    return (struct work){
        .arena = t->a, .pg = t->pg, .conf = t->child->conf, .now = now};
}

static const struct err *tick_write(struct tick *t, const struct work *clock,
                                    struct due_batch *b, bool fires)
{
    struct channels *channels = arena_new(t->a, struct channels);
    if (fires)
        TRY(endpoints_channels(t->pg, t->a, channels));
    TRY(due_queue(clock, b));
    for (size_t i = 0; i < b->n; i++) {
        struct due_unit *u = &b->v[i];
        if (u->round.fires) {
            const struct deliveries_notice notice = {
                .channels = channels,
                .news = u->round.escalated ? CHANNEL_ESCALATED
                                           : CHANNEL_REMINDED,
                .suspension = &u->work.suspension,
                .notify_to = u->round.notify_to,
                .url = conf_address(t->a, t->child->conf, "/suspensions/",
                                    u->work.suspension.id),
                .sequence = u->work.intent.tail.sequence,
                .now = u->work.now};
            deliveries_queue_notice(t->pg, t->a, &notice);
        }
        if (tick_asks(&u->work))
            deliveries_queue_notice(
                t->pg, t->a,
                ask_notice(&u->work, &u->work.plans->asked, channels));
    }
    pg_queue(t->pg, NULL, SQL_COMMIT, NULL);
    TRY(pg_run(t->pg, t->a, NULL));
    for (size_t i = 0; i < b->n; i++)
        work_tell(&b->v[i].work);
    if (fires || b->has_listeners)
        wake_deliver();
    return NULL;
}

/* A batch that the database rejects, or that is over the memory limit, is
 * retried one question at a time; a question that fails alone is skipped. A
 * conflict with another process, or a database that does not answer, does not
 * count. */
static const struct err *tick_failed(struct tick *t, const struct due_batch *b,
                                     const struct err *e)
{
    pg_rollback(t->pg);
    if (e->kind == ERR_BUSY || e->kind == ERR_AGAIN)
        return e->kind == ERR_BUSY ? e : NULL;
    if (b->chosen == 0)
        return e;
    if (b->chosen == 1)
        tick_skip(t, b->first, e);
    else
        t->alone = DUE_BATCH;
    return NULL;
}

/* Other than questions, in this order. */
enum over {
    OVER_LEASES,
    OVER_COORDINATORS,
    OVER_FAILURES,
    OVER_TASKS,
    OVER_ACCESS,
    OVER_ANCHORS,
    OVER_MAIL,
    OVER_SEARCH,
    OVER_ROWS,
    OVER__MAX
};

/* A piece of work, and its result. */
struct attempt {
    struct tick *t;
    enum over step;    /* of tick_reap, */
    struct work clock; /* and its unit of work */
    const struct due_wanted *wanted;
    struct due_batch b;
    size_t n; /* number of questions it took */
    bool more; /* of tick_reap */
    const struct err *e;
};

static const struct err *tick_tried(struct attempt *x, void (*work)(void *))
{
    if (!arena_try(x->t->a, work, x))
        x->e = ERROR(ERR_MEMORY, "process.memory",
                     "The memory limit of the process is reached.");
    return x->e;
}

static void tick_try_batch(void *p)
{
    struct attempt *x = p;
    struct tick *t = x->t;
    const struct work clock = tick_work(t, clock_now());
    x->e = due_take(&clock, x->wanted, &x->b);
    if (x->e)
        return;
    x->n = x->b.n;
    bool fires = false;
    x->e = tick_decide_all(t, &x->b, &fires);
    if (!x->e)
        x->e = tick_write(t, &clock, &x->b, fires);
}

/* One transaction; *n: the number of questions it took. */
static const struct err *tick_batch(struct tick *t, size_t *n)
{
    struct str ids[SKIPPED_MAX];
    const int64_t now = clock_mono();
    struct due_wanted w = {.limit = t->alone ? 1 : DUE_BATCH, .skip = ids};
    for (size_t i = 0; i < SKIPPED_MAX; i++) {
        if (t->skipped[i].until > now)
            ids[w.skip_n++] = str_of(t->skipped[i].id);
    }
    struct attempt x = {.t = t, .wanted = &w};
    *n = 0;
    if (clock_watch_held())
        return NULL;
    const struct err *e = tick_tried(&x, tick_try_batch);
    if (t->alone > 0)
        t->alone--;
    *n = e ? x.b.chosen : x.n;
    return e ? tick_failed(t, &x.b, e) : NULL;
}

/* Resets memory, the database's time and the supervisor's timeout before a
 * piece of work, and lets SIGTERM be delivered. */
static void tick_begin(struct tick *t)
{
    arena_reset(t->a);
    (void)pg_spent(t->pg);
    child_sleep(t->child, 1, -1);
    child_busy(t->child, true);
}

/* Runs all that is due; *next: the time of the next question, 0: none. */
static const struct err *tick_questions(struct tick *t, int64_t *next)
{
    size_t n = 1;
    while (!child_stop) {
        tick_begin(t);
        TRY(due_next(t->pg, t->a, next));
        if (*next == 0 || *next > clock_now() || n == 0)
            break;
        TRY(tick_batch(t, &n));
    }
    return NULL;
}

/* ---- the whole ------------------------------------------------------ */

/* Works on one kind of rows whose time is over. */
static void tick_over(void *p)
{
    struct attempt *x = p;
    switch (x->step) {
    case OVER_LEASES:
        x->e = lapse_leases(&x->t->lapse, &x->clock, &x->more);
        break;
    case OVER_COORDINATORS:
        x->e = lapse_coordinators(&x->clock, &x->more);
        break;
    case OVER_FAILURES:
        x->e = failure_steps_run(&x->clock, &x->more);
        break;
    case OVER_TASKS:
        x->e = failure_steps_tasks(&x->clock, &x->more);
        break;
    case OVER_ACCESS:
        x->e = lapse_access(&x->clock, &x->more);
        break;
    case OVER_ANCHORS:
        x->e = lapse_anchors(&x->clock, &x->more);
        break;
    case OVER_MAIL:
        x->e = due_mail_run(&x->clock, &x->more);
        break;
    case OVER_SEARCH:
        x->e = lapse_search(&x->t->lapse, &x->clock, &x->more);
        break;
    case OVER_ROWS:
    case OVER__MAX:
        x->e = lapse_rows(&x->t->lapse, &x->clock, &x->more);
    }
}

static const struct err *tick_reap(struct tick *t, bool *more)
{
    *more = false;
    for (enum over step = OVER_LEASES; step < OVER__MAX; step++) {
        int64_t now = 0;
        if (!clock_watch_now(&now))
            return NULL;
        struct attempt x = {.t = t, .clock = tick_work(t, now), .step = step};
        if (step == OVER_MAIL && clock_mono() < t->mail_at)
            continue;
        tick_begin(t);
        const struct err *e = tick_tried(&x, tick_over);
        if (e && step == OVER_MAIL && e->kind != ERR_BUSY) {
            /* No deadline waits for a mail. */
            log_line(LOG_ERR,
                     "tick: people's mail is skipped for a minute: "
                     "%s %.*s",
                     e->code, STR_FMT(e->say));
            pg_rollback(t->pg);
            t->mail_at = clock_mono() + SKIPPED_FOR;
            continue;
        }
        TRY(e);
        *more = *more || x.more;
    }
    return NULL;
}

/* For /metrics: only this role may read the state of the standbys, the workers'
 * may not. */
static void tick_standbys(struct tick *t)
{
    struct replication r = {.n = 0};
    if (clock_mono() < t->standbys_at)
        return;
    tick_begin(t);
    const struct err *e = replication_read(t->pg, t->a, &r);
    const struct metrics_standbys now = {
        .us = r.us,
        .sync = (int64_t)r.sync,
        .async = (int64_t)(r.n - r.sync)};
    metrics_standbys(t->child->metrics, e || !r.readable ? NULL : &now);
    t->standbys_at = clock_mono() + STANDBYS;
}

/* For /metrics: how long streams have not sent an event that is there. */
static void tick_lag(struct tick *t)
{
    int64_t at = 0;
    if (clock_mono() < t->lag_at)
        return;
    tick_begin(t);
    const struct err *e = event_cursor_held(t->pg, t->a, &at);
    metrics_lag(t->child->metrics, e ? -1 : at ? clock_now() - at : 0);
    t->lag_at = clock_mono() + LAG;
}

/* For the pool: is there a newer primary than the one in use? */
static void tick_survey(struct tick *t)
{
    if (clock_mono() < t->survey_at)
        return;
    pg_survey(t->survey);
    t->survey_at = clock_mono() + SURVEYS;
}

/* Whether a write succeeds, for readiness. An error where no commit would end:
 * each that is begun leaves a session waiting. */
static const struct err *tick_writes(struct tick *t)
{
    if (clock_mono() < t->write_at)
        return t->no_standby;
    tick_begin(t);
    const struct err *e = replication_write(t->pg, t->a, t->child->metrics);
    t->no_standby = err_is(e, pg_error_standby) ? e : NULL;
    t->write_at = clock_mono() + WRITES;
    return t->no_standby;
}

/* Logs the beginning and the end of a failure. Returns the time to wait. */
static int64_t tick_trouble(struct tick *t, const struct err *e)
{
    if (e && t->backoff == 0)
        log_line(LOG_WARN, "tick: paused: %s %.*s", e->code,
                 STR_FMT(e->say));
    if (!e && t->backoff > 0)
        log_line(LOG_NOTICE, "tick: resumed");
    if (!e) {
        t->backoff = 0;
        return 0;
    }
    pg_rollback(t->pg);
    t->backoff = t->backoff ? t->backoff * 2 : NAP;
    if (t->backoff > BACKOFF_MAX)
        t->backoff = BACKOFF_MAX;
    return t->backoff;
}

/* One look at everything; returns the time until the next, in us. */
static int64_t tick_look(struct tick *t)
{
    int64_t next = 0;
    bool more = false, go = false;
    const struct err *e = tick_writes(t);
    tick_begin(t);
    if (!e)
        e = tables_go(t->pg, t->a, &go);
    if (!e && go)
        e = tick_questions(t, &next);
    if (!e && go && !child_stop)
        e = tick_reap(t, &more);
    if (!e && go)
        metrics_round(t->child->metrics, clock_mono());
    if (clock_watch_held() && clock_watch_tells()) {
        /* Logged until somebody has looked at the clock. */
        const struct clock_watch w = clock_watch_read();
        const double s = (double)w.found / CLOCK_SECOND;
        log_line(LOG_ERR,
                 "clock: this host's clock %s %.1f s%s; nothing expires until "
                 "somebody has checked it and reloaded sayso",
                 w.jumped ? "jumped by" : "was", s,
                 w.jumped ? "" : " from the database's");
    }
    tick_survey(t);
    tick_standbys(t);
    tick_lag(t);
    const int64_t wait = tick_trouble(t, e);
    const int64_t left = next ? next - clock_now() : NAP;
    if (e)
        return wait;
    if (more)
        return 1;
    return left > 0 && left < NAP ? left : NAP;
}

int tick_run(const struct child *c)
{
    child_signals();
    struct arena *process = arena_make(ARENA_PROCESS_MAX);
    struct tick *t = arena_new(process, struct tick);
    t->child = c;
    t->a = arena_make(MEMORY);
    t->pg = tables_serve(process, c->conf->database_tick, "sayso tick");
    pg_connect_ms(t->pg, c->conf->database_connect_ms);
    t->survey = tables_serve(process, c->conf->database_tick, "sayso survey");
    pg_connect_ms(t->survey, c->conf->database_connect_ms);
    while (!child_stop) {
        const int64_t pause = tick_look(t);
        child_busy(c, false);
        child_sleep(c, pause, -1);
    }
    pg_close(t->pg);
    arena_free(t->a);
    arena_free(process);
    return 0;
}
