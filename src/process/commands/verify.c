/* `sayso verify`: checks the events, the questions and the log in the database,
 * and prints each fault. Changes nothing. */
#include <errno.h>
#include <stdio.h>

#include "base/clock.h"
#include "domain/log/intent_check.h"
#include "process/commands/commands.h"
#include "process/commands/verify_file.h"
#include "store/intent/events.h"
#include "store/intent/intents.h"
#include "store/log/verifications.h"
#include "store/tables.h"
#include "work/log/log_check.h"

#define HEADS 64    /* files of --head */
#define CHAINS 1000 /* that are remembered as broken */
#define ERASED 100  /* lines of erased events */

struct verify {
    const struct command *c;
    struct pg *pg;
    struct signing_key_rows keys;
    struct verify_counts {
        size_t intents, events, erased, questions, receipts;
    } n;
    size_t broken;
    struct {
        struct str intent_id;
        int64_t from; /* events that are in doubt */
    } chains[CHAINS]; /* that are broken */
    size_t chains_n;
    const struct log_checks_point *since; /* what came after it; NULL: all */
    struct log_checks_point newest; /* when it began; without an id: none */
    bool stopped; /* nothing was checked: that checkpoint is broken */
    struct str intent_id;           /* of the chain */
    bool one;                       /* it is the only one */
    bool trial;   /* it was read with others: nothing is printed, */
    bool unclear; /* and it has to be read by itself */
    struct intent_check row;   /* of the chain: what it says of its intent */
    struct arena *tree;        /* of an event */
    const struct json *mirror; /* in the state of the intent */
    int64_t version;           /* of the intent then */
    /* Of a chain: the sequences of events that asked, whose question was not
     * seen yet; and its last one. */
    bool asks[EVENT_SEQUENCE_MAX + 1];
    int64_t last;
};

static void verify_fault(void *own, struct str what, struct str why)
{
    struct verify *v = own;
    v->unclear = true;
    if (v->trial)
        return;
    v->broken++;
    printf("BROKEN ");
    verify_file_put(what);
    printf(": ");
    verify_file_put(why);
    putchar('\n');
}

static void verify_hint(void *own, struct str text)
{
    (void)own;
    printf("  ");
    verify_file_put(text);
    putchar('\n');
}

/* Remembers where a chain is broken. false: that was known. */
static bool verify_first(void *own, struct str intent_id, int64_t sequence)
{
    struct verify *v = own;
    for (size_t i = 0; i < v->chains_n; i++) {
        if (str_eq(v->chains[i].intent_id, intent_id))
            return sequence < v->chains[i].from;
    }
    if (v->chains_n == CHAINS)
        return true;
    v->chains[v->chains_n].intent_id = arena_str(v->c->arena, intent_id);
    v->chains[v->chains_n++].from = sequence;
    return true;
}

/* ---- a chain, and its questions ------------------------------------- */

static void verify_erased(struct verify *v, const struct event *e)
{
    char day[CLOCK_TEXT];
    v->unclear = true;
    if (v->trial)
        return;
    clock_write(day, e->erased_at);
    printf("ERASED event %lld of intent %.*s: by rule ",
           (long long)e->sequence, STR_FMT(v->intent_id));
    verify_file_put(e->rule);
    printf(" on %.10s\n", day);
}

static void verify_event(void *own, const struct event *e)
{
    struct verify *v = own;
    v->n.events++;
    intent_check_event(v->tree, &v->row, e);
    arena_reset(v->tree);
    if (e->canonical.n == 0 && e->rule.p) {
        v->n.erased++;
        if (v->one || (v->since && v->n.erased <= ERASED))
            verify_erased(v, e);
        return;
    }
    if (e->sequence < 1 || e->sequence > EVENT_SEQUENCE_MAX)
        return;
    v->last = e->sequence;
    v->asks[e->sequence] = str_is(e->type, "intent.suspended") ||
                           str_is(e->type, "arbitration_requested") ||
                           str_is(e->type, "access_requested");
}

/* An intent that has changed meanwhile has another record now. */
static const struct err *verify_mirror(const struct verify *v, struct arena *a,
                                       const struct suspension *s,
                                       const char **why)
{
    struct intent now;
    *why = question_check_mirror(a, s, v->mirror);
    if (!*why || v->trial)
        return NULL;
    TRY(intents_get(v->pg, a, s->intent_id, &now));
    if (now.version != v->version)
        *why = NULL;
    return NULL;
}

