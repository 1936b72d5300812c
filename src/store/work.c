/* A unit of work: one transaction on one intent, in two round trips.
 *
 * Used by every handler that writes. Its one decision is to expire a question
 * whose time is over, before anything else is done with it. */
#include "store/work.h"

#include "base/clock.h"
#include "base/id.h"
#include "domain/beside.h"
#include "store/containers.h"
#include "store/events.h"
#include "store/intents.h"
#include "store/permits.h"
#include "store/portfolios.h"
#include "store/sql.gen.h"
#include "store/suspensions.h"
#include "store/tasks.h"
#include "world/wake.h"

#define WORK_NO_PERMIT (-1)

/* The beginning of a unit of work. */
struct begin {
    int take, taken, lock, suspension; /* statements */
    int permit; /* its own or WORK_NO_PERMIT */
    struct str id, other;
    bool graph;
    const struct principal *who; /* NULL: not checked */
};

static void start(struct work *w, struct pg *pg, struct arena *a,
                  const struct work_once *once)
{
    *w = (struct work){.arena = a, .pg = pg, .now = clock_now(), .once = *once};
}

/* After the lock: a request with the same key that waited for it finds the
 * first one's record. */
static void queue_before(struct work *w)
{
    if (!w->once.key.p)
        return;
    struct pg_args args = pg_args(w->arena);
    pg_arg(&args, w->once.principal);
    pg_arg(&args, w->once.key);
    pg_queue(w->pg, SQL_IDEMPOTENCY_GET, &args);
}

static const struct err *take_before(struct work *w,
                                     const struct pg_rows *rows)
{
    if (!w->once.key.p || pg_count(rows) == 0)
        return NULL;
    if (!str_eq(pg_str(rows, 0, 0), w->once.request_sha256))
        return ERROR(ERR_CONFLICT, "idempotency.other_request",
                     "This Idempotency-Key was used for another request.");
    w->answered = true;
    w->before = (struct work_answer){.status = (int)pg_int(rows, 0, 1),
                                     .etag = pg_str(rows, 0, 2),
                                     .body = pg_str(rows, 0, 3)};
    return NULL;
}

static void queue_load(struct work *w, const struct begin *b)
{
    struct pg_args id = pg_args(w->arena), take = pg_args(w->arena),
                   taken = pg_args(w->arena);
    pg_arg(&id, b->id);
    pg_arg(&take, b->id);
    if (b->other.p)
        pg_arg(&take, b->other);
    pg_arg(&taken, b->id);
    if (b->who)
        intents_reader(&taken, b->who);
    pg_queue(w->pg, SQL_BEGIN, NULL);
    if (b->graph)
        pg_queue(w->pg, SQL_INTENT_GRAPH, NULL);
    /* A statement sees the rows committed before it began: rows that may have
     * changed during the wait for the lock have to be read by another
     * statement. */
    pg_queue(w->pg, b->take, &take);
    pg_queue(w->pg, SQL_DELIVERY_HOLD, NULL);
    pg_queue(w->pg, b->taken, &taken);
    pg_queue(w->pg, b->lock, &id);
    pg_queue(w->pg, b->suspension, &id);
    if (b->permit != WORK_NO_PERMIT)
        pg_queue(w->pg, b->permit, &id);
    queue_before(w);
}

/* The permit of an open question; that of another one does not change here. */
static void take_permit(struct work *w, const struct pg_rows *rows)
{
    w->permit_found =
        w->suspension.state == SUSPENSION_PENDING && pg_count(rows) > 0;
    if (w->permit_found)
        w->permit = permits_first(rows).permit;
}

static const struct err *reached(struct arena *a, const struct begin *b,
                                 const struct pg_rows *intent)
{
    if (pg_count(intent) == 0)
        return reach_check(a, ACCESS_NONE, ACCESS_NONE);
    return b->who ? reach_check(a, intents_access(intent, 0, INTENTS_ACCESS),
                                b->who->needs)
                  : NULL;
}

