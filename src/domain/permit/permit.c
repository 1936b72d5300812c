/* Permits: asking, granting, using. */
#include "domain/permit/permit.h"

#include "base/clock.h"
#include "base/crypt.h"
#include "base/json/fields.h"
#include "domain/permit/tool_call.h"
#include "domain/question/meant.h"

const char permit_asked_still[] = "permit.asked";
const char permit_refused[] = "permit.refused";
const char permit_revoked[] = "permit.revoked";
const char permit_spent[] = "permit.spent";
const char permit_lapsed[] = "permit.lapsed";
const char permit_paused[] = "permit.paused";
const char permit_intent_ended[] = "permit.intent_ended";
const char permit_used[] = "permit.used";
const char permit_rule[] = "permit.rule";
const char permit_jkt[] = "permit.jkt";
const char permit_resource[] = "resource.unknown";

/* ---- terms ---------------------------------------------------------- */

/* Absolute, without a fragment (RFC 8707 2). */
bool permit_resource_ok(struct str s)
{
    if (!str_starts(s, STR("https://")) && !str_starts(s, STR("http://")))
        return false;
    for (size_t i = 0; i < s.n; i++) {
        const unsigned char c = (unsigned char)s.p[i];
        if (c <= ' ' || c >= 0x7F || c == '#' || c == '?' || c == '\\')
            return false;
    }
    return s.n > str_search(s, STR("://")) + 3;
}

