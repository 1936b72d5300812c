/* Checking that a credential is set up before an answer that says so counts
 * (the kind credential_needed).
 *
 * subject.probe names a webhook channel that an admin created. It gets a signed
 * POST {type "credential.check", data {provider, credential_class, scopes,
 * suspension_id, intent_id, initiated_by}}. A 2xx with the JSON {"found": true}
 * says that the credential is there, {"found": false} or a 404 that it is not,
 * and anything else proves nothing: most receivers accept every request. The
 * secret itself is never sent in either direction. The operator waits at most
 * PROBE_TIME; nobody else waits, because no transaction is open. */
#ifndef WORK_PROBE_H
#define WORK_PROBE_H

#include "work/work.h"

#define PROBE_TIME (INT64_C(3) * 1000000) /* us */

/* Codes that callers compare: credential.not_found, .unchecked. */
extern const char probe_not_found[];
extern const char probe_unchecked[];

/* Is a check needed before this answer counts? */
bool probe_wanted(const struct work *w, const struct suspension *s,
                  const struct answer *answer);
/* NULL: it is there. ERR_CONFLICT credential.not_found where the channel says
 * that it is not, credential.unchecked without a valid answer. */
const struct err *probe_credential(const struct work *w,
                                   const struct suspension *s) MUST;
/* May a question name this probe? ERR_INVALID kind.facts at subject.probe. */
const struct err *probe_check(struct arena *a, const struct channels *all,
                              const struct suspension *s) MUST;

#endif