static const struct err *load(struct work *w, const struct begin *b)
{
    struct pg_rows *all[9] = {NULL}, **rows = all + (b->graph ? 1 : 0);
    const bool permit = b->permit != WORK_NO_PERMIT;
    queue_load(w, b);
    TRY(pg_run(w->pg, w->arena, all));
    const struct err *e = reached(w->arena, b, rows[3]);
    TRY(take_before(w, rows[permit ? 7 : 6]));
    if (w->answered) /* an agent keeps its answers, but of a closed intent */
        return pg_count(rows[3]) > 0 && intents_row(rows[3], 0).closed ? e
                                                                       : NULL;
    TRY(e);
    w->intent = intents_row(rows[3], 0);
    w->was = w->intent.status;
    if (b->who && b->who->role == ROLE_AGENT)
        w->asker = b->who->agent;
    w->dependencies_done = pg_bool(rows[3], 0, INTENTS_DEPENDENCIES_DONE);
    w->children_done = pg_bool(rows[3], 0, INTENTS_CHILDREN_DONE);
    w->told = pg_bool(rows[3], 0, INTENTS_TOLD);
    w->has_suspension = pg_count(rows[5]) > 0;
    if (w->has_suspension)
        w->suspension = suspensions_row(rows[5], 0);
    if (w->has_suspension && permit)
        take_permit(w, rows[6]);
    return NULL;
}

/* The expiry is a transaction of its own, so that it counts even if the call
 * that found it fails. */
static const struct err *expire(struct work *w)
{
    const struct work_once once = w->once;
    const struct work_answer none = {.body = STR("")};
    TRY(work_expire(w));
    w->once.key = STR_NONE;
    TRY(work_commit(w, &none));
    *w = (struct work){.arena = w->arena,
                       .pg = w->pg,
                       .now = clock_now(),
                       .once = once,
                       .expired = true};
    return NULL;
}

/* The deadline of a portfolio, if it is over; only members pay for it. */
static const struct err *find_deadline(struct work *w)
{
    struct portfolios_overs over = {.n = 0};
    if (!(w->intent.containers & INTENT_IN_PORTFOLIO) ||
        w->suspension.state != SUSPENSION_PENDING || beside(&w->suspension))
        return NULL;
    TRY(portfolios_over(w->pg, w->arena, &w->intent.id, 1, w->now, &over));
    if (over.n > 0)
        w->deadline = (struct resolve_deadline){over.v[0].portfolio_id,
                                                over.v[0].at};
    return NULL;
}

bool work_due(const struct work *w)
{
    return suspension_due(&w->suspension, w->now) ||
           (w->suspension.state == SUSPENSION_PENDING &&
            w->deadline.portfolio_id.p);
}

static const struct err *begin(struct work *w, const struct begin *b)
{
    TRY(load(w, b));
    if (w->answered || !w->has_suspension)
        return NULL;
    TRY(find_deadline(w));
    if (!work_due(w))
        return NULL;
    TRY(expire(w));
    return load(w, b);
}

const struct err *work_begin(struct work *w, struct pg *pg, struct arena *a,
                             const struct work_target *target,
                             const struct work_once *once)
{
    const struct begin b = {.take = target->take,
                            .other = target->other,
                            .taken = SQL_INTENT_TAKEN,
                            .lock = SQL_SUSPENSION_TAKE_OF_INTENT,
                            .suspension = SQL_SUSPENSION_NEWEST,
                            .permit = target->answers ? SQL_PERMIT_OF_OPEN
                                                      : WORK_NO_PERMIT,
                            .id = target->intent_id,
                            .graph = target->graph,
                            .who = target->who};
    if (!id_uuid(target->intent_id))
        return ERROR(ERR_NOT_FOUND, "intent.unknown",
                     "There is no intent with this id.");
    start(w, pg, a, once);
    return begin(w, &b);
}

const struct err *work_begin_suspension(struct work *w, struct pg *pg,
                                        struct arena *a, struct str id,
                                        const struct work_once *once)
{
    const struct begin b = {.take = SQL_INTENT_TAKE_OF_SUSPENSION,
                            .taken = SQL_INTENT_TAKEN_OF_SUSPENSION,
                            .lock = SQL_SUSPENSION_TAKE,
                            .suspension = SQL_SUSPENSION_GET,
                            .permit = SQL_PERMIT_OF_SUSPENSION,
                            .id = id};
    const struct err *unknown =
        ERROR(ERR_NOT_FOUND, "suspension.unknown",
              "There is no suspension with this id.");
    if (!id_token(id))
        return unknown;
    start(w, pg, a, once);
    const struct err *e = begin(w, &b);
    return e && e->kind == ERR_NOT_FOUND ? unknown : e;
}

const struct err *work_begin_bare(struct work *w, struct pg *pg,
                                  struct arena *a,
                                  const struct work_once *once)
{
    struct pg_rows *rows[2] = {NULL};
    start(w, pg, a, once);
    pg_queue(pg, SQL_BEGIN, NULL);
    queue_before(w);
    TRY(pg_run(pg, a, rows));
    return take_before(w, rows[1]);
}

