/* The one way in which a question ends. Pure: no clock, no store, no door. */
#include "domain/resolve.h"

#include "base/clock.h"
#include "domain/form.h"

/* ---- effects -------------------------------------------------------- */

/* What a choice does, told by the agent beforehand and derived here, never on
 * a page. */
static const struct {
    const char *effect;
    const char *outcome;
    bool stops; /* the intent ends with it */
} effects[] = {
    {"authorize", "authorized", false},
    {"veto", "vetoed", false},
    {"request_changes", "changes_requested", false},
    {"answer", "answered", false},
    {"decline", "declined", false},
    {"accept", "accepted", false},
    {"stop_task", "vetoed", true},
    {"none", "none", false},
};

static size_t effect_of(const struct json *choice)
{
    const struct str word = json_get_text(choice, "effect");
    for (size_t i = 0; i < countof(effects); i++) {
        if (str_is(word, effects[i].effect))
            return i;
    }
    return countof(effects) - 1;
}

/* ---- conflicts ------------------------------------------------------ */

const struct err *resolve_decided(struct arena *a, const struct suspension *s,
                                  bool naive)
{
    struct json *more = json_object(a);
    struct json *value = NULL;
    json_set_text(more, "suspension_id", s->id);
    json_set_text(more, "state", str_of(suspension_state_word(s->state)));
    json_set_text_or_null(more, "outcome", s->outcome);
    json_set_text_or_null(more, "responded_by", s->responded_by);
    json_set_text(more, "responded_at",
                  naive ? clock_naive(a, s->responded_at)
                        : clock_rfc3339(a, s->responded_at));
    if (s->response.p && !json_parse(a, s->response, &value))
        json_set_json(more, "value", value);
    if (s->audit_summary.p)
        json_set_text(more, "audit_summary", s->audit_summary);
    const char *code = s->state == SUSPENSION_EXPIRED
                           ? "suspension.expired"
                           : "suspension.already_decided";
    return err_more(a,
                    err_at(a, ERR_CONFLICT, code, STR(""),
                           "This question is no longer open: %.*s",
                           STR_FMT(s->audit_summary)),
                    more);
}

/* ---- validation ----------------------------------------------------- */

static const struct err *invalid_choice(struct arena *a,
                                        const struct json *choices)
{
    struct json *valid = json_array(a);
    for (size_t i = 0; i < json_count(choices); i++) {
        const struct json *c = json_at(choices, i);
        struct json *v = json_object(a);
        json_set_json(v, "value", json_get(c, "value"));
        json_set_json(v, "label", json_get(c, "label"));
        if (json_has(c, "description"))
            json_set_json(v, "description", json_get(c, "description"));
        json_add_json(valid, v);
    }
    struct json *more = json_object(a);
    json_set_text(more, "error", STR("invalid_choice"));
    json_set_json(more, "valid_choices", valid);
    return err_more(a,
                    ERROR(ERR_INVALID, "response.invalid_choice",
                          "The value has to be one of valid_choices."),
                    more);
}

static bool empty(const struct json *v)
{
    const bool sized = json_is(v, JSON_STRING) || json_is(v, JSON_ARRAY) ||
                       json_is(v, JSON_OBJECT);
    return sized && json_text(v).n + json_count(v) == 0;
}

static const struct err *check_choice(struct arena *a,
                                      const struct suspension *s,
                                      const struct answer *answer,
                                      const struct json **choice)
{
    struct json *choices = suspension_choices(a, s);
    /* Before choices were introduced, any value was an answer. */
    if (json_count(choices) == 0)
        return answer->value && !empty(answer->value)
                   ? NULL
                   : ERROR(ERR_INVALID, "response.empty",
                           "A non-empty value is needed.");
    if (json_is(answer->value, JSON_STRING))
        *choice = suspension_choice(choices, json_text(answer->value));
    return *choice ? NULL : invalid_choice(a, choices);
}

