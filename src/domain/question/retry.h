/* Retry policies: reminders, escalation, and the end of waiting (OpenIntent
 * RFC-0026). Pure: all times are arguments, read from the server's clock. */
#ifndef DOMAIN_QUESTION_RETRY_H
#define DOMAIN_QUESTION_RETRY_H

#include "domain/question/suspension.h"

#define RETRY_LADDER_MAX 10 /* steps of a ladder; all of them may be due at
                             * once */

struct retry_step {
    int64_t attempt;
    struct str channel_hint, notify_to; /* p NULL: absent */
};

/* A HumanRetryPolicy. Absent members are 0, NULL, or __MAX. */
struct retry {
    int64_t max_attempts;
    int64_t interval_seconds;
    bool has_interval; /* an interval of 0 was sent */
    struct str strategy;
    struct retry_step ladder[RETRY_LADDER_MAX]; /* by attempt */
    size_t steps;
    bool has_ladder;
    enum fallback_policy final_policy;
};

/* Reads a policy's JSON; path is its name in errors ("retry_policy"; "" at a
 * top level). Accepts the SDK's aliases (after_attempt, channel, notify) and
 * its "" for absent. Refuses contradictions, with the field: a ladder's attempt
 * that is 0, above max_attempts or there twice, and more than RETRY_LADDER_MAX
 * steps. Checks that need the whole cascade are in retry_apply. */
const struct err *retry_read(struct arena *a, const struct json *v,
                             struct str path, struct retry *out) MUST;
/* May the text be a default that questions inherit? It has to be valid by
 * itself. Mistakes are reported at retry_policy.*. */
const struct err *retry_check_default(struct arena *a, struct str text) MUST;

/* The policies that a question may inherit from: JSON texts, p NULL: none. */
struct retry_defaults {
    struct str agent;    /* of the asking key */
    struct str platform; /* of the configuration */
};
/* Puts the cascade into a question that was read: its own policy, then its own
 * timeout_seconds (as the interval) and fallback_policy where it has them,
 * then the agent's default, then the platform's, field by field. Sets
 * retry_policy (the merged one, canonical), fallback_policy and
 * timeout_seconds, and channel_hint where the ladder begins at attempt 1.
 * Steps of an inherited ladder beyond the last attempt are left out. Without
 * any policy nothing changes. ERR_INVALID: retry_policy.interval_seconds of
 * zero with more than one attempt, or above timeout_seconds (on the native
 * API: the SDK sends its own default with any timeout); an own step beyond the
 * last attempt; a window longer than SUSPENSION_TIMEOUT_MAX. A single attempt
 * with interval 0 is a plain timeout. */
const struct err *retry_apply(struct arena *a, struct suspension *s,
                              const struct retry_defaults *defaults) MUST;
/* The policy of a stored question. A policy stored by an older release may fail
 * today's checks: it then has no rounds. */
struct retry retry_stored(struct arena *a, const struct suspension *s);
/* The newest step that has been reached; NULL: none. */
const struct retry_step *retry_step_of(const struct retry *r, int64_t attempt);
/* When the attempt after s->attempt is due; 0: there is none. */
int64_t retry_next_at(struct arena *a, const struct suspension *s);
/* Did the question escalate? A step of the ladder has been reached that is not
 * the first attempt's; *to: the recipient of the newest step, p NULL: none, or
 * false. */
bool retry_escalated(struct arena *a, const struct suspension *s,
                     struct str *to);
/* The effect of a due reminder. */
struct retry_round {
    bool fires;                /* a notice has to be sent */
    bool escalated;            /* the recipients below are new */
    struct str channel_hint;   /* now in force; p NULL: none */
    struct str notify_to;      /* p NULL: no recipient named */
};

#endif
