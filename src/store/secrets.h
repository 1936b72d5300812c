/* Secrets that were made on a page and not yet stored by who made them: sealed
 * with the cookie of their session, which the database does not have, and gone
 * after some minutes. */
#ifndef STORE_SECRETS_H
#define STORE_SECRETS_H

#include "base/clock.h"
#include "base/err.h"
#include "world/pg.h"

#define SECRETS_LIFE (10 * 60 * CLOCK_SECOND)

/* Keeps text for the session of the cookie. */
const struct err *secrets_keep(struct pg *pg, struct arena *a,
                               struct str cookie, struct str text,
                               struct str *id) MUST;
/* ERR_NOT_FOUND secret.gone: it was stored, its time is over, or it is of
 * another session. */
const struct err *secrets_read(struct pg *pg, struct arena *a,
                               struct str cookie, struct str id,
                               struct str *text) MUST;
const struct err *secrets_forget(struct pg *pg, struct arena *a,
                                 struct str cookie, struct str id) MUST;

#endif
