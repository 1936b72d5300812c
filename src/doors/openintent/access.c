/* The access control list of an intent, and requests for access to it
 * (OpenIntent RFC-0011). */
#include "base/clock.h"
#include "base/id.h"
#include "base/json/fields.h"
#include "domain/question/side_question.h"
#include "doors/asking/respond.h"
#include "doors/asking/view.h"
#include "doors/openintent/openintent.h"
#include "store/person/acls.h"
#include "store/person/keys.h"
#include "store/question/suspensions.h"
#include "store/sql.gen.h"
#include "work/access.h"
#include "work/ask.h"
#include "work/policy.h"

#define NAME_MAX_READ 200

/* ---- the list -------------------------------------------------------- */

/* The entries, and after them the agents that have more access by another
 * tie: so the last one of an agent says what it may do. */
static const struct err *access_object(struct call *c, struct str intent_id,
                                       bool closed, struct json **out)
{
    struct json *o = json_object(c->a);
    const int64_t now = clock_now();
    struct acl_rows rows;
    struct acl_ties ties;
    TRY(acls_list(c->pg, c->a, intent_id, now, &rows));
    TRY(acls_ties(c->pg, c->a, intent_id, now, &ties));
    struct json *list =
        record_list(c->a, &acl_entry_record, rows.v, rows.n);
    for (size_t i = 0; i < ties.n; i++) {
        const struct acl_tie *t = &ties.v[i];
        const struct acl_entry *e = acl_of_agent(rows.v, rows.n, t->agent);
        if (t->access > (e ? e->permission : ACCESS_NONE))
            json_add_json(list,
                          acl_tie_object(c->a, t->agent, t->access, t->until));
    }
    json_set_text(o, "intent_id", intent_id);
    json_set_text(o, "default_policy", closed ? STR("closed") : STR("open"));
    json_set_json(o, "entries", list);
    *out = o;
    return NULL;
}

const struct err *openintent_access_read(struct call *c)
{
    struct json *o = NULL;
    struct intent i;
    TRY(call_intent(c, c->param[0], REACH_USE, &i));
    TRY(access_object(c, i.id, i.closed, &o));
    response_json(c->rs, 200, o);
    return NULL;
}

static const struct err *access_check_gift(const struct work *w,
                                           struct acl_entry *e)
{
    struct policy_gift g = {
        .agent = e->agent, .access = e->permission, .until = e->expires_at};
    TRY(policy_give(w, &g));
    e->expires_at = g.until;
    return NULL;
}

const struct err *openintent_access_set(struct call *c)
{
    struct json *o = NULL;
    struct acl_list *list = arena_new(c->a, struct acl_list);
    struct acl_rows old;
    struct work w;
    TRY(call_body(c));
    TRY(acl_read(c->a, c->body, clock_now(), list));
    TRY(call_begin(c, &w, c->param[0]));
    for (size_t i = 0; i < list->n; i++)
        TRY(keys_joins(c->pg, c->a, list->v[i].agent, w.intent.test,
                       "entries"));
    if (c->who.role == ROLE_AGENT) {
        TRY(acls_list(c->pg, c->a, w.intent.id, w.now, &old));
        for (size_t i = 0; i < list->n; i++) {
            const struct acl_entry *e =
                acl_of_agent(old.v, old.n, list->v[i].agent);
            /* An entry that stays as it is gives nothing. */
            if (!e || !acl_same(e, &list->v[i]))
                TRY(access_check_gift(&w, &list->v[i]));
        }
        if (!list->closed)
            TRY(policy_open(&w));
    }
    TRY(access_set(&w, event_by(&c->who), list));
    TRY(access_object(c, w.intent.id, w.intent.closed, &o));
    return call_commit(c, &w, 200, o, false);
}

const struct err *openintent_access_grant(struct call *c)
{
    struct acl_entry e;
    struct work w;
    TRY(call_body_once(c));
    TRY(acl_entry_read(c->a, c->body, STR(""), clock_now(), &e));
    TRY(call_begin(c, &w, c->param[0]));
    if (w.answered)
        return call_replay(c, &w);
    TRY(keys_joins(c->pg, c->a, e.agent, w.intent.test, "principal_id"));
    TRY(access_check_gift(&w, &e));
    TRY(access_grant(&w, event_by(&c->who), &e));
    return call_commit(c, &w, 201, record_object(c->a, &acl_entry_record, &e),
                       false);
}

const struct err *openintent_access_revoke(struct call *c)
{
    struct work w;
    TRY(call_begin(c, &w, c->param[0]));
    TRY(access_revoke(&w, event_by(&c->who), c->param[1]));
    TRY(work_commit(&w, NULL));
    c->rs->status = 204;
    return NULL;
}

/* ---- requests -------------------------------------------------------- */

