/* Checkpoints of plans: their questions, and the effect of the answers.
 * Pure. */
#include "domain/plan/checkpoint.h"

#include "base/id.h"
#include "domain/kind/label.h"
#include "domain/question/meant.h"

#define ADMINS "admins" /* notified of silence where there is no supervisor */

/* ---- the question ----------------------------------------------------- */

/* The effect of silence. */
static void checkpoint_put_silence(const struct intent_plans *all,
                                   struct suspension *s,
                                   const struct checkpoint *c)
{
    const int64_t seconds = c->timeout_hours.p
                                ? plan_checkpoint_seconds(all->arena, c)
                                : all->guards.checkpoint_seconds;
    const struct str supervisor = all->guards.supervisor;
    struct json *o = json_object(all->arena), *ladder = json_array(all->arena),
                *step = json_object(all->arena);
    s->fallback_policy = FALLBACK_FAIL;
    if (seconds == 0)
        return;
    if (c->on_timeout == CHECKPOINT_TIMEOUT_FAIL) {
        s->timeout_seconds = seconds;
        return;
    }
    if (c->on_timeout == CHECKPOINT_TIMEOUT_APPROVE && c->silence_approves &&
        s->severity <= c->severity) {
        s->timeout_seconds = seconds;
        s->fallback_policy = FALLBACK_COMPLETE;
        s->fallback_value = STR("\"approve\"");
        return;
    }
    /* An escalation: a second attempt notifies others, and the question stays
     * open. */
    json_set_int(step, "attempt", 2);
    json_set_text(step, "notify_to", supervisor.p ? supervisor : STR(ADMINS));
    json_add_json(ladder, step);
    json_set_int(o, "max_attempts", 2);
    json_set_int(o, "interval_seconds", seconds);
    json_set_json(o, "escalation_ladder", ladder);
    s->retry_policy = json_dump(all->arena, o, SUSPENSION_RECORD_MAX);
    s->open_end = true;
}

static void checkpoint_put_responder(struct suspension *s,
                                     const struct json *approvers,
                                     const struct checkpoint *c)
{
    if (json_count(approvers) != 1)
        return; /* any operator sees it; checkpoint_may knows the names */
    s->responder.mode = c->of_group ? RESPONDER_GROUP : RESPONDER_NAMED;
    s->responder.who = json_text(json_at(approvers, 0));
}

enum checkpoint_reject checkpoint_rejects(struct arena *a,
                                          const struct suspension *s)
{
    return vocabulary_checkpoint_reject_of(
        json_get_text(json_read(a, s->context), "on_reject"));
}

/* ---- reaching one ------------------------------------------------------ */

const struct err *checkpoint_pause(struct intent_plans *all, struct plan *p,
                                   enum plan_pause why,
                                   struct str checkpoint_id)
{
    struct json *o = json_object(all->arena);
    p->state = PLAN_PAUSED;
    p->paused = why;
    plan_mark_changed(p, all->now);
    json_set_text(o, "plan_id", p->id);
    json_set_text_or_null(o, "reason", vocabulary_plan_pause(why)->wire);
    json_set_text_given(o, "checkpoint_id", checkpoint_id);
    return intent_plans_event(all, "plan.paused", o);
}

#define REACHED "plan.checkpoint_reached"

static struct json *checkpoint_payload(const struct intent_plans *all,
                                       const struct checkpoint *c,
                                       struct str suspension_id)
{
    struct json *o = json_object(all->arena);
    json_set_text(o, "plan_id", c->plan_id);
    json_set_text(o, "checkpoint_id", c->id);
    json_set_bool(o, "requires_approval", c->requires_approval);
    json_set_text_given(o, "suspension_id", suspension_id);
    return o;
}

