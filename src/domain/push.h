/* The message to an agent's platform when a question has ended, so that the
 * agent can be invoked again in the same session. Pure. */
#ifndef DOMAIN_PUSH_H
#define DOMAIN_PUSH_H

#include "domain/suspension.h"

/* After a longer wait, in microseconds, the message says stale: the agent
 * should check whether the facts of its question still hold. */
#define PUSH_STALE_AFTER (INT64_C(3600) * 1000000)
#define PUSH_BODY_MAX ((size_t)256 << 10)

/* intent_authorized | intent_vetoed | intent_changes_requested | intent_resumed
 * | intent_suspension_expired | intent_suspension_cancelled; for a suspension
 * that is no longer pending. */
const char *push_type(const struct suspension *s);
/* Is it one of these? */
bool push_type_known(struct str type);
/* The body, {type, timestamp, data}: data has event (the type), intent_id,
 * suspension_id, request_id (the same), session_id, task_id, turn_id, kind
 * (null: none), outcome, value, modified, reason, responded_by, responded_at,
 * waited_seconds, stale, intent_status, event_sequence. These bytes are
 * signed. */
struct str push_body(struct arena *a, const struct intent *i,
                     const struct suspension *s);

#endif
