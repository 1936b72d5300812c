/* Endpoints and channels: validation of the address, the name and the allowed
 * recipients. Pure; resolves no name. */
#ifndef DOMAIN_SENDING_ENDPOINT_H
#define DOMAIN_SENDING_ENDPOINT_H

#include "domain/record.h"

#define ENDPOINT_NAME_MAX 120
#define ENDPOINT_URL_MAX 2000
#define ENDPOINT_MAIL_MAX 254 /* bytes of one address */
#define ENDPOINT_MAILS_MAX 16 /* addresses of one channel */
#define ENDPOINT_TYPES_MAX 200

struct endpoint {
    enum endpoint_kind kind;
    struct str id, name, address;
    struct str agent;       /* p NULL: every agent's, or a channel */
    struct str event_types; /* JSON list */
    struct str notify_to;   /* JSON list */
    struct str detail;
    bool every_question, internal;
    bool prefix; /* it stands for the addresses below its own */
    struct str secret; /* p NULL: this kind has none */
    int64_t created_at;
    struct str created_by;
    struct str key_id; /* of the agent's key that registers it; p NULL: none */
    int64_t most;      /* limit of this key */
    int64_t paused_at, gone_at; /* 0: no */
    int64_t waiting; /* deliveries that are not sent yet, counted up to
                      * a limit */
    int64_t failing_since; /* the first try of the oldest that will be tried
                            * again; 0: none failed */
    int64_t delivered_at;  /* then also the last success, if one of the newest
                            * 200 was one; else 0 */
};
/* A body has the members of an agent's endpoint; the address is not checked. */
extern const struct record endpoint_record;

/* All of these: ERR_INVALID with the field in .at. */

/* Where a URL leads. */
struct endpoint_host {
    struct str name; /* without the brackets of IPv6 */
    bool literal;    /* an IP address, not a name */
    bool plain;      /* http, which only leads to this machine */
};
/* An https URL with a host and perhaps a port, a path and a query, nothing
 * else; or an http URL whose host is localhost or a literal loopback address.
 * The caller decides whether a literal address may be reached. */
const struct err *endpoint_url(struct arena *a, const char *field,
                               struct str url,
                               struct endpoint_host *out) MUST;
/* The same for an endpoint that stands for the addresses below its own: it ends
 * with a slash, and has no query. */
const struct err *endpoint_prefix(struct arena *a, const char *field,
                                  struct str url) MUST;
/* An address below a prefix: more than the prefix, no slash first, and
 * text_path. It is refused, never repaired. */
const struct err *endpoint_below(struct arena *a, const char *field,
                                 struct str url, struct str prefix) MUST;
/* 1 to 120 characters on one line, no control characters, no space at the
 * ends. */
const struct err *endpoint_name(struct arena *a, const char *field,
                                struct str name) MUST;
/* A line without control characters, at most max characters. */
bool endpoint_line(struct str s, size_t max);
/* A host's name, or a plain IPv4 address. */
bool endpoint_host_name(struct str s);
/* One plain mail address: letters, digits and a few signs, '@' and a domain. */
bool endpoint_mail(struct str address);
/* Mail addresses separated by commas; *out: the same without spaces. */
const struct err *endpoint_mails(struct arena *a, const char *field,
                                 struct str list, struct str *out) MUST;
/* A list of the types that an agent's endpoint receives: those of
 * domain/sending/push.h, and "event" for an endpoint of subscriptions alone.
 * *out: the same list as JSON text; "[]" for NULL. */
const struct err *endpoint_types(struct arena *a, const char *field,
                                 const struct json *list,
                                 struct str *out) MUST;
/* A list of event types; *out as above. */
const struct err *endpoint_events(struct arena *a, const char *field,
                                  const struct json *list,
                                  struct str *out) MUST;
/* A new secret: "whsec_" and 32 random bytes in base64. */
struct str endpoint_secret(struct arena *a);

#endif
