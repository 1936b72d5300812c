/* OpenIntent's own endpoints: discovery, configuration, the answer, and those
 * that Sayso does not have. */
#include "base/clock_text.h"
#include "base/json/fields.h"
#include "doors/asking/respond.h"
#include "doors/call/route.h"
#include "doors/openintent/openintent.h"
#include "store/sql.gen.h"

#define SHORT_MAX 200

/* Each is whole: one whose addresses answer 501 in part is not listed. */
const struct err *openintent_discovery(struct call *c)
{
    struct json *o = json_object(c->a), *caps = json_array(c->a);
    static const char *const can[] = {
        "intents",     "graph",        "events",        "event_chain",
        "streams",     "leases",       "assignments",   "subscriptions",
        "suspension",  "governance",   "approvals",     "escalations",
        "arbitration", "decisions",    "portfolios",    "tasks",
        "plans",       "coordinators", "decision_records", "costs",
        "attachments", "retry_policy", "failures",      "acl",
        "access_requests"};
    for (size_t i = 0; i < countof(can); i++)
        json_add_text(caps, str_of(can[i]));
    json_set_text(o, "name", STR("Sayso"));
    json_set_text(o, "protocol", STR("openintent"));
    json_set_text(o, "protocol_version", STR("0.17.0"));
    json_set_text(o, "api_base", STR("/api/v1"));
    json_set_json(o, "capabilities", caps);
    response_json(c->rs, 200, o);
    response_header(c->rs, "Cache-Control", STR("public, max-age=300"));
    return NULL;
}

/* default_retry_policy is null unless the client asks for one: the SDK lets a
 * published fallback override the one of each call. */
const struct err *openintent_config(struct call *c)
{
    struct json *o = json_object(c->a), *suspension = json_object(c->a);
    json_set_text(o, "protocol_version", STR("0.17.0"));
    json_set_read(c->a, suspension, "default_retry_policy",
                  c->serve->conf->default_retry_policy);
    json_set_json(o, "suspension", suspension);
    response_json(c->rs, 200, o);
    return NULL;
}

/* ---- suspend/respond ------------------------------------------------ */

static const struct err *openintent_read_answer(struct call *c,
                                                const struct json *body,
                                                struct str *id,
                                                struct answer *out)
{
    struct fields f = fields(c->a, body, STR(""));
    fields_text(&f, "suspension_id", 64, id);
    if (!f.e && id->n == 0)
        fields_wrong(&f, "suspension_id", "field.missing",
                     "\"suspension_id\" is needed.");
    fields_text(&f, "responded_by", SHORT_MAX, &out->claimed);
    fields_text(&f, "reason", SUSPENSION_REASON_MAX, &out->reason);
    fields_text(&f, "subject_sha256", 64, &out->seen);
    fields_json(&f, "metadata", JSON_OBJECT, &out->metadata);
    out->value = json_get(body, "value");
    out->via = VIA_OPENINTENT;
    return fields_error(&f);
}

/* Further members of an answer to a question of a kind, by the names of the
 * native API. For a plain question such members are ignored. */
static const struct err *openintent_read_more(struct call *c,
                                              const struct json *body,
                                              const struct suspension *s,
                                              struct answer *out)
{
    struct fields f = fields(c->a, body, STR(""));
    if (s->kind == KIND_NONE)
        return NULL;
    fields_text(&f, "choice", SHORT_MAX, &out->choice);
    fields_text(&f, "typed", SHORT_MAX, &out->typed);
    fields_json(&f, "constraints", JSON_OBJECT, &out->amend.constraints);
    fields_json(&f, "subject", JSON_OBJECT, &out->amend.subject);
    if (out->amend.subject)
        out->amend.subject_text =
            json_raw_member(c->a, c->rq->body, STR("subject"));
    return fields_error(&f);
}

