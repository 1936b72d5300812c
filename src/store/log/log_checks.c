/* Reads the log beside the events. Decides nothing. */
#include "store/log/log_checks.h"

#include "store/intent/intents.h"
#include "store/log/endings.h"
#include "store/question/suspensions.h"
#include "store/rows.h"

const struct err *log_checks_ends(struct pg *pg, struct arena *a, int64_t from,
                                  struct log_checks_ends *out)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_LOG_CHECK_ENDS, PG(pg_number(from)), &r));
    out->n = pg_count(r);
    out->v = arena_many(a, out->n + 1, struct log_checks_end);
    for (size_t i = 0; i < out->n; i++)
        out->v[i] =
            (struct log_checks_end){.end = {.epoch = pg_int(r, i, 0),
                                            .size = pg_int(r, i, 1),
                                            .xid = pg_str(r, i, 2),
                                            .intent_id = pg_str(r, i, 3),
                                            .sequence = pg_int(r, i, 4)},
                                    .leaves = pg_int(r, i, 5),
                                    .tiles = pg_int(r, i, 6),
                                    .head = pg_int(r, i, 7)};
    return NULL;
}

const struct err *log_checks_epoch(struct pg *pg, struct arena *a,
                                   struct str origin, int64_t *out)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_LOG_CHECK_EPOCH, PG(pg_text(origin)), &r));
    *out = pg_count(r) ? pg_int(r, 0, 0) : -1;
    return NULL;
}

const struct err *log_checks_leaves(struct pg *pg, struct arena *a,
                                    int64_t epoch, struct str intent_id,
                                    int64_t from, int64_t to,
                                    struct log_checks_leaves *out)
{
    struct pg_rows *r = NULL;
    TRY(intent_id.p
            ? pg_query(pg, a, SQL_LOG_CHECK_LEAVES_OF,
                       PG(pg_number(epoch), pg_text(intent_id),
                          pg_number(from), pg_number(to - 1)),
                       &r)
            : pg_query(pg, a, SQL_LOG_CHECK_LEAVES,
                       PG(pg_number(epoch), pg_number(from), pg_number(to)),
                       &r));
    out->n = pg_count(r);
    out->v = arena_many(a, out->n + 1, struct log_checks_leaf);
    for (size_t i = 0; i < out->n; i++) {
        struct log_checks_leaf *l = &out->v[i];
        l->position = pg_int(r, i, 0);
        l->intent_id = pg_str(r, i, 1);
        l->sequence = pg_int(r, i, 2);
        if (!tlogs_unhex(pg_str(r, i, 3), &l->hash, 1))
            l->hash = (struct tlog_hash){{0}};
        l->has_event = log_checkpoint_hash_read(a, pg_str(r, i, 4), &l->event);
    }
    return NULL;
}

const struct err *log_checks_heads(struct pg *pg, struct arena *a,
                                   int64_t epoch, int64_t after, int64_t max,
                                   struct log_checks_heads *out)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_LOG_CHECK_HEADS,
                 PG(pg_number(epoch), pg_number(after), pg_number(max)), &r));
    out->n = pg_count(r);
    out->v = arena_many(a, out->n + 1, struct tlogs_head);
    for (size_t i = 0; i < out->n; i++)
        (void)tlogs_head_row(r, i, &out->v[i]); /* zero fits no head */
    return NULL;
}

const struct err *log_checks_checkpoints(struct pg *pg, struct arena *a,
                                         int64_t at, struct str id,
                                         struct log_checks_checkpoints *out)
{
    struct pg_rows *r = NULL;
    const int before = rows_columns(&log_checkpoint_record);
    TRY(pg_query(
        pg, a, SQL_LOG_CHECK_CHECKPOINTS,
        PG(at ? pg_moment(at) : pg_text(STR("-infinity")), pg_text(id)), &r));
    out->n = pg_count(r);
    out->v = rows_all(a, &log_checkpoint_record, r);
    out->before = arena_many(a, out->n + 1, int64_t);
    for (size_t i = 0; i < out->n; i++)
        out->before[i] = pg_int(r, i, before);
    return NULL;
}

