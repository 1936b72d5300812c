/* The sender: webhooks to agents, messages to people.
 *
 * Claims due deliveries, sends many at once, and stores the result of each try.
 * At least once: the claim of a process that died expires. Sleeps in libcurl's
 * poll while transfers are running. */
#include "process/deliver.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/shared/clock_watch.h"
#include "domain/sending/backoff.h"
#include "process/deliver_anchor.h"
#include "process/deliver_hosts.h"
#include "process/deliver_send.h"
#include "store/sql.gen.h"
#include "store/tables.h"
#include "world/wake.h"

#define LOOK CLOCK_SECOND         /* maximum between two looks without a
                                   * wake-up */
#define LOOK_LEAST (CLOCK_SECOND / 100)
#define SLICE (CLOCK_SECOND / 4)  /* of libcurl's poll: SIGTERM is delayed by
                                   * it */
#define STOP CLOCK_SECOND         /* for running transfers at SIGTERM */
#define SWEEP (10 * CLOCK_SECOND) /* between two looks for deliveries of removed
                                   * endpoints */
#define PAUSE_FIRST (CLOCK_SECOND / 10) /* when the database does not answer */
#define PAUSE_MAX (5 * CLOCK_SECOND)
#define PASSWORD_MAX ((size_t)1024)
#define GONE 410
#define UNKNOWN 404
#define PUSH_TRIES 4 /* an old message that a request waits helps nobody */

static_assert((int)OUTBOX_AT_ONCE == (int)OUTBOUND_AT_ONCE,
              "a transfer for each delivery");
static_assert(OUTBOX_CLAIM > OUTBOUND_TIME + 10 * CLOCK_SECOND,
              "a claim outlives its try and the writing down");

enum slot_state { SLOT_FREE, SLOT_SENDING, SLOT_ENDED };

/* A delivery that this process has claimed. */
struct slot {
    enum slot_state state;
    char id[40], endpoint_id[40];
    char place[DELIVER_HOSTS_PLACE + 1]; /* "": none */
    bool agents; /* the endpoint is an agent's */
    bool below;  /* the address is below the endpoint's */
    bool refused; /* it may not be sent, now or later */
    bool push;    /* to a browser */
    int64_t n;  /* the number of the try */
    int64_t at; /* its start */
    int64_t ms, status, retry_after;
    char said[OUTBOUND_ANSWER_MAX];
    size_t said_n;
};

struct deliver {
    const struct child *child;
    struct arena *arena; /* of one round */
    struct pg *pg;
    struct outbound *out;
    struct deliver_hosts *hosts;
    struct deliver_anchor anchor;
    struct slot slot[OUTBOX_AT_ONCE];
    size_t sending, ended;
    size_t alone; /* number of further rounds that take one delivery each */
    struct str mail_from; /* p NULL: no mail */
    int64_t look_at, sweep_at; /* clock_mono */
    int64_t pause;             /* while the database does not answer; 0: it
                                * does */
};

/* ---- results -------------------------------------------------------- */

static void deliver_end(struct deliver *d, struct slot *s,
                        const struct outbound_result *r)
{
    s->state = SLOT_ENDED;
    s->status = r->status;
    s->retry_after = r->retry_after;
    s->ms = r->ms;
    s->said_n = r->said.n < sizeof s->said ? r->said.n : sizeof s->said;
    if (s->said_n)
        memcpy(s->said, r->said.p, s->said_n);
    d->ended++;
}

static void deliver_done(void *context, void *own,
                         const struct outbound_result *r)
{
    struct deliver *d = context;
    const struct slot *s = own;
    if (own == &d->anchor) {
        deliver_anchor_done(&d->anchor, r);
        d->look_at = 0;
        return;
    }
    d->sending--;
    if (s->agents)
        deliver_hosts_ended(d->hosts, str_of(s->place), !r->late,
                            clock_now());
    deliver_end(d, own, r);
}

static bool deliver_accepted(const struct slot *s)
{
    return s->status >= 200 && s->status <= 299;
}

/* A 410 ends the endpoint, and below a prefix that delivery alone: agents
 * choose the address. */
static bool deliver_gone(const struct slot *s)
{
    return s->status == GONE && !s->below;
}

