/* Asking a question: the one way, of all doors and of the clock. */
#include "work/ask.h"

#include "base/clock.h"
#include "base/crypt.h"
#include "base/id.h"
#include "base/shared/metrics.h"
#include "domain/answer/retry_silence.h"
#include "domain/question/side_question.h"
#include "domain/question/retry.h"
#include "domain/question/risk.h"
#include "domain/question/suspension_seal.h"
#include "domain/sending/endpoint.h"
#include "store/intent/intents.h"
#include "store/permit/permits.h"
#include "store/person/keys.h"
#include "store/person/people.h"
#include "store/question/artifacts.h"
#include "store/question/suspensions.h"
#include "store/sending/endpoints.h"
#include "work/policy.h"
#include "work/probe.h"

const char ask_nobody[] = "responder.nobody";

#define ASK_AGAIN 60 /* seconds until a question may have been answered */

/* May the key ask one more question? Two requests at the same moment may both
 * pass. The clock asks too seldom to keep a count. */
static const struct err *ask_limit(const struct work *w, struct str key_id)
{
    const int64_t most = w->conf->limit_open;
    int64_t n = 0;
    if (!key_id.p ||
        (w->quota && quota_open(w->quota, key_id, most, clock_mono())))
        return NULL;
    TRY(suspensions_open_of(w->pg, w->arena, key_id, most, &n));
    if (w->quota)
        quota_opened(w->quota, key_id, n + 1, clock_mono());
    return n < most ? NULL
                    : err_retry(w->arena,
                                ERROR(ERR_RATE, metrics_limit_open,
                                      "This key has reached its limit of open "
                                      "questions. Wait for answers, or cancel "
                                      "some."),
                                ASK_AGAIN);
}

/* ERR_INVALID responder.initiator: the initiator has to be proven. */
static const struct err *ask_unproven(const struct work *w, const char *why)
{
    return err_at(
        w->arena, ERR_INVALID, "responder.initiator", STR("initiation"),
        "%s Prove who started the task with an \"initiation\" ticket "
        "of that person, or ask operators.",
        why);
}

/* The agent chose whom it claims to work for: such a person of role user
 * decides up to the configured severity. */
static const struct err *ask_check_claimed(const struct work *w,
                                           const struct suspension *s)
{
    const struct people_wanted operators = {.name = s->initiated_by};
    bool there = true;
    if (risk_claimed(w->conf, s))
        TRY(people_there(w->pg, w->arena, &operators, &there));
    return there ? NULL
                 : ask_unproven(w,
                                "A person who is only claimed to have started "
                                "the task cannot decide at this risk.");
}

/* The retry policy and the fallback of the question, merged and checked. */
static const struct err *ask_settle_silence(const struct work *w,
                                            struct suspension *s)
{
    const struct retry_defaults defaults = {.agent = w->who->retry_policy,
                                            .platform =
                                                w->conf->default_retry_policy};
    TRY(retry_apply(w->arena, s, &defaults));
    return retry_silence_check(w->arena, s,
                               w->conf->silence_may_authorize
                                   ? RETRY_SILENCE_LOW
                                   : RETRY_SILENCE_NEVER);
}

/* A rule that excludes nobody is refused: with another spelling of the name the
 * initiator could answer. */
static const struct err *ask_check_initiator(const struct work *w,
                                             const struct suspension *s)
{
    bool there = true;
    const struct people_wanted who = {.name = s->initiated_by,
                                      .users = true};
    if (s->responder.not_initiator)
        TRY(people_there(w->pg, w->arena, &who, &there));
    return there
               ? NULL
               : err_at(w->arena, ERR_INVALID, "responder.initiator",
                        STR("responder.not_initiator"),
                        "The initiator of the intent is not an operator with "
                        "this name, so the rule would exclude nobody. Use "
                        "the name they sign in with, or leave the rule out.");
}

