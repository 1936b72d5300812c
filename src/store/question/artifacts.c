/* Artifacts in the database. Decides nothing. */
#include "store/question/artifacts.h"

#include "base/crypt.h"
#include "store/rows.h"

const struct err *artifacts_unused(struct pg *pg, struct arena *a,
                                   struct str key_id, int64_t most,
                                   int64_t *out)
{
    return rows_number(pg, a, SQL_ARTIFACT_UNUSED,
                       PG(pg_text(key_id), pg_number(most)), out);
}

const struct err *artifacts_put(struct pg *pg, struct arena *a,
                                struct artifact *t, struct str bytes,
                                bool *erased)
{
    struct pg_rows *r = NULL;
    rows_queue(pg, a, SQL_ARTIFACT_PUT, PG(pg_text(crypt_base64(a, bytes))),
               &artifact_record, IN_INSERT, t);
    TRY(pg_run(pg, a, &r));
    if (pg_count(r) == 0)
        return &artifact_record.unknown;
    rows_read(&artifact_record, r, 0, t);
    *erased = pg_bool(r, 0, rows_columns(&artifact_record));
    return NULL;
}

const struct err *artifacts_take(struct pg *pg, struct arena *a,
                                 const struct artifacts_wanted *wanted,
                                 struct artifact_rows *out)
{
    return rows_list(pg, a, SQL_ARTIFACT_TAKE,
                     PG(pg_text(wanted->agent), pg_flag(wanted->test),
                        pg_texts(wanted->refs, wanted->n)),
                     &artifact_record, &out->v, &out->n);
}

void artifacts_queue_use(struct pg *pg, struct arena *a,
                         struct str suspension_id,
                         const struct artifact_rows *used)
{
    struct str *ids = arena_many(a, used->n + 1, struct str);
    for (size_t i = 0; i < used->n; i++)
        ids[i] = used->v[i].id;
    if (used->n > 0)
        pg_queue(pg, a, SQL_ARTIFACT_USE,
                 PG(pg_text(suspension_id), pg_texts(ids, used->n)));
}

const struct err *artifacts_of(struct pg *pg, struct arena *a,
                               struct str suspension_id, size_t bytes,
                               struct artifact_list *out)
{
    const int more = rows_columns(&artifact_record);
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_ARTIFACT_OF,
                 PG(pg_text(suspension_id), pg_number((int64_t)bytes)), &r));
    out->n = pg_count(r);
    out->v = arena_many(a, out->n + 1, struct artifact_shown);
    for (size_t i = 0; i < out->n; i++) {
        const struct str text = pg_str(r, i, more + 1);
        rows_read(&artifact_record, r, i, &out->v[i].artifact);
        out->v[i].erased = pg_bool(r, i, more);
        out->v[i].text = text.p ? crypt_base64_read(a, text) : STR_NONE;
    }
    return NULL;
}

const struct err *artifacts_questions(struct pg *pg, struct arena *a,
                                      struct str sha256,
                                      struct str suspension_id,
                                      struct artifacts_pairs *out)
{
    struct pg_rows *r = NULL;
    if (suspension_id.p)
        TRY(pg_query(pg, a, SQL_ARTIFACT_QUESTION,
                     PG(pg_text(sha256), pg_text(suspension_id)), &r));
    else
        TRY(pg_query(pg, a, SQL_ARTIFACT_QUESTIONS, PG(pg_text(sha256)), &r));
    out->n = pg_count(r);
    out->v = arena_many(a, out->n + 1, struct artifacts_pair);
    for (size_t i = 0; i < out->n; i++)
        out->v[i] = (struct artifacts_pair){pg_str(r, i, 0), pg_str(r, i, 1)};
    return NULL;
}

const struct err *artifacts_own(struct pg *pg, struct arena *a,
                                struct str sha256, struct str agent, bool test,
                                struct str *out)
{
    return rows_text(pg, a, SQL_ARTIFACT_OWN,
                     PG(pg_text(sha256), pg_text(agent), pg_flag(test)), out);
}

const struct err *artifacts_get(struct pg *pg, struct arena *a, struct str id,
                                struct artifact *out, struct str *bytes)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_ARTIFACT_GET, PG(pg_text(id)), &r));
    if (pg_count(r) == 0)
        return &artifact_record.unknown;
    rows_read(&artifact_record, r, 0, out);
    const struct str text = pg_str(r, 0, rows_columns(&artifact_record));
    *bytes = text.p ? crypt_base64_read(a, text) : STR_NONE;
    return NULL;
}
