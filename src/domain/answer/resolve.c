/* The one way in which a question ends. Pure: no clock, no store, no door. */
#include "domain/answer/resolve.h"

#include "base/clock.h"
#include "base/clock_text.h"
#include "base/crypt.h"
#include "base/text.h"
#include "domain/kind/effect.h"
#include "domain/kind/label.h"
#include "domain/plan/review.h"
#include "domain/question/ending.h"
#include "domain/question/side_question.h"
#include "domain/question/widening.h"
#include "domain/question/risk.h"

const char resolve_already_decided[] = "suspension.already_decided";
const char resolve_expired[] = "suspension.expired";
const char resolve_restored[] = "suspension.restored";
const char resolve_changed[] = "suspension.changed";
const char resolve_reason_missing[] = "reason.missing";
const char resolve_too_large[] = "response.too_large";

/* ---- effects -------------------------------------------------------- */

bool resolve_ends(const struct suspension *s, const struct json *choice)
{
    const enum effect e = effect_of_choice(choice);
    return e == EFFECT_STOP_TASK ||
           (s->on_reject == ON_REJECT_ABANDON && e == EFFECT_VETO);
}

/* ---- conflicts ------------------------------------------------------ */

const struct err *resolve_decided(struct arena *a, const struct suspension *s,
                                  bool naive)
{
    struct json *more = json_object(a);
    json_set_text(more, "suspension_id", s->id);
    json_set_text(more, "state", vocabulary_suspension_state(s->state)->wire);
    json_set_text_or_null(more, "outcome",
                          vocabulary_outcome(s->outcome)->wire);
    json_set_text_or_null(more, "responded_by", s->responded_by);
    json_set_text(more, "responded_at",
                  naive ? clock_naive(a, s->responded_at)
                        : clock_rfc3339(a, s->responded_at));
    json_set_given(a, more, "value", s->response);
    json_set_text_given(more, "audit_summary", s->audit_summary);
    return err_more(a,
                    err_at(a, ERR_CONFLICT,
                           s->state == SUSPENSION_EXPIRED
                               ? resolve_expired
                               : resolve_already_decided,
                           STR(""),
                           "This request is no longer open: %.*s",
                           STR_FMT(s->audit_summary)),
                    more);
}

/* ---- the record ----------------------------------------------------- */

#define CHANGE_CHARS 500 /* characters of the limits, in the summary */

/* The words before the label of the choice. */
static const char *const resolve_words[OUTCOME__MAX] = {
    [OUTCOME_AUTHORIZED] = "Approved",
    [OUTCOME_VETOED] = "Rejected",
    [OUTCOME_CHANGES_REQUESTED] = "Changes requested",
    [OUTCOME_DECLINED] = "Declined",
    [OUTCOME_ACCEPTED] = "Accepted"};

/* Does the label add nothing to those words, as "Yes" to an approval? */
static bool resolve_bare(struct arena *a, const struct json *choice)
{
    const enum effect effect = effect_of_choice(choice);
    const struct str label = label_of(a, NULL, choice).label;
    const struct label_word *w = label_word(a, label);
    if (effect != EFFECT_AUTHORIZE && effect != EFFECT_VETO &&
        effect != EFFECT_ACCEPT && effect != EFFECT_DECLINE)
        return false;
    return !label.p || (w && str_is(text_fold(a, label), w->text));
}

static void resolve_put_duration(struct buf *b, int64_t us)
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

/* The record's one paragraph; choice: NULL where there was none. The part that
 * was allowed is in it where it differs from what was asked for. */
static struct str resolve_summary_of(struct arena *a,
                                     const struct suspension *s,
                                     const struct json *choice)
{
    struct buf b = buf_make(a, 8192);
    const bool declined = effect_of_choice(choice) == EFFECT_DECLINE;
    if (choice && (!suspension_worded(s) || declined)) {
        const char *words = resolve_words[s->outcome];
        buf_put(&b, words ? words : "Answered");
        if (!resolve_bare(a, choice)) {
            buf_put(&b, ": ");
            json_write_string(&b, label_line(a, choice));
            buf_char(&b, ',');
        }
    } else {
        buf_put(&b, s->response_type == ANSWER_FORM ? "Form submitted"
                                                    : "Text answer");
    }
    /* An agent may have the same name as a person. */
    buf_put(&b,
            s->responder.mode == RESPONDER_AGENT ? " by the agent " : " by ");
    buf_str(&b, s->responded_by);
    buf_char(&b, ' ');
    buf_put(&b, vocabulary_via(s->responded_via)->past);
    buf_put(&b, ", ");
    resolve_put_duration(&b, s->responded_at - s->suspended_at);
    buf_put(&b, " after ");
    buf_str(&b, s->asked_by);
    buf_put(&b, " asked.");
    if (s->constraints.p) {
        buf_put(&b, " Limits: ");
        buf_str(&b, str_head(s->constraints, CHANGE_CHARS));
        buf_put(&b, str_runes(s->constraints) > CHANGE_CHARS ? " ...." : ".");
    }
    if (s->approved_subject.p) {
        buf_put(&b, " The approved version differs from the request. Its "
                    "SHA-256 is ");
        buf_str(&b, s->approved_sha256);
        buf_char(&b, '.');
    }
    return buf_text(&b);
}

