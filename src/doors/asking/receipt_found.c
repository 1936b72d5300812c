/* A question's receipt with its place in the log. */
#include "doors/asking/receipt_found.h"

#include "store/intent/events.h"
#include "store/log/log_checkpoints.h"
#include "store/tables.h"

static const struct err *receipt_found_event(struct call *c,
                                             const struct suspension *s,
                                             int64_t sequence,
                                             struct event *out)
{
    struct event_rows rows;
    TRY(events_get(c->pg, c->a, s->intent_id, sequence, &rows));
    if (rows.n == 0)
        return ERROR(ERR_INTERNAL, "internal", "The event is missing.");
    *out = rows.v[0];
    return NULL;
}

/* A checkpoint of the intent, else one of the server. */
static const struct err *receipt_found_checkpoint(struct call *c,
                                                  const struct suspension *s,
                                                  struct receipt_found *out)
{
    const int64_t epoch = tables_restore().epoch;
    int64_t at = out->ended.sequence;
    TRY(log_checkpoints_covering(c->pg, c->a, epoch, s->intent_id, at,
                                 &out->checkpoint, &out->covered));
    if (!out->covered && out->position >= 0) {
        at = out->position + 1;
        TRY(log_checkpoints_covering(c->pg, c->a, epoch, STR_NONE, at,
                                     &out->checkpoint, &out->covered));
    }
    out->place = out->covered ? at - out->checkpoint.first_sequence : 0;
    return NULL;
}

const struct err *receipt_found_read(struct call *c,
                                     const struct suspension *s,
                                     struct receipt_found *out)
{
    const int64_t epoch = tables_restore().epoch;
    *out = (struct receipt_found){.position = -1};
    TRY(receipts_get(c->pg, c->a, s->id, &out->row));
    if (!out->row.found)
        return NULL;
    TRY(receipt_found_event(c, s, s->asked_sequence, &out->asked));
    TRY(receipt_found_event(c, s, out->row.event_sequence, &out->ended));
    TRY(tlogs_position(c->pg, c->a, epoch, s->intent_id, out->ended.sequence,
                       &out->position));
    TRY(receipt_found_checkpoint(c, s, out));
    TRY(tlogs_head(c->pg, c->a, epoch, &out->head));
    out->headed = out->position >= 0 && out->head.head.size > out->position;
    return NULL;
}

const struct err *receipt_found_missing(struct arena *a,
                                        const struct suspension *s,
                                        const struct receipts_row *row)
{
    if (s->state == SUSPENSION_PENDING)
        return ERROR(ERR_CONFLICT, "suspension.pending",
                     "The question has not ended. A receipt says how it "
                     "ended.");
    if (s->test)
        return ERROR(ERR_NOT_FOUND, "receipt.test",
                     "A question of a test has no receipt.");
    if (row->broken)
        return err_at(a, ERR_CONFLICT, "receipt.held", STR(""),
                      "The log of this task is broken at event %lld. The "
                      "receipt is signed when the log holds again.",
                      (long long)row->broken);
    if (row->lost)
        return ERROR(ERR_CONFLICT, "receipt.held",
                     "The log has no event that says how this question "
                     "ended. Nothing can be signed.");
    static const struct err soon = {
        .kind = ERR_BUSY,
        .code = "receipt.soon",
        .say = WIRE("The receipt is not signed yet. Ask again in a second."),
        .retry = 1};
    return &soon;
}
