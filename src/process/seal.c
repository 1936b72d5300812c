/* The signer of the log. */
#include "process/seal.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/prctl.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/shared/clock_watch.h"
#include "store/log/signing_keys.h"
#include "store/tables.h"
#include "work/log/receipt_writer.h"
#include "world/wake.h"

#define POLL CLOCK_SECOND /* between two looks that no note asks for */
/* After a look it pauses for so many times as long as that took, at most. */
#define SHARE 4
#define REST_MAX (CLOCK_SECOND / 4)
/* Until events are looked at again that an older transaction holds back. */
#define HELD_FIRST (CLOCK_SECOND / 100)
#define HELD_MAX (CLOCK_SECOND / 4)
#define PAUSE_FIRST (CLOCK_SECOND / 4) /* after a failure */
#define PAUSE_MAX (5 * CLOCK_SECOND)
#define KEYS_EVERY (5 * CLOCK_SECOND)
#define DATABASE 20 /* seconds, of a statement */
#define MEMORY ((size_t)512 << 20)

struct seal {
    const struct child *child;
    struct arena *arena; /* of a batch */
    struct pg *pg;
    struct signer found[LOG_WRITER_KEYS]; /* in the file */
    size_t found_n;
    struct log_writer_keys keys; /* that sign now */
    int64_t keys_at;             /* of the next look, by clock_mono */
    int64_t key_at;              /* since when the current key is that; 0 */
    const char *trouble;         /* the code of the last failure; NULL: none */
    int64_t pause;               /* after it */
    int64_t held; /* the next wait for events that are held back */
    bool told;    /* that nothing is signed */
    struct log_writer writer;
    struct receipt_writer receipts;
};

/* ---- keys ----------------------------------------------------------- */

struct str seal_credential(struct arena *a)
{
    const char *given = getenv("CREDENTIALS_DIRECTORY");
    struct buf text = buf_make(a, SIGNER_FILE_MAX);
    return given && buf_file(&text, arena_z(a, arena_join(a, str_of(given),
                                                          STR("/log.key"))))
               ? buf_text(&text)
               : STR_NONE;
}

/* Reads the keys of the file. */
static void seal_read(struct seal *s)
{
    const struct str path = s->child->conf->log_key;
    struct buf file = buf_make(s->arena, SIGNER_FILE_MAX);
    struct str text = s->child->keys;
    if (!text.p && path.n && buf_file(&file, arena_z(s->arena, path)))
        text = buf_text(&file);
    else if (!text.p && path.n && !s->told)
        log_line(LOG_WARN, "seal: log_key cannot be read: %s",
                 strerror(errno));
    if (text.p &&
        !signer_read_all(s->arena, text, s->found, LOG_WRITER_KEYS,
                         &s->found_n) &&
        !s->told)
        log_line(LOG_WARN, "seal: the file of keys has a text that is not an "
                           "Ed25519 key");
}

/* The key of the file with this id; NULL: it has none. */
static const struct signer *seal_find(const struct seal *s, struct str kid)
{
    for (size_t i = 0; i < s->found_n; i++) {
        if (str_eq(kid, signer_kid(s->arena, &s->found[i].key)))
            return &s->found[i];
    }
    return NULL;
}

/* The current key first, then those that still sign heads: each was the
 * current one, and has been retired lately. */
static void seal_take(struct seal *s, const struct signing_key_rows *rows)
{
    const struct signing_key *current =
        signing_keys_in(rows, SIGNING_KEY_CURRENT);
    const struct signer *k = current ? seal_find(s, current->kid) : NULL;
    s->keys.n = 0;
    s->key_at = current ? current->current_from : 0;
    if (!k)
        return;
    s->keys.v[s->keys.n++] = *k;
    for (size_t i = 0; i < rows->n; i++) {
        const struct signing_key *row = &rows->v[i];
        if (row->state == SIGNING_KEY_RETIRED &&
            row->current_from < row->current_until &&
            clock_now() < row->current_until + SIGNING_KEY_HEADS &&
            (k = seal_find(s, row->kid)))
            s->keys.v[s->keys.n++] = *k;
    }
}

/* The current key names the next one, so that who trusts the one can trust the
 * other. */
static const struct err *seal_succeed(struct seal *s,
                                      const struct signing_key_rows *rows)
{
    const struct signing_key *current =
        signing_keys_in(rows, SIGNING_KEY_CURRENT);
    const struct signing_key *next = signing_keys_in(rows, SIGNING_KEY_NEXT);
    struct signer_public key;
    if (!next || s->keys.n == 0 ||
        signing_key_names(s->arena, current, next) ||
        !signing_key_public(s->arena, next, &key))
        return NULL;
    return signing_keys_succeed(
        s->pg, s->arena, current->kid,
        signing_key_successor(s->arena, &s->keys.v[0], &key, clock_now()));
}

/* Looks at the keys, and in the file where the current one was not in it. */
static const struct err *seal_choose(struct seal *s)
{
    struct signing_key_rows rows;
    if (s->keys_at > clock_mono())
        return NULL;
    TRY(signing_keys_list(s->pg, s->arena, &rows));
    seal_take(s, &rows);
    if (s->keys.n == 0) {
        seal_read(s);
        seal_take(s, &rows);
    }
    if (s->keys.n == 0 && !s->told)
        log_line(LOG_WARN, "seal: there is no current key; nothing is signed");
    if (s->keys.n > 0 && s->told)
        log_line(LOG_NOTICE, "seal: there is a key; the log is signed");
    s->told = s->keys.n == 0;
    s->keys_at = clock_mono() + KEYS_EVERY;
    return seal_succeed(s, &rows);
}

