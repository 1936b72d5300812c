/* Reviews of plans: their questions, and the effect of the answers. Pure. */
#include "domain/plan/review.h"

#include "base/id.h"
#include "domain/plan/checkpoint.h"

/* A draft that was active was sent back by people. */
bool review_needed(const struct intent_plans *all, const struct plan *p)
{
    return p->state == PLAN_DRAFT &&
           (all->guards.plan_review ||
            (all->guards.replan_review && p->activated_at != 0));
}

static const struct err *review_waits(void)
{
    return ERROR(ERR_CONFLICT, "plan.awaiting_approval",
                 "The plan waits for an approval.");
}

const struct err *review_may_change(const struct plan *p,
                                    const struct principal *who)
{
    return who->role == ROLE_AGENT && plan_in_review(p) ? review_waits() : NULL;
}

/* ---- the question ----------------------------------------------------- */

static struct json *review_tasks(const struct intent_plans *all,
                                 const struct plan *p)
{
    const struct json *ids = json_read(all->arena, p->tasks);
    struct json *list = json_array(all->arena);
    for (size_t i = 0; i < json_count(ids); i++) {
        const struct task *t =
            intent_plans_task(all, json_text(json_at(ids, i)));
        struct json *o = json_object(all->arena);
        if (!t)
            continue;
        json_set_text(o, "name", t->name);
        json_set_text(o, "status", vocabulary_task_status(t->status)->wire);
        json_set_text_given(o, "assigned_agent", t->assigned_agent);
        json_set_text(o, "task_id", t->id);
        json_add_json(list, o);
    }
    return list;
}

static struct json *review_checkpoints(const struct intent_plans *all,
                                       const struct plan *p)
{
    struct json *list = json_array(all->arena);
    const struct checkpoint *c = NULL;
    while ((c = intent_plans_next(all, p, c))) {
        const struct task *t = intent_plans_task(all, c->after_task);
        struct json *o = json_object(all->arena);
        json_set_text(o, "name", c->name);
        json_set_text_or_null(o, "after_task", t ? t->name : STR_NONE);
        json_set_bool(o, "requires_approval", c->requires_approval);
        json_add_json(list, o);
    }
    return list;
}

static struct suspension review_question(struct intent_plans *all,
                                         const struct plan *p)
{
    const struct guardrails *g = &all->guards;
    struct json *context = json_object(all->arena),
                *choices = json_array(all->arena);
    struct suspension s = {.id = id_new(all->arena),
                           .origin = ORIGIN_PLAN_REVIEW,
                           .title = STR("Review of a plan"),
                           .question = STR("May the plan be carried out?"),
                           .response_type = ANSWER_CHOICE,
                           .fallback_policy = FALLBACK_FAIL};
    json_set_text(context, "plan_id", p->id);
    json_set_bool(context, "was_active", p->activated_at != 0);
    json_set_json(context, "tasks", review_tasks(all, p));
    json_set_json(context, "checkpoints", review_checkpoints(all, p));
    s.context = json_dump(all->arena, context, SUSPENSION_RECORD_MAX);
    s.subject = s.context; /* the answer is for exactly this */
    suspension_add_choice(all->arena, choices, "reject", "Reject the plan",
                          EFFECT_VETO);
    suspension_add_choice(all->arena, choices, "request_changes",
                          "Request changes", EFFECT_REQUEST_CHANGES);
    suspension_add_choice(all->arena, choices, "approve", "Approve the plan",
                          EFFECT_AUTHORIZE);
    suspension_offer(all->arena, &s, choices, SUSPENSION_CHOICES_TEXT);
    if (g->known) {
        s.responder.mode = g->of_group ? RESPONDER_GROUP : RESPONDER_NAMED;
        s.responder.who = g->supervisor;
    }
    return s;
}

const struct err *review_ask(struct intent_plans *all, struct plan *p)
{
    struct json *o = json_object(all->arena);
    struct suspension s = review_question(all, p);
    if (!s.context.p)
        return suspension_too_large();
    p->review_id = s.id;
    p->review_reason = STR_NONE;
    p->state = PLAN_PAUSED;
    p->paused = PLAN_PAUSE_REVIEW;
    plan_mark_changed(p, all->now);
    json_set_text(o, "plan_id", p->id);
    json_set_text(o, "reason", vocabulary_plan_pause(p->paused)->wire);
    json_set_text(o, "suspension_id", s.id);
    return intent_plans_ask(all, p, &s, "plan.paused", o);
}

const struct err *review_changed(struct intent_plans *all, struct plan *p,
                                 const struct principal *who)
{
    if (!all->guards.replan_review || who->role != ROLE_AGENT ||
        p->activated_at == 0 || plan_ended(p->state) || p->state == PLAN_DRAFT)
        return NULL;
    return intent_plans_held(all, p) ? review_waits() : review_ask(all, p);
}

/* ---- the answer -------------------------------------------------------- */

const struct err *review_decided(struct intent_plans *all,
                                 struct suspension *s, struct event_by by)
{
    struct plan *p = NULL;
    struct json *o = json_object(all->arena);
    for (size_t i = 0; i < all->plans_n && !p; i++) {
        if (str_eq(all->plans[i].review_id, s->id))
            p = &all->plans[i];
    }
    if (s->origin == ORIGIN_CHECKPOINT)
        return checkpoint_decided(all, s, by);
    if (!p || !plan_in_review(p))
        return ERROR(ERR_INTERNAL, "internal",
                     "The plan of this review has ended.");
    all->by = by;
    all->decides = true;
    all->side_questions--;
    p->paused = PLAN_PAUSE_NONE;
    p->review_reason = s->reason;
    plan_mark_changed(p, all->now);
    json_set_text(o, "plan_id", p->id);
    json_set_text(o, "suspension_id", s->id);
    if (s->outcome == OUTCOME_AUTHORIZED) {
        json_set_text(o, "approved_by", s->responded_by);
        return checkpoint_activate(all, p, o);
    }
    json_set_json(o, "checkpoint_id", NULL);
    json_set_text(o, "rejected_by", s->responded_by);
    json_set_text(o, "decision", vocabulary_outcome(s->outcome)->wire);
    json_set_text_or_null(o, "reason", s->reason);
    TRY(intent_plans_event(all, "plan.checkpoint_rejected", o));
    if (s->outcome == OUTCOME_VETOED)
        return intent_plans_end(
            all, p,
            &(struct plan_end){.state = PLAN_FAILED,
                               .why = STR("plan_rejected")});
    p->state = PLAN_DRAFT;
    return NULL;
}
