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

#define NAP (CLOCK_SECOND / 4) /* between two looks */
#define KEYS_EVERY (5 * CLOCK_SECOND)
#define PAUSE_MAX (5 * CLOCK_SECOND)
#define KEYS_MAX ((size_t)64 << 10) /* bytes of the file */
#define MEMORY ((size_t)512 << 20)
#define SIGNS_AFTER (30 * 24 * 3600 * CLOCK_SECOND) /* a retired key goes on
                                                     * signing heads */

struct seal {
    const struct child *child;
    struct arena *arena; /* of a batch */
    struct pg *pg;
    struct signer found[LOG_WRITER_KEYS]; /* in the file */
    size_t found_n;
    struct log_writer_keys keys; /* that sign now */
    int64_t keys_at;             /* of the next look, by clock_mono */
    int64_t pause; /* 0: the database answers, and the log holds */
    bool told;     /* that nothing is signed */
    struct log_writer writer;
    struct receipt_writer receipts;
};

/* ---- keys ----------------------------------------------------------- */

struct str seal_credential(struct arena *a)
{
    const char *given = getenv("CREDENTIALS_DIRECTORY");
    struct buf text = buf_make(a, KEYS_MAX);
    return given && buf_file(&text, arena_z(a, arena_join(a, str_of(given),
                                                          STR("/log.key"))))
               ? buf_text(&text)
               : STR_NONE;
}

/* The keys of the file, one PEM text behind the other. */
static void seal_find(struct seal *s, struct str text)
{
    const struct str end = STR("-----END PRIVATE KEY-----");
    s->found_n = 0;
    while (str_trim(text).n > 0 && s->found_n < LOG_WRITER_KEYS) {
        const size_t at = str_search(text, end);
        const size_t to = at < text.n ? at + end.n : text.n;
        if (!signer_read(s->arena, str_sub(text, 0, to),
                         &s->found[s->found_n])) {
            log_line(LOG_WARN, "seal: the file of keys has a text that is not "
                               "an Ed25519 key");
            return;
        }
        s->found_n++;
        text = str_sub(text, to, text.n);
    }
}

/* Reads the keys again while the current one is not among them: it may have
 * been added since. */
static void seal_read(struct seal *s)
{
    const struct conf *conf = s->child->conf;
    struct buf text = buf_make(s->arena, KEYS_MAX);
    if (s->child->keys.p)
        seal_find(s, s->child->keys);
    else if (conf->log_key.n &&
             buf_file(&text, arena_z(s->arena, conf->log_key)))
        seal_find(s, buf_text(&text));
    else if (conf->log_key.n && !s->told)
        log_line(LOG_WARN, "seal: log_key cannot be read: %s",
                 strerror(errno));
}

/* Does this key of the file sign, by its row? */
static bool seal_signs(struct seal *s, const struct signer *k,
                       const struct signing_key *row, bool current)
{
    if (!str_eq(row->kid, signer_kid(s->arena, &k->key)))
        return false;
    if (current)
        return row->state == SIGNING_KEY_CURRENT;
    return row->state == SIGNING_KEY_RETIRED &&
           clock_now() < row->current_until + SIGNS_AFTER;
}

/* Is the first of the keys that sign still the current one? */
static bool seal_current(struct seal *s, const struct signing_key_rows *rows)
{
    for (size_t i = 0; i < rows->n; i++) {
        if (seal_signs(s, &s->keys.v[0], &rows->v[i], true))
            return true;
    }
    return false;
}

/* The current key names the next one, so that who trusts the one can trust the
 * other. */
static const struct err *seal_succeed(struct seal *s,
                                      const struct signing_key_rows *rows)
{
    const struct signing_key *current = NULL, *next = NULL;
    struct signer_public key;
    for (size_t i = 0; i < rows->n; i++) {
        if (rows->v[i].state == SIGNING_KEY_CURRENT)
            current = &rows->v[i];
        if (rows->v[i].state == SIGNING_KEY_NEXT)
            next = &rows->v[i];
    }
    if (!current || !next || current->successor.p || s->keys.n == 0 ||
        !signing_key_public(s->arena, next, &key))
        return NULL;
    return signing_keys_succeed(
        s->pg, s->arena, current->kid,
        signing_key_successor(s->arena, &s->keys.v[0], &key, clock_now()));
}

/* The current key first, then those that have been retired lately. */
static const struct err *seal_choose(struct seal *s)
{
    struct signing_key_rows rows;
    if (s->keys_at > clock_mono())
        return NULL;
    TRY(signing_keys_list(s->pg, s->arena, &rows));
    if (s->keys.n == 0 || !seal_current(s, &rows))
        seal_read(s);
    s->keys.n = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < s->found_n; i++) {
            for (size_t k = 0; k < rows.n; k++) {
                if (seal_signs(s, &s->found[i], &rows.v[k], pass == 0))
                    s->keys.v[s->keys.n++] = s->found[i];
            }
        }
        if (s->keys.n == 0)
            break;
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
    size_t n;
    bool more;
    const struct err *e;
};

static void seal_work(void *p)
{
    struct seal_attempt *x = p;
    struct seal *s = x->seal;
    int64_t now = 0;
    x->e = seal_choose(s);
    if (x->e || s->keys.n == 0 || !clock_watch_now(&now))
        return;
    const struct work clock = {.arena = s->arena,
                               .pg = s->pg,
                               .conf = s->child->conf,
                               .now = now};
    size_t signed_n = 0;
    x->e = log_writer_batch(&s->writer, &clock, &s->keys, &x->n, &x->more);
    if (!x->e)
        x->e = receipt_writer_batch(&s->receipts, &clock, &s->keys.v[0],
                                    &signed_n);
    x->more = x->more || signed_n > 0;
}

static void seal_begin(struct seal *s)
{
    arena_reset(s->arena);
    (void)pg_spent(s->pg);
    child_sleep(s->child, 1, -1);
    child_busy(s->child, true);
}

/* Logs the beginning and the end of a failure; returns the time to wait. */
static int64_t seal_trouble(struct seal *s, const struct err *e)
{
    if (e && s->pause == 0)
        log_line(LOG_WARN, "seal: paused: %s %.*s", e->code,
                 STR_FMT(e->say));
    if (!e && s->pause > 0)
        log_line(LOG_NOTICE, "seal: resumed");
    s->pause = !e ? 0 : s->pause ? 2 * s->pause : NAP;
    if (s->pause > PAUSE_MAX)
        s->pause = PAUSE_MAX;
    return s->pause;
}

static int64_t seal_look(struct seal *s)
{
    struct seal_attempt x = {.seal = s};
    seal_begin(s);
    if (!arena_try(s->arena, seal_work, &x)) {
        x.e = ERROR(ERR_MEMORY, "process.memory",
                    "The memory limit of the process is reached.");
        s->writer.loaded = false;
        pg_rollback(s->pg);
    }
    const int64_t wait = seal_trouble(s, x.e);
    return wait ? wait : x.more ? 1 : NAP;
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
    while (!child_stop) {
        const int64_t pause = seal_look(s);
        child_busy(c, false);
        child_sleep(c, pause, -1);
    }
    pg_close(s->pg);
    arena_free(s->arena);
    arena_free(process);
    return 0;
}
