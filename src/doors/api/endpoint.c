/* Endpoints of agents: the URLs that get a message when a question has ended.
 *
 * A secret is shown in the response that creates it, and never again. */
#include "base/clock.h"
#include "base/id.h"
#include "base/json/fields.h"
#include "domain/sending/endpoint.h"
#include "doors/api/api.h"
#include "doors/asking/target.h"
#include "doors/asking/view.h"
#include "store/sending/endpoints.h"
#include "world/wake.h"

/* One that the caller sees: an agent its own, an admin all. A channel is in
 * the same table, but is not an endpoint of an agent. */
static const struct err *endpoint_find(struct call *c, struct endpoint *e)
{
    TRY(endpoints_get(c->pg, c->a, c->param[0], reach_name(c->a, &c->who), e));
    return e->kind == ENDPOINT_AGENT
               ? NULL
               : &endpoint_record.unknown;
}

/* One that the caller may change: an agent those that it made itself. */
static const struct err *endpoint_own(struct call *c, struct endpoint *e)
{
    TRY(endpoint_find(c, e));
    if (c->who.role != ROLE_AGENT || str_eq(e->created_by, c->who.agent))
        return NULL;
    return ERROR(ERR_FORBIDDEN, "endpoint.admin_only",
                 "Only an admin may change, rotate, remove or test an "
                 "endpoint that the agent did not create.");
}

/* ---- registering ---------------------------------------------------- */

/* Only an admin registers for another agent, inside, or for callbacks. */
static const struct err *endpoint_check_owner(struct call *c,
                                              struct endpoint *e)
{
    if (c->who.role == ROLE_ADMIN)
        return NULL;
    if (e->agent.p && !str_eq(e->agent, c->who.agent))
        return err_at(c->a, ERR_FORBIDDEN, "endpoint.admin_only", STR("agent"),
                      "Only an admin may register an endpoint for another "
                      "agent.");
    if (e->internal)
        return err_at(c->a, ERR_FORBIDDEN, "endpoint.admin_only",
                      STR("internal"),
                      "Only an admin may register a private address.");
    if (e->prefix)
        return err_at(c->a, ERR_FORBIDDEN, "endpoint.admin_only",
                      STR("prefix"),
                      "Only an admin may register an endpoint for "
                      "callbacks.");
    e->agent = c->who.agent;
    return NULL;
}

static const struct call_made endpoint_made = {"/api/v1/endpoints/",
                                               "endpoint_id"};

const struct err *api_endpoint_register(struct call *c)
{
    struct endpoint e = {.id = id_new(c->a),
                         .kind = ENDPOINT_AGENT,
                         .secret = endpoint_secret(c->a),
                         .created_by = principal_actor(&c->who)};
    struct work w = call_work(c);
    TRY(call_body_once(c));
    struct fields f = fields(c->a, c->body, STR(""));
    record_only(&f, &endpoint_record);
    record_read(&f, &endpoint_record, &e);
    TRY(fields_error(&f));
    TRY(endpoint_check_owner(c, &e));
    TRY(endpoint_name(c->a, "name", e.name));
    TRY(target_check(c->a, "url", e.address, e.internal));
    if (e.prefix)
        TRY(endpoint_prefix(c->a, "url", e.address));
    if (c->who.role == ROLE_AGENT) {
        e.key_id = c->who.id;
        e.most = c->serve->conf->limit_endpoints;
    }
    TRY(work_begin_bare(&w, &c->once));
    if (w.answered)
        return call_replay_made(c, &w, &endpoint_made);
    e.created_at = w.now;
    TRY(endpoints_insert(c->pg, c->a, &e));
    call_locate(c, &endpoint_made, e.id);
    return call_commit_secret(c, &w, 201,
                              record_object(c->a, &endpoint_record, &e),
                              e.secret);
}

/* ---- reading -------------------------------------------------------- */