static struct json *openintent_responded(struct call *c,
                                         const struct suspension *s,
                                         const struct answer *answer)
{
    struct json *o = json_object(c->a);
    json_set_text(o, "intent_id", s->intent_id);
    json_set_text(o, "suspension_id", s->id);
    json_set_text(o, "resolution", STR("responded"));
    json_set_json(o, "value", json_read(c->a, s->response));
    suspension_set_choice(
        o, suspension_chosen(c->a, s, json_read(c->a, s->response)));
    json_set_text(o, "responded_by",
                  s->responded_by_claimed.p ? s->responded_by_claimed
                                            : s->responded_by);
    json_set_text(o, "decided_by", s->responded_by);
    json_set_text(o, "responded_at", clock_naive(c->a, s->responded_at));
    if (answer->metadata)
        json_set_json(o, "metadata", answer->metadata);
    return o;
}

const struct err *openintent_respond(struct call *c)
{
    const struct work_target target = {.intent_id = c->param[0],
                                       .who = &c->who,
                                       .take = SQL_INTENT_TAKE,
                                       .answers = true};
    struct answer answer = {.value = NULL};
    struct str id = STR_NONE;
    struct work w = call_work(c);
    TRY(call_body_once(c));
    TRY(openintent_read_answer(c, c->body, &id, &answer));
    TRY(work_begin(&w, &target, &c->once));
    if (w.answered)
        return call_replay(c, &w);
    /* RFC-0025 8: 409 unless the intent is suspended and the id is that of its
     * active suspension. For a decided question the error names the
     * responder. */
    const bool same = w.has_suspension && str_eq(w.suspension.id, id);
    if (same && w.suspension.state != SUSPENSION_PENDING)
        return resolve_decided(c->a, &w.suspension, true);
    if (!same && w.intent.status != INTENT_SUSPENDED)
        return ERROR(ERR_CONFLICT, "intent.not_suspended",
                     "The intent is not waiting for an answer.");
    if (!same)
        return ERROR(ERR_CONFLICT, "suspension.not_active",
                     "This is not the intent's active suspension.");
    TRY(openintent_read_more(c, c->body, &w.suspension, &answer));
    TRY(respond_decide(c, &w, &answer));
    if (w.answered)
        return call_replay(c, &w);
    return call_commit(c, &w, 200,
                       openintent_responded(c, &w.suspension, &answer), false);
}

/* ---- not a part of Sayso --------------------------------------------- */

/* The first part of an address that matches counts. */
static const struct {
    const char *part, *rfc, *say;
} unsupported[] = {
    {"federation", "0022", "Sayso serves one organization."},
    {"/identity", "0018",
     "Sayso does not register the signing keys of agents."},
    {"/memory", "0015", "Sayso does not keep the memory of agents."},
    {"/grants", "0014", "Sayso does not grant tools or keep credentials."},
    {"/vaults", "0014", "Sayso does not grant tools or keep credentials."},
    {"/credentials", "0014",
     "Sayso does not grant tools or keep credentials."},
    {"/invocations", "0014", "Sayso does not call tools."},
    {"/tools/", "0014", "Sayso does not call tools."},
    {"/agents", "0016",
     "Sayso does not keep a register of agents. A key names the agents that "
     "it speaks for."},
    {"/triggers", "0017", "Sayso does not start work on a schedule."},
    {"/channels", "0021", "Sayso does not carry messages between agents."},
    {"/v1/instances", NULL,
     "Sayso does not issue credentials here. An admin creates a key for each "
     "agent and registers its endpoint."},
};

/* Addresses of OpenIntent's SDK: 501, because 404 would say that there is no
 * such vault. */
const struct err *openintent_unsupported(struct call *c)
{
    const struct str pattern = str_of(c->route->pattern);
    struct json *o = json_object(c->a);
    size_t i = 0;
    while (i + 1 < countof(unsupported) &&
           str_search(pattern, str_of(unsupported[i].part)) == pattern.n)
        i++;
    json_set_text(o, "detail", str_of(unsupported[i].say));
    json_set_text(o, "message", str_of(unsupported[i].say));
    json_set_text(o, "code", STR("feature.unsupported"));
    if (unsupported[i].rfc)
        json_set_text(o, "rfc", str_of(unsupported[i].rfc));
    response_json(c->rs, 501, o);
    return NULL;
}