const struct err *log_checks_point(struct pg *pg, struct arena *a,
                                   int64_t epoch,
                                   const struct log_checks_which *which,
                                   struct log_checks_point *out, bool *found)
{
    struct pg_rows *r = NULL;
    const int own = rows_columns(&log_checkpoint_record);
    TRY(pg_query(pg, a, SQL_LOG_CHECK_POINT,
                 PG(pg_number(epoch), pg_text(which->id),
                    which->size ? pg_number(which->size) : pg_text(STR_NONE),
                    pg_moment(which->at)),
                 &r));
    *found = pg_count(r) > 0;
    if (!*found)
        return NULL;
    rows_read(&log_checkpoint_record, r, 0, &out->checkpoint);
    out->before = pg_int(r, 0, own);
    out->xid = pg_str(r, 0, own + 1);
    return NULL;
}

/* ---- the ends of chains --------------------------------------------- */

#define PAGE 500 /* of the statements */

/* An id of the database, which fits. */
static void log_checks_note(char *to, size_t room, struct str s)
{
    if (!str_copy(to, room, s))
        to[0] = '\0';
}

/* Those that the log has come last: an event that it takes meanwhile is not
 * passed over. */
static const struct err *log_checks_grown(struct pg *pg, struct arena *a,
                                          struct log_checks_tails *t,
                                          struct pg_rows **r)
{
    const struct log_checkpoint *c = &t->since->checkpoint;
    if (t->logged)
        return pg_query(pg, a, SQL_LOG_CHECK_GROWN,
                        PG(pg_number(c->epoch), pg_number(t->position)), r);
    if (!t->xid[0]) {
        log_checks_note(t->xid, sizeof t->xid, t->since->xid);
        log_checks_note(t->intent_id, sizeof t->intent_id,
                        STR("00000000-0000-0000-0000-000000000000"));
        t->position = c->last_sequence;
    }
    return pg_query(pg, a, SQL_LOG_CHECK_GROWN_UNLOGGED,
                    PG(pg_number(c->epoch), pg_number(c->last_sequence),
                       pg_text(str_of(t->xid)), pg_text(str_of(t->intent_id)),
                       pg_number(t->sequence)),
                    r);
}

/* The place after row i, the last one of a page. */
static void log_checks_place(struct log_checks_tails *t,
                             const struct pg_rows *r, size_t i)
{
    log_checks_note(t->intent_id, sizeof t->intent_id, pg_str(r, i, 0));
    if (t->logged) {
        t->position = pg_int(r, i, 3) + 1;
    } else if (t->since) {
        log_checks_note(t->xid, sizeof t->xid, pg_str(r, i, 3));
        t->sequence = pg_int(r, i, 4);
    }
}

const struct err *log_checks_tails(struct pg *pg, struct arena *a,
                                   struct log_checks_tails *t)
{
    struct pg_rows *r = NULL;
    TRY(t->since ? log_checks_grown(pg, a, t, &r)
                 : pg_query(pg, a, SQL_EVENT_TAILS,
                            PG(pg_text(t->intent_id[0] ? str_of(t->intent_id)
                                                       : STR_NONE)),
                            &r));
    t->n = pg_count(r);
    t->v = arena_many(a, t->n + 1, struct log_checks_tail);
    for (size_t i = 0; i < t->n; i++)
        t->v[i] = (struct log_checks_tail){
            .intent_id = pg_str(r, i, 0),
            .tail = {.sequence = pg_int(r, i, 1), .hash = pg_str(r, i, 2)}};
    if (t->n > 0)
        log_checks_place(t, r, t->n - 1);
    t->end = t->n < PAGE && (!t->since || t->logged);
    t->logged = t->since && (t->logged || t->n < PAGE);
    return NULL;
}

