/* New secrets that a page shows until their reader has stored them. */
#include "store/secrets.h"

#include "base/crypt.h"
#include "base/id.h"
#include "store/sql.gen.h"

const struct err *secrets_keep(struct pg *pg, struct arena *a,
                               struct str cookie, struct str text,
                               struct str *id)
{
    struct pg_args args = pg_args(a);
    *id = id_new(a);
    pg_arg(&args, *id);
    pg_arg(&args, crypt_sha256_hex(a, cookie));
    pg_arg(&args, crypt_seal(a, cookie, text));
    pg_arg_time(&args, clock_watch_latest(clock_now()));
    return pg_query(pg, a, SQL_SECRET_KEEP, &args, NULL);
}

static const struct err *gone(void)
{
    return ERROR(ERR_NOT_FOUND, "secret.gone",
                 "This secret is no longer shown: it was stored, or ten "
                 "minutes have passed. If it is lost, create a new one.");
}

const struct err *secrets_read(struct pg *pg, struct arena *a,
                               struct str cookie, struct str id,
                               struct str *text)
{
    struct pg_args args = pg_args(a);
    struct pg_rows *r = NULL;
    if (!id_uuid(id))
        return gone();
    pg_arg(&args, id);
    pg_arg(&args, crypt_sha256_hex(a, cookie));
    pg_arg_time(&args, clock_watch_latest(clock_now()) - SECRETS_LIFE);
    TRY(pg_query(pg, a, SQL_SECRET_READ, &args, &r));
    *text = pg_count(r) ? crypt_unseal(a, cookie, pg_str(r, 0, 0)) : STR_NONE;
    return text->p ? NULL : gone();
}

const struct err *secrets_forget(struct pg *pg, struct arena *a,
                                 struct str cookie, struct str id)
{
    struct pg_args args = pg_args(a);
    if (!id_uuid(id))
        return NULL;
    pg_arg(&args, id);
    pg_arg(&args, crypt_sha256_hex(a, cookie));
    return pg_query(pg, a, SQL_SECRET_FORGET, &args, NULL);
}
