/* Tool calls before a person: rules, the task's intent, the question. */
#include "work/permit/tool_check.h"

#include "base/crypt.h"
#include "domain/intent/reach.h"
#include "domain/permit/tool_call.h"
#include "store/permit/tools.h"
#include "work/ask.h"
#include "world/pg/pg_error.h"

/* ---- rules ---------------------------------------------------------- */

const struct err *tool_check_rules_once(const struct work *w,
                                        struct tool_check_rules *set,
                                        const struct tool_rule_case *about,
                                        struct tool_rule_verdict *out)
{
    if (!set->v) {
        struct tools_rules all;
        TRY(tools_rules(w->pg, w->arena, &all));
        set->v = arena_many(w->arena, all.n + 1, struct tool_rule);
        set->n = all.n;
        for (size_t i = 0; i < all.n; i++)
            set->v[i] = all.v[i].rule;
    }
    tool_rule_decide(w->arena, set->v, set->n, about, out);
    return NULL;
}

const struct err *tool_check_rules(const struct work *w,
                                   const struct tool_rule_case *about,
                                   struct tool_rule_verdict *out)
{
    struct tool_check_rules set = {.v = NULL};
    return tool_check_rules_once(w, &set, about, out);
}

static const struct err *tool_check_torn(struct arena *a, const char *at)
{
    return err_at(a, ERR_INVALID, "rule.torn", str_of(at),
                  "Different people decide these calls. Check them one by "
                  "one.");
}

const struct err *tool_check_add_terms(struct work *w,
                                       const struct suspension *s)
{
    const struct kind_rule *kind = kind_rule(s->kind);
    struct tool_rule_verdict verdict;
    struct terms terms;
    struct str *tools;
    if (w->who->role != ROLE_AGENT || !kind || !kind->permits)
        return NULL;
    const size_t n =
        tool_call_tools_of(w->arena, suspension_subject(w->arena, s), &tools);
    const struct tool_rule_case about = {.agent = w->who->agent,
                                         .tools = tools,
                                         .n = n,
                                         .severity = SEVERITY_UNSAID};
    if (n == 0)
        return NULL;
    TRY(tool_check_rules(w, &about, &verdict));
    if (!tool_rule_terms(&verdict, n, &terms))
        return NULL;
    if (verdict.torn)
        return tool_check_torn(w->arena, "subject.calls");
    principal_terms_add(&terms, &w->terms);
    w->terms = terms;
    return NULL;
}

const struct err *tool_check_decide(struct tool_check *g)
{
    const struct work *w = &g->w;
    g->verdict = (struct tool_rule_verdict){
        .effect = TOOL_ASK, .severity = g->severity, .by = w->terms.by};
    g->opened = pg_opened(w->pg);
    if (g->n == 0)
        return NULL;
    const struct tool_rule_case about = {.agent = w->who->agent,
                                         .tools = g->tools,
                                         .n = g->n,
                                         .requires_approval =
                                             g->requires_approval,
                                         .severity = g->severity,
                                         .terms = w->terms};
    TRY(tool_check_rules(w, &about, &g->verdict));
    g->opened = pg_opened(w->pg);
    return g->verdict.effect == TOOL_ASK && g->verdict.torn
               ? tool_check_torn(w->arena, "tool_calls")
               : NULL;
}

/* ---- the intent ----------------------------------------------------- */

static const struct err *tool_check_new(struct tool_check *g,
                                        const struct work_once *once)
{
    struct work *w = &g->w;
    struct intent *i = &w->intent;
    const struct intent given = {.title = STR_NONE, .test = w->who->test};
    TRY(work_begin_new(w, &given, false, once));
    if (w->answered)
        return NULL;
    if (g->initiation.p)
        TRY(initiations_take(w->pg, w->arena, g->initiation,
                             reach_name(w->arena, w->who), &g->initiator));
    i->title = str_trim(g->title).n > 0 ? g->title : g->tools[0];
    i->session_id = g->session_id;
    i->task_id = g->task_id;
    i->turn_id = g->turn_id;
    i->initiated_by = g->initiation.p ? g->initiator.email : g->initiated_by;
    i->initiator_id = g->initiator.id;
    return ask_make_intent(w, g->verdict.effect == TOOL_ASK ? INTENT_SUSPENDED
                                                            : INTENT_ACTIVE);
}

