/* Looking whether a credential is there before an answer that says so counts
 * (reference/surfaces.md 4.4: credential_needed).
 *
 * subject.probe names a webhook channel that an admin set up. It is asked with
 * a signed POST {type "credential.check", data {provider, credential_class,
 * scopes, suspension_id, intent_id, initiated_by}}. A 2xx with the JSON
 * {"found": true} says that it is there, {"found": false} or a 404 that it is
 * not, and anything else nothing: most receivers take whatever comes. The
 * secret itself is never sent in either direction. An operator waits for it,
 * at most PROBE_TIME; nobody else does, for no transaction is open. */
#ifndef DOORS_ASKING_PROBE_H
#define DOORS_ASKING_PROBE_H

#include "doors/call/call.h"

#define PROBE_TIME (INT64_C(3) * 1000000) /* us */

/* Codes that others ask about: credential.not_found, .unchecked. */
extern const char probe_not_found[];
extern const char probe_unchecked[];

/* Is there something to look at before this answer counts? */
bool probe_wanted(struct call *c, const struct suspension *s,
                  const struct answer *answer);
/* NULL: it is there. ERR_CONFLICT credential.not_found where the channel says
 * that it is not, credential.unchecked where it says nothing of use. */
const struct err *probe_credential(struct call *c,
                                   const struct suspension *s) MUST;
/* May a question name this probe? ERR_INVALID kind.facts at subject.probe. */
const struct err *probe_check(struct arena *a, const struct channels *all,
                              const struct suspension *s) MUST;

#endif