/* An agent that a closed intent is closed to would never see the question. */
static const struct err *ask_check_agent(const struct work *w,
                                         const struct suspension *s)
{
    const struct principal named = {.role = ROLE_AGENT,
                                    .agent = s->responder.who};
    bool shut = false;
    if (s->responder.mode == RESPONDER_AGENT)
        TRY(intents_shut(w->pg, w->arena, s->intent_id, &named, &shut));
    return shut ? err_at(w->arena, ERR_INVALID, ask_nobody,
                         STR("responder.who"),
                         "The intent is closed to this agent. Give it access "
                         "first.")
                : NULL;
}

/* The agent that accepts a handoff owns the intent from then on. */
static const struct err *ask_check_handoff(const struct work *w,
                                           const struct suspension *s)
{
    const struct kind_rule *rule = kind_rule(s->kind);
    struct policy_gift gift = {
        .agent = s->responder.who, .access = ACCESS_ADMIN, .lasts = true};
    return rule && rule->hands_over && s->responder.mode == RESPONDER_AGENT
               ? policy_give(w, &gift)
               : NULL;
}

/* A question that nobody could answer is refused. */
static const struct err *ask_check_responder(const struct work *w,
                                             const struct suspension *s)
{
    const struct responder *r = &s->responder;
    const bool initiator = r->mode == RESPONDER_INITIATOR;
    const struct people_wanted who = {
        .group = r->mode == RESPONDER_GROUP ? r->who : STR_NONE,
        .name = initiator                     ? s->initiated_by
                : r->mode == RESPONDER_NAMED ? r->who
                                              : STR_NONE,
        .users = initiator};
    bool there = true;
    if ((initiator || r->not_initiator) && !s->initiated_by.p)
        return err_at(w->arena, ERR_INVALID, "responder.initiator",
                      STR("responder"), "The intent has no initiator.");
    if (r->mode == RESPONDER_AGENT && str_eq(r->who, s->asked_by))
        return err_at(w->arena, ERR_INVALID, "responder.agent",
                      STR("responder.who"),
                      "The agent that asks may not "
                      "answer.");
    TRY(ask_check_agent(w, s));
    if (r->mode == RESPONDER_AGENT)
        TRY(keys_joins(w->pg, w->arena, r->who, s->test,
                       "responder.who"));
    if (r->mode == RESPONDER_NAMED && r->not_initiator &&
        str_eq(r->who, s->initiated_by))
        there = false;
    else if (who.group.p || who.name.p)
        TRY(people_there(w->pg, w->arena, &who, &there));
    if (!there)
        return err_at(w->arena, ERR_INVALID, ask_nobody,
                      r->who.p ? STR("responder.who") : STR("responder"),
                      "No operator could answer this question.");
    TRY(ask_check_claimed(w, s));
    return ask_check_initiator(w, s);
}

/* A superseded question has to be the agent's own, of the same kind, and
 * ended. */
static const struct err *ask_check_superseded(const struct work *w,
                                              const struct suspension *s)
{
    struct suspension old = {.kind = KIND_NONE};
    if (!s->supersedes.p)
        return NULL;
    const struct err *e =
        suspensions_get(w->pg, w->arena, s->supersedes, &old);
    if (e && e->kind != ERR_NOT_FOUND)
        return e;
    if (e || !str_eq(old.asked_by, s->asked_by))
        return err_at(w->arena, ERR_INVALID, "suspension.unknown",
                      STR("supersedes"),
                      "The agent has no question with this "
                      "id.");
    if (old.state == SUSPENSION_PENDING || old.kind != s->kind)
        return err_at(w->arena, ERR_INVALID, "supersedes.other",
                      STR("supersedes"),
                      "Only a question of the same kind that has ended can be "
                      "superseded.");
    return NULL;
}

/* An agent names no address of its own: the callback lies below an endpoint
 * that an admin registered. */
