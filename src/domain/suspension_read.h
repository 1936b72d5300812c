/* Reading a question from an agent, at the native and the OpenIntent door. */
#ifndef DOMAIN_SUSPENSION_READ_H
#define DOMAIN_SUSPENSION_READ_H

#include "domain/suspension.h"

/* Reads the native door's body (design.md 5) strictly: unknown members are
 * refused, and a kind's facts and choices have to be as domain/kind.h says.
 * text is the body's bytes, for what is kept as it was sent. retry_policy is
 * what stood there until retry_apply puts the whole cascade in its place. The
 * caller has set intent_id, asked_by and so on. */
const struct err *suspension_read(struct arena *a, const struct json *body,
                                  struct str text,
                                  struct suspension *out) MUST;
/* Reads an OpenIntent SuspensionRecord leniently: the SDK's ways are
 * understood, unknown members are kept in the mirror, and what only the server
 * may say (response, responded_at, responded_by, resolution, times) is
 * ignored. One of the seven kinds in "kind" is held to its rules, with the
 * native door's members for it, and its choices stand in the mirror; any other
 * word there is the agent's own affair. text is the record's bytes. */
const struct err *suspension_read_record(struct arena *a,
                                         const struct json *record,
                                         struct str text,
                                         struct suspension *out) MUST;

#endif