/* The locks of a new intent, before any other: the graph's, and its parent.
 * *parent: the statement of the parent. Returns the number of statements. */
static size_t queue_new_locks(struct work *w, bool graph, size_t *parent)
{
    struct pg_args id = pg_args(w->arena);
    pg_queue(w->pg, SQL_BEGIN, NULL);
    if (graph)
        pg_queue(w->pg, SQL_INTENT_GRAPH, NULL);
    *parent = pg_queued(w->pg);
    pg_arg(&id, w->intent.parent_intent_id);
    if (w->intent.parent_intent_id.p)
        pg_queue(w->pg, SQL_INTENT_PARENT, &id);
    return pg_queued(w->pg);
}

const struct err *work_begin_new(struct work *w, struct pg *pg,
                                 struct arena *a, const struct intent *given,
                                 bool graph, const struct work_once *once)
{
    struct pg_rows *rows[6] = {NULL};
    size_t parent;
    start(w, pg, a, once);
    w->intent = *given;
    const size_t next = queue_new_locks(w, graph, &parent);
    pg_queue(pg, SQL_DELIVERY_HOLD, NULL);
    pg_queue(pg, SQL_DELIVERY_TOLD, NULL);
    queue_before(w);
    TRY(pg_run(pg, a, rows));
    TRY(take_before(w, rows[next + 2]));
    w->told = pg_bool(rows[next + 1], 0, 0);
    w->parent_ended = next > parent && pg_count(rows[parent]) > 0 &&
                      pg_bool(rows[parent], 0, 0);
    if (next > parent && pg_count(rows[parent]) > 0)
        w->intent.containers = (int)pg_int(rows[parent], 0, 1);
    w->intent_new = true;
    w->dependencies_done = true;
    w->children_done = true;
    w->intent.id = id_new(a);
    w->intent.version = 1;
    w->intent.created_at = w->now;
    w->intent.updated_at = w->now;
    if (!w->intent.depends_on.p)
        w->intent.depends_on = STR("[]");
    return NULL;
}

const struct err *work_check_parent(const struct work *w)
{
    if (!w->parent_ended)
        return NULL;
    return ERROR(ERR_CONFLICT, "parent.ended",
                 "The parent intent has ended. It can have no new child.");
}

const struct err *work_board(struct work *w, struct event_by by)
{
    if (!w->board) {
        TRY(tasks_board(w->pg, w->arena, &w->intent, &w->board));
        TRY(coordinators_guard(w->pg, w->arena, &w->intent,
                               &w->board->guards));
    }
    w->board->events = &w->events;
    w->board->now = w->now;
    w->board->by = by;
    return NULL;
}

struct decision work_decision(struct work *w)
{
    return (struct decision){.intent = &w->intent,
                             .suspension = &w->suspension,
                             .board = w->board,
                             .permit = w->has_permit ? &w->permit : NULL,
                             .dependencies_done = w->dependencies_done,
                             .deadline = w->deadline,
                             .events = &w->events,
                             .now = w->now};
}

const struct err *work_event(struct work *w, const char *type,
                             struct event_by by, const struct json *payload)
{
    const struct event_draft draft = {
        .type = type, .by = by, .payload = payload};
    return event_append(w->arena, w->intent.id, &draft, w->now,
                        &w->intent.tail, &w->events);
}

void work_touch(struct work *w)
{
    if (!w->intent_new && !w->touched)
        w->intent.version++;
    w->touched = true;
    w->intent.updated_at = w->now;
}

const struct err *work_expire(struct work *w)
{
    if (beside_or_plan(&w->suspension))
        TRY(work_board(w, event_by_clock()));
    struct decision d = work_decision(w);
    TRY(resolve_expire(w->arena, &d));
    if (!beside(&w->suspension))
        work_touch(w);
    w->suspension_decided = true;
    return NULL;
}

static struct moved moved_of(const struct work *w)
{
    return (struct moved){.pg = w->pg,
                          .arena = w->arena,
                          .now = w->now,
                          .told = w->told,
                          .others = w->others};
}

