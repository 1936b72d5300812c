/* The Tasks extension of MCP (2026-07-28): a question as a task. The client
 * waits for the answer by itself, and the model is not asked meanwhile. A task
 * is stored nowhere: each message reads the question. */
#include "base/clock.h"
#include "base/id.h"
#include "domain/answer/verdict.h"
#include "doors/asking/question.h"
#include "doors/asking/view.h"
#include "doors/call/hold.h"
#include "doors/mcp/mcp.h"

#define LISTEN_MAX 10 /* tasks of a subscription that are looked at */
#define POLL_MIN 2000 /* milliseconds, while the question is new */
#define POLL_MAX 30000
#define POLL_PART 20 /* of its age, between two polls */

/* ---- a question as a task -------------------------------------------- */

static const char *mcp_task_status(const struct suspension *s)
{
    if (s->state == SUSPENSION_PENDING)
        return "working";
    return s->state == SUSPENSION_CANCELLED ? "cancelled" : "completed";
}

static int64_t mcp_task_poll(const struct suspension *s)
{
    const int64_t ms =
        (clock_now() - s->suspended_at) / (CLOCK_SECOND / 1000) / POLL_PART;
    if (ms < POLL_MIN)
        return POLL_MIN;
    return ms < POLL_MAX ? ms : POLL_MAX;
}

/* Its members, without the result. */
static struct json *mcp_task_head(struct mcp *m, const struct suspension *s)
{
    struct arena *a = m->c->a;
    struct json *o = json_object(a);
    json_set_text(o, "taskId", s->id);
    json_set_text(o, "status", str_of(mcp_task_status(s)));
    json_set_text(o, "statusMessage", verdict_of(a, s).text);
    view_set_time(a, o, "createdAt", s->suspended_at);
    view_set_time(a, o, "lastUpdatedAt",
                  s->responded_at ? s->responded_at : s->suspended_at);
    json_set_json(o, "ttlMs", NULL); /* it stays as long as the question */
    json_set_int(o, "pollIntervalMs", mcp_task_poll(s));
    return o;
}

static const struct err *
mcp_task_whole(struct mcp *m, const struct suspension *s, struct json **out)
{
    struct json *record, *result;
    *out = mcp_task_head(m, s);
    if (s->state == SUSPENSION_PENDING || s->state == SUSPENSION_CANCELLED)
        return NULL;
    TRY(mcp_ask_record(m, s, &record));
    result = mcp_answer_of_tool(m, record, false);
    json_set_text(result, "resultType", STR("complete"));
    json_set_json(*out, "result", result);
    return NULL;
}

void mcp_task_make(struct mcp *m, const struct suspension *s)
{
    struct json *o = mcp_task_head(m, s);
    json_set_text(o, "resultType", STR("task"));
    mcp_answer_result(m, o);
}

/* ---- one task -------------------------------------------------------- */

static const struct err *mcp_task_unknown(void)
{
    return ERROR(ERR_NOT_FOUND, "suspension.unknown",
                 "There is no such task.");
}

static const struct err *mcp_task_find(struct mcp *m, struct str id,
                                       struct suspension *out)
{
    return id_uuid(id) ? err_not_found_as(question_get(m->c, id, out),
                                          mcp_task_unknown())
                       : mcp_task_unknown();
}

static const struct err *mcp_task_named(struct mcp *m, struct suspension *out)
{
    return mcp_task_find(m, json_get_text(m->params, "taskId"), out);
}

const struct err *mcp_task_get(struct mcp *m)
{
    struct suspension s;
    struct json *o;
    const struct err *e = mcp_task_named(m, &s);
    if (e)
        return mcp_answer_params(m, e);
    TRY(mcp_task_whole(m, &s, &o));
    mcp_answer_result(m, o);
    return NULL;
}

/* No task of ours asks its client for anything. */
const struct err *mcp_task_update(struct mcp *m)
{
    struct suspension s;
    const struct err *e = mcp_task_named(m, &s);
    if (e)
        return mcp_answer_params(m, e);
    mcp_answer_result(m, json_object(m->c->a));
    return NULL;
}

