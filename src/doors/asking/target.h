/* Where an endpoint may lead: what the API and the settings pages check the
 * same way. Reaches nothing. */
#ifndef DOORS_ASKING_TARGET_H
#define DOORS_ASKING_TARGET_H

#include "base/err.h"

/* A URL as endpoint_url wants it, whose host is no literal private address
 * unless internal. A name may still lead to one: the sender looks at what it
 * resolves to. ERR_INVALID endpoint.url | endpoint.private at field. */
const struct err *target_check(struct arena *a, const char *field,
                               struct str url, bool internal) MUST;

#endif
