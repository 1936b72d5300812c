/* The use of a yes, for every door. Decides nothing: domain/permit/permit.c
 * does. */
#include "work/permit/use.h"

#include "base/clock.h"
#include "base/id.h"
#include "base/shared/clock_watch.h"
#include "domain/question/risk.h"
#include "store/permit/permit_tokens.h"
#include "store/question/suspensions.h"
#include "work/permit/tool_check.h"

/* ---- the yes ---------------------------------------------------------- */

static const struct err *use_find_permit(struct use *u, bool *found)
{
    const struct suspension *s = &u->suspension;
    *found = false;
    if (permit_follows(s))
        TRY(permits_of_suspension(u->w.pg, u->w.arena, s->id, &u->row, found));
    return *found ? permit_check_direct(&u->row.permit) : NULL;
}

const struct err *use_find(struct use *u)
{
    bool found;
    if (!str_eq(u->suspension.asked_by, principal_actor(u->w.who)))
        return ERROR(ERR_NOT_FOUND, "suspension.unknown",
                     "This agent asked no question with this id.");
    return use_find_permit(u, &found);
}

/* ---- the lock --------------------------------------------------------- */

const struct err *use_lock(struct work *w, struct permits_row *row)
{
    const struct work_once none = {.key = STR_NONE};
    TRY(work_begin_by_caller(w, row->permit.intent_id, &none));
    return permits_get(w->pg, w->arena, row->permit.id, row);
}

struct permit_case use_case(const struct permits_row *row,
                            const struct work *w)
{
    return (struct permit_case){
        .now = w->now,
        .intent = w->intent.status,
        .question_open = w->has_suspension &&
                         w->suspension.state == SUSPENSION_PENDING,
        .key_ended = row->key_ended,
        .resource_removed = row->resource_removed,
        .access = row->access};
}

/* ---- the rules -------------------------------------------------------- */

/* A yes before the rules of now. */
struct judged {
    const struct work *w;
    struct tool_check_rules *rules;
    const struct permit *permit;
    const struct suspension *question; /* NULL: read where it is needed */
};

/* Would the rules that ask now have asked others than the question of the yes
 * did, or at a higher risk? */
static const struct err *use_stricter(const struct judged *j,
                                      const struct tool_rule_verdict *v,
                                      size_t n, bool *out)
{
    const struct work *w = j->w;
    const struct str id = j->permit->suspension_id;
    struct terms terms;
    struct suspension s;
    *out = v->effect == TOOL_ASK && id.p && tool_rule_terms(v, n, &terms);
    if (!*out)
        return NULL;
    if (!j->question)
        TRY(suspensions_get(w->pg, w->arena, id, &s));
    *out = risk_stricter(w->arena, j->question ? j->question : &s, &terms);
    return NULL;
}

static const struct err *use_by_rules(const struct judged *j,
                                      const struct str *tools, size_t n,
                                      enum tool_effect *out)
{
    const struct tool_rule_case about = {.agent = j->permit->agent,
                                         .tools = tools,
                                         .n = n,
                                         .severity = SEVERITY_UNSAID};
    struct tool_rule_verdict verdict;
    bool stricter;
    *out = TOOL_ALLOW;
    if (n == 0)
        return NULL;
    TRY(tool_check_rules_once(j->w, j->rules, &about, &verdict));
    TRY(use_stricter(j, &verdict, n, &stricter));
    *out = stricter ? TOOL_DENY : verdict.effect;
    return NULL;
}

const struct err *use_rules(const struct work *w, const struct permit *p,
                            enum tool_effect *out)
{
    struct tool_check_rules rules = {.v = NULL};
    const struct judged j = {.w = w, .rules = &rules, .permit = p};
    struct str *tools;
    const size_t n = tool_call_tools(w->arena, json_read(w->arena, p->granted),
                                     NULL, &tools);
    return use_by_rules(&j, tools, n, out);
}

/* Of the calls that were approved, which no permit may be able to describe. */
static const struct err *use_answer_rules(const struct judged *j,
                                          const struct suspension *s,
                                          enum tool_effect *out)
{
    struct arena *a = j->w->arena;
    struct str *tools;
    const size_t n = tool_call_tools_of(a, suspension_final(a, s), &tools);
    return use_by_rules(j, tools, n, out);
}

/* ---- may it be used --------------------------------------------------- */

/* The call of a use that names none. */
static const struct err *use_settle_call(struct use *u)
{
    struct arena *a = u->w.arena;
    const struct str text = permit_only_call(a, &u->row.permit);
    if (u->call.tool.p || !u->row.permit.granted.p || !u->counted)
        return NULL;
    if (!text.p)
        return err_at(a, ERR_INVALID, "field.missing", STR("call"),
                      "This approval allows several calls, or leaves a value "
                      "open. Name the call that runs in \"call\".");
    return tool_call_read_bare(a, json_read(a, text), text, STR("call"),
                               &u->call);
}

static struct str use_digest(const struct use *u)
{
    return u->call.tool.p ? tool_call_sha256(u->w.arena, &u->call) : STR_NONE;
}