/* ---- the one write -------------------------------------------------- */

/* choice: the chosen one; permit: what the answer granted; NULL: nothing. */
static struct json *resolve_resumed_payload(struct arena *a,
                                            const struct suspension *s,
                                            const struct json *choice,
                                            const struct permit *permit)
{
    struct json *p = json_object(a);
    json_set_text(p, "intent_id", s->intent_id);
    json_set_text(p, "suspension_id", s->id);
    json_set_given(a, p, "value", s->response);
    suspension_set_choice(p, suspension_worded(s) ? NULL : choice);
    json_set_text(p, "responded_by", s->responded_by_claimed.p
                                         ? s->responded_by_claimed
                                         : s->responded_by);
    json_set_text(p, "decided_by", s->responded_by);
    json_set_text(p, "responded_at", clock_naive(a, s->responded_at));
    json_set_text(p, "outcome", vocabulary_outcome(s->outcome)->wire);
    json_set_text(p, "via", vocabulary_via(s->responded_via)->wire);
    json_set_text(p, "subject_sha256", s->subject_sha256);
    json_set_text_given(p, "reason", s->reason);
    json_set_text_given(p, "approved_sha256", s->approved_sha256);
    json_set_given(a, p, "constraints", s->constraints);
    if (permit) {
        struct json *granted = record_payload(a, &permit_record, permit);
        json_set_text(granted, "not_after",
                      clock_rfc3339(a, permit->not_after));
        json_set_json(p, "permit", granted);
    }
    return p;
}

static const struct err *resolve_append(struct arena *a, struct decision *d,
                                        const char *type, struct event_by by,
                                        const struct json *payload)
{
    const struct event_draft draft = {
        .type = type, .by = by, .payload = payload, .decides = true};
    return event_append(a, d->intent->id, &draft, d->now, &d->intent->tail,
                        d->events);
}

/* Moves the intent and says so, if the move is more than resuming. */
static const struct err *resolve_move(struct arena *a, struct decision *d,
                                      enum intent_status to,
                                      const char *reason, struct event_by by)
{
    if (to == INTENT_ACTIVE && !d->dependencies_done)
        to = INTENT_BLOCKED;
    struct json *p =
        intent_status_changed(a, d->intent->status, to, str_of(reason));
    json_set_text(p, "suspension_id", d->suspension->id);
    d->intent->status = to;
    return resolve_append(a, d, "status_changed", by, p);
}

static const struct err *resolve_record(struct arena *a,
                                        const struct decision *d,
                                        const struct json *choice,
                                        const struct answer *answer,
                                        const struct principal *who)
{
    struct suspension *s = d->suspension;
    /* Where a word chose it, the choice's own value counts. */
    const struct json *value = choice && answer->value && !suspension_worded(s)
                                   ? json_get(choice, "value")
                                   : answer->value;
    s->state = SUSPENSION_RESOLVED;
    s->next_attempt_at = 0;
    s->response = json_dump(a, value, SUSPENSION_RESPONSE_MAX);
    s->reason = str_trim(answer->reason).n ? answer->reason : STR_NONE;
    s->responded_by = principal_actor(who);
    s->responded_by_claimed =
        answer->claimed.n && !str_eq(answer->claimed, s->responded_by)
            ? answer->claimed
            : STR_NONE;
    s->responded_via = answer->via;
    s->outcome = choice ? effect_outcome(effect_of_choice(choice))
                        : OUTCOME_ANSWERED;
    s->responded_at = suspension_end(s, d->now);
    s->audit_summary = resolve_summary_of(a, s, choice);
    if (json_count(answer->metadata))
        s->metadata = json_dump(a, answer->metadata, SUSPENSION_RESPONSE_MAX);
    return s->response.p && (s->metadata.p || !json_count(answer->metadata))
               ? NULL
               : ERROR(ERR_TOO_LARGE, resolve_too_large,
                       "An answer and its metadata may have at most 128 kB "
                       "each.");
}