/* The push service knows the browser no more. */
static bool deliver_unsubscribed(const struct slot *s)
{
    return s->push && (s->status == GONE || s->status == UNKNOWN);
}

static struct str deliver_words(const struct slot *s)
{
    if (s->status == GONE)
        return s->below ? STR("The address is gone: it answered 410.")
                        : STR("The endpoint is gone: it answered 410.");
    if (s->status >= 300 && s->status <= 399)
        return STR("The answer was a redirect. Redirects are not followed.");
    if (s->said_n > 0)
        return (struct str){s->said, s->said_n};
    return deliver_accepted(s) ? STR("Accepted.")
           : s->status > 0     ? STR("Refused.")
                               : STR("There was no answer.");
}

static struct outbox_try deliver_try(const struct slot *s, int64_t now)
{
    struct backoff again = {
        .tries = s->n, .retry_after = s->retry_after, .now = now};
    crypt_random(&again.random, sizeof again.random);
    const bool over = deliver_accepted(s) || s->status == GONE || s->refused ||
                      deliver_unsubscribed(s) ||
                      (s->push && s->n >= PUSH_TRIES);
    return (struct outbox_try){.delivery_id = str_of(s->id),
                               .n = s->n,
                               .at = s->at,
                               .ms = s->ms,
                               .status = s->status,
                               .answer = deliver_words(s),
                               .delivered = deliver_accepted(s),
                               .next_at = over ? 0 : backoff_next(&again),
                               .now = now};
}

/* Stores the results. Results that the database refuses, while it answers, are
 * dropped: their claims expire. */
static const struct err *deliver_store(struct deliver *d)
{
    struct outbox_try *v = arena_many(d->arena, d->ended + 1,
                                      struct outbox_try);
    const int64_t now = clock_now();
    size_t n = 0;
    for (size_t i = 0; i < OUTBOX_AT_ONCE; i++) {
        const struct slot *s = &d->slot[i];
        if (s->state != SLOT_ENDED)
            continue;
        if (deliver_unsubscribed(s))
            TRY(outbox_unsubscribe(d->pg, d->arena, str_of(s->id)));
        if (deliver_gone(s))
            TRY(outbox_gone(d->pg, d->arena, str_of(s->endpoint_id), now));
        v[n++] = deliver_try(s, now);
    }
    const struct err *e = outbox_finish(d->pg, d->arena, v, n);
    if (e && (e->kind == ERR_BUSY || e->kind == ERR_AGAIN))
        return e;
    n = 0;
    for (size_t i = 0; i < OUTBOX_AT_ONCE; i++) {
        struct slot *s = &d->slot[i];
        if (s->state != SLOT_ENDED)
            continue;
        if (!e) {
            const struct outbox_try *t = &v[n++];
            char next[CLOCK_TEXT] = "-";
            if (t->next_at)
                clock_write(next, t->next_at);
            log_line(t->delivered ? LOG_INFO : LOG_NOTICE,
                     "deliver delivery=%s endpoint=%s try=%lld status=%lld "
                     "ms=%lld next=%s",
                     s->id, s->endpoint_id, (long long)s->n,
                     (long long)s->status, (long long)s->ms, next);
        }
        if (deliver_gone(s))
            d->sweep_at = 0;
        s->state = SLOT_FREE;
    }
    d->ended = 0;
    d->look_at = 0;
    return e;
}

/* ---- claiming ------------------------------------------------------- */

static void deliver_begin(struct deliver *d, const struct outbox_item *item)
{
    size_t i = 0;
    while (d->slot[i].state != SLOT_FREE)
        i++;
    struct slot *s = &d->slot[i];
    const int64_t now = clock_now();
    const struct deliver_send send = {.arena = d->arena,
                                      .out = d->out,
                                      .templates = d->child->templates,
                                      .mail_from = d->mail_from,
                                      .now = now};
    struct outbound_result none = {.status = 0};
    *s = (struct slot){
        .state = SLOT_SENDING, .n = item->tries + 1, .at = now};
    const bool named =
        str_copy(s->id, sizeof s->id, item->id) &&
        str_copy(s->endpoint_id, sizeof s->endpoint_id, item->endpoint_id) &&
        str_copy(s->place, sizeof s->place, item->place);
    s->agents = item->kind == ENDPOINT_AGENT;
    s->below = item->below;
    s->push = item->kind == ENDPOINT_PUSH;
    none.said = deliver_refusal(d->arena, item);
    s->refused = none.said.p != NULL;
    if (named && !s->refused && deliver_send(&send, item, s, &none.said))
        d->sending++;
    else
        deliver_end(d, s, &none);
}

