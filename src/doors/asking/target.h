/* The check of an endpoint's URL and the message that tries an endpoint, shared
 * by the API and the settings pages. Connects to nothing itself. */
#ifndef DOORS_ASKING_TARGET_H
#define DOORS_ASKING_TARGET_H

#include "doors/call/call.h"
#include "store/sending/endpoints.h"

/* Checks a URL as endpoint_url does, and that its host is no literal private
 * address unless internal. A name may still resolve to one: the sender checks
 * the resolved address. ERR_INVALID endpoint.url | endpoint.private at
 * field. */
const struct err *target_check(struct arena *a, const char *field,
                               struct str url, bool internal) MUST;
/* Writes a test message to an endpoint or a channel, in the caller's name; the
 * caller wakes the sender, after the transaction where there is one.
 * ERR_CONFLICT endpoint.trying while another one waits. */
const struct err *target_test(struct call *c, const struct endpoint *e,
                              struct endpoints_test *out) MUST;

#endif
