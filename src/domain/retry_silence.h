/* What silence does to a question: the answer that it chooses, and the
 * reminders on the way there. Pure. */
#ifndef DOMAIN_RETRY_SILENCE_H
#define DOMAIN_RETRY_SILENCE_H

#include "domain/resolve.h"
#include "domain/retry.h"

/* What the operator lets silence do. */
enum retry_silence {
    RETRY_SILENCE_NEVER, /* a fallback authorizes nothing */
    RETRY_SILENCE_LOW    /* but where the severity that counts is low */
};
/* Is the fallback acceptable? It never picks a choice that authorizes or
 * accepts, but as may allows: ERR_INVALID fallback.authorizes; nor one that
 * ends the intent: fallback.ends. Of a kind, it is validated like an answer.
 * Without a kind it may be any value (RFC-0025): one that is none of the
 * choices is handed back and authorizes nothing. All errors are at
 * fallback_value. At the native door (strict) a policy that goes on needs a
 * value: field.missing. */
const struct err *retry_check_fallback(struct arena *a,
                                       const struct suspension *s,
                                       enum retry_silence may) MUST;

/* Runs the attempt that now stands for: sets attempt, next_attempt_at and
 * channel_hint, appends intent.suspension_escalated for every step of the
 * ladder that has been reached (oldest first), then one
 * intent.suspension_renotified. After an outage several attempts become one
 * reminder. A full log does not stop the rounds: the events are left out. The
 * suspension must be pending, not due to expire, and next_attempt_at <= now;
 * where there is no attempt to run after all, only next_attempt_at is set. */
const struct err *retry_remind(struct arena *a, struct decision *d,
                               struct retry_round *out) MUST;

#endif