static const struct err *verify_question(struct verify *v, struct arena *a,
                                         const struct question_check *q)
{
    const struct str name = arena_join(a, STR("question "), q->s->id,
                                       STR(" of intent "), q->s->intent_id);
    const char *why = question_check_row(a, q);
    v->n.questions++;
    v->n.receipts += q->receipt_sequence > 0;
    if (q->asked.sequence > 0 && q->asked.sequence <= EVENT_SEQUENCE_MAX)
        v->asks[q->asked.sequence] = false;
    if (!why)
        TRY(verify_mirror(v, a, q->s, &why));
    if (why) {
        verify_fault(v, name, str_of(why));
        return NULL;
    }
    why = question_check_receipt(a, q, v->keys.v, v->keys.n);
    if (why)
        verify_fault(v, arena_join(a, STR("receipt of "), name), str_of(why));
    return NULL;
}

/* read: NULL, or all of them. */
static const struct err *
verify_questions(struct verify *v, struct arena *a, struct str intent_id,
                 const struct log_checks_questions *read)
{
    struct arena *page = arena_within(a);
    struct log_checks_questions rows;
    int64_t seq = 0;
    do {
        arena_reset(page);
        if (read)
            rows = *read;
        else
            TRY(log_checks_questions(v->pg, page, intent_id, seq, &rows));
        for (size_t i = 0; i < rows.n; i++) {
            TRY(verify_question(v, page, &rows.v[i]));
            seq = rows.v[i].s->seq;
        }
    } while (rows.more);
    for (int64_t i = 1; i <= v->last; i++) {
        if (v->asks[i])
            verify_fault(v,
                         arena_join(page, STR("intent "), intent_id,
                                    STR(" sequence "), arena_number(page, i)),
                         STR("the question that it asked is missing"));
    }
    arena_free(page);
    return NULL;
}

static void verify_broken(struct verify *v, struct arena *a, struct str id,
                          const struct event_check *check)
{
    verify_fault(v,
                 arena_join(a, STR("intent "), id, STR(" sequence "),
                            arena_number(a, check->broken)),
                 str_of(check->reason));
    /* One that is missing breaks the chain at the next. */
    if (!v->trial)
        (void)verify_first(v, id, check->broken - 1);
}

/* Checks one chain against the end stored with its intent. Where it is broken
 * its events say nothing of its questions. read: NULL, or the whole of it. */
static const struct err *verify_chain(struct verify *v, struct arena *a,
                                      struct str id,
                                      const struct event_tail *tail,
                                      const struct log_checks_chain *read)
{
    struct event_check check = {.broken = 0};
    struct intent after;
    const struct str name = arena_join(a, STR("intent "), id);
    v->intent_id = id;
    v->row = (struct intent_check){.arena = a};
    v->tree = arena_within(a);
    memset(v->asks, 0, (size_t)v->last + 1);
    v->last = 0;
    if (read) {
        events_check_page(a, id, &read->events, &check, verify_event, v);
        after = read->intent;
    } else {
        TRY(events_check(v->pg, a, id, &check, verify_event, v));
        TRY(intents_get(v->pg, a, id, &after));
    }
    event_check_end(&check, tail, &after.tail);
    v->n.intents++;
    if (check.broken) {
        verify_broken(v, a, id, &check);
        return NULL;
    }
    /* Where an event came meanwhile, the row is newer than what was read; and
     * a full log lacks changes of the status. */
    const bool current = check.tail.sequence == after.tail.sequence &&
                         check.tail.sequence < EVENTS_OF_INTENT_MAX;
    v->unclear |= !current;
    const char *why = current ? intent_check_row(a, &v->row, &after) : NULL;
    if (why)
        verify_fault(v, name, str_of(why));
    v->mirror = json_get(json_read(a, after.state), "_suspension");
    v->version = after.version;
    return verify_questions(v, a, id, read ? &read->questions : NULL);
}

/* Checks a chain that was read with others. Where it is not as it should be, or
 * has changed meanwhile, or was too large, it is read again by itself: what is
 * printed is found that way alone. */
static const struct err *verify_one_of(struct verify *v, struct arena *a,
                                       const struct log_checks_tail *t,
                                       const struct log_checks_chain *read)
{
    const struct verify_counts before = v->n;
    v->unclear = !read->whole;
    v->trial = true;
    if (read->whole)
        TRY(verify_chain(v, a, t->intent_id, &t->tail, read));
    v->trial = false;
    arena_reset(a);
    if (!v->unclear)
        return NULL;
    v->n = before;
    TRY(verify_chain(v, a, t->intent_id, &t->tail, NULL));
    arena_reset(a);
    return NULL;
}

static const struct err *verify_many(struct verify *v, struct arena *a,
                                     const struct log_checks_tail *tails,
                                     size_t n)
{
    struct log_checks_chain read[LOG_CHECKS_CHAINS];
    struct arena *chain = arena_within(a);
    TRY(log_checks_chains(v->pg, a, tails, n, read));
    for (size_t i = 0; i < n; i++)
        TRY(verify_one_of(v, chain, &tails[i], &read[i]));
    arena_reset(a);
    return NULL;
}

