/* Endpoints and channels: validation of their addresses and names.
 *
 * Used by the API and by the settings pages, so that both give the same errors.
 * Pure; resolves no name and connects to nothing. */
#include "domain/sending/endpoint.h"

#include <arpa/inet.h>

#include "base/crypt.h"
#include "base/text.h"
#include "domain/intent/principal.h"
#include "domain/sending/push.h"

#define HOST_MAX 253
#define LABEL_MAX 63
#define LOCAL_MAX 64

/* ---- the record ------------------------------------------------------ */

static void endpoint_check_agent(struct fields *f, const char *key,
                                 const void *endpoint)
{
    const struct endpoint *e = endpoint;
    if (!principal_agent_name(e->agent))
        fields_wrong(f, key, "agent.name", "This is not a valid agent name.");
}

static void endpoint_check_types(struct fields *f, const char *key,
                                 const void *endpoint)
{
    struct str types;
    (void)endpoint;
    f->e = endpoint_types(f->arena, key, json_get(f->obj, key), &types);
}

static const struct json *endpoint_paused(struct arena *a,
                                          const void *endpoint)
{
    const struct endpoint *e = endpoint;
    return json_boolean(a, e->paused_at != 0);
}

static const struct record_field endpoint_fields[] = {
    {RECORD_TEXT(endpoint, id, IN_TABLE | IN_OBJECT), .member = "endpoint_id"},
    {RECORD_WORD(endpoint, kind, IN_TABLE, vocabulary_endpoint_kind_all)},
    {RECORD_TEXT(endpoint, name, IN_TABLE | IN_UPDATE | IN_OBJECT | IN_NEED),
     .max = ENDPOINT_NAME_MAX},
    {RECORD_TEXT(endpoint, address,
                 IN_TABLE | IN_UPDATE | IN_OBJECT | IN_NEED),
     .member = "url", .max = ENDPOINT_URL_MAX},
    {RECORD_TEXT(endpoint, agent, IN_TABLE | IN_OBJECT | IN_BODY),
     .max = PRINCIPAL_AGENT_NAME_MAX, .check = endpoint_check_agent},
    {RECORD_TEXT(endpoint, detail, IN_TABLE | IN_UPDATE)},
    {RECORD_FLAG(endpoint, every_question, IN_TABLE | IN_UPDATE)},
    {RECORD_FLAG(endpoint, internal,
                 IN_TABLE | IN_UPDATE | IN_OBJECT | IN_BODY)},
    {RECORD_FLAG(endpoint, prefix,
                 IN_TABLE | IN_UPDATE | IN_OBJECT | IN_BODY)},
    {RECORD_TEXT(endpoint, secret, IN_TABLE)},
    {RECORD_TIME(endpoint, created_at, IN_TABLE | IN_OBJECT)},
    {RECORD_TEXT(endpoint, created_by, IN_TABLE | IN_OBJECT)},
    {RECORD_TEXT(endpoint, key_id, IN_INSERT)},
    {RECORD_SHOWN(endpoint, paused, IN_OBJECT, endpoint_paused)},
    {RECORD_TIME(endpoint, paused_at, IN_TABLE | IN_OBJECT)},
    {RECORD_TIME(endpoint, gone_at, IN_TABLE | IN_OBJECT)},
    {RECORD_JSON(endpoint, event_types, IN_JOIN | IN_OBJECT | IN_BODY),
     .max = 1 << 20, .shape = JSON_ARRAY, .none = "[]",
     .check = endpoint_check_types},
    {RECORD_JSON(endpoint, notify_to, IN_JOIN)},
    {RECORD_COUNT(endpoint, waiting, IN_JOIN | IN_OBJECT)},
    {RECORD_TIME(endpoint, failing_since, IN_JOIN)},
    {RECORD_TIME(endpoint, delivered_at, IN_JOIN)},
};
const struct record endpoint_record =
    RECORD(endpoint, "endpoint", "endpoint");

static bool endpoint_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool endpoint_alnum(char c)
{
    return endpoint_digit(c) || (c >= 'a' && c <= 'z') ||
           (c >= 'A' && c <= 'Z');
}

/* ---- hosts ---------------------------------------------------------- */

/* Resolvers read a name whose last part begins with a digit as a number, in
 * many spellings; only the plain IPv4 spelling is accepted. */
bool endpoint_host_name(struct str s)
{
    struct str rest = s, last;
    if (s.n < 1 || s.n > HOST_MAX)
        return false;
    do {
        last = str_cut(&rest, '.');
        if (last.n < 1 || last.n > LABEL_MAX || last.p[0] == '-' ||
            last.p[last.n - 1] == '-')
            return false;
        for (size_t i = 0; i < last.n; i++) {
            const char c = last.p[i];
            if (!endpoint_alnum(c) && c != '-' && c != '_')
                return false;
        }
    } while (rest.p);
    return !endpoint_digit(last.p[0]);
}