static bool permit_is_jkt(struct str s)
{
    for (size_t i = 0; i < s.n; i++) {
        const char c = s.p[i];
        if (!((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
              (c >= '0' && c <= '9') || c == '-' || c == '_'))
            return false;
    }
    return s.n == PERMIT_JKT;
}

struct permit_terms permit_terms_default(const struct json *details)
{
    const size_t n = json_count(details);
    return (struct permit_terms){.max_uses = n > 1 ? (int64_t)n : 1,
                                 .use_seconds = PERMIT_SECONDS};
}

const struct err *permit_bound(struct arena *a, const struct permit_terms *t,
                               enum severity severity)
{
    if (!t->resource.p || t->dpop_jkt.p || severity != SEVERITY_CRITICAL)
        return NULL;
    return err_at(a, ERR_INVALID, permit_jkt, STR("dpop_jkt"),
                  "Critical permits must be bound to a key. Send its "
                  "thumbprint as dpop_jkt.");
}

const struct err *permit_terms_read(struct arena *a, const struct json *body,
                                    const struct json *details,
                                    bool jkt_needed, struct permit_terms *out)
{
    struct fields f = fields(a, body, STR(""));
    struct permit_terms t = permit_terms_default(details);
    const struct json *budget = NULL;
    fields_text(&f, "resource", PERMIT_RESOURCE_MAX, &t.resource);
    if (t.resource.p && !permit_resource_ok(t.resource))
        fields_wrong(
            &f, "resource", permit_resource,
            "A resource has to be an absolute URL without query or fragment.");
    fields_text(&f, "dpop_jkt", 200, &t.dpop_jkt);
    if (t.dpop_jkt.p ? !permit_is_jkt(t.dpop_jkt) : jkt_needed)
        fields_wrong(&f, "dpop_jkt", permit_jkt,
                     jkt_needed && !t.dpop_jkt.p
                         ? "Critical permits must be bound to a key. Send its "
                           "thumbprint as dpop_jkt."
                         : "A thumbprint (RFC 7638) has 43 characters of "
                           "base64url.");
    fields_int(&f, "max_uses", 1, PERMIT_USES_MAX, &t.max_uses);
    fields_int(&f, "use_seconds", 1, PERMIT_SECONDS_ASKED_MAX, &t.use_seconds);
    fields_json(&f, "budget", JSON_OBJECT, &budget);
    TRY(fields_error(&f));
    if (budget)
        TRY(permit_covers_budget_read(a, budget, STR("budget"), details,
                                      &t.budget));
    *out = t;
    return NULL;
}

/* ---- asking --------------------------------------------------------- */

/* Details of a platform's own types are facts for the reader and make no
 * permit. */
static bool permit_has_tool_call(const struct json *list)
{
    for (size_t i = 0; i < json_count(list); i++) {
        if (str_is(json_get_text(json_at(list, i), "type"),
                   permit_details_type))
            return true;
    }
    return false;
}

/* Calls that no detail can describe exactly are approved without a permit. */
static const struct err *permit_of_approval(struct arena *a,
                                            const struct json *subject,
                                            struct json **out)
{
    const struct str at = STR("subject.constraints");
    const struct json *limits = json_get(subject, "constraints");
    const struct json *details = json_get(subject, "authorization_details");
    if (!permit_has_tool_call(details)) {
        *out = permit_details_of_calls(a, json_get(subject, "calls"), false);
        if (*out && json_count(limits) > 0 &&
            permit_details_limit(a, *out, limits, at))
            *out = NULL;
        return NULL;
    }
    const struct json *own = permit_details_limits(a, details);
    TRY(permit_details_check(a, details,
                             STR("subject.authorization_details")));
    if (json_count(limits) > 0 && !json_equal(limits, own))
        return err_at(
            a, ERR_INVALID, permit_details_wrong, at,
            "constraints must equal those in authorization_details.");
    *out = json_copy(a, details);
    return NULL;
}

static struct json *permit_one_detail(struct arena *a, const char *type)
{
    struct json *list = json_array(a), *detail = json_object(a);
    json_set_text(detail, "type", str_of(type));
    json_add_json(list, detail);
    return list;
}

static struct json *permit_of_cost(struct arena *a, const struct json *subject,
                                   const struct json *max)
{
    const struct json *limit = json_get(subject, "limit");
    struct json *list = permit_one_detail(a, "spend");
    json_set_json(json_at(list, 0), "max",
                  max ? max : json_get(limit, "amount"));
    json_set_json(json_at(list, 0), "unit", json_get(limit, "unit"));
    return list;
}

const struct err *permit_asked(struct arena *a, enum kind kind,
                               const struct json *subject, struct json **out)
{
    *out = NULL;
    switch (kind) {
    case KIND_APPROVAL:
        return permit_of_approval(a, subject, out);
    case KIND_PERMISSION:
        *out = permit_one_detail(a, "capability");
        json_set_json(json_at(*out, 0), "capability",
                      json_get(subject, "capability"));
        json_set_json(json_at(*out, 0), "target", json_get(subject, "target"));
        return NULL;
    case KIND_PLAN_REVIEW:
        *out = permit_details_of_calls(
            a, json_get(json_get(subject, "plan"), "steps"), true);
        return NULL;
    case KIND_COST_CONFIRMATION:
        *out = permit_of_cost(a, subject, NULL);
        return NULL;
    case KIND_NONE:
    case KIND_ELICITATION:
    case KIND_CREDENTIAL_NEEDED:
    case KIND_HANDOFF_ACCEPTANCE:
    case KIND__MAX:
    default:
        return NULL;
    }
}

struct str permit_subject(struct arena *a, const struct json *details,
                          struct str text, struct str consequence)
{
    const size_t n = json_count(details);
    const struct json *limits = permit_details_limits(a, details);
    struct str *tools = arena_many(a, n + 1, struct str);
    struct buf b = buf_make(a, text.n + 4 * PERMIT_DETAILS_TEXT);
    for (size_t i = 0; i < n; i++)
        tools[i] = json_get_text(json_at(details, i), "tool");
    tool_call_subject_begin(
        &b, tools, n, &(struct tool_call_about){.consequence = consequence});
    if (limits) {
        buf_put(&b, ",\"constraints\":");
        json_write(&b, limits);
    }
    buf_put(&b, ",\"authorization_details\":");
    buf_str(&b, text);
    buf_char(&b, '}');
    return buf_text(&b);
}

/* ---- granting and ending -------------------------------------------- */

bool permit_follows(const struct suspension *s)
{
    return s->state == SUSPENSION_RESOLVED &&
           s->outcome == OUTCOME_AUTHORIZED;
}

/* Of a permission for one time no use can be counted, so its time is short. */
static int64_t permit_plain_seconds(const struct permit *p, enum kind kind,
                                    const struct json *subject)
{
    const struct json *duration = json_get(subject, "duration");
    if (kind != KIND_PERMISSION)
        return p->terms.use_seconds;
    if (json_get(duration, "seconds"))
        return json_int(json_get(duration, "seconds"));
    return str_is(json_get_text(duration, "kind"), "once")
               ? PERMIT_SECONDS
               : p->terms.use_seconds;
}

int64_t permit_seconds(struct arena *a, const struct permit *p,
                       const struct suspension *s)
{
    return permit_plain_seconds(p, s->kind, suspension_subject(a, s));
}

int64_t permit_once_seconds(struct arena *a, const struct suspension *s)
{
    const struct json *duration =
        json_get(suspension_subject(a, s), "duration");
    return s->kind == KIND_PERMISSION && json_get(duration, "seconds") &&
                   !str_is(json_get_text(duration, "kind"), "once") &&
                   suspension_choice(suspension_choices(a, s),
                                     STR("allow_once"))
               ? PERMIT_SECONDS
               : 0;
}

/* The details that the answer grants, and the seconds that they last. */
static const struct err *permit_answered(struct arena *a,
                                         const struct permit *p,
                                         const struct suspension *s,
                                         struct json **out, int64_t *seconds)
{
    const struct json *changed = json_read(a, s->constraints);
    const struct json *subject = suspension_final(a, s);
    TRY(permit_asked(a, s->kind, subject, out));
    switch (s->kind) {
    case KIND_COST_CONFIRMATION:
        *out = permit_of_cost(a, subject, json_get(changed, "limit"));
        return NULL;
    case KIND_PERMISSION:
        if (json_get(changed, "seconds"))
            *seconds = json_int(json_get(changed, "seconds"));
        else if (!json_get(changed, "uses"))
            *seconds = permit_plain_seconds(p, s->kind, subject);
        else
            *seconds = PERMIT_SECONDS;
        return NULL;
    case KIND_APPROVAL:
        if (s->approved_subject.p)
            return NULL;
        return permit_details_narrow(a, json_read(a, p->asked), changed, out);
    case KIND_PLAN_REVIEW:
    case KIND_NONE:
    case KIND_ELICITATION:
    case KIND_CREDENTIAL_NEEDED:
    case KIND_HANDOFF_ACCEPTANCE:
    case KIND__MAX:
    default:
        return NULL;
    }
}

static void permit_activate(struct permit *p, int64_t seconds, int64_t now)
{
    p->state = PERMIT_ACTIVE;
    p->granted_at = now;
    p->not_after = now + seconds * CLOCK_SECOND;
}

void permit_allow(struct permit *p, int64_t now)
{
    p->granted = p->asked;
    p->granted_sha256 = p->asked_sha256;
    permit_activate(p, p->terms.use_seconds, now);
}

const struct err *permit_grant(struct arena *a, struct permit *p,
                               const struct suspension *s, int64_t now)
{
    struct json *details = NULL;
    int64_t seconds = p->terms.use_seconds;
    if (!suspension_modified(s) && s->kind != KIND_PERMISSION) {
        permit_allow(p, now);
        return NULL;
    }
    TRY(permit_answered(a, p, s, &details, &seconds));
    if (!details) {
        permit_refuse(p,
                      STR("The approved version does not name a tool call."),
                      s->responded_by, now);
        return NULL;
    }
    TRY(permit_details_text(a, details, &p->granted));
    p->granted_sha256 = crypt_sha256_hex(a, p->granted);
    permit_activate(p, seconds, now);
    return NULL;
}

bool permit_as_asked(const struct permit *p, const struct suspension *s)
{
    return p->state == PERMIT_ACTIVE && p->used == 0 && permit_follows(s) &&
           str_eq(p->suspension_id, s->id) &&
           str_eq(p->granted_sha256, p->asked_sha256) &&
           p->granted_at == s->responded_at &&
           p->not_after ==
               p->granted_at + p->terms.use_seconds * CLOCK_SECOND;
}

static void permit_end(struct permit *p, enum permit_state state,
                       struct str reason, struct str by, int64_t now)
{
    p->state = state;
    p->reason = reason;
    p->ended_by = by;
    p->ended_at = now;
}

void permit_refuse(struct permit *p, struct str reason, struct str by,
                   int64_t now)
{
    if (p->state == PERMIT_ASKED)
        permit_end(p, PERMIT_REFUSED, reason, by, now);
}

static const struct err *permit_error_revoked(void)
{
    return ERROR(ERR_CONFLICT, permit_revoked, "This approval was revoked.");
}

/* The error for a state that allows no use. */
static const struct err *permit_check_state(enum permit_state state)
{
    switch (state) {
    case PERMIT_ASKED:
        return ERROR(ERR_CONFLICT, permit_asked_still,
                     "Nobody has answered yet.");
    case PERMIT_SPENT:
        return ERROR(
            ERR_CONFLICT, permit_spent,
            "All uses of this approval were made. To run the call again, ask "
            "again: as a new call, with a new Idempotency-Key.");
    case PERMIT_REFUSED:
        return ERROR(ERR_CONFLICT, permit_refused, "Nobody approved this.");
    case PERMIT_REVOKED:
        return permit_error_revoked();
    case PERMIT_ACTIVE:
    case PERMIT_STATE__MAX:
    default:
        return NULL;
    }
}

const struct err *permit_revoke(struct permit *p, struct str reason,
                                struct str by, int64_t now, bool *late)
{
    *late = p->state == PERMIT_SPENT;
    if (*late) { /* when it was spent stays as it is */
        p->reason = reason;
        p->ended_by = by;
        return NULL;
    }
    TRY(permit_check_state(p->state));
    permit_end(p, PERMIT_REVOKED, reason, by, now);
    return NULL;
}

/* ---- using it ------------------------------------------------------- */

bool permit_own(const struct permit *p, const struct principal *who)
{
    return who->role == ROLE_AGENT && !who->test &&
           str_eq(who->agent, p->agent);
}

const struct err *permit_check_direct(const struct permit *p)
{
    return p->terms.resource.p ? ERROR(ERR_FORBIDDEN, "permit.not_yours",
                                       "This permit is for a resource. Only "
                                       "the resource's gateway can use it.")
                               : NULL;
}

const struct err *permit_usable(const struct permit *p,
                                const struct permit_case *c)
{
    TRY(permit_check_state(p->state));
    if (c->key_ended || c->resource_removed)
        return ERROR(ERR_CONFLICT, permit_revoked,
                     "The key or the resource of this permit is no longer in "
                     "use.");
    if (c->access < ACCESS_WRITE)
        return ERROR(ERR_CONFLICT, permit_revoked,
                     "The agent of this permit no longer has write access to "
                     "its intent.");
    if (intent_ended(c->intent))
        return ERROR(ERR_CONFLICT, permit_intent_ended,
                     "The intent of this permit has ended.");
    if (c->now >= p->not_after)
        return ERROR(ERR_CONFLICT, permit_lapsed,
                     "The time to use this approval has ended. Ask again: as "
                     "a new call, with a new Idempotency-Key.");
    if (c->intent != INTENT_ACTIVE || c->question_open)
        return ERROR(ERR_CONFLICT, permit_paused,
                     "The intent of this permit waits for an answer or for "
                     "another intent.");
    /* A person who said yes was asked; a rule that allowed it still has to. */
    if (c->rule == TOOL_DENY || (c->rule != TOOL_ALLOW && !p->suspension_id.p))
        return ERROR(ERR_CONFLICT, permit_rule,
                     "The rules for this call are stricter now. Ask again: as "
                     "a new call, with a new Idempotency-Key.");
    return NULL;
}

const struct err *permit_again(const struct permit *p,
                               const struct permit_case *c, int64_t at)
{
    struct permit before = *p;
    struct permit_case then = *c;
    if (p->state == PERMIT_SPENT && p->ended_by.p)
        return permit_error_revoked();
    if (p->state == PERMIT_SPENT)
        before.state = PERMIT_ACTIVE;
    then.now = at;
    TRY(permit_usable(&before, &then));
    return c->now < at + PERMIT_SECONDS_AGAIN * CLOCK_SECOND
               ? NULL
               : ERROR(ERR_CONFLICT, permit_used,
                       "This approval was used more than five minutes ago. To "
                       "run the call again, ask again: as a new call, with a "
                       "new Idempotency-Key.");
}

/* ---- the yes of a question -------------------------------------------- */

/* A no, and what became of silence, allow nothing; nor does a choice without
 * an effect next to one that has the effect of a yes. */
static bool permit_allows(struct arena *a, const struct suspension *s)
{
    switch (s->state == SUSPENSION_RESOLVED ? s->outcome : OUTCOME_VETOED) {
    case OUTCOME_AUTHORIZED:
    case OUTCOME_ACCEPTED:
        return true;
    case OUTCOME_ANSWERED:
        return !meant_no(a, s);
    case OUTCOME_NONE:
        return !effect_any(suspension_choices(a, s)) && !meant_no(a, s);
    case OUTCOME_VETOED:
    case OUTCOME_CHANGES_REQUESTED:
    case OUTCOME_DECLINED:
    case OUTCOME_FALLBACK:
    case OUTCOME_UNDECIDED:
    case OUTCOME_EXPIRED:
    case OUTCOME_WITHDRAWN:
    case OUTCOME__MAX:
    default:
        return false;
    }
}

struct permit permit_of_answer(struct arena *a, const struct suspension *s,
                               int64_t used_at)
{
    const int64_t seconds = PERMIT_SECONDS_CALL;
    const bool used = used_at != 0;
    return (struct permit){
        .intent_id = s->intent_id,
        .suspension_id = s->id,
        .agent = s->asked_by,
        .terms = {.max_uses = 1, .use_seconds = seconds},
        .used = used,
        .state = s->state == SUSPENSION_PENDING ? PERMIT_ASKED
                 : !permit_allows(a, s)         ? PERMIT_REFUSED
                 : used                         ? PERMIT_SPENT
                                                : PERMIT_ACTIVE,
        .created_at = s->suspended_at,
        .granted_at = s->responded_at,
        .not_after = s->responded_at + seconds * CLOCK_SECOND,
        .ended_at = used_at};
}

bool permit_counted(struct arena *a, const struct permit *p)
{
    return permit_has_tool_call(
        json_read(a, p->granted.p ? p->granted : p->asked));
}

struct str permit_only_call(struct arena *a, const struct permit *p)
{
    const struct json *list = json_read(a, p->granted);
    const struct json *detail = json_at(list, 0);
    struct json *o = json_object(a);
    if (json_count(list) != 1 || !permit_has_tool_call(list) ||
        json_count(json_get(detail, "constraints")) > 0)
        return STR_NONE;
    json_set_text(o, "tool", json_get_text(detail, "tool"));
    json_set_json(o, "arguments", json_copy(a, json_get(detail, "arguments")));
    return json_dump(a, o, PERMIT_DETAILS_TEXT);
}

bool permit_each_once(struct arena *a, const struct permit *p)
{
    const size_t n = json_count(json_read(a, p->asked));
    return n > 1 && p->terms.max_uses == (int64_t)n;
}

int64_t permit_uses(struct arena *a, const struct permit *p)
{
    const int64_t n = (int64_t)json_count(json_read(a, p->granted));
    return permit_each_once(a, p) && n < p->terms.max_uses ? n
                                                           : p->terms.max_uses;
}

const struct err *permit_use(struct arena *a, struct permit *p,
                             struct str tool, const struct json *arguments,
                             int64_t now, struct decimal *amount)
{
    struct decimal spent = p->spent;
    *amount = (struct decimal){0, 0};
    TRY(permit_covers(a, json_read(a, p->granted), tool, arguments, NULL));
    if (p->terms.budget.unit.p)
        TRY(permit_covers_spend(&p->terms.budget, p->spent, arguments, amount,
                                &spent));
    p->spent = spent;
    p->used++;
    if (p->used >= permit_uses(a, p))
        permit_end(p, PERMIT_SPENT, STR_NONE, STR_NONE, now);
    return NULL;
}

enum permit_view permit_view(const struct permit *p, enum outcome ending,
                             enum redemption_result last, int64_t now)
{
    switch (p->state) {
    case PERMIT_ASKED:
        return PERMIT_VIEW_PENDING;
    case PERMIT_REFUSED:
        return ending == OUTCOME_EXPIRED     ? PERMIT_VIEW_EXPIRED
               : ending == OUTCOME_WITHDRAWN ? PERMIT_VIEW_REVOKED
                                             : PERMIT_VIEW_VETOED;
    case PERMIT_REVOKED:
        return PERMIT_VIEW_REVOKED;
    case PERMIT_ACTIVE:
    case PERMIT_SPENT:
    case PERMIT_STATE__MAX:
    default:
        if (p->used == 0)
            return now >= p->not_after ? PERMIT_VIEW_LAPSED
                                       : PERMIT_VIEW_AUTHORIZED;
        return last == REDEMPTION_COMPLETED ? PERMIT_VIEW_COMPLETED
               : last == REDEMPTION_FAILED  ? PERMIT_VIEW_FAILED
                                            : PERMIT_VIEW_EXECUTING;
    }
}