/* The use of the same operation, or that of the whole answer; at 0: none. */
static const struct err *use_find_before(struct use *u, int64_t *at,
                                         bool *same)
{
    const struct work *w = &u->w;
    struct answer_use one;
    bool found = false;
    *at = 0;
    if (u->row.permit.id.p) {
        TRY(redemptions_of_operation(w->pg, w->arena, u->row.permit.id,
                                     u->operation_id, &u->redemption, &found));
        *at = found ? u->redemption.at : 0;
        *same = found;
        return NULL;
    }
    TRY(redemptions_of_answer(w->pg, w->arena, u->suspension.id, &one,
                              &found));
    if (!found)
        return NULL;
    *at = one.at;
    *same = str_eq(one.operation_id, u->operation_id);
    u->redemption = (struct redemption){.n = 1,
                                        .operation_id = one.operation_id,
                                        .call_sha256 = one.call_sha256,
                                        .at = one.at};
    return NULL;
}

/* An answer without a permit is the permit that it would be, of the key that
 * asked. */
static const struct err *use_lock_answer(struct use *u)
{
    const struct work_once none = {.key = STR_NONE};
    const struct work *w = &u->w;
    struct redemptions_state state;
    if (u->row.permit.id.p)
        return use_lock(&u->w, &u->row);
    TRY(work_begin_by_caller(&u->w, u->suspension.intent_id, &none));
    TRY(redemptions_states(w->pg, w->arena, &u->suspension.id, 1, u->w.now,
                           &state));
    u->row.key_ended = state.about.key_ended;
    u->row.access = state.about.access;
    return NULL;
}

const struct err *use_begin(struct use *u)
{
    struct permit *p = &u->row.permit;
    int64_t at = 0;
    bool same = false;
    TRY(use_lock_answer(u));
    TRY(use_find_before(u, &at, &same));
    if (!p->id.p) {
        *p = permit_of_answer(u->w.arena, &u->suspension, at);
        p->id = STR_NONE;
    }
    u->counted = !p->id.p || permit_counted(u->w.arena, p);
    struct permit_case about = use_case(&u->row, &u->w);
    TRY(use_settle_call(u));
    struct tool_check_rules rules = {.v = NULL};
    const struct judged j = {.w = &u->w, .rules = &rules, .permit = p};
    TRY(u->call.tool.p ? use_by_rules(&j, &u->call.tool, 1, &about.rule)
                       : use_answer_rules(&j, &u->suspension, &about.rule));
    if (!same)
        return work_clock_over(permit_usable(p, &about), permit_lapsed);
    if (u->call.tool.p && u->redemption.call_sha256.p &&
        !str_eq(u->redemption.call_sha256, use_digest(u)))
        return ERROR(ERR_CONFLICT, "operation.other_call",
                     "This operation_id was used for another call.");
    u->again = true;
    return work_clock_over(permit_again(p, &about, at), permit_lapsed);
}

/* ---- counting --------------------------------------------------------- */

static struct json *use_invoked(const struct use *u)
{
    const struct redemption *r = &u->redemption;
    struct json *p = record_payload(u->w.arena, &redemption_record, r);
    if (!r->permit_id.p)
        json_set_text(p, "suspension_id", u->suspension.id);
    return p;
}

/* The version stays: nothing of the intent has changed. */
static const struct err *use_count_answer(struct use *u)
{
    const struct work *w = &u->w;
    const struct redemption *r = &u->redemption;
    TRY(work_event(&u->w, "tool.invoked", event_by(w->who), use_invoked(u)));
    redemptions_queue_answer(
        w->pg, w->arena,
        &(struct answer_use){.suspension_id = u->suspension.id,
                             .operation_id = r->operation_id,
                             .call_sha256 = r->call_sha256,
                             .by = r->by,
                             .by_key = w->who->id,
                             .at = r->at});
    return NULL;
}

/* The uses of several calls are one of each. */
static const struct err *use_check_each(const struct use *u)
{
    const struct work *w = &u->w;
    const struct permit *p = &u->row.permit;
    struct permit_covers_call *calls;
    size_t n;
    if (!permit_each_once(w->arena, p))
        return NULL;
    TRY(redemptions_calls(w->pg, w->arena, p->id, 1, &calls, &n));
    calls[n++] = (struct permit_covers_call){.tool = u->call.tool,
                                             .arguments = u->call.tree};
    return permit_covers_each(w->arena, json_read(w->arena, p->granted), calls,
                              n)
               ? NULL
               : ERROR(ERR_CONFLICT, permit_spent,
                       "Each of these calls was approved once, and this one "
                       "was already used. To run it again, ask again: as a "
                       "new call, with a new Idempotency-Key.");
}

