/* Intents: creating, reading, and their dependencies. */
#include "doors/api/api.h"
#include "doors/asking/view.h"
#include "doors/call/hold.h"
#include "store/intent/graphs.h"
#include "store/intent/intents.h"
#include "work/policy.h"

/* ---- reading -------------------------------------------------------- */

const struct err *api_intent_get(struct call *c)
{
    struct intent i;
    int64_t wait = 0, since = call_query_int(c, "since", -1);
    TRY(hold_wait(c, &wait));
    if (since >= 0 && !request_query(c->rq, "wait").p)
        return err_at(c->a, ERR_BAD_REQUEST, "request.query", STR("since"),
                      "\"since\" needs \"wait\".");
    TRY(call_intent(c, c->param[0], REACH_READ, &i));
    if (since < 0) /* wait for the next change */
        since = i.version;
    if (i.version <= since && wait > 0) {
        hold_poll(c, &(struct hold_poll){.intent_id = i.id,
                                         .since = since,
                                         .wait = wait});
        return NULL;
    }
    if (i.version <= since && c->rq->unheld)
        response_header(c->rs, "Retry-After", STR("1"));
    const struct str etag = call_etag(c->a, i.version);
    response_header(c->rs, "ETag", etag);
    if (str_eq(request_header(c->rq, "If-None-Match"), etag)) {
        c->rs->status = 304;
        return NULL;
    }
    response_json_text(c->rs, 200, view_intent_text(c->a, &i));
    return NULL;
}

const struct err *api_intent_list(struct call *c)
{
    struct intents_page page = {.who = &c->who,
                                .status = request_query(c->rq, "status"),
                                .limit = call_query_int(c, "limit", 50),
                                .offset = call_query_int(c, "offset", 0)};
    const struct str after = request_query(c->rq, "after");
    struct buf b = buf_make(c->a, RESPONSE_BODY_MAX);
    struct intent_rows rows;
    struct intent last;
    if (page.status.p &&
        vocabulary_intent_status_of(page.status) == INTENT_STATUS__MAX)
        return err_at(c->a, ERR_BAD_REQUEST, "request.query", STR("status"),
                      "There is no status with this name.");
    if (after.p) {
        TRY(err_not_found_as(
            call_intent(c, after, REACH_USE, &last),
            err_at(c->a, ERR_BAD_REQUEST, "request.query", STR("after"),
                   "\"after\" has to be the last id of the previous page.")));
        page.after_created = last.created_at;
        page.after_id = last.id;
    }
    TRY(intents_list(c->pg, c->a, &page, &rows));
    view_intents(&b, "intents", &rows);
    response_json_buf(c->rs, 200, &b);
    return NULL;
}

/* ---- creating ------------------------------------------------------- */

/* The intents that it refers to have to exist. Its dependencies have to be
 * readable; its parent has to be usable, because the parent cannot be completed
 * before its children. */
static const struct err *intent_check_refs(struct call *c,
                                           const struct work *w,
                                           const struct intent_ids *depends)
{
    const struct str parent_id = w->intent.parent_intent_id;
    const struct intent_ids parent = {.v = {parent_id},
                                      .n = parent_id.p ? 1 : 0};
    const struct intents_refs refs[] = {
        {depends, &c->who, REACH_READ, ACCESS_READ, ERR_INVALID, "depends_on",
         .joins = &w->intent},
        {&parent, &c->who, REACH_USE, ACCESS_ADMIN, ERR_NOT_FOUND,
         "parent_intent_id", .joins = NULL}};
    TRY(intents_check_refs(c->pg, c->a, &refs[0]));
    TRY(intents_check_refs(c->pg, c->a, &refs[1]));
    for (size_t i = 0; i < depends->n; i++)
        TRY(policy_tie(w, depends->v[i]));
    if (parent_id.p)
        TRY(policy_tie(w, parent_id));
    TRY(work_check_parent(w));
    if (!parent_id.p || depends->n == 0)
        return NULL;
    return graphs_check_ring(c->pg, c->a, parent_id, depends, "depends_on");
}

static const struct err *intent_make(struct call *c, struct str parent)
{
    struct intent given = {.status = INTENT_DRAFT, .test = c->who.test};
    struct intent_ids depends = {.n = 0};
    struct json *payload = json_object(c->a);
    struct json *list = json_array(c->a);
    struct work w = call_work(c);
    TRY(call_body_once(c));
    TRY(intent_read(c->a, c->body, &given, &depends));
    if (parent.p)
        given.parent_intent_id = parent;
    given.created_by = principal_actor(&c->who);
    for (size_t k = 0; k < depends.n; k++)
        json_add_text(list, depends.v[k]);
    given.depends_on = json_dump(c->a, list, RESPONSE_BODY_MAX);
    const bool graph = given.parent_intent_id.p && depends.n > 0;
    TRY(work_begin_new(&w, &given, graph, &c->once));
    if (w.answered)
        return call_replay(c, &w);
    TRY(intent_check_refs(c, &w, &depends));
    json_set_text(payload, "title", w.intent.title);
    json_set_text(payload, "status",
                  vocabulary_intent_status(w.intent.status)->wire);
    json_set_text_given(payload, "parent_intent_id",
                        w.intent.parent_intent_id);
    json_set_json(payload, "depends_on", list);
    json_set_text(payload, "state_sha256",
                  intent_state_sha256(c->a, json_get(c->body, "state")));
    TRY(work_event(&w, "intent_created", event_by(&c->who), payload));
    w.depends = &depends;
    return call_commit_text(c, &w, 201, view_intent_text(c->a, &w.intent),
                            true);
}

const struct err *api_intent_create(struct call *c)
{
    return intent_make(c, STR_NONE);
}

const struct err *api_intent_create_child(struct call *c)
{
    struct intent parent;
    TRY(call_intent(c, c->param[0], REACH_USE, &parent));
    return intent_make(c, parent.id);
}
