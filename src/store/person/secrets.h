/* New secrets that a page shows until their reader has stored them: sealed with
 * the cookie of the session, which the database does not have, and deleted
 * after some minutes. */
#ifndef STORE_PERSON_SECRETS_H
#define STORE_PERSON_SECRETS_H

#include "base/clock.h"
#include "base/err.h"
#include "world/pg/pg.h"

#define SECRETS_LIFE (10 * 60 * CLOCK_SECOND)

/* Stores text for the session of the cookie. */
const struct err *secrets_keep(struct pg *pg, struct arena *a,
                               struct str cookie, struct str text,
                               struct str *id) MUST;
/* ERR_NOT_FOUND secret.gone: it was stored, its time is over, or it belongs to
 * another session. */
const struct err *secrets_read(struct pg *pg, struct arena *a,
                               struct str cookie, struct str id,
                               struct str *text) MUST;
const struct err *secrets_forget(struct pg *pg, struct arena *a,
                                 struct str cookie, struct str id) MUST;

#endif
