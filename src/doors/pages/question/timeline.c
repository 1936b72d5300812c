/* Events of an intent as rows.
 *
 * Every shown value comes from the event's canonical bytes. Of a large payload
 * only the size is shown; the API has it whole. */
#include "doors/pages/question/timeline.h"

#include "base/clock.h"
#include "base/crypt.h"
#include "doors/pages/shell/facts.h"

#define PAYLOAD_MAX ((size_t)16 << 10) /* bytes that are parsed */
#define QUESTION_MAX 120               /* characters of its first line */
#define STEPS_MAX 3                    /* names of steps that are shown */
#define KEYS_MAX 5                     /* names of changed members that are
                                        * shown */

/* ---- reading -------------------------------------------------------- */

/* A member of the event, or NULL when it is missing, broken or too large. */
static struct json *timeline_member(struct arena *a, const struct event *e,
                                    const char *key)
{
    const struct str raw = json_raw_member(a, e->canonical, str_of(key));
    struct json *value = NULL;
    if (!raw.p || raw.n > PAYLOAD_MAX || json_parse(a, raw, &value))
        return NULL;
    return value;
}

/* ---- words ---------------------------------------------------------- */

/* "Suspended": the label of a status. */
static struct str timeline_status(struct str status)
{
    const enum intent_status known = vocabulary_intent_status_of(status);
    return known < INTENT_STATUS__MAX
               ? str_of(vocabulary_intent_status(known)->label)
               : status;
}

/* "lease_acquired" reads "Lease acquired". A task of a plan is a step on
 * pages. */
static struct str timeline_spaced(struct arena *a, struct str type)
{
    struct buf b = buf_make(a, 256);
    if (str_starts(type, STR("task."))) {
        buf_put(&b, "Step ");
        type = str_sub(type, 5, type.n);
    }
    for (size_t i = 0; i < type.n; i++) {
        const char c = type.p[i];
        if (b.n == 0 && c >= 'a' && c <= 'z')
            buf_char(&b, (char)(c - 'a' + 'A'));
        else
            buf_char(&b, c == '_' || c == '.' ? ' ' : c);
    }
    return words_plain(a, buf_text(&b), 80);
}

static struct str timeline_what(struct arena *a, const struct event *e,
                                const struct json *p, bool about_question)
{
    static const char *const words[][3] = {
        {"intent_created", "Task created", "Task created"},
        {"intent.suspended", "Requested", "Request created"},
        {"intent.resumed", "Answered", "Request answered"},
        {"intent.suspension_renotified", "Reminder sent", "Reminder sent"},
        {"intent.suspension_escalated", "Escalated", "Request escalated"},
        {"intent.suspension_expired", "Expired", "Request expired"},
        {"governance.approval_granted", "Approved", "Approval granted"},
        {"governance.approval_denied", "Rejected", "Approval denied"},
        {"governance.violation", "Policy violated", "Policy violated"},
        {"coordinator.escalation_resolved", "Answered",
         "Escalation answered"},
        {"access_requested", "Requested", "Access requested"},
        {"access_request_approved", "Approved", "Access request approved"},
        {"access_request_denied", "Rejected", "Access request denied"},
        {"access_granted", "Access given", "Access given"},
        {"access_revoked", "Access revoked", "Access revoked"},
        {"access_expired", "Access ended", "Access ended"},
        {"plan.checkpoint_reached", "Requested", "Checkpoint reached"},
        {"plan.checkpoint_approved", "Approved", "Checkpoint approved"},
        {"plan.checkpoint_rejected", "Rejected", "Checkpoint rejected"},
        {"portfolio.member_suspended", "", "Portfolio: task waiting"},
        {"portfolio.member_resumed", "", "Portfolio: task no longer waiting"}};
    const enum origin origin =
        vocabulary_origin_of(json_get_text(p, "request"));
    for (size_t i = 0; i < countof(words); i++) {
        if (str_is(e->type, words[i][0]))
            return str_of(words[i][about_question ? 1 : 2]);
    }
    if (str_is(e->type, "status_changed") &&
        str_is(json_get_text(p, "reason"), "cancelled"))
        return about_question ? STR("Withdrawn") : STR("Request withdrawn");
    if (str_is(e->type, "arbitration_requested") && origin != ORIGIN__MAX &&
        vocabulary_origin(origin)->past)
        return str_of(vocabulary_origin(origin)->past);
    return timeline_spaced(a, e->type);
}

/* ---- details -------------------------------------------------------- */

static void timeline_put_name(struct buf *b, struct str name, size_t *n)
{
    if (*n < KEYS_MAX) {
        buf_put(b, *n ? ", " : "");
        buf_str(b, name);
    }
    ++*n;
}

