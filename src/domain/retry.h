/* Silence: reminders, escalation, and the end of waiting (RFC-0026;
 * reference/openintent.md 4, openintent-sdk.md "Client-side time-outs"). Pure:
 * all times are given, and are the server's. */
#ifndef DOMAIN_RETRY_H
#define DOMAIN_RETRY_H

#include "domain/resolve.h"

#define RETRY_LADDER_MAX 10 /* all of them may be told at once */

struct retry_step {
    int64_t attempt;
    struct str channel_hint, notify_to; /* p NULL: not said */
};

/* A HumanRetryPolicy. What was not said is 0, NULL, or __MAX. */
struct retry {
    int64_t max_attempts;
    int64_t interval_seconds;
    bool has_interval; /* an interval of 0 was said */
    struct str strategy;
    struct retry_step ladder[RETRY_LADDER_MAX]; /* by attempt */
    size_t steps;
    bool has_ladder;
    enum fallback_policy final_policy;
};

/* Reads a policy's JSON; path is what errors call it ("retry_policy"; "" at a
 * top level). Understands the SDK's aliases (after_attempt, channel, notify)
 * and its "" for nothing. Refuses what contradicts itself, with the field: a
 * ladder's attempt that is 0, above max_attempts or there twice, and more
 * than RETRY_LADDER_MAX steps. What needs the whole cascade is refused by
 * retry_apply. */
const struct err *retry_read(struct arena *a, const struct json *v,
                             struct str path, struct retry *out) MUST;
/* May the text be a default that questions inherit? Has to make sense on its
 * own. What is wrong is told at retry_policy.*. */
const struct err *retry_check_default(struct arena *a, struct str text) MUST;

/* The policies that a question may inherit from: JSON texts, p NULL: none. */
struct retry_defaults {
    struct str agent;    /* of the key that asks */
    struct str platform; /* of the configuration */
};
/* Puts the cascade into a question that was read: its own policy, then its
 * own timeout_seconds (as the interval) and fallback_policy where it said
 * them, then the agent's default, then the platform's, field by field. Sets
 * retry_policy (the merged one, canonical), fallback_policy and
 * timeout_seconds, and channel_hint where the ladder begins at attempt 1.
 * Steps of an inherited ladder beyond the last attempt are left out. Without
 * any policy nothing changes. ERR_INVALID: retry_policy.interval_seconds of
 * zero with more than one attempt, or above timeout_seconds (at the native
 * door: the SDK sends its own default beside any timeout); an own step beyond
 * the last attempt; a window longer than SUSPENSION_TIMEOUT_MAX. A single
 * attempt with interval 0 is a plain timeout. */
const struct err *retry_apply(struct arena *a, struct suspension *s,
                              const struct retry_defaults *defaults) MUST;
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

/* When the attempt after s->attempt is due; 0: there is none. */
int64_t retry_next_at(struct arena *a, const struct suspension *s);
/* Did silence lead to somebody else? A step of the ladder has been reached
 * that is not the first attempt's; *to: whom the newest names, p NULL: nobody
 * by name, or false. */
bool retry_escalated(struct arena *a, const struct suspension *s,
                     struct str *to);
/* What a due reminder does. */
struct retry_round {
    bool fires;                /* there is something to tell */
    bool escalated;            /* to whom below */
    struct str channel_hint;   /* now in force; p NULL: none */
    struct str notify_to;      /* p NULL: nobody by name */
};
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