const struct err *openintent_access_requests(struct call *c)
{
    struct json *o = json_object(c->a), *list = json_array(c->a);
    struct suspension_rows rows;
    struct intent i;
    TRY(call_intent(c, c->param[0], REACH_USE, &i));
    TRY(acls_requests(c->pg, c->a, i.id, &rows));
    for (size_t n = 0; n < rows.n; n++)
        json_add_json(list, view_side_question(c, &rows.v[n]));
    json_set_json(o, "access_requests", list);
    response_json(c->rs, 200, o);
    return NULL;
}

/* Of any intent: the one call that needs no access to it. */
const struct err *openintent_access_request(struct call *c)
{
    static const struct principal anybody = {.needs = ACCESS_NONE};
    const struct work_target target = {.intent_id = c->param[0],
                                       .who = &anybody,
                                       .take = SQL_INTENT_TAKE};
    struct suspension s = {.id = id_new(c->a)};
    struct work w = call_work(c);
    TRY(call_body_once(c));
    TRY(side_question_read_access(c->a, c->body, &s));
    TRY(work_begin(&w, &target, &c->once));
    if (w.answered)
        return call_replay(c, &w);
    TRY(reach_check_sort(&c->who, w.intent.test));
    TRY(keys_joins(c->pg, c->a, side_question_principal(c->a, &s),
                   w.intent.test, "principal_id"));
    s.asked_by = principal_actor(&c->who);
    TRY(access_check_request(&w, &s));
    TRY(ask_by_caller(&w, &s));
    return call_commit(c, &w, 201, view_side_question(c, &w.suspension),
                       false);
}

/* An agent with admin access decides too, but never for itself, and not where
 * an admin said which people decide what the asking key requests. Looked up
 * again under the intent's lock, because another call may have taken its
 * access. */
static const struct err *access_admit(struct call *c, const struct work *w)
{
    bool people = false;
    struct intent i;
    if (c->who.role != ROLE_AGENT)
        return NULL;
    TRY(call_intent(c, w->intent.id, REACH_USE, &i));
    TRY(keys_decided(c->pg, c->a, w->suspension.asked_by_key, &people));
    if (people)
        return NULL;
    if (str_eq(c->who.agent, side_question_principal(c->a, &w->suspension)))
        return ERROR(ERR_FORBIDDEN, "suspension.own_question",
                     "An agent cannot answer its own request.");
    c->who.admits = true;
    return NULL;
}

static const struct err *access_read_answer(struct call *c, bool yes,
                                            struct answer *out)
{
    struct str permission = STR_NONE;
    *out = (struct answer){.pressed = true, .via = VIA_OPENINTENT};
    TRY(call_body_if_any(c));
    struct fields f = fields(c->a, c->body, STR(""));
    if (yes)
        fields_word(&f, "permission", "read write admin", &permission);
    fields_text(&f, "reason", SUSPENSION_REASON_MAX, &out->reason);
    fields_text(&f, "decided_by", NAME_MAX_READ, &out->claimed);
    if (yes)
        acl_end(&f, clock_now(), &out->access_until);
    if (!yes || permission.p)
        out->value = json_string(c->a, yes ? permission : STR("deny"));
    return fields_error(&f);
}

/* The one path of all answers; the request is the answer's body. */
static const struct err *access_decide(struct call *c, bool yes)
{
    const struct err *none =
        ERROR(ERR_NOT_FOUND, "access.unknown",
              "There is no request for access with this id.");
    struct answer answer;
    struct intent i;
    struct work w = call_work(c);
    TRY(access_read_answer(c, yes, &answer));
    TRY(call_intent(c, c->param[0], REACH_USE, &i));
    TRY(call_once(c));
    TRY(err_not_found_as(work_begin_suspension(&w, c->param[1], &c->once),
                         none));
    if (w.answered)
        return call_replay(c, &w);
    const struct suspension *s = &w.suspension;
    if (s->origin != ORIGIN_ACCESS || !str_eq(s->intent_id, i.id))
        return none;
    TRY(access_admit(c, &w));
    if (!answer.value)
        answer.value = json_string(
            c->a, vocabulary_access(side_question_permission(c->a, s))->wire);
    /* Access that the answer gives ends with the answering agent's own. */
    struct policy_gift g = {.agent = side_question_principal(c->a, s),
                            .access = reach_access_of(json_text(answer.value)),
                            .until = answer.access_until};
    if (g.access != ACCESS_NONE) {
        TRY(policy_give(&w, &g));
        answer.access_until = g.until;
    }
    TRY(respond_decide(c, &w, &answer));
    return call_commit(c, &w, 200, view_side_question(c, &w.suspension),
                       false);
}

const struct err *openintent_access_approve(struct call *c)
{
    return access_decide(c, true);
}

const struct err *openintent_access_deny(struct call *c)
{
    return access_decide(c, false);
}