static const struct err *check_text(const struct answer *answer)
{
    if (!json_is(answer->value, JSON_STRING) ||
        json_text(answer->value).n == 0)
        return ERROR(ERR_INVALID, "response.empty",
                     "The answer has to be text that is not empty.");
    if (str_runes(json_text(answer->value)) > FORM_TEXT_MAX)
        return ERROR(ERR_INVALID, "response.too_long",
                     "The answer may have at most 20000 characters.");
    return NULL;
}

static const struct err *check_form(struct arena *a,
                                    const struct suspension *s,
                                    const struct answer *answer)
{
    struct json *form = NULL, *errors = NULL;
    if (!answer->value)
        return ERROR(ERR_INVALID, "response.empty", "A value is needed.");
    if (!s->form.p)
        return NULL; /* passed through as it is: seeds/rfc-0025 4.1 */
    TRY(json_parse(a, s->form, &form));
    return form_check(a, form, answer->value, &errors);
}

static const struct err *check_reason(struct arena *a,
                                      const struct json *choice,
                                      const struct answer *answer)
{
    if (answer->reason.p &&
        str_runes(answer->reason) > SUSPENSION_REASON_MAX)
        return err_at(a, ERR_INVALID, "reason.too_long", STR("reason"),
                      "A reason may have at most %d characters.",
                      SUSPENSION_REASON_MAX);
    if (str_is(json_get_text(choice, "reason"), "required") &&
        str_trim(answer->reason).n == 0)
        return err_at(a, ERR_INVALID, "reason.missing", STR("reason"),
                      "This answer needs a reason. The agent will read it.");
    return NULL;
}

const struct err *resolve_check(struct arena *a, const struct suspension *s,
                                const struct answer *answer,
                                const struct json **choice)
{
    *choice = NULL;
    switch (s->response_type) {
    case ANSWER_CHOICE:
    case ANSWER_CONFIRM:
        TRY(check_choice(a, s, answer, choice));
        break;
    case ANSWER_TEXT:
        TRY(check_text(answer));
        break;
    case ANSWER_FORM:
        TRY(check_form(a, s, answer));
        break;
    case ANSWER_TYPE__MAX:
    default:
        return ERROR(ERR_INTERNAL, "internal", "Unknown response type.");
    }
    return check_reason(a, *choice, answer);
}

/* ---- words for the record ------------------------------------------- */

static void put_duration(struct buf *b, int64_t us)
{
    const int64_t s = us / CLOCK_SECOND;
    if (s < 120)
        buf_printf(b, "%lld s", (long long)s);
    else if (s < 7200)
        buf_printf(b, "%lld min", (long long)(s / 60));
    else if (s < 172800)
        buf_printf(b, "%lld h", (long long)(s / 3600));
    else
        buf_printf(b, "%lld days", (long long)(s / 86400));
}

static const char *via_words(const char *via)
{
    const struct str v = str_of(via);
    return str_is(v, "browser")      ? " in the browser"
           : str_is(v, "openintent") ? " through the OpenIntent endpoint"
                                     : " through the API";
}

static struct str summary(struct arena *a, const struct suspension *s,
                          const struct json *choice, const char *via)
{
    struct buf b = buf_make(a, 8192);
    if (choice) {
        buf_put(&b, "Answered ");
        json_write_string(&b, json_get_text(choice, "label"));
    } else {
        buf_put(&b, s->response_type == ANSWER_FORM ? "Form filled in"
                                                    : "Answered in words");
    }
    buf_put(&b, " by ");
    buf_str(&b, s->responded_by);
    buf_put(&b, via_words(via));
    buf_put(&b, ", ");
    put_duration(&b, s->responded_at - s->suspended_at);
    buf_put(&b, " after ");
    buf_str(&b, s->asked_by);
    buf_put(&b, " asked.");
    return buf_text(&b);
}

/* ---- the one write -------------------------------------------------- */