static const struct err *checkpoint_ask(struct intent_plans *all,
                                        struct plan *p, struct checkpoint *c)
{
    struct arena *a = all->arena;
    const struct json *approvers = json_read(a, c->approvers);
    const struct task *t = intent_plans_task(all, c->after_task);
    struct json *context = json_object(a), *choices = json_array(a);
    struct suspension s = {.id = id_new(a), .origin = ORIGIN_CHECKPOINT};
    json_set_text(context, "plan_id", p->id);
    json_set_text(context, "checkpoint_id", c->id);
    json_set_text(context, "after_task", c->after_task);
    json_set_text_or_null(context, "task", t ? t->name : STR_NONE);
    if (t && t->facts.p)
        json_set_json(context, "output",
                      json_get(json_read(a, t->facts), "output"));
    json_set_json(context, "approvers", approvers);
    json_set_text(context, "on_reject",
                  vocabulary_checkpoint_reject(c->on_reject)->wire);
    suspension_add_choice(a, choices, "reject", "Reject", EFFECT_VETO);
    suspension_add_choice(a, choices, "approve", "Approve", EFFECT_AUTHORIZE);
    s.title = c->name;
    s.question = STR("Approve this checkpoint?");
    s.response_type = ANSWER_CHOICE;
    s.severity = s.severity_said = c->severity;
    s.context = json_dump(a, context, SUSPENSION_RECORD_MAX);
    s.subject = s.context; /* the answer is for exactly this */
    suspension_offer(a, &s, choices, SUSPENSION_CHOICES_TEXT);
    checkpoint_put_responder(&s, approvers, c);
    intent_plans_terms(all, p, &s);
    checkpoint_put_silence(all, &s, c);
    c->suspension_id = s.id;
    c->own = false;
    return intent_plans_ask(all, p, &s, REACHED,
                            checkpoint_payload(all, c, s.id));
}

static bool checkpoint_finished(const struct intent_plans *all,
                                const struct plan *p)
{
    size_t n = 0;
    for (size_t i = 0; i < all->tasks_n; i++) {
        const struct task *t = &all->tasks[i];
        if (!str_eq(t->plan_id, p->id))
            continue;
        n++;
        if (!task_ended(t->status) ||
            (t->status == TASK_FAILED && !task_lost(t)))
            return false;
    }
    return n > 0 && !intent_plans_unapproved(all, p);
}

/* The first checkpoint in the plan's order whose task is done, and which has
 * not been reached yet. */
static struct checkpoint *
checkpoint_next_reached(const struct intent_plans *all, const struct plan *p)
{
    struct checkpoint *c = NULL, *found = NULL;
    while ((c = intent_plans_next(all, p, c))) {
        const struct task *t = intent_plans_task(all, c->after_task);
        if (c->status == CHECKPOINT_PENDING && t && !task_open(t->status) &&
            (!found || c->place < found->place))
            found = c;
    }
    return found;
}

const struct err *checkpoint_settle(struct intent_plans *all, struct plan *p)
{
    struct checkpoint *c;
    while (p->state == PLAN_ACTIVE && !all->has_asked &&
           (c = checkpoint_next_reached(all, p))) {
        c->status = CHECKPOINT_REACHED;
        c->changed = true;
        plan_mark_changed(p, all->now);
        if (c->requires_approval) {
            TRY(checkpoint_ask(all, p, c));
            TRY(checkpoint_pause(all, p, PLAN_PAUSE_CHECKPOINT, c->id));
        } else {
            TRY(intent_plans_event(all, REACHED,
                                   checkpoint_payload(all, c, STR_NONE)));
        }
    }
    if (p->state == PLAN_ACTIVE && checkpoint_finished(all, p))
        return intent_plans_end(all, p,
                                &(struct plan_end){.state = PLAN_COMPLETED});
    return NULL;
}

const struct err *checkpoint_activate(struct intent_plans *all, struct plan *p,
                                      struct json *payload)
{
    const bool first = p->state == PLAN_DRAFT || p->activated_at == 0;
    p->state = PLAN_ACTIVE;
    p->paused = PLAN_PAUSE_NONE;
    if (first)
        p->activated_at = all->now;
    plan_mark_changed(p, all->now);
    json_set_text(payload, "plan_id", p->id);
    TRY(intent_plans_event(all, first ? "plan.activated" : "plan.resumed",
                           payload));
    return checkpoint_settle(all, p);
}

/* ---- an agent's own question -------------------------------------------- */

/* The checkpoint that waits for the answer which an agent asks for itself;
 * NULL: its context names none. */
