/* Plans of OpenIntent and their checkpoints (RFC-0012): making, reading and
 * changing them, and answering for a checkpoint with a key. */
#include "base/id.h"
#include "base/json/fields.h"
#include "domain/plan/plan_change.h"
#include "domain/question/meant.h"
#include "doors/asking/respond.h"
#include "doors/openintent/openintent.h"
#include "store/person/people.h"
#include "store/plan/plans.h"
#include "store/plan/tasks.h"
#include "work/ask.h"
#include "work/policy.h"

static const struct call_made plan_made = {"/api/v1/plans/", "id"};

/* ---- reading ---------------------------------------------------------- */

/* Its end is read only where there is a question. */
static const struct err *plan_object(struct call *c,
                                     const struct intent_plans *all,
                                     const struct plan *p, struct json **out)
{
    int64_t until = 0;
    if (all->intent->status == INTENT_SUSPENDED)
        TRY(plans_until(c->pg, c->a, all->intent->id, &until));
    *out = intent_plans_plan_json(all, p, until);
    return NULL;
}

const struct err *openintent_plan_get(struct call *c)
{
    struct str intent_id = STR_NONE;
    struct intent_plans *all = NULL;
    struct json *o = NULL;
    struct intent i;
    TRY(plans_intent(c->pg, c->a, c->param[0], &intent_id));
    TRY(err_not_found_as(call_intent(c, intent_id, REACH_USE, &i),
                         &plan_record.unknown));
    TRY(tasks_with_plans(c->pg, c->a, &i, &all));
    const struct plan *p = intent_plans_plan(all, id_lower(c->a, c->param[0]));
    if (!p)
        return &plan_record.unknown;
    TRY(plan_object(c, all, p, &o));
    response_json(c->rs, 200, o);
    return NULL;
}

const struct err *openintent_plan_list(struct call *c)
{
    struct json *list = json_array(c->a);
    struct intent_plans *all = NULL;
    struct intent i;
    TRY(call_intent(c, c->param[0], REACH_USE, &i));
    TRY(tasks_with_plans(c->pg, c->a, &i, &all));
    for (size_t k = 0; k < all->plans_n; k++) {
        struct json *o = NULL;
        TRY(plan_object(c, all, &all->plans[k], &o));
        json_add_json(list, o);
    }
    response_json(c->rs, 200, list);
    return NULL;
}

/* ---- a body ----------------------------------------------------------- */

struct plan_sent {
    enum plan_state to; /* PLAN_STATE__MAX: it is not moved */
    struct str tasks;   /* p NULL: as they are */
    bool has_checkpoints;
    struct checkpoints checkpoints;
};

/* The names exist: a question that nobody could answer is refused. */
static const struct err *plan_settle_approvers(struct call *c,
                                               struct checkpoint *x, size_t i)
{
    const struct json *names = json_read(c->a, x->approvers);
    for (size_t k = 0; k < json_count(names); k++) {
        const struct str name = json_text(json_at(names, k));
        const struct people_wanted group = {.group = name},
                                   person = {.name = name};
        bool there = false;
        if (person_group_name(name))
            TRY(people_there(c->pg, c->a, &group, &there));
        x->of_group = there;
        if (!there)
            TRY(people_there(c->pg, c->a, &person, &there));
        if (!there)
            return err_at(
                c->a, ERR_INVALID, ask_nobody,
                fields_path(c->a, fields_element(c->a, STR("checkpoints"), i),
                            "approvers"),
                "Element %zu is not the name of an operator or a group.", k);
    }
    return NULL;
}

static const struct err *
plan_read_sent(struct call *c, const struct json *body, struct plan_sent *out)
{
    const struct work w = call_work(c);
    const struct terms terms = work_terms(&w, KIND_NONE);
    struct fields f = fields(c->a, body, STR(""));
    out->to = vocabulary_plan_state_read(&f, "state");
    TRY(fields_error(&f));
    TRY(task_read_ids(c->a, body, "tasks", &out->tasks));
    TRY(plan_read_checkpoints(c->a, body, &out->checkpoints,
                              &out->has_checkpoints));
    for (size_t i = 0; i < out->checkpoints.n; i++) {
        /* The agent's severity may only raise the operator's floor, and
         * silence approves only what is low, where the server is set so. */
        struct checkpoint *x = &out->checkpoints.v[i];
        if (terms.floor > x->severity)
            x->severity = terms.floor;
        x->silence_approves = c->serve->conf->silence_may_authorize &&
                              x->severity == SEVERITY_LOW;
        TRY(plan_settle_approvers(c, x, i));
    }
    return NULL;
}

/* Its tasks, its checkpoints, and then its state, of which the change may need
 * a review first. */
