/* Tool calls before a person: rules, the task's intent, the question. */
#include "doors/asking/guard.h"

#include "base/crypt.h"
#include "base/id.h"
#include "base/json/fields.h"
#include "domain/intent/person.h"
#include "domain/permit/tool_call.h"
#include "domain/question/suspension_read.h"
#include "store/permit/resources.h"
#include "store/permit/tools.h"
#include "work/ask.h"

#define SHORT_MAX 200
#define CONSEQUENCE_MAX 2000

const char guard_choices[] =
    ",\"choices\":[{\"value\":\"reject\",\"label\":\"Reject\",\"style\":"
    "\"danger\",\"effect\":\"veto\",\"reason\":\"optional\"},"
    "{\"value\":\"approve\",\"label\":\"Approve\",\"style\":\"primary\","
    "\"effect\":\"authorize\",\"reason\":\"optional\"}]";

/* ---- reading -------------------------------------------------------- */

void guard_read(struct guard *g, struct fields *f)
{
    fields_text(f, "initiation", SHORT_MAX, &g->initiation);
    fields_text(f, "initiated_by", SHORT_MAX, &g->initiated_by);
    fields_bool(f, "requires_approval", &g->requires_approval);
    fields_text(f, "consequence", CONSEQUENCE_MAX, &g->consequence);
    g->consequence = tool_call_consequence(g->consequence);
    g->severity = vocabulary_severity_read(f, "severity");
    if (g->severity == SEVERITY__MAX)
        g->severity = SEVERITY_UNSAID;
    if (!f->e && g->initiation.p && g->initiated_by.p)
        fields_wrong(f, "initiated_by", "field.unused",
                     "Give either \"initiation\" or \"initiated_by\".");
    g->initiated_by = person_reference(g->c->a, g->initiated_by);
}

/* ---- rules ---------------------------------------------------------- */

static const struct err *read_rules(struct call *c,
                                    struct guard_rule_set *out)
{
    struct tools_rules all;
    TRY(tools_rules(c->pg, c->a, &all));
    out->v = arena_many(c->a, all.n + 1, struct tool_rule);
    out->n = all.n;
    for (size_t i = 0; i < all.n; i++)
        out->v[i] = all.v[i].rule;
    return NULL;
}

const struct err *guard_rules_once(struct call *c, struct guard_rule_set *set,
                                   const struct tool_rule_case *about,
                                   struct tool_rule_verdict *out)
{
    if (!set->v)
        TRY(read_rules(c, set));
    tool_rule_decide(c->a, set->v, set->n, about, out);
    return NULL;
}

const struct err *guard_rules(struct call *c,
                              const struct tool_rule_case *about,
                              struct tool_rule_verdict *out)
{
    struct guard_rule_set set = {.v = NULL};
    return guard_rules_once(c, &set, about, out);
}

static const struct err *torn(struct arena *a, const char *at)
{
    return err_at(a, ERR_INVALID, "rule.torn", str_of(at),
                  "Different people decide these calls. Check them one by "
                  "one.");
}

const struct err *guard_terms_of(struct call *c, const struct suspension *s)
{
    const struct kind_rule *kind = kind_rule(s->kind);
    struct tool_rule_verdict verdict;
    struct terms terms;
    struct str *tools;
    if (c->who.role != ROLE_AGENT || !kind || !kind->permits)
        return NULL;
    const size_t n =
        tool_call_tools_of(c->a, json_read(c->a, s->subject), &tools);
    const struct tool_rule_case about = {.agent = c->who.agent,
                                         .tools = tools,
                                         .n = n,
                                         .severity = SEVERITY_UNSAID};
    if (n == 0)
        return NULL;
    TRY(guard_rules(c, &about, &verdict));
    if (!tool_rule_terms(&verdict, n, &terms))
        return NULL;
    if (verdict.torn)
        return torn(c->a, "subject.calls");
    principal_terms_add(&terms, &c->who.terms);
    c->who.terms = terms;
    return NULL;
}

const struct err *guard_decide(struct guard *g)
{
    struct call *c = g->c;
    g->verdict = (struct tool_rule_verdict){.effect = TOOL_ASK,
                                            .severity = g->severity,
                                            .by = c->who.terms.by};
    if (g->n == 0)
        return NULL;
    const struct tool_rule_case about = {
        .agent = c->who.agent,
        .tools = g->tools,
        .n = g->n,
        .requires_approval = g->requires_approval,
        .severity = g->severity,
        .terms = c->who.terms};
    TRY(guard_rules(c, &about, &g->verdict));
    return g->verdict.effect == TOOL_ASK && g->verdict.torn
               ? torn(c->a, "tool_calls")
               : NULL;
}

/* ---- the intent ----------------------------------------------------- */

static const struct err *begin_new(struct guard *g,
                                   const struct work_once *once)
{
    struct call *c = g->c;
    struct intent *i = &g->w.intent;
    const struct intent given = {.title = STR_NONE, .test = c->who.test};
    g->w = call_work(c);
    TRY(work_begin_new(&g->w, &given, false, once));
    if (g->w.answered)
        return NULL;
    if (g->initiation.p)
        TRY(initiations_take(c->pg, c->a, g->initiation,
                             reach_name(c->a, &c->who), &g->initiator));
    i->title = str_trim(g->title).n > 0 ? g->title : g->tools[0];
    i->session_id = g->session_id;
    i->task_id = g->task_id;
    i->turn_id = g->turn_id;
    i->initiated_by = g->initiation.p ? g->initiator.email : g->initiated_by;
    i->initiator_id = g->initiator.id;
    return ask_make_intent(&g->w, g->verdict.effect == TOOL_ASK
                                      ? INTENT_SUSPENDED
                                      : INTENT_ACTIVE);
}

