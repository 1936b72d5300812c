/* The server's part of a new question: times, the first reminder, the digest,
 * and the record as it will be mirrored. Pure. */
#include "domain/question/suspension_seal.h"

#include "base/clock_text.h"
#include "base/crypt.h"
#include "domain/question/retry.h"

#define SUSPENSION_ASKED_MAX ((size_t)4 << 20) /* bytes of the form */

/* With a retry policy the whole window is interval times attempts; a single
 * attempt without interval is a plain timeout, as the SDK means it. */
static int64_t suspension_expires_at(struct arena *a,
                                     const struct suspension *s)
{
    struct json *retry = NULL;
    int64_t seconds = s->timeout_seconds;
    if (s->retry_policy.p && !json_parse(a, s->retry_policy, &retry)) {
        const int64_t interval = json_int(json_get(retry, "interval_seconds"));
        const int64_t attempts = json_int(json_get(retry, "max_attempts"));
        if (interval > 0)
            seconds = interval * (attempts > 0 ? attempts : 1);
    }
    if (seconds > SUSPENSION_TIMEOUT_MAX)
        seconds = SUSPENSION_TIMEOUT_MAX;
    return seconds > 0 ? s->suspended_at + seconds * CLOCK_SECOND : 0;
}

/* Writes the effective policy over the agent's. */
static void suspension_put_policy(struct arena *a, struct json *record,
                                  const struct suspension *s)
{
    struct json *policy = NULL, *own = json_get(record, "retry_policy");
    if (!s->retry_policy.p || json_parse(a, s->retry_policy, &policy))
        return;
    for (struct json_iter i = json_iter(policy);
         json_is(own, JSON_OBJECT) && json_next(&i);)
        json_set_key(own, i.key, i.value);
    if (!json_is(own, JSON_OBJECT))
        json_set_json(record, "retry_policy", policy);
}

const struct err *suspension_seal(struct arena *a, struct suspension *s,
                                  int64_t now)
{
    struct json *record = NULL;
    if (!s->trees)
        suspension_keep(a, s);
    TRY(suspension_parse_record(a, s, &record));
    s->state = SUSPENSION_PENDING;
    s->suspended_at = now;
    s->expires_at = s->open_end ? 0 : suspension_expires_at(a, s);
    s->attempt = 1;
    s->next_attempt_at = retry_next_at(a, s);
    s->subject_sha256 = crypt_sha256_hex(a, s->subject);
    json_set_text(record, "id", s->id);
    json_set_text(record, "suspended_at", clock_naive(a, now));
    if (s->expires_at)
        json_set_text(record, "expires_at", clock_naive(a, s->expires_at));
    else
        json_unset(record, STR("expires_at"));
    suspension_put_policy(a, record, s);
    json_unset(record, STR("test"));
    if (s->test)
        json_set_bool(record, "test", true);
    if (s->severity_said != s->severity) {
        json_set_text(record, "severity",
                      vocabulary_severity(s->severity)->wire);
        json_set_text(record, "severity_said",
                      vocabulary_key(vocabulary_severity(s->severity_said)));
    }
    return suspension_set_record(a, s, record);
}

struct str suspension_asked_sha256(struct arena *a, const struct suspension *s)
{
    struct json *o = json_object(a);
    for (size_t i = 0; i < suspension_record.n; i++) {
        const struct record_field *f = &suspension_record.fields[i];
        if (f->in & IN_INSERT)
            json_set_text_given(o, f->column ? f->column : f->name,
                                record_text(a, f, s));
    }
    json_unset(o, STR("asked_sequence"));
    json_unset(o, STR("asked_by_key"));
    json_unset(o, STR("channel_hint"));
    struct buf b = buf_make(a, SUSPENSION_ASKED_MAX);
    json_write_canonical(&b, o);
    return crypt_sha256_hex(a, buf_text(&b));
}
