/* The beginning of a unit of work: the locks, and what is read under them.
 *
 * Its one decision is to expire a question whose time is over, before anything
 * else is done with it. */
#include "base/clock.h"
#include "base/id.h"
#include "base/shared/clock_watch.h"
#include "domain/question/side_question.h"
#include "store/intent/intents.h"
#include "store/permit/permits.h"
#include "store/plan/portfolios.h"
#include "store/question/suspensions.h"
#include "store/sql.gen.h"
#include "store/tables.h"
#include "work/work.h"
#include "world/pg/pg_error.h"

const struct err *work_clock_differs(void)
{
    return ERROR(
        ERR_BUSY, "clock.differs",
        "This server's clock differs from the database's, or has jumped. "
        "Nothing expires until somebody has checked it. Try again later.");
}

const struct err *work_clock_over(const struct err *e, const char *code)
{
    return err_is(e, code) && clock_watch_held() ? work_clock_differs() : e;
}

/* The beginning of a unit of work. */
struct work_begin {
    int take, taken, open, asked; /* statements */
    struct str id, other;
    bool graph, answers, ends;
    const struct principal *who; /* NULL: not checked */
};

static void work_reset(struct work *w, const struct work_once *once)
{
    const int64_t wall = clock_now();
    *w = (struct work){.arena = w->arena,
                       .pg = w->pg,
                       .conf = w->conf,
                       .who = w->who,
                       .quota = w->quota,
                       .outbound = w->outbound,
                       .traceparent = w->traceparent,
                       .terms = w->terms,
                       .begun = w->begun,
                       .host = clock_host(),
                       .wall = wall,
                       .now = clock_watch_latest(wall),
                       .once =
                           once ? *once : (struct work_once){.key = STR_NONE}};
}

/* After the lock: a request with the same key that waited for it finds the
 * first one's record. */
static void work_queue_before(struct work *w)
{
    if (!w->once.key.p)
        return;
    pg_queue(w->pg, w->arena, SQL_IDEMPOTENCY_GET,
             PG(pg_text(w->once.principal), pg_text(w->once.key)));
}

/* Names the question that the first request with this key was about, which the
 * caller was told then. */
static const struct err *work_other_request(const struct work *w,
                                            struct str first)
{
    struct json *more = json_object(w->arena);
    json_set_text_given(more, "suspension_id",
                        json_get_text(json_read(w->arena, first),
                                      "suspension_id"));
    return err_more(w->arena,
                    ERROR(ERR_CONFLICT, "idempotency.other_request",
                          "This Idempotency-Key was used for another "
                          "request."),
                    more);
}

static const struct err *work_take_before(struct work *w,
                                          const struct pg_rows *rows)
{
    if (!w->once.key.p || pg_count(rows) == 0)
        return NULL;
    if (!str_eq(pg_str(rows, 0, 0), w->once.request_sha256))
        return work_other_request(w, pg_str(rows, 0, 3));
    w->answered = true;
    w->before = (struct work_answer){.status = (int)pg_int(rows, 0, 1),
                                     .etag = pg_str(rows, 0, 2),
                                     .body = pg_str(rows, 0, 3)};
    return NULL;
}

static void work_queue_load(struct work *w, const struct work_begin *b)
{
    const struct pg_args *id = PG(pg_text(b->id));
    pg_queue(w->pg, NULL, SQL_BEGIN, NULL);
    if (b->graph)
        pg_queue(w->pg, NULL, SQL_INTENT_GRAPH, NULL);
    /* A statement sees the rows committed before it began: rows that may have
     * changed during the wait for the lock have to be read by another
     * statement. */
    pg_queue(w->pg, w->arena, b->take,
             b->other.p ? PG(pg_text(b->id), pg_text(b->other)) : id);
    pg_queue(w->pg, NULL, SQL_DELIVERY_HOLD, NULL);
    pg_queue(w->pg, w->arena, b->taken,
             b->who ? PG(pg_text(b->id), intents_reader(w->arena, b->who),
                         intents_now())
                    : id);
    pg_queue(w->pg, w->arena, b->open, id);
    pg_queue(w->pg, w->arena, b->asked, id);
    work_queue_before(w);
}

/* The rest, in a batch of its own under the same locks: the decision of a
 * question that is not open, the permit of one that may be answered, and
 * whether dependencies are in the way. Few units of work need any of it. */
