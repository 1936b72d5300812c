/* JSON Web Signatures in their compact form. */
#include "base/json/jws.h"

#include "base/crypt.h"

#define THUMBPRINT_MAX 4096 /* bytes of a key's members */

static bool jws_part(struct arena *a, struct str text, struct str *out)
{
    *out = text.n > 0 ? crypt_base64url_read(a, text) : STR_NONE;
    return out->p != NULL;
}

bool jws_read(struct arena *a, struct str token, size_t max, struct jws *out,
              const char **why)
{
    struct str rest = token, header_text;
    struct json *header = NULL;
    *why = "A signed token is three parts of base64url with a dot between.";
    if (token.n == 0 || token.n > max) {
        *why = "The signed token is too long, or missing.";
        return false;
    }
    const struct str first = str_cut(&rest, '.');
    const struct str second = str_cut(&rest, '.');
    const struct str third = str_cut(&rest, '.');
    if (!third.p || rest.p)
        return false;
    if (!jws_part(a, first, &header_text) ||
        !jws_part(a, second, &out->payload) ||
        !jws_part(a, third, &out->signature))
        return false;
    *why = "The token's header is not a JSON object.";
    if (json_parse(a, header_text, &header) || !json_is(header, JSON_OBJECT))
        return false;
    *why = "The token's header asks for an extension. crit and b64 are not "
           "supported.";
    if (json_has(header, "crit") || json_has(header, "b64"))
        return false;
    out->header = header;
    out->input = str_sub(token, 0, first.n + 1 + second.n);
    return true;
}

const struct json *jws_claims(struct arena *a, const struct jws *jws)
{
    struct json *v = NULL;
    return !json_parse(a, jws->payload, &v) && json_is(v, JSON_OBJECT) ? v
                                                                       : NULL;
}

struct str jws_thumbprint(struct arena *a, const struct json *members)
{
    struct buf b = buf_make(a, THUMBPRINT_MAX);
    json_write_canonical(&b, members);
    return crypt_sha256_b64(a, buf_text(&b));
}