/* An edit may go beyond what was asked for only with a reason. */
static const struct err *resolve_check_beyond(struct arena *a,
                                              const struct suspension *s,
                                              const struct answer *answer)
{
    const struct json *asked;
    struct widening e;
    if (!answer->amend.subject)
        return NULL;
    TRY(suspension_parse_subject(a, s, &asked));
    widening_find(a, asked, answer->amend.subject, &e);
    if (e.grade == WIDENING_NOT || str_trim(answer->reason).n > 0)
        return NULL;
    return err_at(a, ERR_INVALID, resolve_reason_missing, STR("reason"),
                  "This goes beyond the request (%.*s: %.*s). Give a reason. "
                  "The agent will read it.",
                  STR_FMT(e.rows[0].path), STR_FMT(e.rows[0].why));
}

/* Stores the changes of a yes, and the digest of the approved subject. */
static void resolve_change(struct arena *a, struct suspension *s,
                           const struct amend *amend)
{
    s->constraints = amend->constraints;
    s->approved_subject = amend->subject;
    s->approved_sha256 =
        amend->subject.p ? crypt_sha256_hex(a, amend->subject) : STR_NONE;
}

/* Only an accepting answer hands the goal over. The event's type is one that
 * OpenIntent's client knows: the client raises on any other. */
static const struct err *resolve_hand_off(struct arena *a, struct decision *d,
                                          struct event_by by)
{
    const struct suspension *s = d->suspension;
    struct json *p = json_object(a);
    if (s->outcome != OUTCOME_ACCEPTED || !kind_rule(s->kind) ||
        !kind_rule(s->kind)->hands_over)
        return NULL;
    json_set_text(p, "suspension_id", s->id);
    json_set_text(p, "from", d->intent->owner.p ? d->intent->owner
                                                : d->intent->created_by);
    json_set_text(p, "to", s->responded_by);
    d->intent->owner = s->responded_by;
    return resolve_append(a, d, "coordinator.handoff", by, p);
}

/* Only a yes grants, with the details as the answer narrowed them. */
static const struct err *resolve_settle_permit(struct arena *a,
                                               struct decision *d,
                                               const struct permit **granted)
{
    const struct suspension *s = d->suspension;
    struct permit *p = d->permit;
    *granted = NULL;
    if (!p)
        return NULL;
    if (!permit_follows(s)) {
        permit_refuse(p, s->reason, s->responded_by, d->now);
        return NULL;
    }
    if (p->state == PERMIT_REVOKED)
        return NULL; /* by a restore: it may have been used before */
    TRY(permit_grant(a, p, s, d->now));
    if (p->state == PERMIT_ACTIVE)
        *granted = p;
    return NULL;
}

/* An agent's own question about a checkpoint; an intent that has ended ends
 * its plans. */
static const struct err *resolve_settle_checkpoint(struct decision *d,
                                                   struct event_by by)
{
    struct suspension *s = d->suspension;
    return s->origin == ORIGIN_OWN_CHECKPOINT &&
                   !intent_ended(d->intent->status)
               ? checkpoint_decided(d->plans, s, by)
               : NULL;
}

/* May it be answered now, and is it still what was seen? */
static const struct err *resolve_check_open(struct arena *a,
                                            const struct decision *d,
                                            const struct answer *answer)
{
    const struct suspension *s = d->suspension;
    struct json *more = json_object(a);
    if (s->state != SUSPENSION_PENDING)
        return resolve_decided(a, s, answer->via == VIA_OPENINTENT);
    if (suspension_due(s, d->now))
        return ERROR(ERR_CONFLICT, resolve_expired,
                     "The deadline has passed.");
    if (answer->seen.p && !str_eq(answer->seen, s->subject_sha256))
        return ERROR(ERR_CONFLICT, resolve_changed,
                     "The request has changed. Read it again.");
    if (!s->restored_from || answer->restored)
        return NULL;
    /* An answer that came after the backup is lost, and an agent may have
     * acted on it. */
    json_set_text(more, "restored_from", clock_rfc3339(a, s->restored_from));
    return err_more(
        a,
        ERROR(ERR_CONFLICT, resolve_restored,
              "The request was open in a backup, and may have been "
              "answered since. To answer it anyway, send "
              "\"restored\": true."),
        more);
}

