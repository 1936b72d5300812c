/* A unit of work: what it changes and how it commits. The beginning is in
 * work_begin.c. Decides nothing. */
#include "work/work.h"

#include "base/shared/decisions.h"
#include "domain/answer/retry_silence.h"
#include "domain/question/side_question.h"
#include "domain/question/risk.h"
#include "store/intent/events.h"
#include "store/intent/intents.h"
#include "store/permit/permits.h"
#include "store/plan/portfolios.h"
#include "store/plan/tasks.h"
#include "store/question/artifacts.h"
#include "store/question/suspensions.h"
#include "store/sql.gen.h"
#include "work/follow.h"
#include "world/wake.h"

const struct err *work_check_parent(const struct work *w)
{
    if (!w->parent_ended)
        return NULL;
    return ERROR(ERR_CONFLICT, "parent.ended",
                 "The parent intent has ended. It cannot have a new child.");
}

const struct err *work_plans(struct work *w, struct event_by by,
                             const struct terms *terms)
{
    if (!w->plans) {
        TRY(tasks_with_plans(w->pg, w->arena, &w->intent, &w->plans));
        TRY(coordinators_guard(w->pg, w->arena, &w->intent,
                               &w->plans->guards));
    }
    w->plans->events = &w->events;
    w->plans->now = w->now;
    w->plans->by = by;
    if (terms)
        w->plans->terms = *terms;
    return NULL;
}

struct terms work_terms(const struct work *w, enum kind kind)
{
    struct terms t = risk_terms(w->conf, kind);
    principal_terms_add(&t, &w->terms);
    return t;
}

const struct err *work_plans_by_caller(struct work *w)
{
    const struct terms terms = work_terms(w, KIND_NONE);
    return work_plans(w, event_by(w->who), &terms);
}