/* A later check keeps the initiator of the first. */
static const struct err *tool_check_initiator(struct tool_check *g)
{
    struct work *w = &g->w;
    const struct intent *i = &w->intent;
    bool same = true;
    if (g->initiation.p) {
        TRY(initiations_take(w->pg, w->arena, g->initiation,
                             reach_name(w->arena, w->who), &g->initiator));
        same = str_eq(g->initiator.id, i->initiator_id);
    } else if (g->initiated_by.p) {
        same = str_eq(g->initiated_by, i->initiated_by);
    }
    return same ? NULL
                : err_at(w->arena, ERR_INVALID, "initiation.other",
                         g->initiation.p ? STR("initiation")
                                         : STR("initiated_by"),
                         "Another person started this task.");
}

static const struct err *tool_check_given(struct tool_check *g,
                                          const struct work_once *once)
{
    struct work *w = &g->w;
    TRY(work_begin_by_caller(w, g->intent_id, once));
    if (w->answered)
        return NULL;
    if (intent_ended(w->intent.status))
        return ERROR(ERR_CONFLICT, "task.ended",
                     "This task has ended. Start another one.");
    TRY(tool_check_initiator(g));
    return g->verdict.effect == TOOL_ASK ? ask_move(w) : NULL;
}

/* The rules were read before the transaction: an old primary may have been
 * left since. */
const struct err *tool_check_begin(struct tool_check *g,
                                   const struct work_once *once)
{
    const struct work *w = &g->w;
    if (g->task_id.p)
        TRY(tools_task(w->pg, w->arena, reach_name(w->arena, w->who),
                       g->task_id, &g->intent_id));
    TRY(g->intent_id.p ? tool_check_given(g, once) : tool_check_new(g, once));
    return w->answered || pg_opened(w->pg) == g->opened ? NULL
                                                        : pg_error_again();
}

const struct err *tool_check_begin_since(struct tool_check *g,
                                         const struct work_once *once)
{
    struct arena *a = g->w.arena;
    struct work_once since = *once;
    if (g->verdict.effect != TOOL_ASK)
        return NULL;
    since.key =
        crypt_sha256_hex(a, arena_join(a, once->key, STR("\nasked since")));
    pg_rollback(g->w.pg);
    return tool_check_begin(g, &since);
}

void tool_check_queue(struct tool_check *g)
{
    const struct work *w = &g->w;
    if (g->task_id.p && w->intent_new)
        tools_queue_task(w->pg, w->arena, reach_name(w->arena, w->who),
                         g->task_id, w->intent.id);
    if (g->initiation.p)
        initiations_queue_use(w->pg, w->arena, g->initiation, w->intent.id);
}

const struct err *tool_check_deny(struct tool_check *g, struct json *calls)
{
    struct json *payload = json_object(g->w.arena);
    json_set_text(payload, "agent", g->w.who->agent);
    json_set_text_or_null(payload, "reason", g->verdict.reason);
    if (calls)
        json_set_json(payload, "calls", calls);
    tool_check_queue(g);
    return work_event(&g->w, "tool.denied", event_by_server(), payload);
}

/* ---- the permit ----------------------------------------------------- */

const struct err *tool_check_permit(struct tool_check *g,
                                    const struct json *details,
                                    const struct permit_terms *terms)
{
    struct permit *p = &g->w.permit;
    TRY(ask_permit_make(&g->w, details, terms));
    permit_allow(p, g->w.now);
    return work_event(&g->w, "grant.created", event_by_server(),
                      record_payload(g->w.arena, &permit_record, p));
}

/* ---- the question --------------------------------------------------- */

const struct err *tool_check_ask(struct tool_check *g, struct suspension *s,
                                 const struct permit_terms *terms)
{
    s->origin = g->origin;
    s->severity_said = g->severity;
    /* The verdict has the key's own terms in it. */
    g->w.terms =
        (struct terms){.floor = g->verdict.severity, .by = g->verdict.by};
    g->w.permit_terms = terms;
    TRY(ask_by_caller(&g->w, s));
    tool_check_queue(g);
    return NULL;
}