static const struct err *ask_check_callback(const struct work *w,
                                            struct suspension *s)
{
    struct endpoint e;
    struct endpoint_host host;
    bool found = false;
    if (!s->callback.p)
        return NULL;
    TRY(endpoint_url(w->arena, "callback", s->callback, &host));
    TRY(endpoints_prefix(w->pg, w->arena, s->asked_by, s->callback, &e,
                         &found));
    if (!found)
        return err_at(w->arena, ERR_INVALID, "callback.unknown",
                      STR("callback"),
                      "The address is not below an endpoint for callbacks. An "
                      "admin can register one, with \"prefix\".");
    s->callback_endpoint = e.id;
    return endpoint_below(w->arena, "callback", s->callback, e.address);
}

struct deliveries_notice *ask_notice(struct work *w,
                                     const struct suspension *s,
                                     const struct channels *all)
{
    struct deliveries_notice *n =
        arena_new(w->arena, struct deliveries_notice);
    *n = (struct deliveries_notice){
        .channels = all,
        .news = CHANNEL_ASKED,
        .suspension = s,
        .notify_to = channel_first(w->arena, s),
        .url = conf_address(w->arena, w->conf, "/suspensions/", s->id),
        .sequence = s->asked_sequence,
        .now = w->now};
    return n;
}

const struct err *ask_of_plans(struct work *w)
{
    struct channels *all;
    if (!w->plans || !w->plans->has_asked)
        return NULL;
    if (w->who && w->who->role == ROLE_AGENT) {
        TRY(ask_limit(w, w->who->id));
        w->plans->asked.asked_by_key = w->who->id;
    }
    all = arena_new(w->arena, struct channels);
    TRY(endpoints_channels(w->pg, w->arena, all));
    if (all->n > 0)
        w->notice = ask_notice(w, &w->plans->asked, all);
    return NULL;
}

const struct err *ask_permit_make(struct work *w, const struct json *details,
                                  const struct permit_terms *terms)
{
    struct permit *p = &w->permit;
    if (w->who->test)
        return ERROR(ERR_FORBIDDEN, "key.test",
                     "A test key cannot get a permit.");
    *p = (struct permit){.id = id_new(w->arena),
                         .intent_id = w->intent.id,
                         .auth_req_id = permits_handle(w->arena),
                         .agent = w->who->agent,
                         .terms =
                             terms ? *terms : permit_terms_default(details),
                         .state = PERMIT_ASKED,
                         .created_at = w->now};
    TRY(permit_details_text(w->arena, details, &p->asked));
    p->asked_sha256 = crypt_sha256_hex(w->arena, p->asked);
    w->permit_key = w->who->id;
    w->has_permit = true;
    w->permit_new = true;
    return NULL;
}

/* The permit that a yes makes, sealed with the question. */
static const struct err *ask_seal_permit(struct work *w)
{
    const struct suspension *s = &w->suspension;
    const struct kind_rule *rule = kind_rule(s->kind);
    struct json *details = NULL;
    if (!rule || !rule->permits || s->test)
        return NULL;
    TRY(permit_asked(w->arena, s->kind, suspension_subject(w->arena, s),
                     &details));
    if (!details)
        return NULL;
    struct permit_terms own = permit_terms_default(details);
    own.use_seconds = PERMIT_SECONDS_CALL;
    if (w->permit_terms)
        own = *w->permit_terms;
    TRY(permit_bound(w->arena, &own, s->severity));
    TRY(ask_permit_make(w, details, &own));
    w->permit.suspension_id = s->id;
    return NULL;
}

/* Most questions name no checkpoint, and most intents have no plan. A script's
 * answer to a key for tests decides no plan. */
static const struct err *ask_take_checkpoint(struct work *w,
                                             struct suspension *s)
{
    const struct str member = STR("\"checkpoint_id\"");
    if (!(w->intent.containers & INTENT_HAS_TASKS) || w->who->test ||
        str_search(s->context, member) == s->context.n)
        return NULL;
    TRY(work_plans_by_caller(w));
    return checkpoint_take(w->plans, s);
}