/* The status of the intent that the question held. */
static const struct err *resolve_move_on(struct arena *a, struct decision *d,
                                         const struct json *choice,
                                         struct event_by by)
{
    const bool stopped = effect_of_choice(choice) == EFFECT_STOP_TASK;
    if (resolve_ends(d->suspension, choice))
        return resolve_move(a, d, INTENT_ABANDONED,
                            stopped ? "stopped" : "rejected", by);
    if (!d->dependencies_done)
        return resolve_move(a, d, INTENT_BLOCKED, "dependencies_open", by);
    d->intent->status = INTENT_ACTIVE; /* intent.resumed has said so */
    return suspension_trial(d->suspension)
               ? resolve_move(a, d, INTENT_COMPLETED, "answered", by)
               : NULL;
}

const struct err *resolve_respond(struct arena *a, struct decision *d,
                                  const struct answer *answer,
                                  const struct principal *who)
{
    struct suspension *s = d->suspension;
    const struct event_by by = event_by(who);
    const struct responder_case rule = suspension_case(s);
    const bool token = who->person_id.p && !who->person;
    const struct json *choice = NULL;
    const struct permit *granted;
    struct amend amend;
    TRY(responder_check(a, &rule, who));
    TRY(checkpoint_may(d->plans, s, who));
    TRY(resolve_check_open(a, d, answer));
    TRY(resolve_check(a, s, answer, &choice));
    TRY(amend_check(a, s, choice, &answer->amend, &amend));
    resolve_change(a, s, &amend);
    TRY(resolve_check_beyond(a, s, answer));
    /* A yes that a person has to type their way to is given on the page alone:
     * a token may be in the hands of an agent. */
    if ((token || answer->via == VIA_TOOL_CALL) && risk_typed(a, s, choice).p)
        return ERROR(ERR_FORBIDDEN, "resume.page_only",
                     "This question can be approved only on its page.");
    TRY(risk_typed_check(a, s, choice, answer->typed));
    TRY(resolve_record(a, d, choice, answer, who));
    if (side_question_of_plan(s))
        return review_decided(d->plans, s, by);
    if (side_question(s)) {
        struct json *payload = NULL;
        const char *type = side_question_answered(a, s, &payload);
        return resolve_append(a, d, type, by, payload);
    }
    TRY(resolve_settle_permit(a, d, &granted));
    TRY(resolve_append(a, d, "intent.resumed", by,
                       resolve_resumed_payload(a, s, choice, granted)));
    TRY(resolve_hand_off(a, d, by));
    TRY(resolve_move_on(a, d, choice, by));
    TRY(resolve_settle_checkpoint(d, by));
    return suspension_put_mirror(a, s, d->intent);
}

/* ---- time is up ----------------------------------------------------- */

/* The deadline of the intent's portfolio ends the question and abandons the
 * intent, whatever the fallback policy says (RFC-0026). */
static const struct err *resolve_deadline(struct arena *a, struct decision *d)
{
    const struct str reason = STR("portfolio_deadline");
    const struct str why = ending_abandons(reason);
    const struct event_by by = event_by_clock();
    struct suspension *s = d->suspension;
    s->state = SUSPENSION_EXPIRED;
    s->abandonment_reason = why;
    s->next_attempt_at = 0;
    s->outcome = OUTCOME_NONE;
    s->response = STR_NONE;
    s->responded_by = by.name;
    s->responded_via = VIA_CLOCK;
    s->responded_at = suspension_end(s, d->now);
    s->audit_summary =
        STR("The deadline of the portfolio passed before anybody answered. "
            "Nothing was approved, and the task was stopped.");
    struct json *expired = json_object(a);
    json_set_text(expired, "suspension_id", s->id);
    json_set_text(expired, "reason", reason);
    json_set_text(expired, "portfolio_id", d->deadline.portfolio_id);
    json_set_text(expired, "fallback_policy",
                  vocabulary_fallback_policy(s->fallback_policy)->wire);
    json_set_int(expired, "attempts", s->attempt);
    TRY(resolve_append(a, d, "intent.suspension_expired", by, expired));
    struct json *abandoned =
        intent_status_changed(a, d->intent->status, INTENT_ABANDONED, why);
    json_set_text(abandoned, "abandonment_reason", why);
    json_set_text(abandoned, "portfolio_id", d->deadline.portfolio_id);
    json_set_text(abandoned, "suspension_id", s->id);
    TRY(resolve_append(a, d, "status_changed", by, abandoned));
    d->intent->status = INTENT_ABANDONED;
    return suspension_put_mirror(a, s, d->intent);
}

/* A fallback's answer is limited like a person's. A fallback that is not a
 * choice is only passed on. */