const struct err *use_count(struct use *u)
{
    const struct work *w = &u->w;
    struct permit *p = &u->row.permit;
    struct redemption *r = &u->redemption;
    struct decimal amount;
    if (u->again || !u->counted)
        return NULL;
    *r = (struct redemption){.permit_id = p->id,
                             .n = p->used + 1,
                             .operation_id = u->operation_id,
                             .call_sha256 = use_digest(u),
                             .tool = u->call.tool,
                             .by = principal_actor(w->who),
                             .at = u->w.now};
    if (!p->id.p)
        return use_count_answer(u);
    TRY(permit_use(w->arena, p, u->call.tool, u->call.tree, u->w.now,
                   &amount));
    TRY(use_check_each(u));
    r->id = id_new(w->arena);
    if (p->terms.budget.unit.p)
        r->amount = decimal_text(w->arena, amount);
    TRY(work_event(&u->w, "tool.invoked", event_by(w->who), use_invoked(u)));
    work_touch(&u->w);
    permits_queue_update(w->pg, w->arena, p);
    redemptions_queue_insert(w->pg, w->arena, r, u->call.arguments,
                             w->who->id);
    return NULL;
}

/* ---- for clients that can only run a call or not ------------------------ */

bool use_kept(const struct use *u)
{
    return u->counted && !u->again;
}

const struct err *use_up(struct use *u)
{
    const struct work_answer none = {.body = STR("")};
    TRY(use_begin(u));
    TRY(use_count(u));
    if (use_kept(u))
        return work_commit(&u->w, &none);
    pg_rollback(u->w.pg);
    return NULL;
}

const struct err *use_verdict(const struct work *w, const struct suspension *s,
                              struct str operation_id, struct verdict *out,
                              bool *kept)
{
    struct use u = {.w = *w, .operation_id = operation_id, .suspension = *s};
    bool found;
    const struct err *e = use_find_permit(&u, &found);
    if (!e)
        e = use_up(&u);
    *kept = !e && use_kept(&u);
    if (!e || (e->kind != ERR_CONFLICT && e->kind != ERR_INVALID &&
               e->kind != ERR_FORBIDDEN))
        return e;
    pg_rollback(w->pg);
    *out = (struct verdict){.way = VERDICT_DENY, .text = e->say};
    return NULL;
}

/* ---- reading ------------------------------------------------------------ */

const struct err *use_read(const struct work *w, const struct suspension *v,
                           size_t n, const struct err **why)
{
    struct str *ids = arena_many(w->arena, n + 1, struct str);
    struct redemptions_state *states =
        arena_many(w->arena, n + 1, struct redemptions_state);
    struct tool_check_rules rules = {.v = NULL};
    size_t asked = 0, k = 0;
    for (size_t i = 0; i < n; i++) {
        const struct permit p = permit_of_answer(w->arena, &v[i], 0);
        if (p.state == PERMIT_ACTIVE)
            ids[asked++] = v[i].id;
    }
    if (asked > 0)
        TRY(redemptions_states(w->pg, w->arena, ids, asked,
                               clock_watch_latest(clock_now()), states));
    for (size_t i = 0; i < n; i++) {
        struct permit p = permit_of_answer(w->arena, &v[i], 0);
        struct permit_case about = {.intent = INTENT_ACTIVE,
                                    .access = ACCESS_WRITE};
        if (p.state == PERMIT_ACTIVE) {
            const struct redemptions_state *s = &states[k++];
            p = s->permit.id.p ? s->permit
                               : permit_of_answer(w->arena, &v[i], s->used_at);
            p.suspension_id = v[i].id;
            p.agent = v[i].asked_by;
            about = s->about;
            const struct judged j = {
                .w = w, .rules = &rules, .permit = &p, .question = &v[i]};
            TRY(use_answer_rules(&j, &v[i], &about.rule));
        }
        why[i] = permit_usable(&p, &about);
    }
    return NULL;
}

/* ---- proofs ----------------------------------------------------------- */

const struct err *use_proof_keep(const struct work *w,
                                 const struct dpop *proof)
{
    bool fresh = false;
    TRY(permit_tokens_proof(w->pg, w->arena, proof->jkt, proof->jti_sha256,
                            w->now, &fresh));
    return fresh ? NULL : dpop_replayed();
}

/* ---- its result ------------------------------------------------------- */

const struct err *use_find_own(const struct work *w, struct str id,
                               struct redemption *out)
{
    const struct principal *who = w->who;
    struct permits_row row;
    TRY(redemptions_get(w->pg, w->arena, id, out));
    TRY(permits_get(w->pg, w->arena, out->permit_id, &row));
    const bool own =
        who->role == ROLE_RESOURCE
            ? str_eq(who->resource_id, row.resource_id)
            : !row.resource_id.p && !who->test && str_eq(out->by, who->agent);
    return own ? NULL : &redemption_record.unknown;
}

const struct err *use_report(const struct work *w, struct redemption *r)
{
    const struct redemption sent = *r;
    bool done = false;
    r->result_at = clock_now();
    TRY(redemptions_result(w->pg, w->arena, r, &done));
    if (done)
        return NULL;
    TRY(redemptions_get(w->pg, w->arena, sent.id, r));
    return r->result == sent.result && str_eq(r->result_ref, sent.result_ref)
               ? NULL
               : ERROR(ERR_CONFLICT, "redemption.result",
                       "Another result was reported for this redemption.");
}