static bool endpoint_address(int family, struct str s)
{
    uint8_t raw[sizeof(struct in6_addr)];
    char text[INET6_ADDRSTRLEN];
    return str_copy(text, sizeof text, s) && inet_pton(family, text, raw) == 1;
}

/* host, or [address], or either with :port behind. */
static bool endpoint_authority(struct str s, struct endpoint_host *out)
{
    int64_t port = 0;
    struct str behind;
    if (s.n > 0 && s.p[0] == '[') {
        const size_t end = str_find(s, ']', 0);
        out->name = str_sub(s, 1, end);
        out->literal = true;
        behind = end < s.n ? str_sub(s, end + 1, s.n) : STR("?");
        if (!endpoint_address(AF_INET6, out->name))
            return false;
    } else {
        const size_t colon = str_find(s, ':', 0);
        out->name = str_sub(s, 0, colon);
        out->literal = endpoint_address(AF_INET, out->name);
        behind = str_sub(s, colon, s.n);
        if (!out->literal && !endpoint_host_name(out->name))
            return false;
    }
    return behind.n == 0 ||
           (behind.n > 1 && behind.p[0] == ':' &&
            endpoint_digit(behind.p[1]) &&
            str_int(str_sub(behind, 1, behind.n), 1, 65535, &port));
}

static const struct err *endpoint_bad_url(struct arena *a, const char *field,
                                          const char *say)
{
    return err_at(a, ERR_INVALID, "endpoint.url", str_of(field), "%s", say);
}

static bool endpoint_has_scheme(struct str url, struct str scheme)
{
    return url.n > scheme.n &&
           str_search_nocase(str_sub(url, 0, scheme.n), scheme) == 0;
}

const struct err *endpoint_url(struct arena *a, const char *field,
                               struct str url, struct endpoint_host *out)
{
    *out = (struct endpoint_host){
        .plain = endpoint_has_scheme(url, STR("http://"))};
    if (url.n > ENDPOINT_URL_MAX)
        return endpoint_bad_url(a, field,
                                "A URL may have at most 2000 characters.");
    if (!out->plain && !endpoint_has_scheme(url, STR("https://")))
        return endpoint_bad_url(a, field,
                                "The URL has to begin with https://.");
    const struct str rest =
        str_sub(url, str_search(url, STR("//")) + 2, url.n);
    size_t end = str_find(rest, '/', 0);
    const size_t query = str_find(rest, '?', 0);
    end = query < end ? query : end;
    const struct str place = str_sub(rest, 0, end);
    if (str_find(place, '@', 0) < place.n)
        return endpoint_bad_url(a, field,
                                "The URL may not have a user or a password.");
    if (str_find(url, '#', 0) < url.n)
        return endpoint_bad_url(a, field,
                                "The URL may not have a fragment (#).");
    bool plain = true;
    for (size_t i = 0; i < url.n; i++)
        plain = plain && url.p[i] > ' ' && url.p[i] < 0x7f &&
                !strchr("\"<>\\^`{|}#", url.p[i]);
    if (!plain || !endpoint_authority(place, out))
        return endpoint_bad_url(a, field, "The URL has no valid host.");
    const bool loopback = out->literal ? str_starts(out->name, STR("127.")) ||
                                             str_is(out->name, "::1")
                                       : str_is_nocase(out->name, "localhost");
    if (out->plain && !loopback)
        return endpoint_bad_url(a, field,
                                "The URL has to begin with https://. Only a "
                                "loopback address may have http://.");
    return NULL;
}

const struct err *endpoint_prefix(struct arena *a, const char *field,
                                  struct str url)
{
    if (str_ends(url, STR("/")) && str_find(url, '?', 0) == url.n)
        return NULL;
    return endpoint_bad_url(a, field,
                            "The address of a prefix ends with a slash and "
                            "has no query.");
}

/* ---- paths ---------------------------------------------------------- */

/* A rest that begins with a slash is an address of the whole host
 * to a receiver that joins it to its own. */
const struct err *endpoint_below(struct arena *a, const char *field,
                                 struct str url, struct str prefix)
{
    const struct str rest =
        str_sub(url, prefix.n, str_find(url, '?', 0));
    if (!str_starts(url, prefix) || rest.n == 0)
        return endpoint_bad_url(a, field,
                                "The URL has to be below the endpoint's URL.");
    return rest.p[0] != '/' && text_path(a, rest)
               ? NULL
               : endpoint_bad_url(
                     a, field,
                     "After the endpoint's URL, the path may have only "
                     "letters, digits, \"-\", \".\", \"_\", \"~\" and "
                     "\"/\", and percent-encoded characters without "
                     "meaning in a path. It may not begin with \"/\" or "
                     "have a part \".\" or \"..\".");
}

