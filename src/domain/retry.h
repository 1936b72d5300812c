/* Policies of silence: reminders, escalation, and the end of waiting (RFC-0026;
 * reference/openintent.md 4, openintent-sdk.md "Client-side time-outs"). Pure:
 * all times are given, and are the server's. */
#ifndef DOMAIN_RETRY_H
#define DOMAIN_RETRY_H

#include "domain/suspension.h"

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
/* The policy of a stored question. What was stored before policies were read
 * this strictly may be none: it then has no rounds. */
struct retry retry_stored(struct arena *a, const struct suspension *s);
/* The newest step that has been reached; NULL: none. */
const struct retry_step *retry_step_of(const struct retry *r, int64_t attempt);
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

#endif
