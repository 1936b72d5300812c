/* The position of a stream: the ids of frames.
 *
 * Called by the doors with the id that a client sends back, and by the process
 * that holds streams. Accepts only ids that this file or frame.c writes. */
#include "base/id.h"
#include "domain/sending/frame.h"

#define FRAMES 2 /* of one event, at most */

/* A number as it is printed here: no sign, no leading zero. */
static bool frame_id_number(struct str s, int64_t max, int64_t *out)
{
    return s.n > 0 && s.p[0] != '0' && str_int(s, 1, max, out);
}

/* An intent's id as it is printed here: in lower case. */
static bool frame_id_intent(struct str s)
{
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] >= 'A' && s.p[i] <= 'Z')
            return false;
    }
    return id_uuid(s);
}

bool frame_id_epoch_read(struct str *rest, int64_t *out)
{
    *out = 0;
    if (!str_starts(*rest, STR("e")))
        return true;
    *rest = str_sub(*rest, 1, rest->n);
    return frame_id_number(str_cut(rest, '.'), INT32_MAX, out);
}

bool frame_id_read(struct str text, enum frame_audience to,
                   struct frame_id *out)
{
    struct frame_id id = {.intent_id = STR_NONE};
    struct str rest = text;
    int64_t xid = 0, part = 0;
    if (!frame_id_epoch_read(&rest, &id.epoch))
        return false;
    if (to != FRAME_INTENT) {
        if (!frame_id_number(str_cut(&rest, '.'), INT64_MAX, &xid))
            return false;
        id.xid = (uint64_t)xid;
        if (!rest.p) {
            *out = id;
            return true;
        }
        id.intent_id = str_cut(&rest, '.');
        if (!frame_id_intent(id.intent_id))
            return false;
    }
    if (!frame_id_number(str_cut(&rest, '.'), INT64_MAX, &id.sequence))
        return false;
    if (rest.p && !frame_id_number(rest, FRAMES - 1, &part))
        return false;
    id.part = (size_t)part;
    *out = id;
    return true;
}

void frame_id_epoch(struct buf *b, int64_t epoch)
{
    if (epoch == 0)
        return;
    buf_char(b, 'e');
    buf_int(b, epoch);
    buf_char(b, '.');
}

void frame_id_place(struct buf *b, const char *type, enum frame_audience to,
                    const struct frame_id *at)
{
    buf_put(b, "event: ");
    buf_put(b, type);
    buf_put(b, "\nid: ");
    frame_id_epoch(b, at->epoch);
    if (to != FRAME_INTENT)
        buf_int(b, (int64_t)at->xid);
    if (to != FRAME_INTENT && at->intent_id.p) {
        buf_char(b, '.');
        buf_str(b, at->intent_id);
        buf_char(b, '.');
    }
    if (to == FRAME_INTENT || at->intent_id.p)
        buf_int(b, at->sequence);
    if (at->part) {
        buf_char(b, '.');
        buf_int(b, (int64_t)at->part);
    }
    buf_put(b, "\ndata: {}\n\n");
}
