/* Changing an intent: its status and its state document. The OpenIntent SDK
 * suspends with two such calls. */
#include "base/json/fields.h"
#include "domain/question/suspension_read.h"
#include "doors/api/api.h"
#include "doors/asking/view.h"
#include "store/intent/graphs.h"
#include "store/sql.gen.h"
#include "work/ask.h"
#include "work/cancel.h"
#include "work/permit/tool_check.h"
#include "work/policy.h"
#include "work/workflow_io.h"
#include "world/pg/pg_error.h"

#define REASON_MAX 1000

static const struct err *change_commit(struct call *c, struct work *w)
{
    return call_commit_text(c, w, 200, view_intent_text(c->a, &w->intent),
                            true);
}

/* ---- status --------------------------------------------------------- */

/* The move, or an error that names the intents in the way of its end. */
static const struct err *change_move(struct call *c, const struct work *w,
                                     const struct intent_move *m,
                                     enum intent_status *to)
{
    struct intent_ids open;
    const struct err *e = intent_move(m, to);
    if (!e || m->to != INTENT_COMPLETED ||
        (m->dependencies_done && m->children_done))
        return e;
    TRY(graphs_open(c->pg, c->a, w->intent.id, &open));
    return err_more(c->a, e, intent_ids_open(c->a, &open));
}

/* Not while one of its plans waits for people. */
static const struct err *change_check_plans(struct work *w)
{
    if (!(w->intent.containers & INTENT_HAS_TASKS))
        return NULL;
    TRY(work_plans_by_caller(w));
    return intent_plans_any_held(w->plans)
               ? ERROR(ERR_CONFLICT, "plan.awaiting_approval",
                       "A checkpoint of a plan waits for an approval.")
               : NULL;
}

static const struct err *change_status(struct call *c, struct work *w,
                                       enum intent_status to,
                                       struct str reason)
{
    const bool open =
        w->has_suspension && w->suspension.state == SUSPENSION_PENDING;
    const struct intent_move m = {.from = w->intent.status,
                                  .to = to,
                                  .role = c->who.role,
                                  .question_open = open,
                                  .dependencies_done = w->dependencies_done,
                                  .children_done = w->children_done};
    const enum intent_status from = w->intent.status;
    TRY(change_move(c, w, &m, &to));
    if (to == from)
        return NULL;
    if (to == INTENT_COMPLETED) {
        TRY(change_check_plans(w));
        TRY(policy_complete(w));
        TRY(workflow_io_complete_intent(w));
    }
    work_touch(w);
    if (open && to == INTENT_ABANDONED) {
        TRY(cancel_by_end(w, reason, to));
        w->suspension.responded_via = VIA_OPENINTENT;
        return NULL;
    }
    /* The record of the last question must not be read as the answer of the
     * next one; the rows keep the history. */
    if (to == INTENT_SUSPENDED)
        TRY(suspension_drop_mirror(c->a, &w->intent));
    w->intent.status = to;
    TRY(work_event(w, "status_changed", event_by(&c->who),
                   intent_status_changed(c->a, from, to, reason)));
    return to == INTENT_COMPLETED ? work_unblock(w) : NULL;
}

const struct err *api_intent_status(struct call *c)
{
    struct str reason = STR_NONE;
    int64_t version = 0;
    struct work w = call_work(c);
    TRY(call_if_match(c, &version));
    TRY(call_body_once(c));
    struct fields f = fields(c->a, c->body, STR(""));
    fields_need(&f, "status");
    const enum intent_status to = vocabulary_intent_status_read(&f, "status");
    fields_text(&f, "reason", REASON_MAX, &reason);
    TRY(fields_error(&f));
    if (to == INTENT_SUSPENDED)
        c->who.needs = ACCESS_WRITE; /* to ask a person is a part of the work */
    const struct work_target target = {
        .intent_id = c->param[0],
        .who = &c->who,
        .take = to == INTENT_COMPLETED ? SQL_INTENT_TAKE_DEPENDENTS
                                       : SQL_INTENT_TAKE,
        .ends = to == INTENT_COMPLETED};
    TRY(work_begin(&w, &target, &c->once));
    if (w.answered)
        return call_replay(c, &w);
    TRY(call_same_version(c, &w, version));
    TRY(policy_status(&w, to, reason));
    TRY(change_status(c, &w, to, reason));
    return change_commit(c, &w);
}