static const struct err *verify_chains(struct verify *v)
{
    struct arena *page = arena_within(v->c->arena);
    struct arena *many = arena_within(v->c->arena);
    struct log_checks_tails tails = {.since = v->since};
    while (!tails.end) {
        TRY(log_checks_tails(v->pg, page, &tails));
        for (size_t i = 0; i < tails.n; i += LOG_CHECKS_CHAINS) {
            const size_t left = tails.n - i;
            TRY(verify_many(v, many, tails.v + i,
                            left < LOG_CHECKS_CHAINS ? left
                                                     : LOG_CHECKS_CHAINS));
        }
        arena_reset(page);
    }
    arena_free(many);
    arena_free(page);
    return NULL;
}

/* ---- what came after a checkpoint ----------------------------------- */

/* Reads --since: false: it names none. "last": the checkpoint up to which the
 * last sound run has checked; none where there was no such run. */
static bool verify_which(struct str s, struct log_checks_which *out)
{
    *out = (struct log_checks_which){.id = STR_NONE};
    if (str_is(s, "last"))
        return true;
    if (!str_starts(s, STR("chk_")))
        return str_int(s, 1, INT64_MAX, &out->size) ||
               (clock_parse(s, &out->at) && out->at > 0);
    out->id = s;
    return true;
}

static bool verify_none(const struct log_checks_which *w)
{
    return !w->id.p && w->size == 0 && w->at == 0;
}

/* Finds the checkpoint of --since. With "last" and none all is checked. */
static const struct err *verify_since(struct verify *v,
                                      struct log_checks_which w)
{
    struct arena *a = v->c->arena;
    struct log_checks_point *p = arena_new(a, struct log_checks_point);
    const bool last = verify_none(&w);
    bool found = false;
    if (last)
        TRY(verifications_last(v->pg, a, &w.id));
    if (!verify_none(&w))
        TRY(log_checks_point(v->pg, a, tables_restore().epoch, &w, p, &found));
    if (found)
        v->since = p;
    else if (!last)
        return ERROR(ERR_INVALID, "field.value",
                     "The log has no checkpoint of the server that --since "
                     "could begin with. Run sayso verify without it.");
    return NULL;
}

static void verify_range(const struct verify *v, const struct log_check *log)
{
    const struct log_checkpoint *p = &v->since->checkpoint;
    const long long from = (long long)p->last_sequence;
    char at[CLOCK_TEXT];
    if (v->stopped) {
        printf("nothing else was checked\n");
        return;
    }
    clock_write(at, p->created_at);
    printf("relied on ");
    verify_file_put(p->id);
    printf(" of %s for the first %lld events of the log\n", at, from);
    if (log->leaves > 0)
        printf("checked events %lld to %lld, and their intents as a whole\n",
               from + 1, from + (long long)log->leaves);
    printf("not checked: intents without an event after %lld\n", from);
}

/* ---- all ------------------------------------------------------------ */

/* The keys that count: all, or with --key those given and each that one of
 * them names. */
static const struct err *verify_keys(struct verify *v)
{
    struct arena *a = v->c->arena;
    struct signing_key_rows all;
    struct note_key given[BUNDLE_KEYS];
    TRY(signing_keys_list(v->pg, a, &all));
    v->keys = all;
    if (!command_option(v->c, "--key", 0).p)
        return NULL;
    const size_t n = verify_file_keys(v->c, a, given);
    bool *trusted = arena_many(a, all.n + 1, bool);
    for (size_t pass = 0; pass <= all.n; pass++) {
        for (size_t i = 0; i < all.n; i++) {
            struct signer_public key, next;
            if (!signing_key_public(a, &all.v[i], &key))
                continue;
            for (size_t k = 0; k < n; k++)
                trusted[i] =
                    trusted[i] || memcmp(&key, &given[k].key, sizeof key) == 0;
            for (size_t k = 0; trusted[i] && k < all.n; k++) {
                if (signing_key_named(a, all.v[i].successor, &key, &next) &&
                    str_eq(all.v[k].kid, signer_kid(a, &next)))
                    trusted[k] = true;
            }
        }
    }
    v->keys.v = arena_many(a, all.n + 1, struct signing_key);
    v->keys.n = 0;
    for (size_t i = 0; i < all.n; i++) {
        if (trusted[i])
            v->keys.v[v->keys.n++] = all.v[i];
        else
            verify_fault(v, arena_join(a, STR("key "), all.v[i].kid),
                         STR("it is none of --key, and none of them names "
                             "it as the next"));
    }
    return NULL;
}

