/* The Agent Approval Protocol, as questions, permits and redemptions. */
#include "doors/aap/aap.h"

#include "base/clock_text.h"
#include "base/crypt.h"
#include "base/id.h"
#include "base/json/fields.h"
#include "domain/answer/resolve.h"
#include "domain/permit/permit_details.h"
#include "domain/permit/tool_call.h"
#include "domain/permit/tool_title.h"
#include "domain/question/suspension_read.h"
#include "doors/asking/question.h"
#include "doors/call/hold.h"
#include "store/permit/tools.h"
#include "work/permit/tool_check.h"
#include "work/permit/use.h"

#define SHORT_MAX 200
#define NOTE_MAX 500
#define HOLD_MAX 55 /* seconds */

/* A submission as it was sent. */
struct submission {
    struct tool_check gate;
    struct str text; /* as it was sent */
    struct tool_calls calls;
    struct str tool, reasoning;
    int64_t seconds;
};

/* ---- reading -------------------------------------------------------- */

static const struct err *aap_read(struct submission *x,
                                  const struct json *body)
{
    struct fields f = fields(x->gate.w.arena, body, STR(""));
    const struct json *arguments = NULL, *context = NULL;
    struct str server, timeout;
    fields_only(&f, "tool server arguments timeout agent_reasoning context");
    fields_need(&f, "tool");
    fields_need(&f, "arguments");
    fields_need(&f, "timeout");
    fields_text(&f, "tool", TOOL_CALL_NAME_MAX, &x->tool);
    fields_text(&f, "server", SHORT_MAX, &server);
    fields_json(&f, "arguments", JSON_OBJECT, &arguments);
    fields_text(&f, "timeout", SHORT_MAX, &timeout);
    fields_text(&f, "agent_reasoning", SUSPENSION_EXPLANATION_MAX,
                &x->reasoning);
    fields_json(&f, "context", JSON_OBJECT, &context);
    if (!f.e && !clock_span(timeout, SUSPENSION_TIMEOUT_MAX, &x->seconds))
        fields_wrong(&f, "timeout", "field.value",
                     "\"timeout\" has to be a duration like 10m or 24h, at "
                     "most 366 days.");
    TRY(fields_error(&f));
    const struct tool_call call = {
        .id = STR("aap"),
        .tool = x->tool,
        .raw = json_raw_member(f.arena, x->text, STR("arguments"))};
    return tool_call_one(f.arena, call, TOOL_CALL_ARGUMENTS_MAX, &x->calls);
}

/* ---- asking --------------------------------------------------------- */

/* The members that are neither the call nor shown elsewhere, for the question's
 * context: so that the submission can be given back as it was. */
static struct str aap_context(const struct submission *x)
{
    static const char *const names[] = {"timeout", "server", "context"};
    struct arena *a = x->gate.w.arena;
    struct buf b = buf_make(a, x->text.n + 64);
    for (size_t i = 0; i < countof(names); i++) {
        const struct str raw = json_raw_member(a, x->text, str_of(names[i]));
        if (!raw.p || str_is(raw, "null"))
            continue;
        buf_put(&b, i ? ",\"" : "{\"");
        buf_put(&b, names[i]);
        buf_put(&b, "\":");
        buf_str(&b, raw);
    }
    buf_char(&b, '}');
    return buf_text(&b);
}

static const struct err *aap_ask(struct submission *x)
{
    const struct permit_terms terms = {.max_uses = 1,
                                       .use_seconds = PERMIT_SECONDS};
    const struct tool_call_about about = {
        .consequence = tool_call_consequence(STR_NONE)};
    struct arena *a = x->gate.w.arena;
    struct suspension s = {.id = id_new(a),
                           .kind = KIND_APPROVAL,
                           .question = tool_call_question(a, x->tool),
                           .explanation =
                               x->reasoning.n > 0 ? x->reasoning : STR_NONE,
                           .context = aap_context(x),
                           .subject = tool_call_subject(a, &x->calls, &about),
                           .responder = {.mode = RESPONDER_OPERATORS},
                           .on_reject = ON_REJECT_RESUME,
                           .timeout_seconds = x->seconds};
    s.title = tool_title(a, suspension_subject(a, &s));
    TRY(suspension_compose(a, tool_call_choices(a), NULL, &s));
    return tool_check_ask(&x->gate, &s, &terms);
}

