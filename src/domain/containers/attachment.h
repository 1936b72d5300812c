/* Attachments: what agents say about files elsewhere (OpenIntent RFC-0005).
 * Nothing is fetched. Pure. */
#ifndef DOMAIN_CONTAINERS_ATTACHMENT_H
#define DOMAIN_CONTAINERS_ATTACHMENT_H

#include "domain/record.h"

#define ATTACHMENTS_OF_INTENT_MAX 100

struct attachment {
    struct str id, intent_id, filename, mime_type;
    int64_t size;
    struct str storage_url;
    struct str metadata; /* JSON text, an object */
    struct str uploaded_by;
    int64_t created_at;
};

/* Its body has the members of either client: mime_type, size and storage_url,
 * or content_type, size_bytes and url. */
extern const struct record attachment_record;

/* The payload of attachment_added. */
struct json *attachment_payload(struct arena *a, const struct attachment *t);

#endif