static const struct err *work_load_rest(struct work *w,
                                        const struct work_begin *b, bool open)
{
    const struct kind_rule *rule = kind_rule(w->suspension.kind);
    const struct pg_args *id = PG(pg_text(w->suspension.id));
    struct pg_rows *rows[3] = {NULL};
    const bool decided = w->has_suspension && !open;
    const bool permit = open && b->answers && rule && rule->permits;
    w->dependencies_done = str_is(w->intent.depends_on, "[]");
    const bool edges = !w->dependencies_done || b->ends;
    if (decided)
        pg_queue(w->pg, w->arena, SQL_SUSPENSION_DECIDED, id);
    if (permit)
        pg_queue(w->pg, w->arena, SQL_PERMIT_OF_OPEN, id);
    if (edges)
        pg_queue(w->pg, w->arena, SQL_INTENT_EDGES, PG(pg_text(w->intent.id)));
    TRY(pg_queued(w->pg) ? pg_run(w->pg, w->arena, rows) : NULL);
    if (decided)
        suspensions_decided(&w->suspension, rows[0]);
    w->permit_found = permit && pg_count(rows[0]) > 0;
    w->permit_none = permit && !w->permit_found;
    if (w->permit_found)
        w->permit = permits_read(rows[0], 0).permit;
    if (edges) {
        const struct pg_rows *r = rows[decided || permit ? 1 : 0];
        w->dependencies_done = pg_bool(r, 0, 0);
        w->children_done = pg_bool(r, 0, 1);
    }
    return NULL;
}

static const struct err *work_load(struct work *w, const struct work_begin *b)
{
    struct pg_rows *all[8] = {NULL}, **rows = all + (b->graph ? 1 : 0);
    bool open = false;
    work_queue_load(w, b);
    TRY(pg_run(w->pg, w->arena, all));
    w->there = pg_time(rows[2], 0, 0);
    clock_watch_database(w->host, w->there, clock_host());
    const struct pg_rows *intent = rows[3];
    const struct err *e = NULL;
    if (pg_count(intent) == 0)
        e = reach_check(w->arena, ACCESS_NONE, ACCESS_NONE);
    else if (b->who)
        e = reach_check(w->arena, intents_access(intent, 0, INTENTS_ACCESS),
                        b->who->needs);
    TRY(work_take_before(w, rows[6]));
    if (w->answered) /* an agent keeps its answers, but of a closed intent */
        return pg_count(intent) > 0 && intents_row(intent, 0).closed ? e
                                                                     : NULL;
    TRY(e);
    w->intent = intents_row(intent, 0);
    w->status_before = w->intent.status;
    if (b->who && b->who->role == ROLE_AGENT)
        w->asker = b->who->agent;
    w->has_listeners = pg_bool(intent, 0, INTENTS_HAS_LISTENERS);
    w->has_suspension = pg_count(rows[5]) > 0;
    if (w->has_suspension) {
        w->suspension = suspensions_asked(w->arena, rows[5]);
        open = suspensions_open(&w->suspension, rows[4]);
    }
    return work_load_rest(w, b, open);
}

/* The expiry is a transaction of its own, so that it counts even if the call
 * that found it fails. */
static const struct err *work_expire_first(struct work *w)
{
    const struct work_once once = w->once;
    const struct work_answer none = {.body = STR("")};
    TRY(work_expire(w, NULL));
    w->once.key = STR_NONE;
    TRY(work_commit(w, &none));
    work_reset(w, &once);
    w->expired = true;
    return NULL;
}

/* Ends nothing by a clock that may be wrong, and takes no answer that may be
 * late. */
static const struct err *work_load_due(struct work *w,
                                       const struct work_begin *b)
{
    w->begun = b;
    TRY(work_load(w, b));
    const bool held = clock_watch_held();
    w->now = clock_watch_latest(w->wall); /* over by either clock */
    if (w->answered || !w->has_suspension)
        return NULL;
    /* The deadline of a portfolio, if it is over; only members pay for it. */
    struct portfolios_overs over = {.n = 0};
    if ((w->intent.containers & INTENT_IN_PORTFOLIO) &&
        w->suspension.state == SUSPENSION_PENDING &&
        !side_question(&w->suspension))
        TRY(portfolios_over(w->pg, w->arena, &w->intent.id, 1, w->now, &over));
    if (over.n > 0)
        w->deadline =
            (struct resolve_deadline){over.v[0].portfolio_id, over.v[0].at};
    if (!work_due(w))
        return NULL;
    if (held)
        return work_clock_differs();
    bool go = true;
    if (tables_restore().waits)
        TRY(tables_go(w->pg, w->arena, &go));
    if (!go)
        return ERROR(
            ERR_BUSY, pg_error_code_restored,
            "The database was restored, and the deadline of this question has "
            "passed. Nothing expires until an administrator allows it.");
    TRY(work_expire_first(w));
    return work_load(w, b);
}