static const struct err *checkpoint_find(const struct intent_plans *all,
                                         const struct json *context,
                                         struct checkpoint **out)
{
    const struct str plan_id = json_get_text(context, "plan_id");
    const struct str id = json_get_text(context, "checkpoint_id");
    *out = NULL;
    for (size_t i = 0; i < all->checkpoints_n; i++) {
        struct checkpoint *c = &all->checkpoints[i];
        const struct plan *p = intent_plans_plan(all, c->plan_id);
        if (c->dropped || c->status != CHECKPOINT_REACHED ||
            !c->suspension_id.p || !str_eq(c->id, id) || !p ||
            plan_ended(p->state) ||
            (plan_id.p && !str_eq(id_lower(all->arena, plan_id), p->id)))
            continue;
        if (*out)
            return err_at(all->arena, ERR_INVALID, "checkpoint.ambiguous",
                          STR("context.checkpoint_id"),
                          "Several plans wait at a checkpoint with this id. "
                          "Name one with plan_id.");
        *out = c;
    }
    return NULL;
}

/* Can an answer decide the checkpoint? A question of the native API has to; one
 * of OpenIntent that cannot is left as it is. OpenIntent's choices have no
 * effects: a value that is an answer by itself is a yes or a no. */
static const struct err *
checkpoint_check_choices(struct arena *a, struct suspension *s, bool *decides)
{
    struct json *choices = json_copy(a, suspension_choices(a, s));
    const bool native = s->strict || s->kind != KIND_NONE;
    bool yes = false, no = false;
    for (size_t i = 0; i < json_count(choices); i++) {
        struct json *c = json_at(choices, i);
        const struct str value = json_get_text(c, "value");
        const struct label_word *w = native ? NULL : label_word(a, value);
        enum effect e = native ? effect_of_choice(c) : EFFECT_NONE;
        if (!native && (str_is(value, "approve") || str_is(value, "yes")))
            e = EFFECT_AUTHORIZE;
        else if (w && w->says == EFFECT_NO && w->effect != EFFECT_NONE)
            e = EFFECT_VETO;
        if (!native)
            json_set_text(c, "effect", vocabulary_effect(e)->wire);
        yes = yes || e == EFFECT_AUTHORIZE;
        no = no || e == EFFECT_VETO;
    }
    *decides = yes && no;
    if (!*decides && native)
        return err_at(a, ERR_INVALID, "checkpoint.choices", STR("choices"),
                      "The question decides a checkpoint of a plan. It needs a "
                      "choice with the effect authorize, and one with veto.");
    if (!*decides || native)
        return NULL;
    TRY(meant_check(a, s, choices));
    TRY(label_check(a, choices));
    suspension_offer(a, s, choices, SUSPENSION_CHOICES_TEXT);
    return NULL;
}

const struct err *checkpoint_take(struct intent_plans *all,
                                  struct suspension *s)
{
    const struct json *context = json_read(all->arena, s->context);
    struct checkpoint *c = NULL;
    bool decides = false;
    TRY(checkpoint_find(all, context, &c));
    if (c)
        TRY(checkpoint_check_choices(all->arena, s, &decides));
    if (!decides)
        return NULL;
    TRY(intent_plans_withdraw(all, c->suspension_id, ORIGIN_CHECKPOINT,
                              STR(INTENT_PLANS_REPLACED)));
    all->replaced = c->suspension_id;
    c->suspension_id = s->id;
    c->own = c->changed = true;
    plan_mark_changed(intent_plans_plan(all, c->plan_id), all->now);
    s->origin = ORIGIN_OWN_CHECKPOINT;
    s->responder.mode = RESPONDER_OPERATORS;
    s->responder.who = STR_NONE;
    checkpoint_put_responder(s, json_read(all->arena, c->approvers), c);
    if (s->severity_said < c->severity)
        s->severity = s->severity_said = c->severity;
    return intent_plans_event(all, REACHED, checkpoint_payload(all, c, s->id));
}

/* ---- the answer -------------------------------------------------------- */

