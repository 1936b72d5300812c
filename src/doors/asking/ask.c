/* Suspending an intent: the part that the native API and OpenIntent share. */
#include "doors/asking/ask.h"

#include "base/crypt.h"
#include "base/id.h"
#include "domain/answer/retry_silence.h"
#include "domain/question/beside.h"
#include "domain/question/retry.h"
#include "domain/question/risk.h"
#include "domain/question/suspension_seal.h"
#include "domain/sending/endpoint.h"
#include "doors/asking/govern.h"
#include "doors/asking/probe.h"
#include "doors/call/limit.h"
#include "store/endpoints.h"
#include "store/intents.h"
#include "store/permits.h"
#include "store/principals.h"
#include "store/suspensions.h"

const char ask_nobody[] = "responder.nobody";

static const struct err *open_question(struct call *c, const struct work *w)
{
    struct json *more = json_object(c->a);
    json_set_text(more, "suspension_id", w->suspension.id);
    return err_more(c->a,
                    ERROR(ERR_CONFLICT, "suspension.open",
                          "This intent already has an open question. It is "
                          "sealed until it is answered or cancelled. Ask "
                          "another question in a child intent."),
                    more);
}

/* ERR_INVALID responder.initiator: the initiator has to be proven. */
static const struct err *unproven(struct call *c, const char *why)
{
    return err_at(c->a, ERR_INVALID, "responder.initiator", STR("initiation"),
                  "%s Prove who started the task with an \"initiation\" ticket "
                  "of that person, or ask operators.",
                  why);
}

/* An agent can prove who the initiator is, and so has to. */
static const struct err *settle_terms(struct call *c, struct suspension *s)
{
    const struct terms t = call_terms(c, s->kind);
    if (risk_unproven(s, &t))
        return unproven(c, "Only the person who started the task decides "
                           "this.");
    risk_settle(c->a, s, &t);
    return NULL;
}

/* The agent chose whom it claims to work for: such a person of role user
 * decides up to the configured severity. */
static const struct err *check_claimed(struct call *c,
                                       const struct suspension *s)
{
    const struct principals_wanted operators = {.name = s->initiated_by};
    bool there = true;
    if (risk_claimed(c->serve->conf, s))
        TRY(principals_there(c->pg, c->a, &operators, &there));
    return there ? NULL
                 : unproven(c, "A person who is only claimed to have started "
                               "the task does not decide at this risk.");
}

/* The retry policy and the fallback of the question, merged and checked. */
static const struct err *settle_silence(struct call *c, struct suspension *s)
{
    const struct retry_defaults defaults = {
        .agent = c->who.retry_policy,
        .platform = c->serve->conf->default_retry_policy};
    TRY(retry_apply(c->a, s, &defaults));
    return retry_silence_check(c->a, s,
                                c->serve->conf->silence_may_authorize
                                    ? RETRY_SILENCE_LOW
                                    : RETRY_SILENCE_NEVER);
}

/* A rule that excludes nobody is refused: with another spelling of the name the
 * initiator could answer. */
static const struct err *check_initiator(struct call *c,
                                         const struct suspension *s)
{
    bool there = true;
    const struct principals_wanted who = {.name = s->initiated_by,
                                          .users = true};
    if (s->responder.not_initiator)
        TRY(principals_there(c->pg, c->a, &who, &there));
    return there ? NULL
                 : err_at(c->a, ERR_INVALID, "responder.initiator",
                          STR("responder.not_initiator"),
                          "The initiator of the intent is not an operator with "
                          "this name, so the rule would exclude nobody. Use "
                          "the name they sign in with, or leave the rule out.");
}

/* An agent that a closed intent is closed to would never see the question. */
static const struct err *check_agent(struct call *c,
                                     const struct suspension *s)
{
    const struct principal named = {.role = ROLE_AGENT,
                                    .agent = s->responder.who};
    bool shut = false;
    if (s->responder.mode == RESPONDER_AGENT)
        TRY(intents_shut(c->pg, c->a, s->intent_id, &named, &shut));
    return shut ? err_at(c->a, ERR_INVALID, ask_nobody, STR("responder.who"),
                         "The intent is closed to this agent. Give it access "
                         "first.")
                : NULL;
}

