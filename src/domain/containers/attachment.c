/* Attachments: reading them, and the texts about them. Pure. */
#include "domain/containers/attachment.h"

#include "base/clock_text.h"
#include "base/json/fields.h"

#define ATTACHMENT_NAME_MAX 255
#define ATTACHMENT_URL_MAX 2000
#define ATTACHMENT_SIZE_MAX ((int64_t)1 << 53)
#define ATTACHMENT_JSON_MAX ((size_t)4 << 10)

/* The name that the body has for a member. */
static const char *attachment_key(const struct json *body, const char *key,
                                  const char *other)
{
    return !json_has(body, key) && json_has(body, other) ? other : key;
}

static void attachment_text(struct fields *f, const char *key, size_t max,
                            struct str *out)
{
    fields_need(f, key);
    fields_text(f, key, max, out);
    if (!f->e && out->n == 0)
        fields_wrong(f, key, "field.empty", "\"%s\" may not be empty.", key);
}

const struct err *attachment_read(struct arena *a, const struct json *body,
                                  struct attachment *out)
{
    struct fields f = fields(a, body, STR(""));
    const struct json *metadata = NULL;
    out->size = 0;
    attachment_text(&f, "filename", ATTACHMENT_NAME_MAX, &out->filename);
    attachment_text(&f, attachment_key(body, "mime_type", "content_type"),
                    ATTACHMENT_NAME_MAX, &out->mime_type);
    attachment_text(&f, attachment_key(body, "storage_url", "url"),
                    ATTACHMENT_URL_MAX, &out->storage_url);
    fields_int(&f, attachment_key(body, "size", "size_bytes"), 0,
               ATTACHMENT_SIZE_MAX, &out->size);
    fields_json(&f, "metadata", JSON_OBJECT, &metadata);
    out->metadata = metadata ? json_dump(a, metadata, ATTACHMENT_JSON_MAX)
                             : STR("{}");
    if (!out->metadata.p)
        fields_wrong(&f, "metadata", "field.too_long",
                     "\"metadata\" may have at most 4 kB.");
    return fields_error(&f);
}

struct json *attachment_object(struct arena *a, const struct attachment *t)
{
    const struct str at = clock_naive(a, t->created_at);
    struct json *o = json_object(a);
    json_set_text(o, "id", t->id);
    json_set_text(o, "intent_id", t->intent_id);
    json_set_text(o, "filename", t->filename);
    json_set_text(o, "mime_type", t->mime_type);
    json_set_int(o, "size", t->size);
    json_set_text(o, "storage_url", t->storage_url);
    json_set_read(a, o, "metadata", t->metadata);
    json_set_text(o, "uploaded_by", t->uploaded_by);
    json_set_text(o, "created_at", at);
    json_set_text(o, "createdAt", at);
    return o;
}

struct json *attachment_payload(struct arena *a, const struct attachment *t)
{
    struct json *o = json_object(a);
    json_set_text(o, "attachment_id", t->id);
    json_set_text(o, "filename", t->filename);
    json_set_text(o, "mime_type", t->mime_type);
    json_set_int(o, "size", t->size);
    json_set_text(o, "storage_url", t->storage_url);
    return o;
}