static struct str timeline_patch(struct arena *a, const struct json *p)
{
    const struct json *patches = json_get(p, "patches");
    struct buf b = buf_make(a, PAYLOAD_MAX * 4);
    size_t n = 0;
    for (size_t i = 0; i < json_count(patches); i++)
        timeline_put_name(&b, json_get_text(json_at(patches, i), "path"), &n);
    for (struct json_iter i = json_iter(json_get(p, "state")); json_next(&i);)
        timeline_put_name(&b, i.key, &n);
    buf_put(&b, n > KEYS_MAX ? " and others: " : ": ");
    buf_str(&b, words_many(a, (int64_t)n, "change"));
    return buf_text(&b);
}

/* A question's own page has all its parts, so only the facts are named
 * there. */
static struct str timeline_asked(struct arena *a, const struct json *p,
                                 bool about_question)
{
    const struct str sha256 = json_get_text(p, "subject_sha256");
    const bool facts = !str_eq(sha256, crypt_sha256_hex(a, STR("{}")));
    struct str question = str_trim(json_get_text(p, "question"));
    struct str line = STR("");
    if (!about_question) {
        line = str_head(str_cut(&question, '\n'), QUESTION_MAX);
        line = arena_join(a, line, str_of(question.p ? "... " : " "));
    }
    return facts ? arena_join(a, line, STR("Details "),
                              words_groups(a, sha256, 2))
                 : line;
}

static struct str timeline_channel(struct arena *a, const struct json *p,
                                   const char *to)
{
    const struct str channel = json_get_text(p, "channel_hint");
    const struct str who = json_get_text(p, to);
    return arena_join(a, str_of(channel.n > 0 ? ", via " : ""), channel,
                      str_of(who.n > 0 ? ", to " : ""), who);
}

/* ", next on 20 Nov 2026 ..." of the moment in a member; "" where it has
 * none. */
static struct str timeline_moment(const struct page_view *v,
                                  const char *before, const struct json *p,
                                  const char *key)
{
    int64_t t = 0;
    return clock_parse(json_get_text(p, key), &t)
               ? arena_join(v->a, str_of(before), page_view_when(v, t))
               : STR("");
}

/* Of an event about a question; p NULL for any other event. */
static struct str timeline_question(const struct page_view *v,
                                    const struct event *e,
                                    const struct json *p, bool about_question)
{
    struct arena *a = v->a;
    if (str_is(e->type, "intent.suspended"))
        return timeline_asked(a, p, about_question);
    if (str_is(e->type, "intent.resumed")) {
        const enum via via = vocabulary_via_of(json_get_text(p, "via"));
        const bool known = via < VIA__MAX && via;
        return arena_join(
            a, page_facts_value(a, json_get(p, "value")), STR(", "),
            str_of(vocabulary_via(known ? via : VIA_NATIVE)->past));
    }
    if (str_is(e->type, "intent.suspension_expired"))
        return vocabulary_fallback_policy_of(
                   json_get_text(p, "fallback_policy")) == FALLBACK_FAIL
                   ? STR("no answer, nothing was approved")
                   : STR("no answer, the agent continues with its default");
    const struct str attempt =
        arena_number(a, json_int(json_get(p, "attempt")));
    if (str_is(e->type, "intent.suspension_renotified"))
        return arena_join(
            a, STR("attempt "), attempt, STR(" of "),
            arena_number(a, json_int(json_get(p, "max_attempts"))),
            timeline_channel(a, p, "notify_to"),
            timeline_moment(v, ", next on ", p, "next_attempt_at"));
    return str_is(e->type, "intent.suspension_escalated")
               ? arena_join(a, STR("from attempt "), attempt,
                            timeline_channel(a, p, "escalated_to"))
               : STR_NONE;
}

/* The most informative member, for the types that have one; "": none is
 * shown. */
static const char *timeline_key(struct str type)
{
    static const char *const words[][2] = {
        {"intent_created", "title"},
        {"agent_assigned", "agent_id"},
        {"agent_unassigned", "agent_id"},
        {"dependency_added", "dependency_id"},
        {"dependency_removed", "dependency_id"},
        {"arbitration_requested", "reason"},
        {"governance.approval_granted", "action"},
        {"governance.approval_denied", "action"},
        {"governance.violation", "rule"},
        {"coordinator.escalation_resolved", "resolution"},
        {"decision_recorded", "outcome"},
        {"added_to_portfolio", "role"},
        {"removed_from_portfolio", "role"},
        {"portfolio.member_suspended", ""},
        {"portfolio.member_resumed", ""}};
    for (size_t i = 0; i < countof(words); i++) {
        if (str_is(type, words[i][0]))
            return words[i][1];
    }
    return NULL;
}