/* Errors are in the arena of the command, which outlives this. */
static const struct err *verify_all(struct verify *v, struct log_check *log)
{
    const struct log_checks_which any = {.size = 0};
    struct arena *a = v->c->arena;
    const size_t before = v->broken;
    bool found;
    TRY(log_checks_point(v->pg, a, tables_restore().epoch, &any, &v->newest,
                         &found));
    log->since = v->since;
    if (log->since)
        TRY(log_check_point(log, a));
    v->stopped = v->broken > before;
    if (v->stopped)
        return NULL;
    TRY(verify_chains(v));
    const struct err *e = log_check(log, a);
    if (!err_is(e, tlogs_inconsistent))
        return e;
    verify_fault(v, STR("log"), e->say);
    return NULL;
}

/* The files of --head; false: one cannot be read. */
static bool verify_heads(const struct command *c, struct log_check *log,
                         struct log_check_kept kept[HEADS])
{
    for (; log->kept_n < HEADS; log->kept_n++) {
        const struct str name = command_option(c, "--head", log->kept_n);
        struct buf text = buf_make(c->arena, NOTE_MAX);
        if (!name.p)
            break;
        if (!buf_file(&text, arena_z(c->arena, name))) {
            fprintf(stderr, "sayso: %.*s: %s\n", STR_FMT(name),
                    strerror(errno));
            return false;
        }
        kept[log->kept_n] =
            (struct log_check_kept){.name = name, .note = buf_text(&text)};
    }
    if (command_option(c, "--head", HEADS).p) {
        fputs("sayso: at most 64 files of --head are compared\n", stderr);
        return false;
    }
    log->kept = kept;
    return true;
}

/* The check of an intent is none of the database, and is not kept. */
static void verify_keep(const struct verify *v)
{
    const struct verifications_run run = {
        .scope = v->since ? VERIFICATION_SINCE : VERIFICATION_ALL,
        .ended_at = clock_now(),
        .broken = (int64_t)v->broken,
        .checkpoint_id = v->newest.checkpoint.id};
    const struct err *e = verifications_put(v->pg, v->c->arena, &run);
    if (e)
        fprintf(stderr,
                "sayso: the result is not kept for the metrics: %.*s\n",
                STR_FMT(e->say));
}

static int verify_database(const struct command *c)
{
    struct verify *v = arena_new(c->arena, struct verify);
    struct log_check_kept kept[HEADS];
    struct log_check log = {.pg = c->pg,
                            .conf = c->conf,
                            .report = {.fault = verify_fault,
                                       .hint = verify_hint,
                                       .first = verify_first,
                                       .own = v}};
    const bool one = c->argc > 0 && c->argv[0][0] != '-';
    const struct str since = command_option(c, "--since", 0);
    struct log_checks_which which;
    struct intent i;
    *v = (struct verify){.c = c, .pg = c->pg, .one = one};
    if (!command_options_ok(c, one,
                            one ? "--key=" : "--head= --key= --since=") ||
        !verify_heads(c, &log, kept))
        return 2;
    if (since.p && !verify_which(since, &which)) {
        fputs("sayso: --since has to be a time, such as 2026-11-25T03:00:00Z, "
              "a number of events, the id of a checkpoint, or last\n",
              stderr);
        return 2;
    }
    if (command_option(c, "--key", 0).p &&
        verify_file_keys(c, c->arena, (struct note_key[BUNDLE_KEYS]){0}) == 0)
        return 2;
    const struct err *e = verify_keys(v);
    log.keys = v->keys;
    if (!e && one)
        e = intents_get(c->pg, c->arena, str_of(c->argv[0]), &i);
    if (!e && since.p)
        e = verify_since(v, which);
    if (!e)
        e = one ? verify_chain(v, c->arena, i.id, &i.tail, NULL)
                : verify_all(v, &log);
    if (e) {
        (void)command_end(e);
        return e->kind == ERR_NOT_FOUND ? 1 : 2;
    }
    if (!one)
        verify_keep(v);
    if (v->since)
        verify_range(v, &log);
    printf("%zu intents, %zu events, ", v->n.intents, v->n.events);
    if (!one)
        printf("%zu erased, %zu questions, %zu receipts, %lld leaves, %lld "
               "heads, %lld checkpoints, ",
               v->n.erased, v->n.questions, v->n.receipts,
               (long long)log.leaves, (long long)log.heads,
               (long long)log.checkpoints);
    printf("%zu broken\n", v->broken);
    return v->broken ? 1 : 0;
}

int verify_run(const struct command *c)
{
    return command_option(c, "--bundle", 0).p    ? verify_file_bundle(c)
           : command_option(c, "--receipt", 0).p ? verify_file_receipt(c)
                                                 : verify_database(c);
}