static struct json *resumed_payload(struct arena *a,
                                    const struct suspension *s)
{
    struct json *p = json_object(a), *v = NULL;
    json_set_text(p, "intent_id", s->intent_id);
    json_set_text(p, "suspension_id", s->id);
    if (s->response.p && !json_parse(a, s->response, &v))
        json_set_json(p, "value", v);
    json_set_text(p, "responded_by", s->responded_by);
    if (s->responded_by_claimed.p)
        json_set_text(p, "responded_by_claimed", s->responded_by_claimed);
    json_set_text(p, "responded_at", clock_naive(a, s->responded_at));
    json_set_text(p, "outcome", s->outcome);
    json_set_text(p, "via", s->responded_via);
    json_set_text(p, "subject_sha256", s->subject_sha256);
    if (s->reason.p)
        json_set_text(p, "reason", s->reason);
    return p;
}

static const struct err *append(struct arena *a, struct decision *d,
                                const char *type, struct str actor,
                                const struct json *payload)
{
    const struct event_draft draft = {
        .type = type, .actor = actor, .payload = payload, .decides = true};
    return event_append(a, d->intent->id, &draft, d->now, &d->intent->tail,
                        d->events);
}

/* Moves the intent and says so, if the move is more than resuming. */
static const struct err *move(struct arena *a, struct decision *d,
                              enum intent_status to, const char *reason,
                              struct str actor)
{
    struct json *p = json_object(a);
    if (to == INTENT_ACTIVE && !d->dependencies_done)
        to = INTENT_BLOCKED;
    json_set_text(p, "old_status",
                  str_of(intent_status_word(d->intent->status)));
    json_set_text(p, "new_status", str_of(intent_status_word(to)));
    json_set_text(p, "suspension_id", d->suspension->id);
    json_set_text(p, "reason", str_of(reason));
    d->intent->status = to;
    return append(a, d, "status_changed", actor, p);
}

static void record(struct arena *a, struct suspension *s,
                   const struct answer *answer, const struct principal *who)
{
    s->state = SUSPENSION_RESOLVED;
    s->response = json_dump(a, answer->value, SUSPENSION_RESPONSE_MAX);
    s->reason = str_trim(answer->reason).n ? answer->reason : STR_NONE;
    s->responded_by = who->name;
    s->responded_by_claimed =
        answer->claimed.n && !str_eq(answer->claimed, who->name)
            ? answer->claimed
            : STR_NONE;
    s->responded_via = str_of(answer->via);
    if (json_count(answer->metadata))
        s->metadata = json_dump(a, answer->metadata, SUSPENSION_RESPONSE_MAX);
}

static const struct err *may(const struct decision *d,
                             const struct principal *who)
{
    /* An agent never decides: neither its own question nor another's. */
    if (!principal_decides(who))
        return ERROR(ERR_FORBIDDEN, "suspension.not_yours",
                     "Only an operator may answer.");
    if (d->suspension->asked_by_key.p && !who->person &&
        str_eq(d->suspension->asked_by_key, who->id))
        return ERROR(ERR_FORBIDDEN, "suspension.own_question",
                     "Who asked may not answer.");
    return NULL;
}

