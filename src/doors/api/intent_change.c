/* Changing an intent: its status and its state document. The OpenIntent SDK
 * suspends with two such calls. */
#include "base/json/fields.h"
#include "domain/question/suspension_read.h"
#include "doors/api/api.h"
#include "doors/asking/view.h"
#include "store/sql.gen.h"
#include "work/ask.h"
#include "work/permit/tool_check.h"
#include "work/policy.h"
#include "work/task/status.h"
#include "world/pg/pg_error.h"

#define REASON_MAX 1000

static const struct err *change_commit(struct call *c, struct work *w)
{
    return call_commit_text(c, w, 200, view_intent_text(c->a, &w->intent),
                            true);
}

/* ---- status --------------------------------------------------------- */

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
    TRY(status_set(&w, &(struct status_wanted){.to = to,
                                               .reason = reason,
                                               .via = VIA_OPENINTENT}));
    return change_commit(c, &w);
}

/* ---- state ---------------------------------------------------------- */

/* The member that says what is to be changed; the other one may be null. */
static const char *change_sent(const struct call *c)
{
    return json_get(c->body, "state") ? "state" : "patches";
}

/* The record's bytes inside the body, so that its context is stored as sent:
 * patches[i].value or state._suspension. */
static struct str change_record_bytes(struct call *c,
                                      const struct json *record)
{
    const struct str sent =
        json_raw_member(c->a, c->rq->body, str_of(change_sent(c)));
    if (json_get(c->body, "state"))
        return json_raw_member(c->a, sent, STR("_suspension"));
    const struct json *patches = json_get(c->body, "patches");
    for (size_t i = 0; i < json_count(patches); i++) {
        if (json_get(json_at(patches, i), "value") != record)
            continue;
        return json_raw_member(c->a, json_raw_element(sent, i),
                               STR("value"));
    }
    return STR_NONE;
}

static const struct err *change_patch(struct call *c, struct work *w,
                                      const struct intent_patches *p)
{
    const char *sent = change_sent(c);
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