static const struct err *deliver_take(struct deliver *d, size_t *taken)
{
    struct str busy[OUTBOX_AT_ONCE], away[DELIVER_HOSTS_MAX];
    struct outbox_claim claim = {
        .busy = busy, .away = away, .agents = OUTBOX_AGENTS,
        .now = clock_now()};
    struct outbox_items items;
    for (size_t i = 0; i < OUTBOX_AT_ONCE; i++) {
        if (d->slot[i].state == SLOT_FREE)
            continue;
        busy[claim.busy_n++] = str_of(d->slot[i].endpoint_id);
        claim.agents -= d->slot[i].agents;
    }
    claim.away_n = deliver_hosts_away(d->hosts, claim.now, away);
    claim.limit = (int64_t)(OUTBOX_AT_ONCE - claim.busy_n);
    if (d->anchor.sending)
        claim.limit--; /* it has one of the transfers */
    *taken = 0;
    if (claim.limit <= 0)
        return NULL;
    if (d->alone > 0) {
        claim.limit = 1;
        d->alone--;
    }
    TRY(outbox_take(d->pg, d->arena, &claim, &items));
    for (size_t i = 0; i < items.n; i++)
        deliver_begin(d, &items.v[i]);
    *taken = items.n;
    return NULL;
}

static const struct err *deliver_round(struct deliver *d)
{
    size_t taken = 0;
    if (d->ended > 0)
        TRY(deliver_store(d));
    TRY(deliver_anchor_store(&d->anchor, d->pg, d->arena));
    bool go = false;
    if (child_stop || clock_mono() < d->look_at)
        return NULL;
    TRY(tables_go(d->pg, d->arena, &go));
    if (!go) { /* after a restore, until somebody says so */
        d->look_at = clock_mono() + LOOK;
        return NULL;
    }
    if (clock_mono() >= d->sweep_at) {
        size_t n = 0;
        int64_t now = 0;
        if (clock_watch_now(&now))
            TRY(outbox_give_up(d->pg, d->arena, now, &n));
        if (n > 0)
            log_line(LOG_NOTICE,
                     "deliver: %zu deliveries were given up because their "
                     "endpoints are gone",
                     n);
        d->sweep_at = n > 0 ? 0 : clock_mono() + SWEEP;
    }
    if (d->sending < OUTBOX_AT_ONCE)
        TRY(deliver_anchor_take(&d->anchor, d->pg, d->arena, d->out,
                                d->child->conf));
    TRY(deliver_take(d, &taken));
    if (taken > 0)
        return NULL;
    /* The time of the next look; running transfers wake the loop by
     * themselves. */
    int64_t next = 0, wait = LOOK;
    if (d->sending == 0) {
        struct str away[DELIVER_HOSTS_MAX];
        struct outbox_claim claim = {.away = away};
        claim.away_n = deliver_hosts_away(d->hosts, clock_now(), away);
        TRY(outbox_next(d->pg, d->arena, &claim, &next));
        const int64_t left = next - clock_now();
        if (next > 0 && left < LOOK)
            wait = left > LOOK_LEAST ? left : LOOK_LEAST;
    }
    d->look_at = clock_mono() + wait;
    return NULL;
}

struct attempt {
    struct deliver *d;
    const struct err *e;
};

static void deliver_try_round(void *p)
{
    struct attempt *x = p;
    x->e = deliver_round(x->d);
}

/* A round over the memory limit is repeated with one delivery at a time; the
 * other claims expire. */
static const struct err *deliver_work(struct deliver *d)
{
    struct attempt x = {.d = d};
    if (!arena_try(d->arena, deliver_try_round, &x)) {
        pg_rollback(d->pg);
        x.e = ERROR(ERR_MEMORY, "process.memory",
                    "The memory limit of the process is reached.");
    }
    if (x.e && x.e->kind == ERR_MEMORY)
        d->alone = OUTBOX_AT_ONCE;
    return x.e;
}

