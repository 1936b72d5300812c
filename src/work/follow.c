/* A change of an intent's status reaches its containers: its tasks and plans,
 * its portfolios, the coordinators that answer for it. */
#include "work/follow.h"

#include "base/clock_text.h"
#include "store/plan/portfolios.h"
#include "store/plan/tasks.h"
#include "store/sql.gen.h"

#define FOLLOW_PAGE 50 /* dependents of one batch */

/* ---- portfolios: an event for each, and the end of those that it completes -
 * */

/* A full log must not keep a question from its end, nor the supervisors from
 * hearing of it. */
static const struct err *follow_tell(const struct follow *c, const char *type,
                                     const struct json *payload)
{
    const struct event_draft draft = {.type = type,
                                      .by = event_by_server(),
                                      .payload = payload,
                                      .optional = true};
    return event_append(c->changes->arena, c->intent->id, &draft,
                        c->changes->now, &c->intent->tail, c->events);
}

/* A member was suspended, or resumed: an operator may resume an intent that
 * has no question. */
static const struct err *follow_member(const struct follow *c,
                                       struct str portfolio_id, bool resumed)
{
    const struct suspension *s = c->suspension;
    const bool open = s && s->state == SUSPENSION_PENDING;
    const bool ended = s && !open && s->responded_at == c->changes->now;
    struct json *p = json_object(c->changes->arena);
    json_set_text(p, "portfolio_id", portfolio_id);
    json_set_text(p, "intent_id", c->intent->id);
    json_set_text_or_null(p, "suspension_id",
                          (resumed ? ended : open) ? s->id : STR_NONE);
    if (!resumed) {
        json_set_text(p, "suspended_since",
                      clock_naive(c->changes->arena, c->changes->now));
        json_set_text_or_null(
            p, "expires_at",
            open ? clock_naive(c->changes->arena, s->expires_at) : STR_NONE);
        return follow_tell(c, "portfolio.member_suspended", p);
    }
    json_set_text(p, "resolution",
                  !ended                            ? STR("cancelled")
                  : s->state == SUSPENSION_RESOLVED ? STR("responded")
                  : s->state == SUSPENSION_EXPIRED  ? STR("fallback")
                                                    : STR("cancelled"));
    json_set_text(p, "status",
                  vocabulary_intent_status(c->intent->status)->wire);
    return follow_tell(c, "portfolio.member_resumed", p);
}

static const struct err *follow_portfolios(const struct follow *c)
{
    struct pg *pg = c->changes->pg;
    struct arena *a = c->changes->arena;
    const enum intent_status to = c->intent->status;
    const bool back =
        c->status_before == INTENT_SUSPENDED && !intent_ended(to);
    struct str ids[PORTFOLIOS_OF_INTENT_MAX];
    struct pg_rows *rows = NULL;
    size_t n = 0;
    if (!(c->intent->containers & INTENT_IN_PORTFOLIO) ||
        (to != INTENT_SUSPENDED && to != INTENT_COMPLETED && !back))
        return NULL;
    TRY(pg_query(pg, a, SQL_PORTFOLIO_ACTIVE, PG(pg_text(c->intent->id)),
                 &rows));
    for (size_t i = 0; i < pg_count(rows); i++) {
        const struct str id = pg_str(rows, i, 0);
        if (to == INTENT_SUSPENDED || back)
            TRY(follow_member(c, id, back));
        if (to == INTENT_COMPLETED && pg_int(rows, i, 1) > 0)
            ids[n++] = id;
    }
    if (n == 0)
        return NULL;
    /* The count is a statement after the lock: another member may have
     * completed during the wait for it. */
    pg_queue(pg, a, SQL_PORTFOLIO_TAKE_MANY, PG(pg_texts(ids, n)));
    pg_queue(pg, a, SQL_PORTFOLIO_COMPLETE,
             PG(pg_texts(ids, n), pg_text(c->intent->id),
                pg_text(event_by_server().name), pg_moment(c->changes->now)));
    pg_queue(pg, a, SQL_COORDINATOR_END_OF_PORTFOLIOS,
             PG(pg_texts(ids, n), pg_moment(c->changes->now)));
    return pg_run(pg, a, NULL);
}