const struct err *log_checks_unlogged(struct pg *pg, struct arena *a,
                                      const struct tlogs_end *end,
                                      struct str xid,
                                      struct log_checks_rows *out)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_LOG_CHECK_UNLOGGED,
                 PG(pg_number(end->epoch), pg_text(end->xid),
                    pg_text(end->intent_id), pg_number(end->sequence),
                    pg_text(xid)),
                 &r));
    out->n = pg_count(r);
    out->v = arena_many(a, out->n + 1, struct log_checks_row);
    for (size_t i = 0; i < out->n; i++)
        out->v[i] = (struct log_checks_row){.intent_id = pg_str(r, i, 0),
                                            .sequence = pg_int(r, i, 1)};
    return NULL;
}

const struct err *log_checks_written(struct pg *pg, struct arena *a,
                                     int64_t epoch, int64_t from, int64_t to,
                                     struct log_checks_rows *out)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_LOG_CHECK_WRITTEN,
                 PG(pg_number(epoch), pg_number(from), pg_number(to)), &r));
    out->n = pg_count(r);
    out->v = arena_many(a, out->n + 1, struct log_checks_row);
    for (size_t i = 0; i < out->n; i++)
        out->v[i] = (struct log_checks_row){.position = pg_int(r, i, 0),
                                            .intent_id = pg_str(r, i, 1),
                                            .sequence = pg_int(r, i, 2),
                                            .again = pg_bool(r, i, 3)};
    return NULL;
}

/* ---- questions ------------------------------------------------------ */

/* Of an event, after its first column. */
enum { SEQUENCE, TYPE, CANONICAL, HASH, ID, PREVIOUS };
/* After the columns of the question. */
enum {
    ASKED = 0,
    ENDED = 4,
    PERMIT = 10,
    GRANTED,
    USES,
    NOT_AFTER,
    RECEIPT,
    SALT,
    JWS,
    KID,
    SIGNED_AT,
    DUE,
    CALLS,
    FOUND,
    NUMBER
};

#define QUESTIONS 20 /* of an intent, in a page */
#define QUESTIONS_BYTES ((int64_t)8 << 20)

static struct event log_checks_event(const struct pg_rows *r, size_t i,
                                     int column)
{
    return (struct event){.sequence = pg_int(r, i, column + SEQUENCE),
                          .type = pg_str(r, i, column + TYPE),
                          .canonical = pg_str(r, i, column + CANONICAL),
                          .hash = pg_str(r, i, column + HASH)};
}

static void log_checks_question(struct arena *a, const struct suspension *s,
                                const struct pg_rows *r, size_t i,
                                struct question_check *out)
{
    const int c = rows_columns(&suspension_record);
    *out =
        (struct question_check){.s = s,
                                .asked = log_checks_event(r, i, c + ASKED),
                                .ended = log_checks_event(r, i, c + ENDED),
                                .receipt_sequence = pg_int(r, i, c + RECEIPT),
                                .salt = pg_str(r, i, c + SALT),
                                .jws = pg_str(r, i, c + JWS),
                                .kid = pg_str(r, i, c + KID),
                                .signed_at = pg_int(r, i, c + SIGNED_AT),
                                .due = pg_bool(r, i, c + DUE),
                                .calls = pg_str(r, i, c + CALLS)};
    out->ended.id = pg_str(r, i, c + ENDED + ID);
    out->ended.previous = pg_str(r, i, c + ENDED + PREVIOUS);
    if (!pg_str(r, i, c + PERMIT).p)
        return;
    struct permit *p = arena_new(a, struct permit);
    p->id = pg_str(r, i, c + PERMIT);
    p->granted = p->granted_sha256 = pg_str(r, i, c + GRANTED);
    p->terms.max_uses = pg_int(r, i, c + USES);
    p->not_after = pg_int(r, i, c + NOT_AFTER);
    out->permit = p;
}

static struct pg_list log_checks_args(const struct str *ids, size_t n,
                                      int64_t after)
{
    struct pg_list args = {0};
    pg_add(&args, pg_texts(ids, n));
    pg_add(&args, pg_number(after));
    pg_add(&args, pg_number(QUESTIONS + 1));
    pg_add(&args, pg_number(QUESTIONS_BYTES));
    return args;
}

