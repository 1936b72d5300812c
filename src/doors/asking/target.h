/* The check of an endpoint's URL, shared by the API and the settings pages.
 * Connects to nothing. */
#ifndef DOORS_ASKING_TARGET_H
#define DOORS_ASKING_TARGET_H

#include "base/err.h"

/* Checks a URL as endpoint_url does, and that its host is no literal private
 * address unless internal. A name may still resolve to one: the sender checks
 * the resolved address. ERR_INVALID endpoint.url | endpoint.private at
 * field. */
const struct err *target_check(struct arena *a, const char *field,
                               struct str url, bool internal) MUST;

#endif