static const struct err *aap_load(struct call *c, struct str id,
                                  struct aap_request *out)
{
    struct permits_row row;
    struct redemption_rows uses;
    const struct err *why = NULL;
    bool found = false;
    const struct work w = call_work(c);
    *out = (struct aap_request){.permit = {.used = 0}};
    TRY(question_get(c, id, &out->suspension));
    if (!json_get_text(json_read(c->a, out->suspension.context), "timeout").p ||
        out->suspension.origin != ORIGIN_TOOL_CALL)
        return ERROR(ERR_NOT_FOUND, "suspension.unknown",
                     "There is no request with this id.");
    TRY(permits_of_suspension(c->pg, c->a, id, &row, &found));
    if (!found)
        return NULL;
    out->permit = row.permit;
    TRY(redemptions_list(c->pg, c->a, row.permit.id, &uses));
    if (uses.n > 0)
        out->use = uses.v[uses.n - 1];
    TRY(use_read(&w, &out->suspension, 1, &why));
    out->ended = uses.n == 0 && why && !err_is(why, permit_lapsed) &&
                 !err_is(why, permit_paused);
    return NULL;
}

static const struct err *aap_answer(struct call *c, struct str id, int status)
{
    struct aap_request r;
    TRY(aap_load(c, id, &r));
    response_json_text(c->rs, status, aap_view(c->a, &r));
    return NULL;
}

const struct err *aap_create(struct call *c)
{
    struct submission x = {
        .gate = {.w = call_work(c), .n = 1, .origin = ORIGIN_TOOL_CALL},
        .text = c->rq->body};
    struct tool_check *g = &x.gate;
    TRY(call_body_once(c));
    TRY(aap_read(&x, c->body));
    g->tools = &x.tool;
    g->severity = SEVERITY_UNSAID;
    TRY(tool_check_decide(g));
    if (g->verdict.effect == TOOL_DENY)
        return err_at(c->a, ERR_INVALID, "tool.denied", STR("tool"),
                      "A rule forbids this tool. %.*s",
                      STR_FMT(g->verdict.reason));
    /* A rule that allows the tool leaves it to a person all the same. */
    g->verdict.effect = TOOL_ASK;
    TRY(tool_check_begin(g, &c->once));
    if (g->w.answered)
        return aap_answer(
            c, json_get_text(json_read(c->a, g->w.before.body), "id"), 200);
    TRY(aap_ask(&x));
    if (!g->w.has_permit)
        return err_at(c->a, ERR_INVALID, permit_details_wrong, STR("arguments"),
                      "No permit can describe this call exactly.");
    tools_queue_calls(c->pg, c->a, g->w.suspension.id, &x.calls,
                      g->verdict.matched);
    const struct aap_request r = {.suspension = g->w.suspension};
    return call_commit_text(c, &g->w, 201, aap_view(c->a, &r), false);
}

/* ---- reading one ------------------------------------------------------ */

const struct err *aap_get(struct call *c)
{
    const struct str sent = request_query(c->rq, "wait");
    struct aap_request r;
    int64_t wait = 0, held = 0;
    /* 25s; a number alone is seconds too. */
    if (sent.p && !clock_span(sent, SUSPENSION_TIMEOUT_MAX, &wait) &&
        !str_int(sent, 0, 3600, &wait))
        return err_at(c->a, ERR_BAD_REQUEST, "request.query", STR("wait"),
                      "\"wait\" has to be a duration like 25s.");
    TRY(hold_wait(c, &held)); /* whether one may be held at all */
    TRY(aap_load(c, c->param[0], &r));
    if (r.suspension.state == SUSPENSION_PENDING && wait > 0 &&
        !c->rq->waited) {
        hold_poll(
            c, &(struct hold_poll){.intent_id = r.suspension.intent_id,
                                   .suspension_id = r.suspension.id,
                                   .wait = wait < HOLD_MAX ? wait : HOLD_MAX});
        return NULL;
    }
    response_json_text(c->rs, 200, aap_view(c->a, &r));
    return NULL;
}

