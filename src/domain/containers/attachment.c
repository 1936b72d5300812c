/* Attachments: their fields. Pure. */
#include "domain/containers/attachment.h"

static const struct record_field attachment_fields[] = {
    {RECORD_TEXT(attachment, id, IN_TABLE | IN_OBJECT)},
    {RECORD_TEXT(attachment, intent_id, IN_TABLE | IN_OBJECT)},
    {RECORD_TEXT(attachment, filename,
                 IN_TABLE | IN_OBJECT | IN_EVENT | IN_NEED),
     .max = 255, .filled = true},
    {RECORD_TEXT(attachment, mime_type,
                 IN_TABLE | IN_OBJECT | IN_EVENT | IN_NEED),
     .other = "content_type", .max = 255, .filled = true},
    {RECORD_NUMBER(attachment, size,
                   IN_TABLE | IN_OBJECT | IN_EVENT | IN_BODY),
     .other = "size_bytes", .max = INT64_C(1) << 53},
    {RECORD_TEXT(attachment, storage_url,
                 IN_TABLE | IN_OBJECT | IN_EVENT | IN_NEED),
     .other = "url", .max = 2000, .filled = true},
    {RECORD_OBJECT(attachment, metadata, IN_TABLE | IN_OBJECT | IN_BODY),
     .max = 4 << 10},
    {RECORD_TEXT(attachment, uploaded_by, IN_TABLE | IN_OBJECT)},
    {RECORD_NAIVE(attachment, created_at, IN_TABLE | IN_OBJECT),
     .alias = "createdAt"},
};
const struct record attachment_record =
    RECORD(attachment, "attachment", "attachment");

struct json *attachment_payload(struct arena *a, const struct attachment *t)
{
    struct json *o = record_payload(a, &attachment_record, t);
    json_set_text(o, "attachment_id", t->id);
    return o;
}