/* The agent that accepts a handoff owns the intent from then on. */
static const struct err *check_handoff(struct call *c, const struct work *w,
                                       const struct suspension *s)
{
    const struct kind_rule *rule = kind_rule(s->kind);
    struct govern_gift gift = {
        .agent = s->responder.who, .access = ACCESS_ADMIN, .lasts = true};
    return rule && rule->hands_over && s->responder.mode == RESPONDER_AGENT
               ? govern_give(c, w, &gift)
               : NULL;
}

/* A question that nobody could answer is refused. */
static const struct err *check_responder(struct call *c,
                                         const struct suspension *s)
{
    const struct responder *r = &s->responder;
    const bool initiator = r->mode == RESPONDER_INITIATOR;
    const struct principals_wanted who = {
        .group = r->mode == RESPONDER_GROUP ? r->who : STR_NONE,
        .name = initiator                     ? s->initiated_by
                : r->mode == RESPONDER_NAMED ? r->who
                                              : STR_NONE,
        .users = initiator};
    bool there = true;
    if ((initiator || r->not_initiator) && !s->initiated_by.p)
        return err_at(c->a, ERR_INVALID, "responder.initiator",
                      STR("responder"),
                      "The intent has no initiator.");
    if (r->mode == RESPONDER_AGENT && str_eq(r->who, s->asked_by))
        return err_at(c->a, ERR_INVALID, "responder.agent",
                      STR("responder.who"), "The agent that asks may not "
                                            "answer.");
    TRY(check_agent(c, s));
    if (r->mode == RESPONDER_AGENT)
        TRY(principals_joins(c->pg, c->a, r->who, s->test, "responder.who"));
    if (r->mode == RESPONDER_NAMED && r->not_initiator &&
        str_eq(r->who, s->initiated_by))
        there = false;
    else if (who.group.p || who.name.p)
        TRY(principals_there(c->pg, c->a, &who, &there));
    if (!there)
        return err_at(c->a, ERR_INVALID, ask_nobody,
                      r->who.p ? STR("responder.who") : STR("responder"),
                      "No operator could answer this question.");
    TRY(check_claimed(c, s));
    return check_initiator(c, s);
}

/* A superseded question has to be the agent's own, of the same kind, and
 * ended. */
static const struct err *check_superseded(struct call *c,
                                          const struct suspension *s)
{
    struct suspension old = {.kind = KIND_NONE};
    if (!s->supersedes.p)
        return NULL;
    const struct err *e =
        suspensions_get(c->pg, c->a, s->supersedes, &old);
    if (e && e->kind != ERR_NOT_FOUND)
        return e;
    if (e || !str_eq(old.asked_by, s->asked_by))
        return err_at(c->a, ERR_INVALID, "suspension.unknown",
                      STR("supersedes"), "The agent has no question with this "
                                         "id.");
    if (old.state == SUSPENSION_PENDING || old.kind != s->kind)
        return err_at(c->a, ERR_INVALID, "supersedes.other", STR("supersedes"),
                      "Only a question of the same kind that has ended can be "
                      "superseded.");
    return NULL;
}

/* An agent names no address of its own: the callback lies below an endpoint
 * that an admin registered. */
static const struct err *check_callback(struct call *c, struct suspension *s)
{
    struct endpoint e;
    struct endpoint_host host;
    bool found = false;
    if (!s->callback.p)
        return NULL;
    TRY(endpoint_url(c->a, "callback", s->callback, &host));
    TRY(endpoints_prefix(c->pg, c->a, s->asked_by, s->callback, &e, &found));
    if (!found)
        return err_at(c->a, ERR_INVALID, "callback.unknown", STR("callback"),
                      "The address is below no endpoint for callbacks. An "
                      "admin registers one, with \"prefix\".");
    s->callback_endpoint = e.id;
    return endpoint_below(c->a, "callback", s->callback, e.address);
}