/* The agents of a change of access, and the access; a list may be of many. */
static struct str timeline_access(struct arena *a, const struct json *p)
{
    const struct json *list = json_get(p, "entries");
    const size_t n = list ? json_count(list) : 1;
    struct buf b = buf_make(a, PAYLOAD_MAX * 4);
    for (size_t i = 0; i < n; i++) {
        const struct json *one = list ? json_at(list, i) : p;
        const struct str access = json_get_text(
            one, json_has(one, "permission") ? "permission"
                                             : "requested_permission");
        buf_put(&b, i ? ", " : "");
        buf_str(&b, words_name(a, json_get_text(one, "principal_id")));
        buf_put(&b, access.p ? " " : "");
        buf_str(&b, access);
    }
    if (json_has(p, "default_policy")) {
        buf_put(&b, b.n ? ", now " : "now ");
        buf_str(&b, json_get_text(p, "default_policy"));
    }
    return buf_text(&b);
}

static struct str timeline_payload(const struct page_view *v,
                                   const struct event *e, const struct json *p,
                                   bool about_question)
{
    struct arena *a = v->a;
    const struct str question = timeline_question(v, e, p, about_question);
    const char *key = timeline_key(e->type);
    if (question.p)
        return question;
    if (str_is(e->type, "status_changed")) {
        const struct str reason = json_get_text(p, "reason");
        return arena_join(
            a, timeline_status(json_get_text(p, "old_status")),
            STR(" → "),
            timeline_status(json_get_text(p, "new_status")),
            str_of(reason.n > 0 ? ", " : ""), reason);
    }
    if (str_is(e->type, "state_patched"))
        return timeline_patch(a, p);
    if (str_is(e->type, "lease_acquired") || str_is(e->type, "lease_released"))
        return arena_join(a, STR("scope "), json_get_text(p, "scope"),
                          timeline_moment(v, ", expires ", p, "expires_at"));
    if (str_starts(e->type, STR("access_")))
        return timeline_access(a, p);
    if (key && json_has(p, key)) {
        const struct str text = page_facts_value(a, json_get(p, key));
        return str_is(str_of(key), "agent_id") || str_is(str_of(key), "action")
                   ? words_name(a, text)
                   : text;
    }
    struct json_iter i = json_iter(p);
    if ((key && !*key) || json_count(p) == 0)
        return STR("");
    /* A single text is shown as it is. */
    return json_count(p) == 1 && json_next(&i) && json_is(i.value, JSON_STRING)
               ? json_text(i.value)
               : json_dump(a, p, PAYLOAD_MAX * 2);
}

static struct str timeline_detail(const struct page_view *v,
                                  const struct event *e, const struct json *p,
                                  bool about_question)
{
    const struct str raw =
        json_raw_member(v->a, e->canonical, STR("payload"));
    const struct str text =
        p ? timeline_payload(v, e, p, about_question)
        : e->rule.p
            ? arena_join(v->a, STR("Erased by the rule "), e->rule)
        : raw.n <= PAYLOAD_MAX
            ? STR("The event cannot be read")
            : arena_join(v->a, STR("Not shown here: "),
                         words_many(v->a, (int64_t)raw.n, "byte"));
    return words_line(v->a, text.p ? text : STR(""), PAGE_VIEW_ROW);
}

/* ---- steps ---------------------------------------------------------- */

static void timeline_put_part(struct buf *b, struct str part)
{
    if (part.n > 0) {
        buf_put(b, b->n ? ", " : "");
        buf_str(b, part);
    }
}

static void timeline_put_step(const struct page_view *v, struct buf *b,
                              const struct intent_plans *plans, struct str id,
                              size_t *n)
{
    const struct task *t = intent_plans_task(plans, id);
    if (++*n <= STEPS_MAX)
        timeline_put_part(b, t ? words_cut(v->a, t->name, PAGE_VIEW_ROW)
                               : words_short_id(v->a, id));
}

/* The steps that it names, and its checkpoint. */
static void timeline_put_steps(const struct page_view *v, struct buf *b,
                               const struct intent_plans *plans,
                               const struct json *p)
{
    const struct json *ids = json_get(p, "task_ids");
    const struct plan *plan =
        intent_plans_plan(plans, json_get_text(p, "plan_id"));
    const struct checkpoint *c =
        plan ? intent_plans_checkpoint(plans, plan,
                                       json_get_text(p, "checkpoint_id"))
             : NULL;
    size_t n = 0;
    for (size_t i = 0; i < json_count(ids); i++)
        timeline_put_step(v, b, plans, json_text(json_at(ids, i)), &n);
    if (!ids && json_get_text(p, "task_id").p)
        timeline_put_step(v, b, plans, json_get_text(p, "task_id"), &n);
    if (n > STEPS_MAX) {
        buf_put(b, " and ");
        buf_str(b, words_many(v->a, (int64_t)(n - STEPS_MAX), "other step"));
    }
    timeline_put_part(b,
                      c ? words_cut(v->a, c->name, PAGE_VIEW_ROW) : STR(""));
}

