/* Uses of permits in the database: struct in, struct out. Decides nothing. */
#include "store/redemptions.h"

#include "base/id.h"
#include "store/intents.h"
#include "store/sql.gen.h"

/* The columns of redemption_columns. */
enum { ID, PERMIT, N, OPERATION, CALL, TOOL, AMOUNT, BY, AT, RESULT, REF,
       RESULT_AT };

static struct redemption row(const struct pg_rows *r, size_t i)
{
    return (struct redemption){
        .id = pg_str(r, i, ID),
        .permit_id = pg_str(r, i, PERMIT),
        .n = pg_int(r, i, N),
        .operation_id = pg_str(r, i, OPERATION),
        .call_sha256 = pg_str(r, i, CALL),
        .tool = pg_str(r, i, TOOL),
        .amount = pg_str(r, i, AMOUNT),
        .by = pg_str(r, i, BY),
        .at = pg_int(r, i, AT),
        .result = vocabulary_redemption_result_of(pg_str(r, i, RESULT)),
        .result_ref = pg_str(r, i, REF),
        .result_at = pg_int(r, i, RESULT_AT)};
}

const struct err *redemptions_of_operation(struct pg *pg, struct arena *a,
                                           struct str permit_id,
                                           struct str operation_id,
                                           struct redemption *out,
                                           bool *found)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_REDEMPTION_OF_OPERATION,
                 PG(pg_text(permit_id), pg_text(operation_id)), &r));
    *found = pg_count(r) > 0;
    if (*found)
        *out = row(r, 0);
    return NULL;
}

const struct err *redemptions_calls(struct pg *pg, struct arena *a,
                                    struct str permit_id, size_t room,
                                    struct permit_covers_call **out, size_t *n)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_REDEMPTION_CALLS, PG(pg_text(permit_id)), &r));
    *n = pg_count(r);
    *out = arena_many(a, *n + room + 1, struct permit_covers_call);
    for (size_t i = 0; i < *n; i++)
        (*out)[i] = (struct permit_covers_call){
            .tool = pg_str(r, i, 0),
            .arguments = json_read(a, pg_str(r, i, 1))};
    return NULL;
}

const struct err *redemptions_get(struct pg *pg, struct arena *a,
                                  struct str id, struct redemption *out)
{
    struct pg_rows *r = NULL;
    const struct err *unknown = ERROR(ERR_NOT_FOUND, "redemption.unknown",
                                      "There is no redemption with this id.");
    if (!id_uuid(id))
        return unknown;
    TRY(pg_query(pg, a, SQL_REDEMPTION_GET, PG(pg_text(id)), &r));
    if (pg_count(r) == 0)
        return unknown;
    *out = row(r, 0);
    return NULL;
}

const struct err *redemptions_list(struct pg *pg, struct arena *a,
                                   struct str permit_id,
                                   struct redemption_rows *out)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_REDEMPTION_LIST,
                 PG(pg_text(permit_id), pg_number(REDEMPTIONS_SHOWN)), &r));
    out->n = pg_count(r);
    out->v = arena_many(a, out->n + 1, struct redemption);
    for (size_t i = 0; i < out->n; i++)
        out->v[i] = row(r, i);
    return NULL;
}

void redemptions_queue_insert(struct pg *pg, struct arena *a,
                              const struct redemption *r,
                              struct str arguments, struct str key_id)
{
    pg_queue(pg, a, SQL_REDEMPTION_INSERT,
             PG(pg_text(r->id), pg_text(r->permit_id), pg_number(r->n),
                pg_text(r->operation_id), pg_text(r->call_sha256),
                pg_text(r->tool), pg_text(arguments), pg_text(r->amount),
                pg_text(r->by), pg_text(key_id), pg_moment(r->at)));
}

const struct err *redemptions_result(struct pg *pg, struct arena *a,
                                     const struct redemption *r, bool *done)
{
    struct pg_rows *rows = NULL;
    TRY(pg_query(pg, a, SQL_REDEMPTION_RESULT,
                 PG(pg_text(r->id),
                    pg_text(vocabulary_redemption_result(r->result)->wire),
                    pg_text(r->result_ref), pg_moment(r->result_at)),
                 &rows));
    *done = pg_affected(rows) > 0;
    return NULL;
}

/* ---- answers without a permit ----------------------------------------- */

const struct err *redemptions_of_answer(struct pg *pg, struct arena *a,
                                        struct str suspension_id,
                                        struct redemptions_answer *out,
                                        bool *found)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_ANSWER_USE_GET, PG(pg_text(suspension_id)), &r));
    *found = pg_count(r) > 0;
    if (*found)
        *out = (struct redemptions_answer){.operation_id = pg_str(r, 0, 0),
                                           .call_sha256 = pg_str(r, 0, 1),
                                           .at = pg_time(r, 0, 2)};
    return NULL;
}

void redemptions_queue_answer(struct pg *pg, struct arena *a,
                              struct str suspension_id,
                              const struct redemption *r, struct str key_id)
{
    pg_queue(pg, a, SQL_ANSWER_USE_INSERT,
             PG(pg_text(suspension_id), pg_text(r->operation_id),
                pg_text(r->call_sha256), pg_text(r->by), pg_text(key_id),
                pg_moment(r->at)));
}

/* The columns of answer_use_states. */
enum { INTENT_STATUS, USED_AT, OF_PERMIT, STATE, NOT_AFTER, ENDED_BY,
       KEY_ENDED, RESOURCE_REMOVED, ACCESS };

static struct redemptions_state state(const struct pg_rows *r, size_t i,
                                      int64_t now)
{
    return (struct redemptions_state){
        .permit = {.id = pg_str(r, i, OF_PERMIT),
                   .state = vocabulary_permit_state_of(pg_str(r, i, STATE)),
                   .ended_by = pg_str(r, i, ENDED_BY),
                   .not_after = pg_time(r, i, NOT_AFTER)},
        .about = {.now = now,
                  .intent = vocabulary_intent_status_of(
                      pg_str(r, i, INTENT_STATUS)),
                  .key_ended = pg_bool(r, i, KEY_ENDED),
                  .resource_removed = pg_bool(r, i, RESOURCE_REMOVED),
                  .access = intents_access(r, i, ACCESS)},
        .used_at = pg_time(r, i, USED_AT)};
}

const struct err *redemptions_states(struct pg *pg, struct arena *a,
                                     const struct str *ids, size_t n,
                                     int64_t now,
                                     struct redemptions_state *out)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_ANSWER_USE_STATES,
                 PG(pg_texts(ids, n), pg_moment(now)), &r));
    for (size_t i = 0; i < n; i++)
        out[i] = state(r, i, now);
    return NULL;
}