static const struct err *check_kind(struct call *c,
                                    const struct suspension *s)
{
    const struct conf *conf = c->serve->conf;
    const struct kind_places places = {.own = conf->public_url,
                                       .hosts = conf->settings_hosts};
    struct json *subject = NULL;
    TRY(check_responder(c, s));
    TRY(check_superseded(c, s));
    TRY(json_parse(c->a, s->subject, &subject));
    return kind_check_places(
        c->a, &(struct kind_ask){.kind = s->kind, .subject = subject},
        &places);
}

/* The recipients of the new question's notice. */
static const struct deliveries_notice *notice(struct call *c,
                                              const struct work *w,
                                              const struct suspension *s,
                                              const struct channels *all)
{
    struct deliveries_notice *n = arena_new(c->a, struct deliveries_notice);
    *n = (struct deliveries_notice){
        .channels = all,
        .news = CHANNEL_ASKED,
        .suspension = s,
        .notify_to = channel_first(c->a, s),
        .url = call_url(c, "/suspensions/", s->id),
        .sequence = s->asked_sequence,
        .now = w->now};
    return n;
}

const struct err *ask_tell(struct call *c, struct work *w)
{
    struct channels *all;
    if (!w->board || !w->board->has_asked)
        return NULL;
    if (c->who.role == ROLE_AGENT) {
        TRY(limit_ask(c));
        w->board->asked.asked_by_key = c->who.id;
    }
    all = arena_new(c->a, struct channels);
    TRY(endpoints_channels(c->pg, c->a, all));
    if (all->n > 0)
        w->notice = notice(c, w, &w->board->asked, all);
    return NULL;
}

const struct err *ask_permit_make(struct call *c, struct work *w,
                                  const struct json *details,
                                  const struct permit_terms *terms)
{
    struct permit *p = &w->permit;
    if (c->who.test)
        return ERROR(ERR_FORBIDDEN, "key.test",
                     "A key for tests gets no permits.");
    *p = (struct permit){.id = id_new(c->a),
                         .intent_id = w->intent.id,
                         .auth_req_id = permits_handle(c->a),
                         .agent = c->who.agent,
                         .terms = terms ? *terms
                                        : permit_terms_default(details),
                         .state = PERMIT_ASKED,
                         .created_at = w->now};
    TRY(permit_details_text(c->a, details, &p->asked));
    p->asked_sha256 = crypt_sha256_hex(c->a, p->asked);
    w->permit_key = c->who.id;
    w->has_permit = true;
    w->permit_new = true;
    return NULL;
}

/* The permit that a yes makes, sealed with the question. */
static const struct err *seal_permit(struct call *c, struct work *w)
{
    const struct suspension *s = &w->suspension;
    const struct kind_rule *rule = kind_rule(s->kind);
    struct json *details = NULL;
    if (!rule || !rule->permits || s->test)
        return NULL;
    TRY(permit_asked(c->a, s->kind, json_read(c->a, s->subject), &details));
    if (!details)
        return NULL;
    struct permit_terms own = permit_terms_default(details);
    own.use_seconds = PERMIT_SECONDS_CALL;
    if (w->permit_terms)
        own = *w->permit_terms;
    TRY(permit_bound(c->a, &own, s->severity));
    TRY(ask_permit_make(c, w, details, &own));
    w->permit.suspension_id = s->id;
    return NULL;
}

/* Whose question it is, and where. */
static void sign(const struct call *c, const struct work *w,
                 struct suspension *s)
{
    s->intent_id = w->intent.id;
    s->seq = w->intent.tail.sequence + 1; /* of the event that tells of it */
    s->asked_by = principal_actor(&c->who);
    s->asked_by_key = c->who.id;
    s->initiated_by = w->intent.initiated_by;
    s->task_id = w->intent.task_id;
    s->initiator_id = w->intent.initiator_id;
    s->test = w->intent.test;
}

/* Most questions name no checkpoint, and most intents have no plan. A script's
 * answer to a key for tests decides no plan. */