const struct err *checkpoint_may(const struct intent_plans *all,
                                 const struct suspension *s,
                                 const struct principal *who)
{
    const struct checkpoint *c = all ? intent_plans_asked(all, s->id) : NULL;
    const struct json *names = c ? json_read(all->arena, c->approvers) : NULL;
    if (json_count(names) < 2)
        return NULL;
    for (size_t i = 0; i < json_count(names); i++) {
        const struct str name = json_text(json_at(names, i));
        if (str_eq(name, who->name) || principal_in_group(who, name))
            return NULL;
    }
    return ERROR(ERR_FORBIDDEN, responder_not_yours,
                 "You cannot answer this request. Only its approvers can.");
}

/* A plan ends with the rejection, unless the task has an attempt left: then the
 * tasks that became ready with it wait for it again. */
static const struct err *checkpoint_refuse(struct intent_plans *all,
                                           struct plan *p,
                                           struct checkpoint *c)
{
    struct json *o = json_object(all->arena);
    struct task *t = intent_plans_task(all, c->after_task);
    if (c->on_reject != CHECKPOINT_REJECT_RETRY || !t ||
        t->status != TASK_COMPLETED || t->attempt >= t->max_attempts)
        return intent_plans_end(
            all, p,
            &(struct plan_end){.state = PLAN_FAILED,
                               .why = STR("checkpoint_rejected")});
    c->status = CHECKPOINT_PENDING;
    c->suspension_id = STR_NONE;
    t->status = TASK_READY;
    t->attempt++;
    t->completed_at = 0;
    task_mark_changed(t);
    for (size_t i = 0; i < all->tasks_n; i++) {
        if (all->tasks[i].status != TASK_READY || &all->tasks[i] == t ||
            !intent_plans_waits(all, &all->tasks[i]))
            continue;
        all->tasks[i].status = TASK_PENDING;
        task_mark_changed(&all->tasks[i]);
    }
    json_set_text(o, "task_id", t->id);
    json_set_int(o, "attempt", t->attempt);
    TRY(intent_plans_event(all, "task.retrying", o));
    return checkpoint_activate(all, p, json_object(all->arena));
}

const struct err *checkpoint_decided(struct intent_plans *all,
                                     struct suspension *s, struct event_by by)
{
    struct checkpoint *c = intent_plans_asked(all, s->id);
    struct plan *p = c ? intent_plans_plan(all, c->plan_id) : NULL;
    const bool own = s->origin == ORIGIN_OWN_CHECKPOINT;
    const bool yes = s->outcome == OUTCOME_AUTHORIZED ||
                     (s->outcome == OUTCOME_FALLBACK && !own);
    if (own && (!p || plan_ended(p->state)))
        return NULL; /* the plan ended while the agent asked */
    if (!p || plan_ended(p->state))
        return ERROR(ERR_INTERNAL, "internal",
                     "The plan of this checkpoint has ended.");
    struct json *o = json_object(all->arena);
    all->by = by;
    all->decides = true;
    all->side_questions--;
    if (own && !yes && s->outcome != OUTCOME_VETOED) {
        c->changed = true;
        plan_mark_changed(p, all->now);
        return checkpoint_ask(all, p, c);
    }
    c->status = yes ? CHECKPOINT_APPROVED : CHECKPOINT_REJECTED;
    c->decided_by = s->responded_by;
    c->decided_at = all->now;
    c->changed = true;
    if (s->state == SUSPENSION_EXPIRED) /* none of an agent's own */
        s->audit_summary = yes ? STR("Nobody answered in time. The checkpoint "
                                     "was approved, as its plan states.")
                               : STR("Nobody answered in time. The checkpoint "
                                     "was rejected.");
    json_set_text(o, "plan_id", c->plan_id);
    json_set_text(o, "checkpoint_id", c->id);
    json_set_text(o, yes ? "approved_by" : "rejected_by", s->responded_by);
    json_set_text(o, "suspension_id", s->id);
    if (!yes)
        json_set_text_or_null(o, "reason", s->reason);
    TRY(intent_plans_event(
        all, yes ? "plan.checkpoint_approved" : "plan.checkpoint_rejected",
        o));
    return yes ? checkpoint_activate(all, p, json_object(all->arena))
               : checkpoint_refuse(all, p, c);
}