/* ---- state ---------------------------------------------------------- */

/* The record's bytes inside the body, so that its context is stored as sent:
 * patches[i].value or state._suspension. */
static struct str change_record_bytes(struct call *c,
                                      const struct json *record)
{
    const struct str list =
        json_raw_member(c->a, c->rq->body, STR("patches"));
    const struct str state = json_raw_member(c->a, c->rq->body, STR("state"));
    if (!list.p)
        return json_raw_member(c->a, state, STR("_suspension"));
    const struct json *patches = json_get(c->body, "patches");
    for (size_t i = 0; i < json_count(patches); i++) {
        if (json_get(json_at(patches, i), "value") != record)
            continue;
        return json_raw_member(c->a, json_raw_element(list, i),
                               STR("value"));
    }
    return STR_NONE;
}

static const struct err *change_patch(struct call *c, struct work *w,
                                      const struct intent_patches *p)
{
    const char *sent = json_has(c->body, "patches") ? "patches" : "state";
    struct json *state = NULL, *payload = json_object(c->a);
    if (p->n == 0)
        return NULL;
    TRY(json_parse(c->a, w->intent.state, &state));
    TRY(intent_patch(c->a, state, p));
    TRY(intent_state_text(c->a, state, &w->intent.state));
    json_set_json(payload, sent, json_get(c->body, sent));
    json_set_text(payload, "state_sha256", intent_state_sha256(c->a, state));
    return work_event(w, "state_patched", event_by(&c->who), payload);
}

/* Between the SDK's status call and its record there is no open question yet;
 * the record creates it. At any other time the record is sealed. */
static const struct err *change_state(struct call *c, struct work *w,
                                      struct intent_patches *p)
{
    struct suspension s = {.state = SUSPENSION_PENDING};
    const struct json *record = NULL;
    bool whole = false;
    TRY(intent_check_open(w->intent.status));
    if (!intent_patches_suspension(p, &whole, &record))
        return change_patch(c, w, p);
    if (!whole)
        return ERROR(ERR_CONFLICT, "suspension.sealed",
                     "The question is sealed. It cannot be patched.");
    intent_patches_drop_suspension(p);
    TRY(change_patch(c, w, p));
    if (c->who.role != ROLE_AGENT)
        return ERROR(ERR_FORBIDDEN, "suspension.agents_ask",
                     "Only an agent may ask a question.");
    if (w->intent.status != INTENT_SUSPENDED ||
        (w->has_suspension && w->suspension.state == SUSPENSION_PENDING))
        return ERROR(ERR_CONFLICT, "suspension.sealed",
                     "The question is sealed. To ask a new one, set the "
                     "status to suspended_awaiting_input first.");
    TRY(suspension_read_record(c->a, record, change_record_bytes(c, record),
                               &s));
    TRY(tool_check_add_terms(w, &s));
    return ask_by_caller(w, &s);
}

const struct err *api_intent_state(struct call *c)
{
    struct intent_patches *p = arena_new(c->a, struct intent_patches);
    int64_t version = 0;
    struct work w;
    TRY(call_if_match(c, &version));
    TRY(call_body_once(c));
    TRY(intent_patches_read(c->a, c->body, p));
    TRY(call_begin(c, &w, c->param[0]));
    if (w.answered)
        return call_replay(c, &w);
    TRY(call_same_version(c, &w, version));
    TRY(policy_write(&w));
    if (p->n > 0) {
        TRY(change_state(c, &w, p));
        work_touch(&w);
    }
    const struct err *e = change_commit(c, &w);
    if (w.suspension_new && err_is(e, pg_error_conflict))
        return ERROR(ERR_CONFLICT, "suspension.id_taken",
                     "This id belongs to an earlier question. An id can be "
                     "used only once.");
    return e;
}
