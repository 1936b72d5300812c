/* What an agent's platform is told when a question has ended
 * (reference/surfaces.md 4.8): the yield-and-resume seed's push, so that the
 * agent is invoked again in the same session. Pure. */
#ifndef DOMAIN_PUSH_H
#define DOMAIN_PUSH_H

#include "domain/suspension.h"

/* A wait longer than this, in microseconds, is told as stale: the agent looks
 * again whether what it asked about still holds. */
#define PUSH_STALE_AFTER (INT64_C(3600) * 1000000)
#define PUSH_BODY_MAX ((size_t)256 << 10)

/* intent_authorized | intent_vetoed | intent_changes_requested |
 * intent_resumed | intent_suspension_expired | intent_suspension_cancelled;
 * of a suspension that is no longer pending. */
const char *push_type(const struct suspension *s);
/* Is it one of these? */
bool push_type_known(struct str type);
/* The body, {type, timestamp, data}: data holds event (the type), intent_id,
 * suspension_id, request_id (the same), session_id, task_id, turn_id, kind
 * (null: none), outcome, value, modified, reason, responded_by, responded_at,
 * waited_seconds, stale, intent_status, event_sequence. The bytes are what is
 * signed. */
struct str push_body(struct arena *a, const struct intent *i,
                     const struct suspension *s);

#endif