const struct err *api_endpoint_list(struct call *c)
{
    struct json *o = json_object(c->a);
    struct endpoint_rows rows;
    TRY(endpoints_list(c->pg, c->a, false, reach_name(c->a, &c->who), &rows));
    json_set_json(o, "endpoints",
                  record_list(c->a, &endpoint_record, rows.v, rows.n));
    response_json(c->rs, 200, o);
    return NULL;
}

const struct err *api_endpoint_get(struct call *c)
{
    struct delivery last;
    struct endpoint e;
    TRY(endpoint_find(c, &e));
    TRY(endpoints_last(c->pg, c->a, e.id, &last));
    struct json *o = record_object(c->a, &endpoint_record, &e);
    struct json *sent = last.id.p ? json_object(c->a) : NULL;
    if (sent)
        record_show(c->a, sent, &delivery_record, IN_PART, &last);
    json_set_json(o, "last_delivery", sent);
    response_json(c->rs, 200, o);
    return NULL;
}

/* A call without members, which may be repeated. */
static const struct err *endpoint_begin(struct call *c, struct work *w)
{
    TRY(call_body_if_any(c));
    TRY(call_once(c));
    struct fields f = fields(c->a, c->body, STR(""));
    fields_only(&f, "");
    TRY(fields_error(&f));
    *w = call_work(c);
    return work_begin_bare(w, &c->once);
}

/* ---- trying --------------------------------------------------------- */

const struct err *api_endpoint_test(struct call *c)
{
    struct endpoints_test test;
    struct endpoint e;
    struct work w;
    TRY(endpoint_begin(c, &w));
    if (w.answered)
        return call_replay(c, &w);
    TRY(endpoint_own(c, &e));
    TRY(target_test(c, &e, &test));
    struct json *o = json_object(c->a);
    json_set_text(o, "delivery_id", test.delivery_id);
    json_set_text(o, "endpoint_id", e.id);
    json_set_text(o, "type", str_of(test.type));
    TRY(call_commit_bare(c, &w, 202, o));
    wake_deliver();
    return NULL;
}

/* ---- changing ------------------------------------------------------- */

const struct err *api_endpoint_change(struct call *c)
{
    const struct json *types = NULL;
    struct str name = STR_NONE;
    struct endpoint e;
    bool paused = false;
    TRY(call_body(c));
    struct fields f = fields(c->a, c->body, STR(""));
    fields_only(&f, "name event_types paused");
    fields_text(&f, "name", ENDPOINT_NAME_MAX, &name);
    fields_json(&f, "event_types", JSON_ARRAY, &types);
    fields_bool(&f, "paused", &paused);
    TRY(fields_error(&f));
    if (name.p)
        TRY(endpoint_name(c->a, "name", name));
    TRY(endpoint_own(c, &e));
    if (name.p)
        e.name = name;
    if (types)
        TRY(endpoint_types(c->a, "event_types", types, &e.event_types));
    if (name.p || types)
        TRY(endpoints_update(c->pg, c->a, &e));
    if (json_get(c->body, "paused"))
        TRY(endpoints_pause(c->pg, c->a, paused, clock_now(), &e));
    wake_deliver();
    response_json(c->rs, 200, record_object(c->a, &endpoint_record, &e));
    return NULL;
}

const struct err *api_endpoint_rotate(struct call *c)
{
    const struct str secret = endpoint_secret(c->a);
    struct endpoint e;
    struct work w;
    TRY(endpoint_begin(c, &w));
    if (w.answered)
        return call_replay(c, &w);
    TRY(endpoint_own(c, &e));
    TRY(endpoints_rotate(c->pg, c->a, e.id, secret, w.now));
    struct json *o = record_object(c->a, &endpoint_record, &e);
    view_set_time(c->a, o, "previous_until", w.now + ENDPOINTS_ROTATION);
    return call_commit_secret(c, &w, 200, o, secret);
}

const struct err *api_endpoint_remove(struct call *c)
{
    struct endpoint e;
    TRY(endpoint_own(c, &e));
    TRY(endpoints_remove(c->pg, c->a, e.id, clock_now()));
    c->rs->status = 204;
    return NULL;
}