/* ---- names and mail ------------------------------------------------- */

bool endpoint_line(struct str s, size_t max)
{
    if (s.n == 0 || !str_utf8(s) || str_runes(s) > max ||
        str_trim(s).n != s.n)
        return false;
    for (size_t at = 0; at < s.n;) {
        const uint32_t r = str_rune(s, &at);
        if (r < 0x20 || (r >= 0x7f && r < 0xa0) || r == 0x2028 || r == 0x2029)
            return false;
    }
    return true;
}

const struct err *endpoint_name(struct arena *a, const char *field,
                                struct str name)
{
    if (endpoint_line(name, ENDPOINT_NAME_MAX))
        return NULL;
    return err_at(a, ERR_INVALID, "endpoint.name", str_of(field),
                  "A name needs 1 to %d characters on one line, without spaces "
                  "around it.",
                  ENDPOINT_NAME_MAX);
}

bool endpoint_mail(struct str s)
{
    const size_t at = str_find(s, '@', 0);
    const struct str local = str_sub(s, 0, at);
    if (s.n > ENDPOINT_MAIL_MAX || at + 1 >= s.n || local.n < 1 ||
        local.n > LOCAL_MAX || local.p[0] == '.' || local.p[at - 1] == '.' ||
        local.p[0] == '-' || str_search(local, STR("..")) < local.n)
        return false;
    for (size_t i = 0; i < local.n; i++) {
        if (!local.p[i] || (!endpoint_alnum(local.p[i]) &&
                            !strchr("!#$%&'*+-/=?^_`{|}~.", local.p[i])))
            return false;
    }
    return endpoint_host_name(str_sub(s, at + 1, s.n));
}

const struct err *endpoint_mails(struct arena *a, const char *field,
                                 struct str list, struct str *out)
{
    struct buf b = buf_make(a, ENDPOINT_URL_MAX);
    struct str rest = list;
    size_t n = 0;
    for (; rest.p; n++) {
        const struct str one = str_trim(str_cut(&rest, ','));
        if (!endpoint_mail(one))
            return err_at(a, ERR_INVALID, "endpoint.mail", str_of(field),
                          "Entry %zu is not a mail address.", n + 1);
        buf_put(&b, n ? "," : "");
        buf_str(&b, one);
    }
    if (n == 0 || n > ENDPOINT_MAILS_MAX || b.over)
        return err_at(a, ERR_INVALID, "endpoint.mail", str_of(field),
                      "The list needs 1 to %d mail addresses, separated by "
                      "commas.",
                      ENDPOINT_MAILS_MAX);
    *out = buf_text(&b);
    return NULL;
}

/* ---- lists ---------------------------------------------------------- */

static bool endpoint_wanted(struct str type)
{
    return push_type_known(type) || str_is(type, "event");
}

static const struct err *endpoint_types_of(struct arena *a, const char *field,
                                           const struct json *list,
                                           bool (*known)(struct str),
                                           struct str *out)
{
    struct json *kept = json_array(a);
    if (json_count(list) > ENDPOINT_TYPES_MAX)
        return err_at(a, ERR_INVALID, "field.too_many", str_of(field),
                      "The list may have at most %d types.",
                      ENDPOINT_TYPES_MAX);
    for (size_t i = 0; i < json_count(list); i++) {
        const struct str type = json_text(json_at(list, i));
        if (!known(type))
            return err_at(a, ERR_INVALID, "event.type",
                          fields_element(a, str_of(field), i),
                          "There is no event type with this name.");
        json_add_text(kept, type);
    }
    *out = json_dump(a, kept, (size_t)1 << 20);
    return NULL;
}

const struct err *endpoint_types(struct arena *a, const char *field,
                                 const struct json *list, struct str *out)
{
    return endpoint_types_of(a, field, list, endpoint_wanted, out);
}

const struct err *endpoint_events(struct arena *a, const char *field,
                                  const struct json *list, struct str *out)
{
    return endpoint_types_of(a, field, list, event_type_known, out);
}

/* ---- secrets -------------------------------------------------------- */

struct str endpoint_secret(struct arena *a)
{
    char raw[32];
    crypt_random(raw, sizeof raw);
    return arena_join(a, STR("whsec_"),
                      crypt_base64(a, (struct str){raw, sizeof raw}));
}