/* ---- coordinators: its own ends, and those above hear of a question ------
 */

/* Drafts that take an input from the intent are blocked. They could not become
 * active before it is completed in any case. */
static const struct err *follow_block(const struct follow *c)
{
    const struct status_change change = {.from = INTENT_DRAFT,
                                         .to = INTENT_BLOCKED,
                                         .reason = "upstream_suspended"};
    struct status_changes *m = c->changes;
    struct str after = STR("00000000-0000-0000-0000-000000000000");
    for (;;) {
        struct pg_rows *r = NULL;
        TRY(pg_query(
            m->pg, m->arena, SQL_COORDINATOR_DEPENDENTS,
            PG(pg_text(c->intent->id), pg_text(after), pg_number(FOLLOW_PAGE)),
            &r));
        for (size_t k = 0; k < pg_count(r); k++) {
            struct intent i = {.id = pg_str(r, k, 0),
                               .version = pg_int(r, k, 1),
                               .tail = {.sequence = pg_int(r, k, 2),
                                        .hash = pg_str(r, k, 3),
                                        .test = pg_bool(r, k, 6)}};
            if (coordinator_takes_input(m->arena, pg_str(r, k, 4),
                                        pg_str(r, k, 5), c->intent->title))
                TRY(status_change_queue(m, &i, &change));
        }
        TRY(pg_queued(m->pg) > 0 ? pg_run(m->pg, m->arena, NULL) : NULL);
        if (pg_count(r) < FOLLOW_PAGE)
            return NULL;
        after = pg_str(r, pg_count(r) - 1, 0);
    }
}

/* Nothing depends on an intent that is being made, and the coordinators of its
 * parent answer for it. */
static const struct err *follow_question(const struct follow *c)
{
    struct coordinator_rows over;
    bool block = false;
    TRY(coordinators_over(c->changes->pg, c->changes->arena,
                          c->made ? c->intent->parent_intent_id
                                  : c->intent->id,
                          c->made ? STR_NONE : c->intent->id, &over));
    for (size_t i = 0; i < over.n; i++) {
        const struct coordinator *by = &over.v[i];
        block = block || by->policy == COORDINATOR_BLOCK_DEPENDENTS;
        if (!c->asked || by->policy != COORDINATOR_ESCALATE)
            continue;
        TRY(follow_tell(c, "coordinator.stalled",
                        coordinator_stalled(c->changes->arena, by,
                                            c->intent->id, c->asked->id)));
        c->supervisors->v[c->supervisors->n++] = by->supervisor_id;
    }
    block = block && !c->made && c->status_before != INTENT_SUSPENDED;
    return block ? follow_block(c) : NULL;
}

const struct err *follow_change(const struct follow *c)
{
    struct pg *pg = c->changes->pg;
    struct arena *a = c->changes->arena;
    const int in = c->intent->containers;
    const bool changed = c->status_before != c->intent->status;
    if (in == 0 || (!changed && !(c->supervisors && c->asked)))
        return NULL;
    if (pg_queued(pg) > 0) /* statements of the caller */
        TRY(pg_run(pg, a, NULL));
    if (changed && (in & INTENT_HAS_TASKS)) {
        /* The caller writes the plans. */
        const struct intent_plans_change change = {.was = c->status_before,
                                                   .asker = c->asker,
                                                   .suspension =
                                                       c->suspension};
        if (!*c->plans)
            TRY(tasks_with_plans(pg, a, c->intent, c->plans));
        (*c->plans)->events = c->events;
        (*c->plans)->now = c->changes->now;
        TRY(intent_plans_follow(*c->plans, &change));
    }
    if (changed)
        TRY(follow_portfolios(c));
    if (!c->supervisors || !(in & (INTENT_COORDINATED | INTENT_IN_PORTFOLIO)))
        return NULL;
    if (changed && intent_ended(c->intent->status))
        pg_queue(pg, a, SQL_COORDINATOR_END,
                 PG(pg_text(c->intent->id), pg_moment(c->changes->now)));
    return c->intent->status == INTENT_SUSPENDED ? follow_question(c) : NULL;
}
