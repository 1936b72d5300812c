/* The authorization API: an agent asks for a permit before it acts, in its own
 * words, and yields its turn until a person has answered. */
#include "doors/api/api.h"
#include "doors/api/permit_request.h"
#include "doors/asking/view.h"

/* The status of an answer that was stored. */
static enum outcome authorization_status(const struct json *before)
{
    return vocabulary_outcome_of(json_get_text(before, "status"));
}

static struct json *authorization_object(const struct permit_request *r,
                                         const char *status)
{
    const struct tool_check *g = &r->gate;
    struct json *o = json_object(r->c->a);
    json_set_text(o, "object", STR("authorization"));
    json_set_text(o, "status", str_of(status));
    json_set_text(o, "intent_id", g->w.intent.id);
    json_set_text_or_null(o, "session_id", g->w.intent.session_id);
    if (g->verdict.effect == TOOL_DENY)
        json_set_text_or_null(o, "reason", g->verdict.reason);
    else if (g->verdict.effect == TOOL_ALLOW)
        tool_request_set_permit(g, o);
    return o;
}

/* A person is asked, and the agent ends its turn. */
static const struct err *authorization_yield(struct permit_request *r)
{
    static const struct call_made made = {"/api/v1/suspensions/",
                                          "request_id"};
    struct work *w = &r->gate.w;
    const struct suspension *s = &w->suspension;
    struct json *o = authorization_object(r, "pending_veto");
    json_set_bool(o, "yield", true);
    json_set_text(o, "request_id", s->id);
    tool_request_set_permit(&r->gate, o);
    view_set_time(r->c->a, o, "expires_at", s->expires_at);
    json_set_text(o, "on_expiry", suspension_on_expiry(r->c->a, s));
    json_set_text_or_null(o, "initiator", suspension_initiator(s));
    json_set_text(o, "url", call_url(r->c, "/suspensions/", s->id));
    json_set_text(o, "message",
                  STR("Awaiting approval. End this turn. You are called again "
                      "in this session with intent_authorized or "
                      "intent_vetoed."));
    call_locate(r->c, &made, s->id);
    return call_commit(r->c, w, 202, o, false);
}

/* The same request again: its first answer, unless the rules forbid it by
 * now. */
static const struct err *authorization_replay(struct permit_request *r,
                                              const struct json *before)
{
    struct tool_check *g = &r->gate;
    if (g->verdict.effect != TOOL_DENY ||
        authorization_status(before) == OUTCOME_VETOED)
        return call_replay(r->c, &g->w);
    TRY(call_prove(r->c));
    g->w.intent.id = json_get_text(before, "intent_id");
    g->w.intent.session_id = json_get_text(before, "session_id");
    response_json(r->c->rs, 201, authorization_object(r, "vetoed"));
    return NULL;
}

const struct err *api_authorization(struct call *c)
{
    struct permit_request r = {.c = c, .gate = {.w = call_work(c)}};
    struct tool_check *g = &r.gate;
    struct json *before = NULL;
    TRY(call_body_once(c));
    r.body = c->body;
    r.details_text =
        json_raw_member(c->a, c->rq->body, STR("authorization_details"));
    TRY(api_permit_request_read(&r));
    TRY(tool_check_begin(g, &c->once));
    if (g->w.answered)
        before = json_read(c->a, g->w.before.body);
    if (authorization_status(before) == OUTCOME_AUTHORIZED)
        TRY(tool_check_begin_since(g, &c->once));
    if (g->w.answered)
        return authorization_replay(&r, json_read(c->a, g->w.before.body));
    TRY(api_permit_request_make(&r));
    const bool allowed = g->verdict.effect == TOOL_ALLOW;
    if (!allowed && g->verdict.effect != TOOL_DENY)
        return authorization_yield(&r);
    const char *status = allowed ? "authorized" : "vetoed";
    return call_commit(c, &g->w, 201, authorization_object(&r, status), false);
}