/* Sets who asks, and the intent. */
static void ask_sign(const struct work *w, const struct ask_by *by,
                     struct suspension *s)
{
    s->intent_id = w->intent.id;
    s->seq = w->intent.tail.sequence + 1; /* of the event that says so */
    s->asked_by = by->name;
    s->asked_by_key = by->key_id;
    s->task_id = w->intent.task_id;
    s->traceparent = w->traceparent;
    s->test = w->intent.test;
    /* An agent that asks for access may not know of the initiator. */
    const bool hides = s->origin == ORIGIN_ACCESS;
    s->initiated_by = hides ? STR_NONE : w->intent.initiated_by;
    s->initiator_id = hides ? STR_NONE : w->intent.initiator_id;
}

/* Another question may be in the way. */
static const struct err *ask_check_place(const struct work *w,
                                         const struct suspension *s)
{
    int64_t open = 0;
    if (!side_question(s)) {
        if (!w->has_suspension || w->suspension.state != SUSPENSION_PENDING)
            return NULL;
        struct json *more = json_object(w->arena);
        json_set_text(more, "suspension_id", w->suspension.id);
        return err_more(w->arena,
                        ERROR(ERR_CONFLICT, "suspension.open",
                              "This intent already has an open question. It "
                              "is sealed until it is answered or cancelled. "
                              "Ask another question in a child intent."),
                        more);
    }
    TRY(intent_check_open(w->intent.status));
    TRY(suspensions_beside(w->pg, w->arena, w->intent.id, &open));
    return side_question_check_room(open);
}

/* The choices of the agent in a question that holds the intent. The server
 * words the others. */
static const struct err *ask_check(const struct work *w, struct suspension *s,
                                   const struct terms *terms,
                                   const struct channels *all)
{
    const struct suspension own = *s; /* as asked, before it inherits */
    const struct kind_places places = {.own = w->conf->public_url,
                                       .hosts = w->conf->settings_hosts};
    struct kind_ask about = {.kind = s->kind};
    /* An agent can prove who the initiator is, and so has to. */
    if (risk_unproven(s, terms))
        return ask_unproven(
            w, "Only the person who started the task may decide this.");
    risk_settle(w->arena, s, terms);
    TRY(ask_check_responder(w, s));
    TRY(ask_check_superseded(w, s));
    TRY(suspension_parse_subject(w->arena, s, &about.subject));
    TRY(kind_check_places(w->arena, &about, &places));
    TRY(ask_check_handoff(w, s));
    TRY(ask_settle_silence(w, s));
    TRY(channel_check(w->arena, all, &own, s->strict));
    TRY(ask_check_callback(w, s));
    return probe_check(w->arena, all, s);
}

/* ---- artifacts ------------------------------------------------------- */

/* Refs that may be those of artifacts, each once. */
struct ask_refs {
    struct str v[2 * SUSPENSION_REFS_MAX];
    size_t n;
};

static void ask_refs_add(struct ask_refs *refs, const struct json *list)
{
    for (size_t i = 0; i < json_count(list); i++) {
        const struct str ref = json_get_text(json_at(list, i), "ref");
        size_t k = 0;
        while (k < refs->n && !str_eq(refs->v[k], ref))
            k++;
        if (artifact_ref(ref) && k == refs->n && k < countof(refs->v))
            refs->v[refs->n++] = ref;
    }
}

/* The artifacts that the question names are the agent's own. Where a list of
 * its facts has another digest, that is a word of the agent. */