/* The tasks of an intent that goes on. */
static const struct err *follow_unblocked(struct work *w, struct intent *i,
                                          struct event_list *list)
{
    struct board *board = NULL;
    const struct containers_change change = {.pg = w->pg,
                                             .arena = w->arena,
                                             .now = w->now,
                                             .intent = i,
                                             .was = INTENT_BLOCKED,
                                             .events = list,
                                             .board = &board};
    i->status = INTENT_ACTIVE;
    TRY(containers_follow(&change));
    if (board)
        tasks_queue_write(w->pg, board);
    return NULL;
}

static const struct err *unblock(struct work *w, struct moved *moves,
                                 struct intent *i)
{
    const struct moved_change change = {.from = INTENT_BLOCKED,
                                        .to = INTENT_ACTIVE,
                                        .reason = "dependencies_completed"};
    struct event_list list = {.n = 0};
    TRY(moved_event(moves, i, &change, &list));
    TRY(follow_unblocked(w, i, &list));
    moved_write(moves, i, &change, &list);
    return NULL;
}

const struct err *work_unblock(struct work *w)
{
    struct moved moves = moved_of(w);
    struct pg_args args = pg_args(w->arena);
    struct pg_rows *r = NULL;
    pg_arg(&args, w->intent.id);
    for (;;) {
        TRY(pg_query(w->pg, w->arena, SQL_INTENT_UNBLOCKABLE, &args, &r));
        if (pg_count(r) == 0)
            break;
        for (size_t k = 0; k < pg_count(r); k++) {
            struct intent i = {.id = pg_str(r, k, 0),
                               .version = pg_int(r, k, 1),
                               .tail = {.sequence = pg_int(r, k, 2),
                                        .hash = pg_str(r, k, 3)},
                               .containers = (int)pg_int(r, k, 4)};
            TRY(unblock(w, &moves, &i));
        }
        TRY(pg_run(w->pg, w->arena, NULL));
    }
    w->others = moves.others;
    return NULL;
}

static void queue_answer(struct work *w, const struct work_answer *answer)
{
    if (!w->once.key.p)
        return;
    struct pg_args args = pg_args(w->arena);
    pg_arg(&args, w->once.principal);
    pg_arg(&args, w->once.key);
    pg_arg(&args, w->once.request_sha256);
    pg_arg_int(&args, answer->status);
    pg_arg(&args, answer->etag);
    pg_arg(&args, answer->body);
    pg_arg_time(&args, w->now);
    pg_queue(w->pg, SQL_IDEMPOTENCY_INSERT, &args);
}

static void queue_new(struct work *w)
{
    intents_queue_insert(w->pg, w->arena, &w->intent);
    if (!w->depends || w->depends->n == 0)
        return;
    struct pg_args args = pg_args(w->arena);
    pg_arg(&args, w->intent.id);
    pg_arg_texts(&args, w->depends->v, w->depends->n);
    pg_arg_time(&args, w->now);
    pg_queue(w->pg, SQL_INTENT_DEPENDENCIES_INSERT, &args);
}

void work_tell(const struct work *w)
{
    const bool ended = w->suspension_decided;
    wake_changed(w->intent.id, w->intent.version,
                 ended ? w->suspension.id : STR_NONE);
    for (size_t i = 0; w->board && i < w->board->ended_n; i++)
        wake_changed(w->intent.id, w->intent.version, w->board->ended[i]);
    if (w->board && w->board->replaced.p)
        wake_changed(w->intent.id, w->intent.version, w->board->replaced);
    for (const struct moved_other *o = w->others; o; o = o->next)
        wake_changed(o->intent_id, o->version, STR_NONE);
    if (w->deliveries.any || w->others)
        wake_deliver();
}

/* A question that ended without an answer grants nothing. */
static void queue_permit(struct work *w)
{
    const struct suspension *s = &w->suspension;
    const struct kind_rule *rule = kind_rule(s->kind);
    if (w->permit_new)
        permits_queue_insert(w->pg, w->arena, &w->permit, w->permit_key);
    else if (w->has_permit)
        permits_queue_update(w->pg, w->arena, &w->permit);
    else if (w->suspension_decided && rule && rule->permits)
        permits_queue_refuse(w->pg, w->arena, s);
}

/* The notice, and the same question for the supervisors. Where nobody is told
 * of a question there is no channel. */
static void queue_notices(struct work *w)
{
    struct deliveries_notice n = *w->notice;
    deliveries_queue_notice(w->pg, w->arena, &n);
    n.news = CHANNEL_ESCALATED;
    for (size_t i = 0; i < w->supervisors.n; i++) {
        n.notify_to = w->supervisors.v[i];
        deliveries_queue_notice(w->pg, w->arena, &n);
    }
}

