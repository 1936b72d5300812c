/* Uses of permits in the database: struct in, struct out. Decides nothing. */
#include "store/permit/redemptions.h"

#include "store/intent/intents.h"
#include "store/rows.h"

static const struct record_field redemption_fields[] = {
    {RECORD_TEXT(redemption, id, IN_TABLE | IN_OBJECT | IN_EVENT),
     .member = "redemption_id"},
    {RECORD_TEXT(redemption, permit_id, IN_TABLE | IN_EVENT)},
    {RECORD_NUMBER(redemption, n, IN_TABLE | IN_OBJECT | IN_EVENT)},
    {RECORD_TEXT(redemption, operation_id, IN_TABLE | IN_OBJECT)},
    {RECORD_TEXT(redemption, call_sha256, IN_TABLE | IN_EVENT)},
    {RECORD_TEXT(redemption, tool, IN_TABLE | IN_OBJECT | IN_EVENT)},
    {RECORD_TEXT(redemption, amount, IN_TABLE | IN_OBJECT | IN_EVENT)},
    {RECORD_TEXT(redemption, by, IN_TABLE | IN_OBJECT)},
    {RECORD_TIME(redemption, at, IN_TABLE | IN_OBJECT)},
    {RECORD_WORD(redemption, result,
                 IN_ROW | IN_UPDATE | IN_OBJECT | IN_NEED,
                 vocabulary_redemption_result_all)},
    {RECORD_TEXT(redemption, result_ref,
                 IN_ROW | IN_UPDATE | IN_OBJECT | IN_BODY),
     .member = "ref", .max = 500},
    {RECORD_TIME(redemption, result_at, IN_ROW | IN_UPDATE | IN_OBJECT)},
};
const struct record redemption_record =
    RECORD(redemption, "redemption", "redemption");

const struct err *redemptions_of_operation(struct pg *pg, struct arena *a,
                                           struct str permit_id,
                                           struct str operation_id,
                                           struct redemption *out,
                                           bool *found)
{
    return rows_find(pg, a, SQL_REDEMPTION_OF_OPERATION,
                     PG(pg_text(permit_id), pg_text(operation_id)),
                     &redemption_record, out, found);
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
    return rows_by_id(pg, a, SQL_REDEMPTION_GET, id, &redemption_record, out);
}

const struct err *redemptions_list(struct pg *pg, struct arena *a,
                                   struct str permit_id,
                                   struct redemption_rows *out)
{
    return rows_list(pg, a, SQL_REDEMPTION_LIST,
                     PG(pg_text(permit_id), pg_number(REDEMPTIONS_SHOWN)),
                     &redemption_record, &out->v, &out->n);
}

void redemptions_queue_insert(struct pg *pg, struct arena *a,
                              const struct redemption *r,
                              struct str arguments, struct str key_id)
{
    rows_queue(pg, a, SQL_REDEMPTION_INSERT,
               PG(pg_text(arguments), pg_text(key_id)), &redemption_record,
               IN_INSERT, r);
}

const struct err *redemptions_result(struct pg *pg, struct arena *a,
                                     const struct redemption *r, bool *done)
{
    struct pg_rows *rows = NULL;
    rows_queue(pg, a, SQL_REDEMPTION_RESULT, PG(pg_text(r->id)),
               &redemption_record, IN_UPDATE, r);
    TRY(pg_run(pg, a, &rows));
    *done = pg_affected(rows) > 0;
    return NULL;
}

/* ---- answers without a permit ----------------------------------------- */

static const struct record_field answer_use_fields[] = {
    {RECORD_TEXT(answer_use, suspension_id, IN_INSERT)},
    {RECORD_TEXT(answer_use, operation_id, IN_TABLE)},
    {RECORD_TEXT(answer_use, call_sha256, IN_TABLE)},
    {RECORD_TEXT(answer_use, by, IN_INSERT)},
    {RECORD_TEXT(answer_use, by_key, IN_INSERT)},
    {RECORD_TIME(answer_use, at, IN_TABLE)},
};
static const struct record answer_use_record =
    RECORD(answer_use, "use", "answer_use");

const struct err *redemptions_of_answer(struct pg *pg, struct arena *a,
                                        struct str suspension_id,
                                        struct answer_use *out, bool *found)
{
    return rows_find(pg, a, SQL_ANSWER_USE_GET, PG(pg_text(suspension_id)),
                     &answer_use_record, out, found);
}

void redemptions_queue_answer(struct pg *pg, struct arena *a,
                              const struct answer_use *u)
{
    rows_queue(pg, a, SQL_ANSWER_USE_INSERT, NULL, &answer_use_record,
               IN_INSERT, u);
}

/* The columns of answer_use_states. */
enum { INTENT_STATUS, USED_AT, OF_PERMIT, STATE, NOT_AFTER, ENDED_BY,
       KEY_ENDED, RESOURCE_REMOVED, ACCESS };

static struct redemptions_state redemptions_state(const struct pg_rows *r,
                                                  size_t i, int64_t now)
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
        out[i] = redemptions_state(r, i, now);
    return NULL;
}