static const struct err *resolve_keep_fallback(struct arena *a,
                                               struct suspension *s)
{
    const struct json *choice = NULL;
    struct json *value = NULL;
    struct amend amend;
    if (!s->fallback_value.p || json_parse(a, s->fallback_value, &value))
        return NULL;
    const struct answer answer = {
        .value = value, .pressed = true, .reason = STR("silence")};
    if (resolve_check(a, s, &answer, &choice))
        return NULL;
    TRY(amend_check(a, s, choice, &answer.amend, &amend));
    resolve_change(a, s, &amend);
    return NULL;
}

/* lost: ends like the policy "fail", whatever the policy says. */
static void resolve_expire_as(struct suspension *s, bool lost, bool fails)
{
    s->state = SUSPENSION_EXPIRED;
    s->next_attempt_at = 0;
    s->outcome = fails ? OUTCOME_NONE : OUTCOME_FALLBACK;
    s->response = fails ? STR_NONE : s->fallback_value;
    s->audit_summary =
        lost ? STR("Nobody answered in time. The default of the request "
                   "would approve it, but an answer from before a restore "
                   "may be lost. Nothing was approved, and the task was "
                   "stopped.")
        : fails
            ? STR("Nobody answered in time. Nothing was approved, and the "
                  "task was stopped.")
            : STR("Nobody answered in time. The agent continues with the "
                  "default that it stated in its request.");
}

const struct err *resolve_expire(struct arena *a, struct decision *d)
{
    struct suspension *s = d->suspension;
    const bool lost = d->silence_lost;
    const bool fails = lost || s->fallback_policy == FALLBACK_FAIL;
    const struct str reason = lost ? STR("restored") : STR("timeout");
    const struct event_by by = event_by_clock();
    if (d->deadline.portfolio_id.p &&
        (!s->expires_at || d->deadline.at <= s->expires_at))
        return resolve_deadline(a, d);
    resolve_expire_as(s, lost, fails);
    s->abandonment_reason = ending_abandons(reason);
    if (!fails)
        TRY(resolve_keep_fallback(a, s));
    s->responded_by = by.name;
    s->responded_via = VIA_CLOCK;
    s->responded_at = suspension_end(s, d->now);
    if (side_question_of_plan(s))
        return review_decided(d->plans, s, by);
    struct json *p = json_object(a);
    json_set_text(p, "suspension_id", s->id);
    json_set_text(p, "fallback_policy",
                  vocabulary_fallback_policy(fails ? FALLBACK_FAIL
                                                   : s->fallback_policy)
                      ->wire);
    json_set_int(p, "attempts", s->attempt);
    json_set_text(p, "reason", reason);
    if (!fails)
        json_set_given(a, p, "fallback_value", s->fallback_value);
    TRY(resolve_append(a, d, "intent.suspension_expired", by, p));
    TRY(resolve_move(a, d, fails ? INTENT_ABANDONED : INTENT_ACTIVE, "expired",
                     by));
    TRY(resolve_settle_checkpoint(d, by));
    return suspension_put_mirror(a, s, d->intent);
}

/* ---- withdrawal ------------------------------------------------------ */

const struct err *resolve_cancel(struct arena *a, struct decision *d,
                                 const struct principal *who,
                                 struct str reason, enum intent_status to)
{
    struct suspension *s = d->suspension;
    const struct event_by by = event_by(who);
    const bool asker = who->role == ROLE_AGENT && who->test == s->test &&
                       str_eq(who->agent, s->asked_by);
    if (side_question_of_plan(s))
        return ERROR(ERR_FORBIDDEN, "checkpoint.sealed",
                     "This question is answered, or ends with its plan.");
    if (!asker && who->role != ROLE_ADMIN)
        return ERROR(ERR_FORBIDDEN, responder_not_yours,
                     "Only the agent that asked, or an admin, may cancel the "
                     "question.");
    if (s->state != SUSPENSION_PENDING)
        return resolve_decided(a, s, false);
    s->state = SUSPENSION_CANCELLED;
    s->next_attempt_at = 0;
    s->outcome = OUTCOME_NONE;
    s->reason = str_trim(reason).n ? reason : STR_NONE;
    s->responded_by = by.name;
    s->responded_via = VIA_NATIVE;
    s->responded_at = suspension_end(s, d->now);
    s->audit_summary = arena_join(a, STR("Withdrawn by "), by.name,
                                  STR(" before anybody answered."));
    if (side_question(s)) {
        struct json *payload = NULL;
        const char *type = side_question_withdrawn(a, s, &payload);
        return resolve_append(a, d, type, by, payload);
    }
    TRY(resolve_move(a, d, to, "cancelled", by));
    TRY(resolve_settle_checkpoint(d, by));
    return suspension_put_mirror(a, s, d->intent);
}