static void queue_changes(struct work *w)
{
    const struct deliveries_news news = {
        .intent = &w->intent,
        .decided = w->suspension_decided ? &w->suspension : NULL,
        .permit = w->has_permit ? &w->permit : NULL,
        .revoked = w->revoked,
        .events = &w->events,
        .now = w->now};
    if (w->intent_new)
        queue_new(w);
    else
        intents_queue_update(w->pg, w->arena, &w->intent);
    if (w->suspension_new)
        suspensions_queue_insert(w->pg, w->arena, &w->suspension);
    else if (w->suspension_decided)
        suspensions_queue_decide(w->pg, w->arena, &w->suspension);
    if (w->suspension_new && (w->intent.containers & INTENT_IN_PORTFOLIO))
        portfolios_queue_asked(w->pg, w->arena, w->intent.id);
    queue_permit(w);
    if (w->board)
        tasks_queue_write(w->pg, w->board);
    if (intent_ended(w->intent.status) && !intent_ended(w->was))
        suspensions_queue_end_beside(w->pg, w->arena, &w->intent.id, 1,
                                     w->now);
    events_queue(w->pg, w->arena, w->intent.id, &w->events);
    w->deliveries.from = pg_queued(w->pg);
    if (w->told)
        deliveries_queue(w->pg, w->arena, &news);
    if (w->notice)
        queue_notices(w);
    w->deliveries.to = pg_queued(w->pg);
    w->deliveries.any = w->deliveries.to > w->deliveries.from;
}

/* Most commits have no deliveries; the sender is then not woken. */
static void look_for_deliveries(struct work *w, struct pg_rows *const *rows,
                                size_t *n)
{
    *n = 0;
    for (size_t i = w->deliveries.from; i < w->deliveries.to; i++)
        *n += pg_affected(rows[i]);
    w->deliveries.any = *n > 0;
}

/* The bytes of texts alone, for the limit: without columns of a fixed size or
 * indexes. A delivery counts with the length of its event. */
static size_t stored(const struct work *w, const struct work_answer *answer,
                     size_t deliveries)
{
    const struct suspension *s = &w->suspension;
    size_t events = 0, n = w->intent.state.n + w->intent.constraints.n;
    for (size_t i = 0; i < w->events.n; i++)
        events += w->events.v[i].canonical.n;
    if (w->suspension_new)
        n += s->record.n + s->subject.n + s->context.n + s->choices.n +
             s->form.n + s->question.n + s->explanation.n + s->evidence.n +
             s->artifacts.n;
    for (size_t i = 0; w->board && i < w->board->tasks_n; i++)
        n += w->board->tasks[i].facts.n;
    if (w->once.key.p)
        n += answer->body.n;
    return n + events + events * deliveries;
}

const struct err *work_follow(struct work *w)
{
    struct moved moves = moved_of(w);
    const struct coordinators_change coordinated = {
        .moves = &moves,
        .intent = &w->intent,
        .made = w->intent_new,
        .was = w->was,
        .asked = w->suspension_new && !beside(&w->suspension)
                     ? &w->suspension
                     : NULL,
        .events = &w->events,
        .told = &w->supervisors};
    const struct containers_change change = {
        .pg = w->pg,
        .arena = w->arena,
        .now = w->now,
        .intent = &w->intent,
        .was = w->was,
        .asker = w->suspension_new ? w->suspension.asked_by : w->asker,
        .suspension = w->has_suspension ? &w->suspension : NULL,
        .events = &w->events,
        .board = &w->board,
        .coordinated = &coordinated};
    TRY(containers_follow(&change));
    w->others = moves.others;
    return NULL;
}

const struct err *work_commit(struct work *w, const struct work_answer *answer)
{
    size_t deliveries = 0;
    TRY(work_follow(w));
    queue_changes(w);
    queue_answer(w, answer);
    pg_queue(w->pg, SQL_COMMIT, NULL);
    struct pg_rows **rows =
        arena_many(w->arena, pg_queued(w->pg), struct pg_rows *);
    TRY(pg_run(w->pg, w->arena, rows));
    look_for_deliveries(w, rows, &deliveries);
    w->stored = stored(w, answer, deliveries);
    work_tell(w);
    return NULL;
}

const struct err *work_commit_bare(struct work *w,
                                   const struct work_answer *answer)
{
    queue_answer(w, answer);
    pg_queue(w->pg, SQL_COMMIT, NULL);
    return pg_run(w->pg, w->arena, NULL);
}