/* A later check keeps the initiator of the first. */
static const struct err *check_initiator(struct guard *g)
{
    const struct intent *i = &g->w.intent;
    bool same = true;
    if (g->initiation.p) {
        TRY(initiations_take(g->c->pg, g->c->a, g->initiation,
                             reach_name(g->c->a, &g->c->who),
                             &g->initiator));
        same = str_eq(g->initiator.id, i->initiator_id);
    } else if (g->initiated_by.p) {
        same = str_eq(g->initiated_by, i->initiated_by);
    }
    return same ? NULL
                : err_at(g->c->a, ERR_INVALID, "initiation.other",
                         g->initiation.p ? STR("initiation")
                                         : STR("initiated_by"),
                         "Another person started this task.");
}

static const struct err *begin_given(struct guard *g,
                                     const struct work_once *once)
{
    TRY(call_begin(g->c, &g->w, g->intent_id, once));
    if (g->w.answered)
        return NULL;
    if (intent_ended(g->w.intent.status))
        return ERROR(ERR_CONFLICT, "task.ended",
                     "This task has ended. Start another one.");
    TRY(check_initiator(g));
    return g->verdict.effect == TOOL_ASK ? ask_move(&g->w) : NULL;
}

const struct err *guard_begin(struct guard *g, const struct work_once *once)
{
    struct call *c = g->c;
    if (g->task_id.p)
        TRY(tools_task(c->pg, c->a, reach_name(c->a, &c->who), g->task_id,
                       &g->intent_id));
    return g->intent_id.p ? begin_given(g, once) : begin_new(g, once);
}

const struct err *guard_begin_since(struct guard *g,
                                    const struct work_once *once)
{
    struct call *c = g->c;
    if (g->verdict.effect != TOOL_ASK)
        return NULL;
    const struct work_once since =
        call_once_as(c,
                     crypt_sha256_hex(c->a, arena_join(c->a, once->key,
                                                       STR("\nasked since"))),
                     once->request_sha256);
    pg_rollback(c->pg);
    return guard_begin(g, &since);
}

void guard_queue(struct guard *g)
{
    struct call *c = g->c;
    if (g->task_id.p && g->w.intent_new)
        tools_queue_task(c->pg, c->a, reach_name(c->a, &c->who), g->task_id,
                         g->w.intent.id);
    if (g->initiation.p)
        initiations_queue_use(c->pg, c->a, g->initiation, g->w.intent.id);
}

const struct err *guard_deny(struct guard *g, struct json *calls)
{
    struct json *payload = json_object(g->c->a);
    json_set_text(payload, "agent", g->c->who.agent);
    json_set_text_or_null(payload, "reason", g->verdict.reason);
    if (calls)
        json_set_json(payload, "calls", calls);
    guard_queue(g);
    return work_event(&g->w, "tool.denied", event_by_server(), payload);
}

/* ---- the permit ----------------------------------------------------- */

const struct err *guard_terms(const struct guard *g, const struct json *body,
                              const struct json *details, bool jkt_needed,
                              struct permit_terms *out)
{
    struct call *c = g->c;
    struct resource resource;
    if (c->who.test)
        return ERROR(ERR_FORBIDDEN, "key.test",
                     "A test key cannot get a permit.");
    TRY(permit_terms_read(c->a, body, details, jkt_needed, out));
    return out->resource.p
               ? resources_get(c->pg, c->a, out->resource, &resource)
               : NULL;
}

const struct err *guard_permit(struct guard *g, const struct json *details,
                               const struct permit_terms *terms)
{
    struct permit *p = &g->w.permit;
    TRY(ask_permit_make(&g->w, details, terms));
    permit_allow(p, g->w.now);
    return work_event(&g->w, "grant.created", event_by_server(),
                      record_payload(g->c->a, &permit_record, p));
}

void guard_set_permit(const struct guard *g, struct json *o)
{
    const struct permit *p = &g->w.permit;
    json_set_text(o, "permit_id", p->id);
    json_set_text(o, "auth_req_id", p->auth_req_id);
    json_set_int(o, "interval", PERMIT_POLL);
}

/* ---- the question --------------------------------------------------- */

void guard_put_text(struct buf *b, const char *key, struct str value)
{
    buf_put(b, ",\"");
    buf_put(b, key);
    buf_put(b, "\":");
    json_write_string(b, value);
}

void guard_put_sent(const struct guard *g, struct buf *b, const char *key,
                    struct str otherwise)
{
    const struct str raw =
        json_raw_member(g->c->a, g->text, str_of(key));
    if (!raw.p && !otherwise.p)
        return;
    buf_put(b, ",\"");
    buf_put(b, key);
    buf_put(b, "\":");
    buf_str(b, raw.p ? raw : otherwise);
}

const struct err *guard_ask(struct guard *g, struct str text,
                            const struct permit_terms *terms)
{
    struct call *c = g->c;
    struct suspension s = {.id = id_new(c->a)};
    struct json *body = NULL;
    TRY(json_parse(c->a, text, &body));
    TRY(suspension_read(c->a, body, text, &s));
    s.origin = g->origin;
    s.severity_said = g->severity;
    /* The verdict has the key's own terms in it. */
    c->who.terms = (struct terms){.floor = g->verdict.severity,
                                  .by = g->verdict.by};
    g->w.permit_terms = terms;
    TRY(ask_by_caller(&g->w, &s));
    guard_queue(g);
    return NULL;
}
