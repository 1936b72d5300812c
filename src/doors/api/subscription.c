/* Subscriptions of OpenIntent: events go to a registered endpoint, and never
 * to a URL only because a body has it. An agent sees the subscriptions of its
 * own endpoints, an admin all. */
#include "base/clock.h"
#include "base/id.h"
#include "doors/api/api.h"
#include "store/intent/intents.h"
#include "store/plan/portfolios.h"
#include "store/sending/subscriptions.h"

/* The intent or the portfolio that it is to. */
static const struct err *
subscription_check_target(struct call *c, const struct subscription *s)
{
    const struct str id = s->intent_id;
    const struct intent_ids ids = {.v = {id}, .n = id.p ? 1 : 0};
    const struct intents_refs refs = {&ids, &c->who, REACH_USE, ACCESS_READ,
                                      ERR_NOT_FOUND, "intent_id",
                                      .joins = NULL};
    struct portfolio p;
    if (s->portfolio_id.p)
        return portfolios_get(c->pg, c->a, s->portfolio_id, &c->who, &p);
    return intents_check_refs(c->pg, c->a, &refs);
}

const struct err *api_subscription_make(struct call *c)
{
    struct subscription s = {.id = id_new(c->a), .created_by = c->who.id};
    struct work w = call_work(c);
    TRY(call_body_once(c));
    TRY(subscription_read(c->a, c->body, principal_actor(&c->who), clock_now(),
                          &s));
    TRY(work_begin_bare(&w, &c->once));
    if (w.answered)
        return call_replay(c, &w);
    s.created_at = w.now;
    TRY(subscription_check_target(c, &s));
    TRY(subscriptions_insert(c->pg, c->a, &s, reach_name(c->a, &c->who),
                             c->serve->conf->limit_subscriptions));
    s.active = subscription_active(&s, w.now);
    return call_commit_bare(c, &w, 201,
                            record_object(c->a, &subscription_record, &s));
}

const struct err *api_subscription_list(struct call *c)
{
    struct subscriptions_page page = {
        .agent = reach_name(c->a, &c->who),
        .now = clock_now(),
        .intent_id = request_query(c->rq, "intent_id"),
        .portfolio_id = request_query(c->rq, "portfolio_id"),
        .after = request_query(c->rq, "after")};
    struct subscription_rows rows = {.n = 0};
    struct json *o = json_object(c->a);
    TRY(subscriptions_list(c->pg, c->a, &page, &rows));
    json_set_json(o, "subscriptions",
                  record_list(c->a, &subscription_record, rows.v, rows.n));
    json_set_text_or_null(o, "next",
                          rows.n == SUBSCRIPTIONS_PAGE ? rows.v[rows.n - 1].id
                                                       : STR_NONE);
    response_json(c->rs, 200, o);
    return NULL;
}

const struct err *api_subscription_remove(struct call *c)
{
    TRY(subscriptions_remove(c->pg, c->a, c->param[0],
                             reach_name(c->a, &c->who)));
    c->rs->status = 204;
    return NULL;
}
