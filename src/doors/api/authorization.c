/* The authorization API: an agent asks for a permit before it acts, in its own
 * words, and yields its turn until a person has answered. */
#include "doors/api/api.h"
#include "doors/api/wish.h"
#include "doors/asking/view.h"

static struct json *answer_of(const struct wish *k, const char *status)
{
    const struct tool_check *g = &k->gate;
    struct json *o = json_object(k->c->a);
    json_set_text(o, "object", STR("authorization"));
    json_set_text(o, "status", str_of(status));
    json_set_text(o, "intent_id", g->w.intent.id);
    json_set_text_or_null(o, "session_id", g->w.intent.session_id);
    return o;
}

static const struct err *yield_turn(struct wish *k)
{
    static const struct call_made made = {"/api/v1/suspensions/",
                                          "request_id"};
    struct tool_check *g = &k->gate;
    const struct suspension *s = &g->w.suspension;
    struct json *o = answer_of(k, "pending_veto");
    json_set_bool(o, "yield", true);
    json_set_text(o, "request_id", s->id);
    tool_request_set_permit(g, o);
    view_set_time(k->c->a, o, "expires_at", s->expires_at);
    json_set_text(o, "on_expiry", suspension_on_expiry(k->c->a, s));
    json_set_text_or_null(o, "initiator", suspension_initiator(s));
    json_set_text(o, "url", call_url(k->c, "/suspensions/", s->id));
    json_set_text(o, "message",
                  STR("Awaiting approval. End this turn. You are called again "
                      "in this session with intent_authorized or "
                      "intent_vetoed."));
    call_locate(k->c, &made, s->id);
    return call_commit(k->c, &g->w, 202, o, false);
}

/* A rule allows it: the permit is active at once. */
static const struct err *allowed(struct wish *k)
{
    struct tool_check *g = &k->gate;
    struct json *o = answer_of(k, "authorized");
    tool_request_set_permit(g, o);
    return call_commit(k->c, &g->w, 201, o, false);
}

static const struct err *denied(struct wish *k)
{
    struct tool_check *g = &k->gate;
    struct json *o = answer_of(k, "vetoed");
    json_set_text_or_null(o, "reason", g->verdict.reason);
    return call_commit(k->c, &g->w, 201, o, false);
}

/* ---- the same request again ------------------------------------------- */

static bool was(const struct wish *k, const char *status)
{
    const struct tool_check *g = &k->gate;
    return str_is(
        json_get_text(json_read(k->c->a, g->w.before.body), "status"), status);
}

static const struct err *begin(struct wish *k)
{
    struct tool_check *g = &k->gate;
    TRY(tool_check_begin(g, &k->c->once));
    return g->w.answered && was(k, "authorized")
               ? tool_check_begin_since(g, &k->c->once)
               : NULL;
}

/* The answer of then, unless the rules forbid it by now. */
static const struct err *replayed(struct wish *k)
{
    struct tool_check *g = &k->gate;
    struct call *c = k->c;
    const struct json *old = json_read(c->a, g->w.before.body);
    if (g->verdict.effect != TOOL_DENY || was(k, "vetoed"))
        return call_replay(c, &g->w);
    g->w.intent.id = json_get_text(old, "intent_id");
    g->w.intent.session_id = json_get_text(old, "session_id");
    struct json *o = answer_of(k, "vetoed");
    json_set_text_or_null(o, "reason", g->verdict.reason);
    response_json(c->rs, 201, o);
    return NULL;
}

const struct err *api_authorization(struct call *c)
{
    struct wish k = {.c = c, .gate = {.w = call_work(c)}};
    struct json *body = NULL;
    TRY(call_body_once(c, &body));
    k.body = body;
    k.details_text =
        json_raw_member(c->a, c->rq->body, STR("authorization_details"));
    TRY(api_wish_read(&k));
    TRY(begin(&k));
    if (k.gate.w.answered)
        return replayed(&k);
    TRY(api_wish_make(&k));
    switch (k.gate.verdict.effect) {
    case TOOL_ALLOW:
        return allowed(&k);
    case TOOL_DENY:
        return denied(&k);
    case TOOL_ASK:
    case TOOL_EFFECT__MAX:
    default:
        return yield_turn(&k);
    }
}
