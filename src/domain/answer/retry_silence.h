/* The effect of silence on a question: the fallback answer, and the reminders
 * before it. Pure. */
#ifndef DOMAIN_ANSWER_RETRY_SILENCE_H
#define DOMAIN_ANSWER_RETRY_SILENCE_H

#include "domain/answer/resolve.h"
#include "domain/question/retry.h"

/* The operator's setting for fallback answers. */
enum retry_silence {
    RETRY_SILENCE_NEVER, /* a fallback authorizes nothing */
    RETRY_SILENCE_LOW    /* a fallback may authorize at low effective
                          * severity */
};
/* Is the fallback acceptable? It never picks a choice that authorizes or
 * accepts, except as may allows: ERR_INVALID fallback.authorizes; nor one that
 * ends the intent: fallback.ends. With a kind, it is validated like an answer.
 * Without a kind it may be any value (RFC-0025): one that is not a choice is
 * passed on and authorizes nothing. All errors are at fallback_value. On the
 * native API (strict) a policy that continues needs a value: field.missing. */
const struct err *retry_silence_check(struct arena *a,
                                      const struct suspension *s,
                                      enum retry_silence may) MUST;
/* Was it open in a backup, and would its fallback approve it? A person may have
 * said no to it since: silence is no yes then, whatever the server allowed when
 * it was asked. */
bool retry_silence_lost(struct arena *a, const struct suspension *s);

/* Runs the attempt that is due: sets attempt, next_attempt_at and channel_hint,
 * appends intent.suspension_escalated for every step of the ladder that has
 * been reached (oldest first), then one intent.suspension_renotified. After an
 * outage several attempts become one reminder. A full log does not stop the
 * rounds: the events are left out. The suspension must be pending, not due to
 * expire, and next_attempt_at <= now; where there is no attempt to run after
 * all, only next_attempt_at is set. */
const struct err *retry_silence_remind(struct arena *a, struct decision *d,
                                       struct retry_round *out) MUST;

#endif
