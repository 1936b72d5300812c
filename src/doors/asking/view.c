/* The records that clients read: one for each noun. */
#include "doors/asking/view.h"

#include "base/clock_text.h"

/* ---- intents -------------------------------------------------------- */

static void put_key(struct buf *b, const char *key)
{
    buf_put(b, b->n > 0 && b->p[b->n - 1] != '{' ? ",\"" : "\"");
    buf_put(b, key);
    buf_put(b, "\":");
}

static void put_text(struct buf *b, const char *key, struct str s)
{
    put_key(b, key);
    if (s.p)
        json_write_string(b, s);
    else
        buf_put(b, "null");
}

static void put_raw(struct buf *b, const char *key, struct str s)
{
    put_key(b, key);
    buf_str(b, s.p ? s : STR("null"));
}

static void put_int(struct buf *b, const char *key, int64_t v)
{
    put_key(b, key);
    buf_int(b, v);
}

static void put_intent(struct buf *b, struct arena *a, const struct intent *i)
{
    buf_char(b, '{');
    put_text(b, "id", i->id);
    put_text(b, "title", i->title);
    put_text(b, "description", i->description);
    put_text(b, "created_by", i->created_by);
    put_text(b, "status", str_of(vocabulary_intent_status(i->status)->wire));
    put_raw(b, "constraints", i->constraints);
    put_raw(b, "state", i->state);
    put_int(b, "confidence", i->confidence);
    put_int(b, "version", i->version);
    put_text(b, "created_at", clock_naive(a, i->created_at));
    put_text(b, "updated_at", clock_naive(a, i->updated_at));
    put_text(b, "parent_intent_id", i->parent_intent_id);
    put_raw(b, "depends_on", i->depends_on);
    put_raw(b, "governance_policy", i->governance_policy);
    if (i->session_id.p)
        put_text(b, "session_id", i->session_id);
    if (i->task_id.p)
        put_text(b, "task_id", i->task_id);
    if (i->turn_id.p)
        put_text(b, "turn_id", i->turn_id);
    if (i->initiated_by.p)
        put_text(b, "initiated_by", i->initiated_by);
    if (i->owner.p)
        put_text(b, "owner", i->owner);
    buf_char(b, '}');
}

struct str view_intent_text(struct arena *a, const struct intent *i)
{
    struct buf b = buf_make(a, RESPONSE_BODY_MAX);
    put_intent(&b, a, i);
    return buf_text(&b);
}

void view_intents(struct buf *b, const char *name,
                  const struct intent_rows *rows)
{
    buf_put(b, "{\"");
    buf_put(b, name);
    buf_put(b, "\":[");
    for (size_t i = 0; i < rows->n; i++) {
        buf_put(b, i ? "," : "");
        put_intent(b, b->arena, &rows->v[i]);
    }
    buf_put(b, "],\"next\":");
    if (rows->more)
        json_write_string(b, rows->v[rows->n - 1].id);
    else
        buf_put(b, "null");
    buf_char(b, '}');
}

/* ---- suspensions ---------------------------------------------------- */

void view_set_time(struct arena *a, struct json *o, const char *key, int64_t t)
{
    json_set_text_or_null(o, key, t ? clock_rfc3339(a, t) : STR_NONE);
}

static struct json *responder(struct arena *a, const struct suspension *s)
{
    struct json *o = json_object(a);
    json_set_text(o, "mode",
                  str_of(vocabulary_responder_mode(s->responder.mode)->wire));
    json_set_text_or_null(o, "who", s->responder.who);
    json_set_bool(o, "not_initiator", s->responder.not_initiator);
    return o;
}