/* The rest that it shows, in the words of a vocabulary or of an agent. */
static struct str timeline_step_words(struct arena *a, const struct event *e,
                                      const struct json *p)
{
    const struct str reason = json_get_text(p, "reason");
    if (str_is(e->type, "plan.created"))
        return words_many(a, json_int(json_get(p, "task_count")), "step");
    if (str_is(e->type, "task.blocked")) {
        const enum task_hold hold = vocabulary_task_hold_of(reason);
        return hold < TASK_HOLD__MAX
                   ? str_of(vocabulary_task_hold(hold)->label)
                   : reason;
    }
    if (str_is(e->type, "plan.paused"))
        return str_of(vocabulary_plan_pause(vocabulary_plan_pause_of(reason))
                          ->label);
    if (str_is(e->type, "plan.checkpoint_rejected"))
        return reason;
    return str_is(e->type, "task.failed") && json_has(p, "error")
               ? page_facts_value(a, json_get(p, "error"))
               : STR("");
}

void question_timeline_name(struct page_view *v, struct json *row,
                            const struct event *e,
                            const struct intent_plans *plans)
{
    const struct json *p = timeline_member(v->a, e, "payload");
    struct buf b = buf_make(v->a, PAYLOAD_MAX * 4);
    if (!p || (!str_starts(e->type, STR("plan.")) &&
               !str_starts(e->type, STR("task."))))
        return;
    const struct str words = timeline_step_words(v->a, e, p);
    timeline_put_steps(v, &b, plans, p);
    if (b.n > 0 && words.n > 0)
        buf_put(&b, ": ");
    buf_str(&b, words);
    json_set_text(row, "detail",
                  words_line(v->a, b.n ? buf_text(&b) : STR(""),
                             PAGE_VIEW_ROW));
}

/* ---- rows ----------------------------------------------------------- */

/* The label of a key is free text, and old agents may have a name like a
 * person's. */
static struct str timeline_actor(struct arena *a, const struct event *e)
{
    const struct str name = json_text(timeline_member(a, e, "actor"));
    const struct str type = json_text(timeline_member(a, e, "actor_type"));
    if (str_is(name, "clock"))
        return STR("System");
    if (str_is(type, event_actor_word(EVENT_ACTOR_KEY)))
        return arena_join(a, name, STR(" (key)"));
    return str_is(type, event_actor_word(EVENT_ACTOR_AGENT)) &&
                   !principal_agent_name_new(name)
               ? arena_join(a, name, STR(" (agent)"))
               : name;
}

struct json *question_timeline_row(struct page_view *v, const struct event *e,
                                   bool about_question)
{
    struct json *o = json_object(v->a);
    const struct json *p = timeline_member(v->a, e, "payload");
    const enum outcome outcome =
        vocabulary_outcome_of(json_get_text(p, "outcome"));
    const char *tone = str_is(e->type, "intent.resumed")
                           ? vocabulary_outcome(outcome)->tone
                       : str_is(e->type, "intent.suspended") ? "asked"
                                                             : NULL;
    json_set_int(o, "seq", e->sequence);
    page_view_set_time(o, "at", e->created_at);
    json_set_text(o, "what", timeline_what(v->a, e, p, about_question));
    json_set_text(o, "who", timeline_actor(v->a, e));
    json_set_text(o, "detail", timeline_detail(v, e, p, about_question));
    json_set_text(o, "tone", str_of(tone ? tone : "plain"));
    return o;
}

/* The digits of "sha256:..."; p NULL for the first event, which has no hash
 * before it. */
static struct str timeline_hash(struct str hash)
{
    const struct str prefix = STR("sha256:");
    return str_starts(hash, prefix) ? str_sub(hash, prefix.n, hash.n) : hash;
}

void question_timeline_set_chain(struct json *row, const struct event *e,
                                 bool checked, int64_t broken)
{
    json_set_text(row, "hash_before", timeline_hash(e->previous));
    json_set_text(row, "hash", timeline_hash(e->hash));
    json_set_bool(row, "is_ok",
                  checked && (broken == 0 || e->sequence < broken));
    json_set_bool(row, "is_broken", checked && e->sequence == broken);
}