const struct err *work_begin(struct work *w, const struct work_target *target,
                             const struct work_once *once)
{
    struct work_begin *b = arena_new(w->arena, struct work_begin);
    *b = (struct work_begin){.take = target->take,
                             .other = target->other,
                             .taken = SQL_INTENT_TAKEN,
                             .open = SQL_SUSPENSION_OPEN_OF_INTENT,
                             .asked = SQL_SUSPENSION_ASKED_NEWEST,
                             .id = target->intent_id,
                             .graph = target->graph,
                             .answers = target->answers,
                             .ends = target->ends,
                             .who = target->who};
    if (!id_uuid(target->intent_id))
        return ERROR(ERR_NOT_FOUND, "intent.unknown",
                     "There is no intent with this id.");
    work_reset(w, once);
    return work_load_due(w, b);
}

const struct err *work_begin_by_caller(struct work *w, struct str intent_id,
                                       const struct work_once *once)
{
    const struct work_target target = {
        .intent_id = intent_id, .who = w->who, .take = SQL_INTENT_TAKE};
    return work_begin(w, &target, once);
}

const struct err *work_begin_suspension(struct work *w, struct str id,
                                        const struct work_once *once)
{
    struct work_begin *b = arena_new(w->arena, struct work_begin);
    *b = (struct work_begin){.take = SQL_INTENT_TAKE_OF_SUSPENSION,
                             .taken = SQL_INTENT_TAKEN_OF_SUSPENSION,
                             .open = SQL_SUSPENSION_OPEN,
                             .asked = SQL_SUSPENSION_ASKED,
                             .answers = true,
                             .id = id};
    const struct err *unknown =
        ERROR(ERR_NOT_FOUND, "suspension.unknown",
              "There is no suspension with this id.");
    if (!id_token(id))
        return unknown;
    work_reset(w, once);
    const struct err *e = work_load_due(w, b);
    if (!e || e->kind != ERR_NOT_FOUND)
        return e;
    const struct str other = id_respelled(w->arena, id);
    if (!other.p)
        return unknown;
    pg_rollback(w->pg);
    return work_begin_suspension(w, other, once);
}

const struct err *work_again(struct work *w)
{
    const struct work_once once = w->once;
    work_reset(w, &once);
    return work_load_due(w, w->begun);
}

const struct err *work_begin_bare(struct work *w, const struct work_once *once)
{
    struct pg_rows *rows[2] = {NULL};
    work_reset(w, once);
    pg_queue(w->pg, NULL, SQL_BEGIN, NULL);
    work_queue_before(w);
    TRY(pg_run(w->pg, w->arena, rows));
    return work_take_before(w, rows[1]);
}

const struct err *work_begin_new(struct work *w, const struct intent *given,
                                 bool graph, const struct work_once *once)
{
    struct pg_rows *rows[6] = {NULL};
    work_reset(w, once);
    w->intent = *given;
    /* The locks before any other: the graph's, and the parent. */
    pg_queue(w->pg, NULL, SQL_BEGIN, NULL);
    if (graph)
        pg_queue(w->pg, NULL, SQL_INTENT_GRAPH, NULL);
    const size_t parent = pg_queued(w->pg);
    if (given->parent_intent_id.p)
        pg_queue(w->pg, w->arena, SQL_INTENT_PARENT,
                 PG(pg_text(given->parent_intent_id)));
    const size_t next = pg_queued(w->pg);
    pg_queue(w->pg, NULL, SQL_DELIVERY_HOLD, NULL);
    pg_queue(w->pg, NULL, SQL_DELIVERY_TOLD, NULL);
    work_queue_before(w);
    TRY(pg_run(w->pg, w->arena, rows));
    TRY(work_take_before(w, rows[next + 2]));
    w->has_listeners = pg_bool(rows[next + 1], 0, 0);
    if (next > parent && pg_count(rows[parent]) > 0) {
        w->parent_ended = pg_bool(rows[parent], 0, 0);
        w->intent.containers = (int)pg_int(rows[parent], 0, 1);
        w->intent.test = given->test || pg_bool(rows[parent], 0, 2);
    }
    w->intent.tail.test = w->intent.test;
    w->intent_new = true;
    w->dependencies_done = true;
    w->children_done = true;
    w->intent.id = id_new(w->arena);
    w->intent.version = 1;
    w->intent.created_at = w->now;
    w->intent.updated_at = w->now;
    if (!w->intent.depends_on.p)
        w->intent.depends_on = STR("[]");
    return NULL;
}