static void set_question(struct call *c, struct json *o,
                         const struct suspension *s)
{
    struct arena *a = c->a;
    json_set_text_or_null(o, "kind", str_of(kind_words(s->kind)->wire));
    json_set_text_or_null(o, "title", s->title);
    json_set_text(o, "question", s->question);
    json_set_text_or_null(o, "explanation", s->explanation);
    json_set_text_or_null(o, "severity",
                          str_of(vocabulary_severity(s->severity)->wire));
    json_set_text_or_null(o, "severity_said",
                          str_of(vocabulary_severity(s->severity_said)->wire));
    json_set_text(o, "response_type",
                  str_of(vocabulary_answer_type(s->response_type)->wire));
    json_set_json(o, "choices", suspension_choices(a, s));
    json_set_read(a, o, "form", s->form);
    json_set_read(a, o, "context", s->context);
    json_set_read(a, o, "subject", s->subject);
    json_set_text(o, "subject_sha256", s->subject_sha256);
    json_set_read(a, o, "evidence", s->evidence);
    json_set_read(a, o, "artifacts", s->artifacts);
    json_set_text_or_null(o, "supersedes", s->supersedes);
    json_set_bool(o, "allow_edit", s->allow_edit);
    json_set_json(o, "responder", responder(a, s));
    json_set_text_or_null(o, "channel_hint", s->channel_hint);
    json_set_text(o, "asked_by", s->asked_by);
    view_set_time(a, o, "suspended_at", s->suspended_at);
    if (s->timeout_seconds)
        json_set_int(o, "timeout_seconds", s->timeout_seconds);
    json_set_read(a, o, "retry_policy", s->retry_policy);
    json_set_int(o, "attempt", s->attempt);
    view_set_time(a, o, "next_attempt_at",
                  s->state == SUSPENSION_PENDING ? s->next_attempt_at : 0);
    view_set_time(a, o, "expires_at", s->expires_at);
    json_set_text(o, "fallback_policy",
                  str_of(vocabulary_fallback_policy(s->fallback_policy)->wire));
    json_set_read(a, o, "fallback_value", s->fallback_value);
    json_set_text(o, "on_reject",
                  str_of(vocabulary_on_reject(s->on_reject)->wire));
    json_set_text(o, "on_expiry", suspension_on_expiry(a, s));
}

static void set_decision(struct arena *a, struct json *o,
                         const struct suspension *s)
{
    json_set_text_or_null(o, "outcome",
                          str_of(vocabulary_outcome(s->outcome)->wire));
    json_set_read(a, o, "value", s->response);
    json_set_bool(o, "modified", suspension_modified(s));
    json_set_read(a, o, "constraints", s->constraints);
    json_set_read(a, o, "approved_subject", s->approved_subject);
    json_set_text_or_null(o, "approved_sha256", s->approved_sha256);
    json_set_text_or_null(o, "reason", s->reason);
    json_set_read(a, o, "metadata", s->metadata);
    json_set_text_or_null(o, "responded_by", s->responded_by);
    if (s->responded_by_claimed.p)
        json_set_text(o, "responded_by_claimed", s->responded_by_claimed);
    json_set_text_or_null(o, "responded_via",
                          str_of(vocabulary_via(s->responded_via)->wire));
    view_set_time(a, o, "responded_at", s->responded_at);
    json_set_text_or_null(o, "audit_summary", s->audit_summary);
}

struct json *view_suspension(struct call *c, const struct suspension *s)
{
    struct json *o = json_object(c->a);
    json_set_text(o, "suspension_id", s->id);
    json_set_text(o, "intent_id", s->intent_id);
    json_set_text(o, "state",
                  str_of(vocabulary_suspension_state(s->state)->wire));
    set_question(c, o, s);
    set_decision(c->a, o, s);
    json_set_text(o, "url", call_url(c, "/suspensions/", s->id));
    return o;
}

/* ---- leases --------------------------------------------------------- */

struct json *view_lease(struct arena *a, const struct lease *l,
                        enum lease_status status)
{
    struct json *o = json_object(a);
    json_set_text(o, "id", l->id);
    json_set_text(o, "intent_id", l->intent_id);
    json_set_text(o, "agent_id", l->agent_id);
    json_set_text(o, "scope", l->scope);
    json_set_text(o, "status", str_of(vocabulary_lease_status(status)->wire));
    json_set_text(o, "acquired_at", clock_naive(a, l->acquired_at));
    json_set_text(o, "created_at", clock_naive(a, l->acquired_at));
    json_set_text(o, "expires_at", clock_naive(a, l->expires_at));
    json_set_text_or_null(o, "released_at",
                          l->released_at ? clock_naive(a, l->released_at)
                                         : STR_NONE);
    return o;
}