static const struct err *ask_take_artifacts(struct work *w,
                                            const struct suspension *s)
{
    struct ask_refs refs = {.n = 0};
    int64_t pixels = 0;
    const struct json *subject = suspension_subject(w->arena, s);
    ask_refs_add(&refs, json_read(w->arena, s->evidence));
    ask_refs_add(&refs, json_read(w->arena, s->artifacts));
    const size_t needed = refs.n;
    ask_refs_add(&refs, json_get(subject, "evidence"));
    ask_refs_add(&refs, json_get(subject, "artifacts"));
    if (refs.n == 0)
        return NULL;
    const struct artifacts_wanted wanted = {
        .agent = s->asked_by, .test = s->test, .refs = refs.v, .n = refs.n};
    TRY(artifacts_take(w->pg, w->arena, &wanted, &w->artifacts));
    for (size_t i = 0; i < w->artifacts.n; i++)
        pixels += w->artifacts.v[i].width * w->artifacts.v[i].height;
    if (pixels > ARTIFACTS_PIXELS_MAX)
        return err_at(w->arena, ERR_INVALID, "artifact.pixels",
                      STR("artifacts"),
                      "The images of a question may have 64 million pixels in "
                      "all.");
    for (size_t i = 0; i < needed; i++) {
        size_t k = 0;
        while (k < w->artifacts.n &&
               !str_eq(w->artifacts.v[k].sha256, refs.v[i]))
            k++;
        if (k == w->artifacts.n)
            return err_at(w->arena, ERR_INVALID, "artifact.unknown",
                          STR("artifacts"),
                          "The agent has uploaded no file with the digest "
                          "%.*s, or it was removed. Upload it again.",
                          STR_FMT(refs.v[i]));
    }
    return NULL;
}

const struct err *ask(struct work *w, struct suspension *s,
                      const struct ask_by *by)
{
    struct channels *all = arena_new(w->arena, struct channels);
    const bool holds = !side_question(s);
    TRY(ask_check_place(w, s));
    if (holds)
        TRY(ask_take_checkpoint(w, s));
    ask_sign(w, by, s);
    TRY(ask_limit(w, by->key_id));
    TRY(endpoints_channels(w->pg, w->arena, all));
    if (holds)
        TRY(ask_check(w, s, &by->terms, all));
    else
        risk_settle(w->arena, s, &by->terms);
    TRY(ask_take_artifacts(w, s));
    TRY(suspension_seal(w->arena, s, w->now));
    struct json *asked = holds ? suspension_payload(w->arena, s)
                               : side_question_asked(w->arena, s);
    json_set_text(asked, "asked_sha256", suspension_asked_sha256(w->arena, s));
    if (w->artifacts.n > 0)
        json_set_json(asked, "artifacts",
                      artifact_payload(w->arena, &w->artifacts));
    TRY(work_event(w, holds ? "intent.suspended" : side_question_asked_type(s),
                   by->event, asked));
    s->asked_sequence = w->intent.tail.sequence;
    if (holds)
        TRY(suspension_put_mirror(w->arena, s, &w->intent));
    w->suspension = *s;
    w->has_suspension = true;
    w->suspension_new = true;
    if (holds)
        TRY(ask_seal_permit(w));
    if (all->n > 0)
        w->notice = ask_notice(w, &w->suspension, all);
    return NULL;
}

const struct err *ask_by_caller(struct work *w, struct suspension *s)
{
    const struct ask_by by = {.name = principal_actor(w->who),
                              .key_id = w->who->id,
                              .event = event_by(w->who),
                              .terms = work_terms(w, s->kind)};
    return ask(w, s, &by);
}

const struct err *ask_make_intent(struct work *w, enum intent_status status)
{
    struct intent *i = &w->intent;
    struct json *p = json_object(w->arena);
    i->created_by = principal_actor(w->who);
    i->constraints = STR("{}");
    i->state = STR("{}");
    i->status = status;
    json_set_text(p, "title", i->title);
    json_set_text(p, "status", vocabulary_intent_status(INTENT_ACTIVE)->wire);
    json_set_text(p, "state_sha256", intent_state_sha256(w->arena, NULL));
    return work_event(w, "intent_created", event_by(w->who), p);
}

const struct err *ask_move(struct work *w)
{
    const struct intent_move m = {.from = w->intent.status,
                                  .to = INTENT_SUSPENDED,
                                  .role = w->who->role,
                                  .dependencies_done = w->dependencies_done,
                                  .children_done = w->children_done,
                                  .question_open = w->has_suspension &&
                                                   w->suspension.state ==
                                                       SUSPENSION_PENDING};
    enum intent_status to = INTENT_SUSPENDED;
    if (m.from != INTENT_SUSPENDED) {
        TRY(intent_move(&m, &to));
        w->intent.status = to;
    }
    work_touch(w);
    return NULL; /* ask reports an open one */
}
