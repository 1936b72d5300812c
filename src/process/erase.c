/* The eraser. */
#include "process/erase.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/shared/clock_watch.h"
#include "store/retention/retentions.h"
#include "store/tables.h"

#define BATCH 100                /* questions of one transaction */
#define LOOK (60 * CLOCK_SECOND) /* between two looks without any */
/* After a batch it pauses for so many times as long as that took: answers come
 * first. */
#define SHARE 3
#define PAUSE_MAX (60 * CLOCK_SECOND) /* after failures */
#define DATABASE 20                   /* seconds, of a batch */
#define MEMORY ((size_t)16 << 20)

struct erase {
    const struct child *child;
    struct arena *arena; /* of a batch */
    struct pg *pg;
    struct retentions_turn turn;
    struct retentions_batch batch;
    int64_t questions, intents; /* since it last had nothing to do */
    int64_t backoff;            /* 0: the database answers */
    const struct err *e;
};

static void erase_work(void *p)
{
    struct erase *x = p;
    bool go = false;
    x->e = tables_go(x->pg, x->arena, &go);
    if (!x->e && go && !clock_watch_held())
        x->e = retentions_turn(x->pg, x->arena, BATCH, &x->turn);
    if (!x->e && x->turn.rule.p)
        x->e = retentions_erase(x->pg, x->arena, &x->turn, &x->batch);
}

/* One question of a batch that failed comes again, after those of other rules.
 */
static void erase_batch_trouble(const struct erase *x)
{
    if (x->batch.left_out.p)
        log_line(LOG_WARN, "erase: rule %.*s could not erase %.*s",
                 STR_FMT(x->turn.rule), STR_FMT(x->batch.left_out));
    if (x->turn.rule.p && x->e)
        log_line(LOG_WARN, "erase: a batch of %lld of rule %.*s: %s %.*s",
                 (long long)x->turn.questions, STR_FMT(x->turn.rule),
                 x->e->code, STR_FMT(x->e->say));
}

/* Logs the beginning and the end of a failure of all batches. */
static void erase_trouble(struct erase *x)
{
    const bool fails = x->e && !x->turn.rule.p;
    if (fails && x->backoff == 0)
        log_line(LOG_WARN, "erase: paused: %s %.*s", x->e->code,
                 STR_FMT(x->e->say));
    if (!fails && x->backoff > 0)
        log_line(LOG_NOTICE, "erase: resumed");
    x->backoff = !fails          ? 0
                 : x->backoff > 0 ? 2 * x->backoff
                                  : CLOCK_SECOND;
    if (x->backoff > PAUSE_MAX)
        x->backoff = PAUSE_MAX;
}

/* One batch; returns the time until the next. */
static int64_t erase_look(struct erase *x)
{
    const int64_t began = clock_mono();
    arena_reset(x->arena);
    (void)pg_spent(x->pg);
    x->turn = (struct retentions_turn){.questions = 0};
    x->batch = (struct retentions_batch){.looked = 0};
    child_busy(x->child, true);
    if (!arena_try(x->arena, erase_work, x))
        x->e = ERROR(ERR_MEMORY, "process.memory",
                     "The memory limit of the process is reached.");
    if (x->e)
        pg_rollback(x->pg);
    erase_batch_trouble(x);
    erase_trouble(x);
    x->questions += x->batch.questions;
    x->intents += x->batch.intents;
    if (!x->turn.rule.p && x->questions + x->intents > 0) {
        log_line(LOG_NOTICE,
                 "erase: the contents of %lld questions and %lld tasks were "
                 "erased",
                 (long long)x->questions, (long long)x->intents);
        x->questions = x->intents = 0;
    }
    child_busy(x->child, false);
    if (x->backoff)
        return x->backoff;
    if (x->e)
        return CLOCK_SECOND + SHARE * (clock_mono() - began);
    return x->turn.rule.p ? 1 + SHARE * (clock_mono() - began) : LOOK;
}

int erase_run(const struct child *c)
{
    child_signals();
    struct arena *process = arena_make(ARENA_PROCESS_MAX);
    struct erase *x = arena_new(process, struct erase);
    x->child = c;
    x->arena = arena_make(MEMORY);
    x->pg = tables_serve(process, c->conf->database_erase, "sayso erase");
    pg_connect_ms(x->pg, c->conf->database_connect_ms);
    pg_timeout(x->pg, DATABASE);
    child_sleep(c, CLOCK_SECOND, -1);
    while (!child_stop)
        child_sleep(c, erase_look(x), -1);
    pg_close(x->pg);
    arena_free(x->arena);
    arena_free(process);
    return 0;
}