static const struct err *aap_terminal(void)
{
    return ERROR(ERR_CONFLICT, "already_terminal",
                 "The request has been decided.");
}

const struct err *aap_cancel(struct call *c)
{
    struct aap_request r;
    struct work w;
    TRY(aap_load(c, c->param[0], &r));
    if (r.suspension.state != SUSPENSION_PENDING)
        return aap_terminal();
    const struct err *e = question_cancel(c, &w, c->param[0], STR_NONE, NULL);
    /* It may have been answered since it was read. */
    if (err_is(e, resolve_already_decided) || err_is(e, resolve_expired))
        return aap_terminal();
    TRY(e);
    r.suspension = w.suspension;
    return call_commit_text(c, &w, 200, aap_view(c->a, &r), false);
}

/* ---- consuming ------------------------------------------------------- */

const struct err *aap_consume(struct call *c)
{
    /* The same consumption again is the same use. */
    const struct str key = request_header(c->rq, "Idempotency-Key");
    struct aap_request r;
    TRY(call_body_if_any(c));
    TRY(aap_load(c, c->param[0], &r));
    if (!aap_approved(&r))
        return ERROR(ERR_CONFLICT, "not_approved",
                     "The request is not approved.");
    struct use u = {.w = call_work(c),
                    .operation_id =
                        crypt_sha256_hex(c->a, key.p ? key : c->rq->id),
                    .suspension = r.suspension};
    const struct err *e = use_find(&u);
    if (!e)
        e = use_up(&u);
    if (err_is(e, permit_spent) || err_is(e, permit_used))
        return ERROR(ERR_CONFLICT, "already_consumed",
                     "This approval was already consumed.");
    if (err_is(e, permit_lapsed))
        return ERROR(ERR_CONFLICT, "approval_expired",
                     "This approval has expired.");
    /* It may have been revoked since it was read. */
    if (e && (e->kind == ERR_FORBIDDEN || e->kind == ERR_CONFLICT))
        return ERROR(ERR_CONFLICT, "not_approved",
                     "The permit cannot be used any more.");
    TRY(e);
    if (!use_kept(&u))
        TRY(call_prove(c));
    return aap_answer(c, c->param[0], 200);
}

/* ---- the outcome ----------------------------------------------------- */

static const struct err *aap_read_outcome(struct call *c,
                                          struct redemption *out)
{
    struct str status, note;
    TRY(call_body(c));
    struct fields f = fields(c->a, c->body, STR(""));
    fields_only(&f, "status note");
    fields_need(&f, "status");
    fields_text(&f, "status", SHORT_MAX, &status);
    fields_text(&f, "note", NOTE_MAX, &note);
    const bool good = str_is(status, "succeeded");
    if (!f.e && !good &&
        vocabulary_redemption_result_of(status) != REDEMPTION_FAILED)
        fields_wrong(&f, "status", "field.value",
                     "\"status\" has to be succeeded or failed.");
    TRY(fields_error(&f));
    out->result = good ? REDEMPTION_COMPLETED : REDEMPTION_FAILED;
    out->result_ref = note.n > 0 ? note : STR_NONE;
    return NULL;
}

const struct err *aap_outcome(struct call *c)
{
    const struct work w = call_work(c);
    struct aap_request r;
    struct redemption sent;
    TRY(aap_read_outcome(c, &sent));
    TRY(aap_load(c, c->param[0], &r));
    if (!r.use.id.p)
        return ERROR(ERR_CONFLICT, "not_consumed",
                     "The approval was not consumed.");
    TRY(use_find_own(&w, r.use.id, &r.use));
    r.use.result = sent.result;
    r.use.result_ref = sent.result_ref;
    const struct err *e = use_report(&w, &r.use);
    if (e && e->kind == ERR_CONFLICT)
        return ERROR(ERR_CONFLICT, "outcome_conflict",
                     "Another outcome was reported.");
    TRY(e);
    return aap_answer(c, c->param[0], 200);
}
