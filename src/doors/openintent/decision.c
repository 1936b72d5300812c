/* Decisions of OpenIntent: events of the log. A person's decision of the type
 * "arbitration" answers an open arbitration; an agent's is its own record. */
#include "base/clock_text.h"
#include "base/json/fields.h"
#include "doors/asking/respond.h"
#include "doors/openintent/openintent.h"
#include "store/intent/events.h"
#include "store/question/suspensions.h"

#define WORD_MAX 80
#define TEXT_MAX 4000
#define RECORDED "decision_recorded"

/* As OpenIntent's client reads it. */
static struct json *decision_object(struct call *c, const struct event *e)
{
    const struct json *p = json_read(
        c->a, json_raw_member(c->a, e->canonical, STR("payload")));
    const struct json *event = json_read(c->a, e->canonical);
    const struct str by = json_get_text(p, "decision_maker_id");
    const struct json *outcome = json_get(p, "outcome");
    struct json *o = json_object(c->a);
    json_set_text(o, "id", e->id);
    json_set_text(o, "intent_id", json_get_text(event, "intent_id"));
    json_set_text(o, "decision_maker_id",
                  by.p ? by : json_get_text(event, "actor"));
    json_set_text(o, "decision_type", json_get_text(p, "decision_type"));
    json_set_json(o, "outcome", outcome);
    json_set_text(o, "reasoning", json_get_text(p, "reasoning"));
    json_set_text(o, "created_at", clock_naive(c->a, e->created_at));
    return o;
}

const struct err *openintent_decision_list(struct call *c)
{
    struct json *o = json_object(c->a), *list = json_array(c->a);
    struct event_rows rows;
    struct intent i;
    TRY(call_intent(c, c->param[0], REACH_USE, &i));
    const struct events_page page = {
        .intent_id = i.id, .type = STR(RECORDED), .limit = 1000};
    TRY(events_list(c->pg, c->a, &page, &rows));
    for (size_t k = rows.n; k-- > 0;)
        json_add_json(list, decision_object(c, &rows.v[k]));
    json_set_json(o, "decisions", list);
    response_json(c->rs, 200, o);
    return NULL;
}

struct decision_sent {
    struct str type, outcome, reasoning, arbitration_id;
};

static const struct err *decision_commit(struct call *c, struct work *w)
{
    return call_commit(
        c, w, 201, decision_object(c, &w->events.v[w->events.n - 1]), false);
}

/* The answer to the arbitration that was asked for first, or to the one that is
 * named. */
static const struct err *decision_arbitrate(struct call *c,
                                            const struct decision_sent *sent)
{
    const struct answer answer = {.value = json_string(c->a, sent->outcome),
                                  .pressed = true,
                                  .reason = sent->reasoning,
                                  .via = VIA_OPENINTENT};
    struct str id = sent->arbitration_id;
    struct intent i;
    struct work w = call_work(c);
    const struct err *none = ERROR(ERR_NOT_FOUND, "arbitration.unknown",
                                   "The intent has no open arbitration.");
    TRY(call_intent(c, c->param[0], REACH_USE, &i));
    if (!id.p)
        TRY(suspensions_arbitration(c->pg, c->a, i.id, &id));
    if (!id.p)
        return none;
    TRY(err_not_found_as(work_begin_suspension(&w, id, &c->once), none));
    if (w.answered)
        return call_replay(c, &w);
    if (w.suspension.origin != ORIGIN_ARBITRATION ||
        !str_eq(w.suspension.intent_id, i.id))
        return none;
    TRY(respond_decide(c, &w, &answer));
    return decision_commit(c, &w);
}

const struct err *openintent_decision_record(struct call *c)
{
    struct json *p = json_object(c->a);
    struct decision_sent sent = {.type = STR_NONE};
    struct work w;
    TRY(call_body(c));
    struct fields f = fields(c->a, c->body, STR(""));
    fields_need(&f, "decision_type");
    fields_need(&f, "outcome");
    fields_text(&f, "decision_type", WORD_MAX, &sent.type);
    fields_text(&f, "outcome", TEXT_MAX, &sent.outcome);
    fields_text(&f, "reasoning", TEXT_MAX, &sent.reasoning);
    fields_text(&f, "arbitration_id", WORD_MAX, &sent.arbitration_id);
    if (!f.e && str_trim(sent.type).n == 0)
        fields_wrong(&f, "decision_type", "field.empty", "A type is needed.");
    if (!f.e && str_trim(sent.outcome).n == 0)
        fields_wrong(&f, "outcome", "field.empty", "An outcome is needed.");
    TRY(fields_error(&f));
    TRY(call_once(c));
    if (c->who.role != ROLE_AGENT &&
        vocabulary_origin_of(sent.type) == ORIGIN_ARBITRATION)
        return decision_arbitrate(c, &sent);
    TRY(call_begin(c, &w, c->param[0]));
    if (w.answered)
        return call_replay(c, &w);
    json_set_text(p, "decision_type", sent.type);
    json_set_text(p, "decision_maker_id", principal_actor(&c->who));
    json_set_text(p, "outcome", sent.outcome);
    json_set_text(p, "reasoning", sent.reasoning.p ? sent.reasoning : STR(""));
    TRY(work_event(&w, RECORDED, event_by(&c->who), p));
    return decision_commit(c, &w);
}