/* One that has ended stays as it is. */
const struct err *mcp_task_cancel(struct mcp *m)
{
    struct call *c = m->c;
    struct suspension s;
    struct work w;
    const struct err *e = mcp_task_named(m, &s);
    if (!e && s.state == SUSPENSION_PENDING)
        e = question_cancel(c, &w, s.id, STR_NONE, NULL);
    if (e && e->kind != ERR_CONFLICT)
        return mcp_answer_params(m, e);
    if (!e && s.state == SUSPENSION_PENDING)
        TRY(call_commit(c, &w, 200, view_suspension(c, &w.suspension), false));
    mcp_answer_result(m, json_object(c->a));
    return NULL;
}

/* ---- notes of its end ------------------------------------------------ */

/* {"io.modelcontextprotocol/subscriptionId": the id of the message}. */
static struct json *mcp_task_meta(struct mcp *m)
{
    struct json *o = json_object(m->c->a);
    json_set_json(o, "io.modelcontextprotocol/subscriptionId", m->id);
    return o;
}

static void mcp_task_note(struct mcp *m, const char *method,
                          struct json *params)
{
    struct json *o = json_object(m->c->a);
    json_set_json(params, "_meta", mcp_task_meta(m));
    json_set_text(o, "jsonrpc", STR("2.0"));
    json_set_text(o, "method", str_of(method));
    json_set_json(o, "params", params);
    json_add_json(m->events, o);
}

/* The first note of a stream: the tasks that it is about, one or none. The
 * process that holds a stream sends it itself. */
static void mcp_task_acknowledge(struct mcp *m, struct str id)
{
    struct json *o = json_object(m->c->a), *list = json_array(m->c->a);
    struct json *params = json_object(m->c->a);
    if (id.p)
        json_add_text(list, id);
    json_set_json(o, "taskIds", list);
    json_set_json(params, "notifications", o);
    mcp_task_note(m, "notifications/subscriptions/acknowledged", params);
}

/* The first of the tasks that the caller may see; id p NULL: none. */
static const struct err *mcp_task_find_first(struct mcp *m,
                                             const struct json *ids,
                                             struct suspension *out)
{
    *out = (struct suspension){.id = STR_NONE};
    for (size_t i = 0; i < json_count(ids) && i < LISTEN_MAX; i++) {
        const struct err *e =
            mcp_task_find(m, json_text(json_at(ids, i)), out);
        if (!e)
            return NULL;
        if (e->kind != ERR_NOT_FOUND)
            return e;
        *out = (struct suspension){.id = STR_NONE};
    }
    return NULL;
}

static const struct err *mcp_task_listen_end(struct mcp *m,
                                             const struct suspension *s)
{
    struct json *o = json_object(m->c->a), *task;
    if (!m->events) {
        m->events = json_array(m->c->a);
        mcp_task_acknowledge(m, s->id);
    }
    if (s->id.p) {
        TRY(mcp_task_whole(m, s, &task));
        mcp_task_note(m, "notifications/tasks", task);
    }
    json_set_json(o, "_meta", mcp_task_meta(m));
    mcp_answer_result(m, o);
    return NULL;
}

static const struct json *mcp_task_listed(const struct mcp *m)
{
    return json_get(json_get(m->params, "notifications"), "taskIds");
}

bool mcp_task_listens(const struct mcp *m)
{
    return mcp_task_listed(m) != NULL;
}

const struct err *mcp_task_listen(struct mcp *m)
{
    const struct json *ids = mcp_task_listed(m);
    const struct str token = json_dump(m->c->a, m->id, HOLD_TOKEN_MAX);
    struct suspension s;
    int64_t none;
    if (!json_is(ids, JSON_ARRAY) || !token.p || !mcp_reads_events(m)) {
        mcp_answer_error(m, 400, MCP_PARAMS,
                         STR("A subscription names a list of tasks, has an id "
                             "of at most 64 bytes, and takes an event "
                             "stream."),
                         NULL);
        return NULL;
    }
    TRY(hold_wait(m->c, &none)); /* refused where the caller holds too many */
    TRY(mcp_task_find_first(m, ids, &s));
    if (!s.id.p || s.state != SUSPENSION_PENDING || m->c->rq->waited)
        return mcp_task_listen_end(m, &s);
    hold_poll(m->c, &(struct hold_poll){.intent_id = s.intent_id,
                                        .suspension_id = s.id,
                                        .wait = MCP_HOLD_MAX,
                                        .token = token,
                                        .listens = true});
    return NULL;
}
