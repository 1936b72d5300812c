/* Subscriptions of OpenIntent: events go to a registered endpoint, and never to
 * a URL only because a body has it. */
#include "base/clock_text.h"
#include "base/id.h"
#include "doors/api/api.h"
#include "doors/asking/view.h"
#include "store/intents.h"
#include "store/portfolios.h"
#include "store/subscriptions.h"

/* An agent sees the subscriptions of its own endpoints, an admin all. */
static struct str scope(const struct call *c)
{
    return reach_name(c->a, &c->who);
}

static struct json *view(struct arena *a, const struct subscription *s,
                         int64_t now)
{
    struct json *o = json_object(a);
    json_set_text(o, "id", s->id);
    json_set_text_or_null(o, "intent_id", s->intent_id);
    json_set_text_or_null(o, "portfolio_id", s->portfolio_id);
    json_set_text(o, "subscriber_id", s->subscriber_id);
    json_set_read(a, o, "event_types", s->event_types);
    json_set_text(o, "webhook_url", s->webhook_url);
    json_set_bool(o, "active", subscription_active(s, now));
    json_set_text_or_null(o, "expires_at", clock_naive(a, s->expires_at));
    json_set_text(o, "created_at", clock_naive(a, s->created_at));
    return o;
}

/* The intent or the portfolio that it is to. */
static const struct err *check_target(struct call *c,
                                      const struct subscription *s)
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
    struct work_once once;
    struct json *body = NULL;
    struct work w = call_work(c);
    TRY(call_body(c, &body));
    TRY(call_once(c, &once));
    TRY(subscription_read(c->a, body, principal_actor(&c->who), clock_now(),
                          &s));
    TRY(work_begin_bare(&w, &once));
    if (w.answered)
        return call_replay(c, &w);
    s.created_at = w.now;
    TRY(check_target(c, &s));
    TRY(subscriptions_insert(c->pg, c->a, &s, scope(c),
                             c->serve->conf->limit_subscriptions));
    return call_commit_bare(c, &w, 201, view(c->a, &s, w.now));
}

const struct err *api_subscription_list(struct call *c)
{
    const int64_t now = clock_now();
    struct subscriptions_page page = {
        .agent = scope(c),
        .now = now,
        .intent_id = request_query(c->rq, "intent_id"),
        .portfolio_id = request_query(c->rq, "portfolio_id"),
        .after = request_query(c->rq, "after")};
    struct subscription_rows rows = {.n = 0};
    struct json *o = json_object(c->a), *list = json_array(c->a);
    TRY(subscriptions_list(c->pg, c->a, &page, &rows));
    for (size_t i = 0; i < rows.n; i++)
        json_add_json(list, view(c->a, &rows.v[i], now));
    json_set_json(o, "subscriptions", list);
    json_set_text_or_null(o, "next",
                          rows.n == SUBSCRIPTIONS_PAGE ? rows.v[rows.n - 1].id
                                                       : STR_NONE);
    response_json(c->rs, 200, o);
    return NULL;
}

const struct err *api_subscription_remove(struct call *c)
{
    TRY(subscriptions_remove(c->pg, c->a, c->param[0], scope(c)));
    c->rs->status = 204;
    return NULL;
}