static const struct err *plan_put(struct call *c, struct work *w,
                                  struct plan *p, const struct plan_sent *sent)
{
    const bool changed =
        sent->has_checkpoints ||
        (sent->tasks.p && !str_eq(sent->tasks, p->tasks));
    if (sent->tasks.p)
        TRY(plan_change_tasks(w->plans, p, sent->tasks, &c->who));
    if (sent->has_checkpoints)
        TRY(plan_change_checkpoints(w->plans, p, &sent->checkpoints, &c->who));
    TRY(plan_change_check(w->plans, p));
    const bool moves = sent->to != PLAN_STATE__MAX && sent->to != p->state;
    if (changed && !(moves && plan_ended(sent->to)))
        TRY(review_changed(w->plans, p, &c->who));
    if (!w->plans->has_asked)
        TRY(moves ? plan_change_status(w->plans, p, sent->to, &c->who)
                  : checkpoint_settle(w->plans, p));
    return ask_of_plans(w);
}

/* ---- making and changing one ------------------------------------------- */

static const struct err *plan_begin(struct call *c, struct work *w,
                                    struct str intent_id)
{
    TRY(call_begin(c, w, intent_id));
    if (w->answered)
        return NULL;
    TRY(policy_write(w));
    TRY(intent_check_open(w->intent.status));
    TRY(work_plans_by_caller(w));
    return coordinators_supervisor(c->pg, c->a, &w->plans->guards);
}

const struct err *openintent_plan_make(struct call *c)
{
    struct plan_sent *sent = arena_new(c->a, struct plan_sent);
    struct plan fresh = {.id = id_new(c->a),
                         .state = PLAN_DRAFT,
                         .created_by = principal_actor(&c->who),
                         .key_id = principal_agent_key(&c->who),
                         .terms = c->who.terms};
    struct str intent_id = STR_NONE;
    struct json *o = json_object(c->a);
    struct plan *p = NULL;
    struct work w;
    TRY(call_body_once(c));
    struct fields f = fields(c->a, c->body, STR(""));
    fields_need(&f, "intent_id");
    fields_uuid(&f, "intent_id", &intent_id);
    TRY(fields_error(&f));
    TRY(plan_read(c->a, c->body, &fresh));
    TRY(plan_read_sent(c, c->body, sent));
    TRY(plan_begin(c, &w, intent_id));
    if (w.answered)
        return call_replay_made(c, &w, &plan_made);
    fresh.intent_id = w.intent.id;
    TRY(plan_change_add(w.plans, &fresh, &p));
    json_set_text(o, "plan_id", p->id);
    json_set_int(o, "task_count",
                 (int64_t)json_count(json_read(c->a, sent->tasks)));
    TRY(intent_plans_event(w.plans, "plan.created", o));
    TRY(plan_put(c, &w, p, sent));
    TRY(plan_object(c, w.plans, p, &o));
    call_locate(c, &plan_made, p->id);
    return call_commit(c, &w, 201, o, false);
}

const struct err *openintent_plan_change(struct call *c)
{
    struct plan_sent *sent = arena_new(c->a, struct plan_sent);
    struct str intent_id = STR_NONE;
    struct json *o = NULL;
    int64_t version = 0;
    struct work w;
    TRY(call_must_match(c, &version));
    TRY(call_body(c));
    TRY(plan_read_sent(c, c->body, sent));
    TRY(plans_intent(c->pg, c->a, c->param[0], &intent_id));
    TRY(err_not_found_as(plan_begin(c, &w, intent_id), &plan_record.unknown));
    struct plan *p = intent_plans_plan(w.plans, id_lower(c->a, c->param[0]));
    if (!p)
        return &plan_record.unknown;
    TRY(call_check_version(
        c, version, p->version,
        ERROR(ERR_CONFLICT, "plan.version",
              "The plan has changed since you read it. Read it again.")));
    if (plan_ended(p->state))
        return ERROR(ERR_CONFLICT, "plan.ended", "The plan has ended.");
    TRY(plan_read(c->a, c->body, p));
    plan_mark_changed(p, w.now);
    TRY(plan_put(c, &w, p, sent));
    TRY(plan_object(c, w.plans, p, &o));
    return call_commit(c, &w, 200, o, false);
}

/* ---- answering --------------------------------------------------------- */

/* The one path of all answers; the plan is the answer's body. */
static const struct err *plan_decide(struct call *c, enum effect effect)
{
    struct answer answer = {.pressed = true, .via = VIA_OPENINTENT};
    struct str question = STR_NONE;
    struct json *o = NULL;
    struct work w = call_work(c);
    TRY(call_body_if_any(c));
    TRY(call_once(c));
    struct fields f = fields(c->a, c->body, STR(""));
    fields_text(&f, "reason", SUSPENSION_REASON_MAX, &answer.reason);
    TRY(fields_error(&f));
    TRY(plans_question(c->pg, c->a, c->param[0], c->param[1], &question));
    TRY(work_begin_suspension(&w, question, &c->once));
    if (w.answered)
        return call_replay(c, &w);
    answer.value = json_get(
        meant_effect(suspension_choices(c->a, &w.suspension), effect),
        "value");
    TRY(respond_decide(c, &w, &answer));
    TRY(plan_object(c, w.plans,
                    intent_plans_plan(w.plans, id_lower(c->a, c->param[0])),
                    &o));
    return call_commit(c, &w, 200, o, false);
}

const struct err *openintent_plan_approve(struct call *c)
{
    return plan_decide(c, EFFECT_AUTHORIZE);
}

const struct err *openintent_plan_reject(struct call *c)
{
    return plan_decide(c, EFFECT_VETO);
}
