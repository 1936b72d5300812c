/* New secrets that a page shows until their reader has stored them. */
#include "store/person/secrets.h"

#include "base/crypt.h"
#include "base/id.h"
#include "base/shared/clock_watch.h"
#include "store/rows.h"

const struct err *secrets_keep(struct pg *pg, struct arena *a,
                               struct str cookie, struct str text,
                               struct str *id)
{
    *id = id_new(a);
    return pg_query(pg, a, SQL_SECRET_KEEP,
                    PG(pg_text(*id), pg_text(crypt_sha256_hex(a, cookie)),
                       pg_text(crypt_seal(a, cookie, text)),
                       pg_moment(clock_watch_latest(clock_now()))),
                    NULL);
}

const struct err *secrets_read(struct pg *pg, struct arena *a,
                               struct str cookie, struct str id,
                               struct str *text)
{
    const struct err *gone = ERROR(
        ERR_NOT_FOUND, "secret.gone",
        "This secret is no longer shown: it was stored, or ten minutes have "
        "passed. If it is lost, create a new one.");
    const int64_t since = clock_watch_latest(clock_now()) - SECRETS_LIFE;
    struct str sealed = STR_NONE;
    if (!id_uuid(id))
        return gone;
    TRY(rows_text(pg, a, SQL_SECRET_READ,
                  PG(pg_text(id), pg_text(crypt_sha256_hex(a, cookie)),
                     pg_moment(since)),
                  &sealed));
    *text = sealed.p ? crypt_unseal(a, cookie, sealed) : STR_NONE;
    return text->p ? NULL : gone;
}

const struct err *secrets_forget(struct pg *pg, struct arena *a,
                                 struct str cookie, struct str id)
{
    if (!id_uuid(id))
        return NULL;
    return pg_query(pg, a, SQL_SECRET_FORGET,
                    PG(pg_text(id), pg_text(crypt_sha256_hex(a, cookie))),
                    NULL);
}