const struct err *resolve_respond(struct arena *a, struct decision *d,
                                  const struct answer *answer,
                                  const struct principal *who)
{
    struct suspension *s = d->suspension;
    const struct json *choice = NULL;
    TRY(may(d, who));
    if (s->state != SUSPENSION_PENDING)
        return resolve_decided(a, s, str_is(str_of(answer->via), "openintent"));
    if (suspension_due(s, d->now))
        return ERROR(ERR_CONFLICT, "suspension.expired",
                     "The time to answer is over.");
    if (answer->seen.p && !str_eq(answer->seen, s->subject_sha256))
        return ERROR(ERR_CONFLICT, "suspension.changed",
                     "What was shown is not what is stored. Read the question "
                     "again.");
    TRY(resolve_check(a, s, answer, &choice));
    record(a, s, answer, who);
    if (!s->response.p || (json_count(answer->metadata) && !s->metadata.p))
        return ERROR(ERR_TOO_LARGE, "response.too_large",
                     "An answer and its metadata may have at most 128 kB "
                     "each.");
    const size_t effect = effect_of(choice);
    s->outcome = choice ? str_of(effects[effect].outcome) : STR("answered");
    s->responded_at = d->now;
    s->audit_summary = summary(a, s, choice, answer->via);
    TRY(append(a, d, "intent.resumed", who->name, resumed_payload(a, s)));
    const bool ends = effects[effect].stops || (s->on_reject_abandon &&
                                                str_is(s->outcome, "vetoed"));
    if (ends)
        TRY(move(a, d, INTENT_ABANDONED,
                 effects[effect].stops ? "stopped" : "rejected", who->name));
    else if (d->dependencies_done)
        d->intent->status = INTENT_ACTIVE; /* intent.resumed has said so */
    else
        TRY(move(a, d, INTENT_BLOCKED, "dependencies_open", who->name));
    return suspension_put_mirror(a, s, d->intent);
}

/* ---- time is up ----------------------------------------------------- */

static struct json *expired_payload(struct arena *a,
                                    const struct suspension *s)
{
    struct json *p = json_object(a), *v = NULL;
    json_set_text(p, "suspension_id", s->id);
    json_set_text(p, "fallback_policy",
                  str_of(suspension_policy_word(s->fallback_policy)));
    json_set_int(p, "attempts", s->attempt);
    json_set_text(p, "reason", STR("timeout"));
    if (s->fallback_policy != FALLBACK_FAIL && s->fallback_value.p &&
        !json_parse(a, s->fallback_value, &v))
        json_set_json(p, "fallback_value", v);
    return p;
}

const struct err *resolve_expire(struct arena *a, struct decision *d)
{
    struct suspension *s = d->suspension;
    const bool fails = s->fallback_policy == FALLBACK_FAIL;
    s->state = SUSPENSION_EXPIRED;
    s->outcome = fails ? STR("none") : STR("fallback");
    s->response = fails ? STR_NONE : s->fallback_value;
    s->responded_by = STR("clock");
    s->responded_via = STR("clock");
    s->responded_at = d->now;
    s->audit_summary =
        fails ? STR("Nobody answered in time. Nothing was authorized and the "
                    "intent was abandoned.")
              : STR("Nobody answered in time. The agent goes on with the "
                    "fallback that it stated when it asked.");
    TRY(append(a, d, "intent.suspension_expired", STR("clock"),
               expired_payload(a, s)));
    TRY(move(a, d, fails ? INTENT_ABANDONED : INTENT_ACTIVE, "expired",
             STR("clock")));
    return suspension_put_mirror(a, s, d->intent);
}

/* ---- taken back ----------------------------------------------------- */

const struct err *resolve_cancel(struct arena *a, struct decision *d,
                                 const struct principal *who,
                                 struct str reason, enum intent_status to)
{
    struct suspension *s = d->suspension;
    const struct str actor = principal_actor(who);
    const bool asker =
        who->role == ROLE_AGENT && str_eq(who->agent, s->asked_by);
    if (!asker && who->role != ROLE_ADMIN)
        return ERROR(ERR_FORBIDDEN, "suspension.not_yours",
                     "Only the agent that asked, or an admin, may cancel.");
    if (s->state != SUSPENSION_PENDING)
        return resolve_decided(a, s, false);
    struct buf b = buf_make(a, 1024);
    buf_put(&b, "Withdrawn by ");
    buf_str(&b, actor);
    buf_put(&b, " before anybody answered.");
    s->state = SUSPENSION_CANCELLED;
    s->outcome = STR("none");
    s->reason = str_trim(reason).n ? reason : STR_NONE;
    s->responded_by = actor;
    s->responded_via = STR("native");
    s->responded_at = d->now;
    s->audit_summary = buf_text(&b);
    TRY(move(a, d, to, "cancelled", actor));
    return suspension_put_mirror(a, s, d->intent);
}
