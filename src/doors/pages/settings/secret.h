/* A new secret, on a page of its own: shown until its reader confirms that it
 * is stored, for some minutes at most, so that a reload neither sends the form
 * again nor loses the secret. */
#ifndef DOORS_PAGES_SETTINGS_SECRET_H
#define DOORS_PAGES_SETTINGS_SECRET_H

#include "doors/call/call.h"

struct settings_secret {
    const char *what, *sentence; /* "The secret" */
    struct str name, secret;
    struct str back; /* the next page */
};
/* Keeps it, and answers with a redirect to its page. */
const struct err *settings_secret_keep(struct call *c,
                                       const struct settings_secret *s) MUST;

#endif