struct decision work_decision(struct work *w)
{
    return (struct decision){.intent = &w->intent,
                             .suspension = &w->suspension,
                             .plans = w->plans,
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

const struct err *work_event_optional(struct work *w, const char *type,
                                      struct event_by by,
                                      const struct json *payload)
{
    const struct event_draft draft = {
        .type = type, .by = by, .payload = payload, .optional = true};
    return event_append(w->arena, w->intent.id, &draft, w->now,
                        &w->intent.tail, &w->events);
}

bool work_due(const struct work *w)
{
    return suspension_due(&w->suspension, w->now) ||
           (w->suspension.state == SUSPENSION_PENDING &&
            w->deadline.portfolio_id.p);
}

void work_touch(struct work *w)
{
    if (!w->intent_new && !w->touched)
        w->intent.version++;
    w->touched = true;
    w->intent.updated_at = w->now;
}

const struct err *work_expire(struct work *w, const struct terms *terms)
{
    if (side_question_or_plan(&w->suspension))
        TRY(work_plans(w, event_by_clock(), terms));
    struct decision d = work_decision(w);
    d.silence_lost = retry_silence_lost(w->arena, &w->suspension);
    TRY(resolve_expire(w->arena, &d));
    if (!side_question(&w->suspension))
        work_touch(w);
    w->suspension_decided = true;
    return NULL;
}

static struct status_changes work_changes(const struct work *w)
{
    return (struct status_changes){.pg = w->pg,
                                   .arena = w->arena,
                                   .now = w->now,
                                   .has_listeners = w->has_listeners,
                                   .changed_intents = w->changed_intents};
}

static const struct err *work_unblock_one(struct status_changes *changes,
                                          struct intent *i)
{
    const struct status_change change = {.from = INTENT_BLOCKED,
                                         .to = INTENT_ACTIVE,
                                         .reason = "dependencies_completed"};
    struct event_list list = {.n = 0};
    struct intent_plans *plans = NULL;
    const struct follow follow = {.changes = changes,
                                  .intent = i,
                                  .status_before = change.from,
                                  .events = &list,
                                  .plans = &plans};
    TRY(status_change_event(changes, i, &change, &list));
    i->status = change.to;
    TRY(follow_change(&follow));
    if (plans)
        tasks_queue_write(changes->pg, plans);
    status_change_write(changes, i, &change, &list);
    return NULL;
}

const struct err *work_unblock(struct work *w)
{
    struct status_changes changes = work_changes(w);
    struct pg_rows *r = NULL;
    for (;;) {
        TRY(pg_query(w->pg, w->arena, SQL_INTENT_UNBLOCKABLE,
                     PG(pg_text(w->intent.id)), &r));
        if (pg_count(r) == 0)
            break;
        for (size_t k = 0; k < pg_count(r); k++) {
            struct intent i = {.id = pg_str(r, k, 0),
                               .version = pg_int(r, k, 1),
                               .tail = {.sequence = pg_int(r, k, 2),
                                        .hash = pg_str(r, k, 3),
                                        .test = pg_bool(r, k, 5)},
                               .containers = (int)pg_int(r, k, 4)};
            TRY(work_unblock_one(&changes, &i));
        }
        TRY(pg_run(w->pg, w->arena, NULL));
    }
    w->changed_intents = changes.changed_intents;
    return NULL;
}

static void work_queue_answer(struct work *w, const struct work_answer *answer)
{
    if (!w->once.key.p)
        return;
    pg_queue(w->pg, w->arena, SQL_IDEMPOTENCY_INSERT,
             PG(pg_text(w->once.principal), pg_text(w->once.key),
                pg_text(w->once.request_sha256), pg_number(answer->status),
                pg_text(answer->etag), pg_text(answer->body),
                pg_moment(w->now)));
}

void work_tell(const struct work *w)
{
    const bool ended = w->suspension_decided;
    const struct suspension *s = &w->suspension;
    if (ended && !w->intent.tail.test)
        decisions_count(s->kind, suspension_ending(s),
                        s->state == SUSPENSION_RESOLVED &&
                            s->responded_via != VIA_CLOCK,
                        s->responded_at - s->suspended_at);
    wake_changed(w->intent.id, w->intent.version,
                 ended ? w->suspension.id : STR_NONE);
    for (size_t i = 0; w->plans && i < w->plans->ended_n; i++)
        wake_changed(w->intent.id, w->intent.version, w->plans->ended[i]);
    if (w->plans && w->plans->replaced.p)
        wake_changed(w->intent.id, w->intent.version, w->plans->replaced);
    for (const struct status_change_other *o = w->changed_intents; o;
         o = o->next)
        wake_changed(o->intent_id, o->version, STR_NONE);
    if (w->deliveries.any || w->changed_intents)
        wake_deliver();
}

/* A question that ended without an answer grants nothing. One that grants what
 * was asked needs no word here: its decision says so (permit_row). */
static void work_queue_permit(struct work *w)
{
    const struct suspension *s = &w->suspension;
    const struct kind_rule *rule = kind_rule(s->kind);
    if (w->permit_new)
        permits_queue_insert(w->pg, w->arena, &w->permit, w->permit_key);
    else if (w->has_permit && permit_as_asked(&w->permit, s))
        return;
    else if (w->has_permit)
        permits_queue_update(w->pg, w->arena, &w->permit);
    else if (w->suspension_decided && !w->permit_none && rule && rule->permits)
        permits_queue_refuse(w->pg, w->arena, s);
}

void work_queue_events(struct work *w)
{
    const struct deliveries_news news = {
        .intent = &w->intent,
        .decided = w->suspension_decided ? &w->suspension : NULL,
        .permit = w->has_permit ? &w->permit : NULL,
        .revoked = w->revoked,
        .events = &w->events,
        .now = w->now};
    events_queue(w->pg, w->arena, w->intent.id, &w->events);
    w->deliveries.from = pg_queued(w->pg);
    if (w->has_listeners)
        deliveries_queue(w->pg, w->arena, &news);
    w->deliveries.to = pg_queued(w->pg);
}

void work_queue(struct work *w)
{
    if (w->intent_new)
        intents_queue_insert(w->pg, w->arena, &w->intent);
    else
        intents_queue_update(w->pg, w->arena, &w->intent);
    if (w->intent_new && w->depends && w->depends->n > 0)
        pg_queue(w->pg, w->arena, SQL_INTENT_DEPENDENCIES_INSERT,
                 PG(pg_text(w->intent.id),
                    pg_texts(w->depends->v, w->depends->n),
                    pg_moment(w->now)));
    if (w->suspension_new)
        suspensions_queue_insert(w->pg, w->arena, &w->suspension);
    else if (w->suspension_decided)
        suspensions_queue_decide(w->pg, w->arena, &w->suspension);
    if (w->suspension_new)
        artifacts_queue_use(w->pg, w->arena, w->suspension.id, &w->artifacts);
    if (w->suspension_new && (w->intent.containers & INTENT_IN_PORTFOLIO))
        portfolios_queue_asked(w->pg, w->arena, w->intent.id);
    work_queue_permit(w);
    if (w->plans)
        tasks_queue_write(w->pg, w->plans);
    if (intent_ended(w->intent.status) && !intent_ended(w->status_before))
        suspensions_queue_end_beside(w->pg, w->arena, &w->intent.id, 1,
                                     w->now);
    work_queue_events(w);
    /* The notice, and the same question for the supervisors. Where nobody is
     * notified of a question there is no channel. */
    if (w->notice) {
        struct deliveries_notice n = *w->notice;
        deliveries_queue_notice(w->pg, w->arena, &n);
        n.news = CHANNEL_ESCALATED;
        for (size_t i = 0; i < w->supervisors.n; i++) {
            n.notify_to = w->supervisors.v[i];
            deliveries_queue_notice(w->pg, w->arena, &n);
        }
    }
    w->deliveries.to = pg_queued(w->pg);
    w->deliveries.any = w->deliveries.to > w->deliveries.from;
}

const struct err *work_follow(struct work *w)
{
    struct status_changes changes = work_changes(w);
    const struct follow change = {
        .changes = &changes,
        .intent = &w->intent,
        .made = w->intent_new,
        .status_before = w->status_before,
        .asker = w->suspension_new ? w->suspension.asked_by : w->asker,
        .suspension = w->has_suspension ? &w->suspension : NULL,
        .asked = w->suspension_new && !side_question(&w->suspension)
                     ? &w->suspension
                     : NULL,
        .events = &w->events,
        .plans = &w->plans,
        .supervisors = &w->supervisors};
    TRY(follow_change(&change));
    w->changed_intents = changes.changed_intents;
    return NULL;
}

const struct err *work_commit(struct work *w, const struct work_answer *answer)
{
    size_t deliveries = 0, events = 0;
    TRY(work_follow(w));
    work_queue(w);
    work_queue_answer(w, answer);
    pg_queue(w->pg, NULL, SQL_COMMIT, NULL);
    struct pg_rows **rows =
        arena_many(w->arena, pg_queued(w->pg), struct pg_rows *);
    TRY(pg_run(w->pg, w->arena, rows));
    for (size_t i = w->deliveries.from; i < w->deliveries.to; i++)
        deliveries += pg_affected(rows[i]);
    /* Most commits have no deliveries; the sender is then not woken. The
     * database copies the events into those that it makes. */
    w->deliveries.any = deliveries > 0;
    for (size_t i = 0; i < w->events.n; i++)
        events += w->events.v[i].canonical.n;
    pg_store(w->pg, events * deliveries);
    work_tell(w);
    return NULL;
}

const struct err *work_commit_bare(struct work *w,
                                   const struct work_answer *answer)
{
    work_queue_answer(w, answer);
    pg_queue(w->pg, NULL, SQL_COMMIT, NULL);
    return pg_run(w->pg, w->arena, NULL);
}
