/* A request to a push service (RFC 8030) without a payload, so that the service
 * learns nothing of a question, signed as RFC 8292 defines (VAPID). Sends
 * nothing. */
#ifndef NOTIFY_WEB_PUSH_H
#define NOTIFY_WEB_PUSH_H

#include "base/arena.h"
#include "world/outbound.h"

struct web_push {
    struct str url;         /* of the browser at its push service */
    struct str private_key; /* base64url */
    struct str contact;     /* a mail address */
    bool internal;          /* a private address is allowed */
    int64_t now;
};
/* A new private key, base64url; p NULL: libcrypto makes none. */
struct str web_push_key(struct arena *a);
/* Its public key for browsers, base64url; p NULL: it is no key. */
struct str web_push_public(struct arena *a, struct str private_key);
/* false: the key or the address is none. */
bool web_push_write(struct arena *a, const struct web_push *p,
                    struct outbound_request *out);

#endif
