/* A request to a push service, without a payload. */
#include "notify/web_push.h"

#include "base/clock.h"
#include "base/crypt.h"
#include "base/json/json.h"
#include "base/version.h"
#include "world/ecdsa.h"

#define TOKEN_LIFE (12 * 3600) /* seconds; RFC 8292 allows a day */
#define TOKEN_MAX ((size_t)4 << 10)
/* How long the service keeps it for a browser that is away: seconds. */
#define TTL "14400"

struct str web_push_key(struct arena *a)
{
    char key[ECDSA_PRIVATE];
    return ecdsa_make(key) ? crypt_base64url(a, (struct str){key, sizeof key})
                           : STR_NONE;
}

struct str web_push_public(struct arena *a, struct str private_key)
{
    char point[ECDSA_POINT];
    return ecdsa_public(crypt_base64url_read(a, private_key), point)
               ? crypt_base64url(a, (struct str){point, sizeof point})
               : STR_NONE;
}

/* The origin of a URL: the scheme, the host and its port. */
static struct str web_push_origin(struct str url)
{
    const size_t host = str_search(url, STR("://")) + 3;
    return host > url.n ? STR_NONE : str_sub(url, 0, str_find(url, '/', host));
}

static struct str web_push_token(struct arena *a, const struct web_push *p)
{
    char signature[ECDSA_SIGNATURE];
    struct json *o = json_object(a);
    json_set_text(o, "aud", web_push_origin(p->url));
    json_set_int(o, "exp", p->now / CLOCK_SECOND + TOKEN_LIFE);
    json_set_text(o, "sub", arena_join(a, STR("mailto:"), p->contact));
    const struct str head = arena_join(
        a, crypt_base64url(a, STR("{\"typ\":\"JWT\",\"alg\":\"ES256\"}")),
        STR("."), crypt_base64url(a, json_dump(a, o, TOKEN_MAX)));
    if (!ecdsa_sign(crypt_base64url_read(a, p->private_key), head, signature))
        return STR_NONE;
    return arena_join(
        a, head, STR("."),
        crypt_base64url(a, (struct str){signature, sizeof signature}));
}

bool web_push_write(struct arena *a, const struct web_push *p,
                    struct outbound_request *out)
{
    const struct str key = web_push_public(a, p->private_key);
    if (!key.p || !web_push_origin(p->url).p)
        return false;
    const struct str token = web_push_token(a, p);
    *out = (struct outbound_request){
        .url = p->url,
        .body = STR(""),
        .internal = p->internal,
        .header = {arena_join(a, STR("Authorization: vapid t="), token,
                              STR(", k="), key),
                   STR("TTL: " TTL), STR("Urgency: high"),
                   STR("Topic: request"), STR("Content-Type:"),
                   str_of(version_user_agent)},
        .headers = 6};
    return token.p != NULL;
}
