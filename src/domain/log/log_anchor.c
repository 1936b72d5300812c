/* Time stamps of checkpoints of the log. Pure. */
#include "domain/log/log_anchor.h"

#include "base/clock_text.h"
#include "base/crypt.h"
#include "base/id.h"

static const struct record_field log_anchor_fields[] = {
    {RECORD_TEXT(log_anchor, checkpoint_id, IN_ROW)},
    {RECORD_UUID(log_anchor, intent_id, IN_ROW)},
    {RECORD_TEXT(log_anchor, anchor, IN_ROW)},
};
const struct record log_anchor_record =
    RECORD(log_anchor, "anchor", "log_anchor");

struct str log_anchor_text(struct arena *a, struct str serial, int64_t at,
                           struct str answer)
{
    struct json *o = json_object(a);
    json_set_text(o, "type", STR("external-timestamp"));
    json_set_text(o, "provider", STR("rfc3161"));
    json_set_text(o, "reference", serial);
    json_set_text(o, "timestamp_proof", crypt_base64(a, answer));
    json_set_text(o, "anchored_at", clock_naive(a, at));
    struct buf b = buf_make(a, 2 * answer.n + 512);
    json_write(&b, o);
    return buf_text(&b);
}

struct json *log_anchor_payload(struct arena *a, const struct log_anchor *x)
{
    static const char *const members[] = {"type", "provider", "reference",
                                          "anchored_at"};
    const struct json *anchor = json_read(a, x->anchor);
    struct json *o = json_object(a);
    json_set_text(o, "checkpoint_id", x->checkpoint_id);
    for (size_t i = 0; i < countof(members); i++)
        json_set_json(o, members[i], json_get(anchor, members[i]));
    return o;
}

struct str log_anchor_wake(struct arena *a, struct str checkpoint_id)
{
    return id_of(a, arena_join(a, STR("anchor "), checkpoint_id));
}
