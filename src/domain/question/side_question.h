/* Questions that hold nothing: OpenIntent's approvals, escalations,
 * arbitrations and requests for access (RFC-0004, RFC-0011, RFC-0013). They
 * are side questions: the status, the version and the mirror of the intent
 * stay as they are. */
#ifndef DOMAIN_QUESTION_SIDE_QUESTION_H
#define DOMAIN_QUESTION_SIDE_QUESTION_H

#include "domain/question/suspension.h"

#define SIDE_QUESTION_OPEN_MAX 20 /* of an intent */
#define SIDE_QUESTION_ACTION_MAX 200

/* May one more be asked, with so many open? ERR_CONFLICT question.too_many. */
const struct err *side_question_check_room(int64_t open) MUST;
/* Is it a side question, which does not hold the intent? */
bool side_question(const struct suspension *s);
/* Does it hold a plan instead: a checkpoint, or a review? */
bool side_question_of_plan(const struct suspension *s);

/* Does a plan wait for its answer: one of these, or an agent's own question
 * about a checkpoint? */
bool side_question_or_plan(const struct suspension *s);

/* Is it a request to complete the intent, an approval of the action
 * "complete"? */
bool side_question_completes(const struct suspension *s);

/* Of a request for access: the agent that is to get it, the access that was
 * asked for, and the access that the answer gave; ACCESS_NONE: none. */
struct str side_question_principal(struct arena *a,
                                   const struct suspension *s);
enum access side_question_permission(struct arena *a,
                                     const struct suspension *s);
enum access side_question_granted(struct arena *a, const struct suspension *s);

/* Reads the body of a request for one of them into a question: what was sent
 * is its context. ERR_INVALID names the member. */
const struct err *side_question_read_approval(struct arena *a,
                                              const struct json *body,
                                              struct suspension *out) MUST;
const struct err *side_question_read_escalation(struct arena *a,
                                                const struct json *body,
                                                struct suspension *out) MUST;
const struct err *side_question_read_arbitration(struct arena *a,
                                                 const struct json *body,
                                                 struct suspension *out) MUST;

/* The request's title says who is to get what. */
const struct err *side_question_read_access(struct arena *a,
                                            const struct json *body,
                                            struct suspension *out) MUST;
/* The effect of a yes to it, in words; p NULL for another value. */
struct str side_question_access_words(struct str value);

/* The event that reports each of them: its type and its payload. */
const char *side_question_asked_type(const struct suspension *s);
struct json *side_question_asked(struct arena *a, const struct suspension *s);
/* The event that reports the answer: its type, and its payload in *payload. */
const char *side_question_answered(struct arena *a, const struct suspension *s,
                                   struct json **payload);
/* The same for a question that its agent took back. */
const char *side_question_withdrawn(struct arena *a,
                                    const struct suspension *s,
                                    struct json **payload);
/* The object that OpenIntent's client reads: an approval, an escalation, an
 * arbitration or a request for access. Times are naive UTC. */
struct json *side_question_object(struct arena *a, const struct suspension *s);

#endif
