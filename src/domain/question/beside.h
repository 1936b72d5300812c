/* Questions that hold nothing: OpenIntent's approvals, escalations,
 * arbitrations and requests for access (RFC-0004, RFC-0011, RFC-0013). They
 * are side questions: the status, the version and the mirror of the intent
 * stay as they are. */
#ifndef DOMAIN_QUESTION_BESIDE_H
#define DOMAIN_QUESTION_BESIDE_H

#include "domain/question/suspension.h"

#define BESIDE_OPEN_MAX 20 /* of an intent */
#define BESIDE_ACTION_MAX 200

/* Is it a side question, which does not hold the intent? */
bool beside(const struct suspension *s);
/* Does it hold a plan instead: a checkpoint, or a review? */
bool beside_of_plan(const struct suspension *s);

/* Does a plan wait for its answer: one of these, or an agent's own question
 * about a checkpoint? */
bool beside_or_plan(const struct suspension *s);

/* Is it a request to complete the intent, an approval of the action
 * "complete"? */
bool beside_completes(const struct suspension *s);

/* Of a request for access: the agent that is to get it, the access that was
 * asked for, and the access that the answer gave; ACCESS_NONE: none. */
struct str beside_principal(struct arena *a, const struct suspension *s);
enum access beside_permission(struct arena *a, const struct suspension *s);
enum access beside_granted(struct arena *a, const struct suspension *s);

/* Reads the body of a request for one of them into a question: what was sent
 * is its context. ERR_INVALID names the member. */
const struct err *beside_read_approval(struct arena *a,
                                       const struct json *body,
                                       struct suspension *out) MUST;
const struct err *beside_read_escalation(struct arena *a,
                                         const struct json *body,
                                         struct suspension *out) MUST;
const struct err *beside_read_arbitration(struct arena *a,
                                          const struct json *body,
                                          struct suspension *out) MUST;

/* The request's title says who is to get what. */
const struct err *beside_read_access(struct arena *a, const struct json *body,
                                     struct suspension *out) MUST;
/* The effect of a yes to it, in words; p NULL for another value. */
struct str beside_access_words(struct str value);

/* The event that reports each of them: its type and its payload. */
const char *beside_asked_type(const struct suspension *s);
struct json *beside_asked(struct arena *a, const struct suspension *s);
/* The event that reports the answer: its type, and its payload in *payload. */
const char *beside_answered(struct arena *a, const struct suspension *s,
                            struct json **payload);
/* The same for a question that its agent took back. */
const char *beside_withdrawn(struct arena *a, const struct suspension *s,
                             struct json **payload);
/* The object that OpenIntent's client reads: an approval, an escalation, an
 * arbitration or a request for access. Times are naive UTC. */
struct json *beside_object(struct arena *a, const struct suspension *s);

#endif