/* ---- the loop ------------------------------------------------------- */

/* One turn without the sleep. */
static void deliver_turn(struct deliver *d)
{
    const int64_t now = clock_mono();
    /* One look serves all wake-ups that are waiting. */
    if (wake_drain(WAKE_DELIVER))
        d->look_at = 0;
    const struct err *e = deliver_work(d);
    (void)pg_spent(d->pg);
    arena_reset(d->arena);
    if (!e) {
        d->pause = 0;
        return;
    }
    if (d->pause == 0)
        log_line(LOG_WARN, "deliver: %.*s", STR_FMT(e->say));
    d->pause = d->pause ? d->pause * 2 : PAUSE_FIRST;
    if (d->pause > PAUSE_MAX)
        d->pause = PAUSE_MAX;
    d->look_at = now + d->pause;
}

static void deliver_loop(struct deliver *d)
{
    int64_t stop_by = 0;
    for (;;) {
        child_busy(d->child, true);
        if (d->pause == 0 || clock_mono() >= d->look_at)
            deliver_turn(d);
        child_busy(d->child, false);
        if (child_stop && stop_by == 0)
            stop_by = clock_mono() + STOP;
        const size_t sending = d->sending + d->anchor.sending;
        if (child_stop && (sending == 0 || clock_mono() >= stop_by))
            break;
        /* Sleeps until something happens. SIGTERM ends the sleep when no
         * transfer is running; else it is delivered after each slice. A
         * database that does not answer is not tried again at each wake-up. */
        const int64_t left = child_stop ? SLICE : d->look_at - clock_mono();
        const int fd = d->pause > 0 ? -1 : wake_fd(WAKE_DELIVER);
        if (left > 0 && sending == 0)
            child_sleep(d->child, left, fd);
        else if (sending > 0)
            outbound_work(d->out, left < SLICE ? left : SLICE, fd,
                          deliver_done, d);
        child_sleep(d->child, 1, -1);
    }
    /* The claims of the rest expire. */
    if (d->ended > 0 && deliver_store(d))
        log_line(LOG_WARN, "deliver: some results could not be stored; those "
                           "deliveries are sent again");
}

/* ---- making --------------------------------------------------------- */

static bool deliver_make(struct deliver *d, struct arena *process)
{
    const struct conf *conf = d->child->conf;
    struct outbound_settings settings = {.ca_file = conf->ca_file,
                                         .smtp_url = conf->smtp_url,
                                         .smtp_user = conf->smtp_user};
    d->mail_from = conf->smtp_url.p ? conf->mail_from : STR_NONE;
    if (conf->smtp_url.p && conf->smtp_password_file.p) {
        struct buf b = buf_make(process, PASSWORD_MAX);
        if (buf_file(&b, arena_z(process, conf->smtp_password_file))) {
            struct str all = buf_text(&b), line = str_cut(&all, '\n');
            if (str_ends(line, STR("\r")))
                line.n--;
            settings.smtp_password = line;
        } else {
            log_line(LOG_ERR, "deliver: smtp_password_file: %s",
                     strerror(errno));
            d->mail_from = STR_NONE;
        }
    }
    d->hosts = deliver_hosts_make(process);
    d->arena = arena_make(ARENA_REQUEST_MAX);
    d->pg = tables_serve(process, conf->database_deliver, "sayso deliver");
    pg_connect_ms(d->pg, conf->database_connect_ms);
    d->out = outbound_make(process, &settings);
    return d->out != NULL;
}

int deliver_run(const struct child *c)
{
    struct arena *process = arena_make(ARENA_PROCESS_MAX);
    struct deliver *d = arena_new(process, struct deliver);
    child_signals();
    d->child = c;
    const bool made = deliver_make(d, process);
    if (made) {
        deliver_loop(d);
        outbound_close(d->out);
        pg_close(d->pg);
    }
    arena_free(d->arena);
    arena_free(process);
    return made ? EXIT_SUCCESS : EXIT_FAILURE;
}
