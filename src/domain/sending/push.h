/* The message to an agent's platform when a question has ended or its permit
 * was revoked, so that the agent can be invoked again in the same session.
 * Pure. */
#ifndef DOMAIN_SENDING_PUSH_H
#define DOMAIN_SENDING_PUSH_H

#include "domain/permit/permit.h"
#include "domain/question/suspension.h"

/* After a longer wait, in microseconds, the message says stale: the agent
 * should check whether the facts of its question still hold. */
#define PUSH_STALE_AFTER (INT64_C(3600) * 1000000)
#define PUSH_BODY_MAX ((size_t)1 << 20)

/* intent_authorized | intent_vetoed | intent_changes_requested | intent_resumed
 * | intent_suspension_expired | intent_suspension_cancelled; for a suspension
 * that is no longer pending. */
const char *push_type(const struct suspension *s);
extern const char push_revoked[]; /* permit_revoked */
/* Is it one of these? */
bool push_type_known(struct str type);
/* The body, {type, timestamp, data}: data has event (the type), intent_id,
 * suspension_id, request_id (the same), session_id, task_id, turn_id, kind
 * (null: none), asked_by, initiator, outcome, value, modified, constraints,
 * approved_subject, reason, responded_by, responded_at, waited_seconds, stale,
 * permit {id, max_uses, not_after, granted_sha256} or null, intent_status,
 * event_sequence. permit: of the question, or NULL. These bytes are signed. */
struct str push_body(struct arena *a, const struct intent *i,
                     const struct suspension *s, const struct permit *permit);
/* The part of it that the question wants at its callback. An answer alone is in
 * the words of the agent or of a person, and is never signed. */
struct str push_callback(struct arena *a, const struct intent *i,
                         const struct suspension *s,
                         const struct permit *permit);
/* The same for a permit that was revoked at now: data has event, intent_id,
 * request_id (null: a rule gave it), session_id, task_id, turn_id, permit_id,
 * used, late, reason, intent_status, event_sequence. */
struct push_revocation {
    const struct permit *permit;
    struct str reason; /* p NULL: none */
    bool late; /* all uses had been made */
    const struct push_revocation *next; /* of the same work; NULL: none */
};
/* The payload of its event grant.revoked. */
struct json *push_revoked_payload(struct arena *a,
                                  const struct push_revocation *r);
struct str push_revoked_body(struct arena *a, const struct intent *i,
                             const struct push_revocation *r, int64_t now);
/* A message by which somebody tries an endpoint or a channel: data has event,
 * title, sent_by and url. */
extern const char push_tested[]; /* endpoint_test */
struct push_test {
    struct str by, url;
    int64_t now;
};
struct str push_test_body(struct arena *a, const struct push_test *t);

#endif