static const struct err *take_checkpoint(struct call *c, struct work *w,
                                         struct suspension *s)
{
    const struct str member = STR("\"checkpoint_id\"");
    if (!(w->intent.containers & INTENT_HAS_TASKS) || c->who.test ||
        str_search(s->context, member) == s->context.n)
        return NULL;
    TRY(call_board(c, w));
    return checkpoint_take(w->board, s);
}

const struct err *ask_suspend(struct call *c, struct work *w,
                              struct suspension *s)
{
    struct channels *all = arena_new(c->a, struct channels);
    const struct suspension own = *s; /* as asked, before it inherits */
    if (w->has_suspension && w->suspension.state == SUSPENSION_PENDING)
        return open_question(c, w);
    TRY(take_checkpoint(c, w, s));
    sign(c, w, s);
    TRY(limit_ask(c));
    TRY(settle_terms(c, s));
    TRY(check_kind(c, s));
    TRY(check_handoff(c, w, s));
    TRY(settle_silence(c, s));
    TRY(endpoints_channels(c->pg, c->a, all));
    TRY(channel_check(c->a, all, &own, s->strict));
    TRY(check_callback(c, s));
    TRY(probe_check(c->a, all, s));
    TRY(suspension_seal(c->a, s, w->now));
    TRY(work_event(w, "intent.suspended", event_by(&c->who),
                   suspension_payload(c->a, s)));
    s->asked_sequence = w->intent.tail.sequence;
    TRY(suspension_put_mirror(c->a, s, &w->intent));
    w->suspension = *s;
    w->has_suspension = true;
    w->suspension_new = true;
    TRY(seal_permit(c, w));
    if (all->n > 0)
        w->notice = notice(c, w, &w->suspension, all);
    return NULL;
}

const struct err *ask_beside(struct call *c, struct work *w,
                             struct suspension *s)
{
    struct channels *all = arena_new(c->a, struct channels);
    int64_t open = 0;
    TRY(intent_check_open(w->intent.status));
    TRY(suspensions_beside(c->pg, c->a, w->intent.id, &open));
    if (open >= BESIDE_OPEN_MAX)
        return ERROR(ERR_CONFLICT, "question.too_many",
                     "20 approvals and other questions of this intent are "
                     "open. Wait for an answer.");
    TRY(limit_ask(c));
    sign(c, w, s);
    if (s->origin == ORIGIN_ACCESS) /* who asks may not know of that */
        s->initiated_by = s->initiator_id = STR_NONE;
    const struct terms terms = call_terms(c, s->kind);
    risk_settle(c->a, s, &terms);
    TRY(endpoints_channels(c->pg, c->a, all));
    TRY(suspension_seal(c->a, s, w->now));
    TRY(work_event(w, beside_asked_type(s), event_by(&c->who),
                   beside_asked(c->a, s)));
    s->asked_sequence = w->intent.tail.sequence;
    w->suspension = *s;
    w->has_suspension = true;
    w->suspension_new = true;
    if (all->n > 0)
        w->notice = notice(c, w, &w->suspension, all);
    return NULL;
}

const struct err *ask_make_intent(struct call *c, struct work *w,
                                  enum intent_status status)
{
    struct intent *i = &w->intent;
    struct json *p = json_object(c->a);
    i->created_by = principal_actor(&c->who);
    i->constraints = STR("{}");
    i->state = STR("{}");
    i->status = status;
    json_set_text(p, "title", i->title);
    json_set_text(p, "status", vocabulary_intent_status(INTENT_ACTIVE)->wire);
    return work_event(w, "intent_created", event_by(&c->who), p);
}

const struct err *ask_move(struct call *c, struct work *w)
{
    const struct intent_move m = {
        .from = w->intent.status,
        .to = INTENT_SUSPENDED,
        .role = c->who.role,
        .dependencies_done = w->dependencies_done,
        .children_done = w->children_done,
        .question_open = w->has_suspension &&
                         w->suspension.state == SUSPENSION_PENDING};
    enum intent_status to = INTENT_SUSPENDED;
    if (m.from != INTENT_SUSPENDED) {
        TRY(intent_move(&m, &to));
        w->intent.status = to;
    }
    work_touch(w);
    return NULL; /* ask_suspend reports an open one */
}