/* ---- the loop ------------------------------------------------------- */

struct seal_attempt {
    struct seal *seal;
    struct tlogs_waiting waiting;
    bool looked; /* the database has said what waits */
    bool more;
    const struct err *e;
};

static const struct err *seal_sign(struct seal_attempt *x, int64_t now)
{
    struct seal *s = x->seal;
    const struct tlogs_waiting *w = &x->waiting;
    const struct work clock = {.arena = s->arena,
                               .pg = s->pg,
                               .conf = s->child->conf,
                               .now = now};
    size_t receipts = 0;
    if (w->events || w->requests || log_writer_due(&s->writer, now))
        TRY(log_writer_batch(&s->writer, &clock, &s->keys, &x->more));
    if (w->decisions || clock_mono() >= s->receipts.waking_at)
        TRY(receipt_writer_batch(&s->receipts, &clock, &s->keys.v[0],
                                 &receipts));
    x->more = x->more || receipts > 0;
    return NULL;
}

static void seal_work(void *p)
{
    struct seal_attempt *x = p;
    struct seal *s = x->seal;
    int64_t now = 0;
    x->e = seal_choose(s);
    if (!x->e)
        x->e = tlogs_waiting(s->pg, s->arena, tables_restore().epoch,
                             &x->waiting);
    x->looked = !x->e;
    if (!x->e && s->keys.n > 0 && clock_watch_now(&now))
        x->e = seal_sign(x, now);
}

static void seal_begin(struct seal *s)
{
    arena_reset(s->arena);
    (void)pg_spent(s->pg);
    child_sleep(s->child, 1, -1);
    child_busy(s->child, true);
    /* One look serves all notes. */
    (void)wake_drain(WAKE_SEAL);
}

/* Logs the beginning and the end of a failure. */
static void seal_trouble(struct seal *s, const struct err *e)
{
    if (e && s->trouble != e->code)
        log_line(e->kind == ERR_BUSY ? LOG_WARN : LOG_ERR,
                 "seal: nothing is signed: %s %.*s", e->code, STR_FMT(e->say));
    if (!e && s->trouble)
        log_line(LOG_NOTICE, "seal: the log is signed again");
    s->trouble = e ? e->code : NULL;
    s->pause = !e ? 0 : s->pause ? 2 * s->pause : PAUSE_FIRST;
    if (s->pause > PAUSE_MAX)
        s->pause = PAUSE_MAX;
}

/* For /metrics, and for the inbox of admins. */
static void seal_measure(const struct seal *s, const struct seal_attempt *x)
{
    const int64_t since = x->waiting.since, now = clock_now();
    const struct metrics_log found = {
        .known = x->looked,
        .lag = since && since < now ? now - since : 0,
        .broken = x->waiting.broken,
        .key_age = s->key_at && s->key_at < now ? now - s->key_at : 0,
        .no_key = s->keys.n == 0,
        .inconsistent = err_is(x->e, tlogs_inconsistent)};
    metrics_log(s->child->metrics, &found);
}

/* The time until the next look, where no note comes. */
static int64_t seal_wait(struct seal *s, const struct seal_attempt *x)
{
    const int64_t head = log_writer_head_in(&s->writer);
    int64_t wait = POLL;
    s->held = s->held ? 2 * s->held : HELD_FIRST;
    if (s->held > HELD_MAX)
        s->held = HELD_MAX;
    if (x->waiting.held)
        wait = s->held;
    else
        s->held = 0;
    return s->keys.n > 0 && head >= 0 && head < wait ? head + 1 : wait;
}

static void seal_look(struct seal *s)
{
    const int64_t began = clock_mono();
    struct seal_attempt x = {.seal = s};
    seal_begin(s);
    if (!arena_try(s->arena, seal_work, &x)) {
        x.e = ERROR(ERR_MEMORY, "process.memory",
                    "The memory limit of the process is reached.");
        log_writer_failed(&s->writer);
        pg_rollback(s->pg);
    }
    seal_trouble(s, x.e);
    seal_measure(s, &x);
    child_busy(s->child, false);
    int64_t rest = SHARE * (clock_mono() - began);
    if (rest > REST_MAX)
        rest = REST_MAX;
    if (x.more)
        rest = 1;
    child_sleep(s->child, s->pause ? s->pause : rest, -1);
    if (!x.e && !x.more)
        child_sleep(s->child, seal_wait(s, &x), wake_fd(WAKE_SEAL));
}

int seal_run(const struct child *c)
{
    child_signals();
    /* A dump of this process, or a debugger, would show the keys. */
    prctl(PR_SET_DUMPABLE, 0);
    struct arena *process = arena_make(ARENA_PROCESS_MAX);
    struct seal *s = arena_new(process, struct seal);
    s->child = c;
    s->arena = arena_make(MEMORY);
    s->pg = tables_serve(process, c->conf->database_seal, "sayso seal");
    pg_connect_ms(s->pg, c->conf->database_connect_ms);
    pg_timeout(s->pg, DATABASE);
    while (!child_stop)
        seal_look(s);
    pg_close(s->pg);
    arena_free(s->arena);
    arena_free(process);
    return 0;
}