/* The questions of each of n intents, without the events that ended them. */
static struct log_checks_questions *
log_checks_read(struct arena *a, const struct pg_rows *r, size_t n)
{
    const int c = rows_columns(&suspension_record);
    const struct suspension_rows rows = suspensions_rows(a, r);
    const bool cut = rows.n && pg_int(r, 0, c + FOUND) > (int64_t)rows.n;
    const size_t *first = rows_begin(a, r, c + NUMBER, n);
    struct question_check *v = arena_many(a, rows.n + 1, struct question_check);
    struct log_checks_questions *out =
        arena_many(a, n + 1, struct log_checks_questions);
    for (size_t i = 0; i < rows.n; i++)
        log_checks_question(a, &rows.v[i], r, i, &v[i]);
    for (size_t i = 0; i < n; i++) {
        const size_t found = first[i + 1] - first[i];
        const bool over = found > QUESTIONS;
        out[i] = (struct log_checks_questions){.v = v + first[i],
                                               .n = over ? QUESTIONS : found};
        out[i].more = over || (cut && first[i + 1] == rows.n);
    }
    return out;
}

static void log_checks_ending(struct question_check *q,
                              const struct endings_row *end)
{
    q->ending = end->ending;
    if (end->ending != ENDING_NONE)
        q->ended = end->event;
}

const struct err *log_checks_questions(struct pg *pg, struct arena *a,
                                       struct str intent_id, int64_t after,
                                       struct log_checks_questions *out)
{
    const struct pg_list args = log_checks_args(&intent_id, 1, after);
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_LOG_CHECK_QUESTIONS, PG_ALL(&args), &r));
    *out = *log_checks_read(a, r, 1);
    struct endings_row *ends = arena_many(a, out->n + 1, struct endings_row);
    for (size_t i = 0; i < out->n; i++)
        ends[i] = (struct endings_row){.s = out->v[i].s};
    TRY(endings_find(pg, a, 0, true, ends, out->n));
    for (size_t i = 0; i < out->n; i++)
        log_checks_ending(&out->v[i], &ends[i]);
    return NULL;
}

/* ---- many chains at once -------------------------------------------- */

#define EVENTS 100 /* of one of them */

static void log_checks_whole(struct arena *a, struct log_checks_chain *c)
{
    c->whole = !c->events.more && c->intent.id.p && !c->questions.more;
    for (size_t i = 0; c->whole && i < c->questions.n; i++) {
        struct endings_row end = {.s = c->questions.v[i].s};
        endings_among(a, c->events.v, c->events.n, &end);
        log_checks_ending(&c->questions.v[i], &end);
    }
}

/* The statements of a batch run one after the other, and each sees what was
 * there when it began. */
const struct err *log_checks_chains(struct pg *pg, struct arena *a,
                                    const struct log_checks_tail *tails,
                                    size_t n, struct log_checks_chain *out)
{
    enum { OF_EVENTS, OF_INTENTS, OF_QUESTIONS, ALL };
    struct pg_rows *r[ALL] = {NULL};
    struct str *ids = arena_many(a, n + 1, struct str);
    for (size_t i = 0; i < n; i++)
        ids[i] = tails[i].intent_id;
    const struct pg_list args = log_checks_args(ids, n, 0);
    events_queue_chains(pg, a, ids, n, EVENTS);
    pg_queue(pg, a, SQL_LOG_CHECK_INTENTS,
             PG(pg_texts(ids, n), pg_number(INTENTS_PAGE_BYTES)));
    pg_queue(pg, a, SQL_LOG_CHECK_QUESTIONS, PG_ALL(&args));
    TRY(pg_run(pg, a, r));
    const struct event_rows *events = events_chains(a, r[OF_EVENTS], n, EVENTS);
    const struct log_checks_questions *questions =
        log_checks_read(a, r[OF_QUESTIONS], n);
    const size_t *first = rows_begin(a, r[OF_INTENTS],
                                     pg_columns(r[OF_INTENTS]) - 2, n);
    for (size_t i = 0; i < n; i++) {
        out[i] = (struct log_checks_chain){.events = events[i],
                                           .questions = questions[i]};
        if (first[i] < first[i + 1])
            out[i].intent = intents_row(r[OF_INTENTS], first[i]);
        log_checks_whole(a, &out[i]);
    }
    return NULL;
}
