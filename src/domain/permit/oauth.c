/* The OAuth face of permits. */
#include "domain/permit/oauth.h"

#include "base/clock.h"
#include "base/crypt.h"
#include "base/text.h"
#include "domain/permit/dpop.h"

const char oauth_invalid_client[] = "invalid_client";
const char oauth_slow_down[] = "slow_down";
const char oauth_use_nonce[] = "use_dpop_nonce";

const char oauth_invalid_request[] = "invalid_request";
const char oauth_unsupported_grant[] = "unsupported_grant_type";
const char oauth_unknown_user[] = "unknown_user_id";
const char oauth_invalid_grant[] = "invalid_grant";
const char oauth_invalid_proof[] = "invalid_dpop_proof";
const char oauth_invalid_details[] = "invalid_authorization_details";
const char oauth_invalid_target[] = "invalid_target";
const char oauth_invalid_message[] = "invalid_binding_message";
const char oauth_unauthorized[] = "unauthorized_client";
const char oauth_denied[] = "access_denied";
const char oauth_pending[] = "authorization_pending";
const char oauth_expired[] = "expired_token";
const char oauth_busy[] = "temporarily_unavailable";
const char oauth_defect[] = "server_error";

/* ---- errors --------------------------------------------------------- */

struct str oauth_description(struct arena *a, struct str text)
{
    struct buf b = buf_make(a, text.n + 1);
    for (size_t i = 0; i < text.n; i++) {
        const unsigned char c = (unsigned char)text.p[i];
        /* A character of several bytes becomes one mark. */
        if (c >= 0x80 && c < 0xC0)
            continue;
        if (c == '"')
            buf_char(&b, '\'');
        else if (c < ' ' || c > '~' || c == '\\')
            buf_char(&b, c == '\n' || c == '\t' ? ' ' : '?');
        else
            buf_char(&b, (char)c);
    }
    return buf_text(&b);
}

/* The word for an error of another file: by its code, else by its kind. */
static const char *oauth_word(const struct err *e)
{
    static const struct {
        const char *code, *word;
    } codes[] = {
        {dpop_no_nonce, oauth_use_nonce},
        {dpop_wrong, oauth_invalid_proof},
        {dpop_replay, oauth_invalid_proof},
        {dpop_other_key, oauth_invalid_grant},
        {permit_details_wrong, oauth_invalid_details},
        {permit_resource, oauth_invalid_target},
    };
    static const char *const kinds[ERR__MAX] = {
        [ERR_UNAUTHENTICATED] = oauth_invalid_client,
        [ERR_FORBIDDEN] = oauth_unauthorized,
        [ERR_RATE] = oauth_busy,
        [ERR_BUSY] = oauth_busy,
        [ERR_MEMORY] = oauth_busy,
        [ERR_AGAIN] = oauth_busy,
        [ERR_INTERNAL] = oauth_defect,
        [ERR_UNSUPPORTED] = oauth_defect,
    };
    for (size_t i = 0; i < countof(codes); i++) {
        if (err_is(e, codes[i].code))
            return codes[i].word;
    }
    return kinds[e->kind] ? kinds[e->kind] : oauth_invalid_request;
}

/* OAuth answers 400 to every mistake of a client but a failed
 * authentication. */
const struct err *oauth_error(struct arena *a, const struct err *e)
{
    static const struct {
        const char *code;
    } ours[] = {
        {oauth_invalid_client},  {oauth_slow_down},      {oauth_use_nonce},
        {oauth_invalid_request}, {oauth_invalid_grant},  {oauth_invalid_proof},
        {oauth_invalid_details}, {oauth_invalid_target}, {oauth_unauthorized},
        {oauth_invalid_message}, {oauth_denied},         {oauth_pending},
        {oauth_expired},         {oauth_busy},           {oauth_defect},
        {oauth_unknown_user},    {oauth_unsupported_grant},
    };
    struct err *copy = arena_new(a, struct err);
    *copy = *e;
    copy->say = oauth_description(a, e->say);
    for (size_t i = 0; i < countof(ours); i++) {
        if (err_is(e, ours[i].code))
            return copy;
    }
    const char *word = oauth_word(e);
    copy->code = word;
    if (word == oauth_invalid_client)
        copy->kind = ERR_UNAUTHENTICATED;
    else if (word != oauth_busy && word != oauth_defect &&
             e->kind != ERR_METHOD && e->kind != ERR_TOO_LARGE)
        copy->kind = ERR_BAD_REQUEST;
    return copy;
}

static const struct err *oauth_bad(struct arena *a, const char *key,
                                   const char *say)
{
    return err_at(a, ERR_BAD_REQUEST, oauth_invalid_request, str_of(key),
                  "%s", say);
}

/* ---- parameters ----------------------------------------------------- */

const struct err *oauth_check(struct arena *a,
                              const struct oauth_params *params)
{
    for (size_t i = 0; i < params->n; i++) {
        for (size_t k = 0; k < i; k++) {
            if (str_eq(params->v[i].key, params->v[k].key))
                return oauth_bad(
                    a, arena_z(a, oauth_description(a, params->v[i].key)),
                    "A parameter may not be sent twice.");
        }
    }
    return NULL;
}

struct str oauth_get(const struct oauth_params *params, const char *key)
{
    for (size_t i = 0; i < params->n; i++) {
        if (str_is(params->v[i].key, key))
            return params->v[i].value.n > 0 ? params->v[i].value : STR_NONE;
    }
    return STR_NONE;
}

/* ---- clients -------------------------------------------------------- */

static const struct err *oauth_error_client(void)
{
    return ERROR(ERR_UNAUTHENTICATED, oauth_invalid_client,
                 "Authenticate with the agent's name and its key.");
}

/* A part of Basic, which is encoded as in a form (RFC 6749 2.3.1). */
static struct str oauth_form_decoded(struct arena *a, struct str s)
{
    char *p = arena_alloc(a, s.n + 1);
    const size_t n = str_unescape(s, true, p);
    const struct str text = {p, n == SIZE_MAX ? 0 : n};
    return n != SIZE_MAX && text.n > 0 && str_utf8(text) ? text : STR_NONE;
}

static const struct err *oauth_read_basic(struct arena *a, struct str header,
                                          struct oauth_client *out)
{
    const size_t space = str_find(header, ' ', 0);
    const struct str scheme = str_sub(header, 0, space);
    const struct str token = str_trim(str_sub(header, space, header.n));
    const struct str pair = str_is_nocase(scheme, "basic") && token.n > 0
                                ? crypt_base64_read(a, token)
                                : STR_NONE;
    const size_t colon = str_find(pair, ':', 0);
    if (!pair.p || colon == pair.n)
        return oauth_error_client();
    out->method = OAUTH_BASIC;
    out->id = oauth_form_decoded(a, str_sub(pair, 0, colon));
    out->secret = oauth_form_decoded(a, str_sub(pair, colon + 1, pair.n));
    return out->id.p && out->secret.p ? NULL : oauth_error_client();
}

const struct err *oauth_client(struct arena *a, struct str authorization,
                               bool key, const struct oauth_params *params,
                               struct oauth_client *out)
{
    const struct str id = oauth_get(params, "client_id");
    const struct str secret = oauth_get(params, "client_secret");
    *out = (struct oauth_client){OAUTH_HEADER, id, STR_NONE};
    if ((authorization.p != NULL) + key + (secret.p != NULL) > 1)
        return oauth_bad(a, "client_secret", "Authenticate in one way only.");
    if (authorization.p) {
        TRY(oauth_read_basic(a, authorization, out));
        if (id.p && !str_eq(id, out->id))
            return oauth_bad(a, "client_id",
                             "The client_id does not match the header.");
    } else if (secret.p) {
        *out = (struct oauth_client){OAUTH_POST, id, secret};
    }
    if (!key && (!out->id.p || !out->secret.p))
        return oauth_error_client();
    return NULL;
}

/* ---- asking --------------------------------------------------------- */

/* The parameters that go into the body, and under which name. A number is
 * moved into its bounds; max 0: a text. */
static const struct {
    const char *parameter, *member;
    int64_t min, max;
} oauth_asked[] = {
    {"resource", "resource", 0, 0},
    {"login_hint", "initiated_by", 0, 0},
    {"dpop_jkt", "dpop_jkt", 0, 0},
    {"binding_message", "title", 0, 0},
    {"requested_expiry", "veto_seconds", OAUTH_EXPIRY_MIN, OAUTH_EXPIRY_MAX},
    {"goal", "goal", 0, 0},
    {"reasoning", "reasoning", 0, 0},
    {"session_id", "session_id", 0, 0},
    {"severity", "severity", 0, 0},
    {"consequence", "consequence", 0, 0},
    {"max_uses", "max_uses", 1, INT32_MAX},
    {"use_seconds", "use_seconds", 1, INT32_MAX},
};

static const struct err *oauth_check_message(struct arena *a, struct str text)
{
    bool shown = str_runes(text) <= OAUTH_MESSAGE_MAX;
    for (size_t at = 0; at < text.n && shown;) {
        const uint32_t rune = str_rune(text, &at);
        shown = rune != '\n' && rune != '\t' && !text_hidden(rune);
    }
    if (shown)
        return NULL;
    return err_at(a, ERR_BAD_REQUEST, oauth_invalid_message,
                  STR("binding_message"),
                  "A binding_message has to be one line of at most %d visible "
                  "characters.",
                  OAUTH_MESSAGE_MAX);
}

static const struct err *oauth_put_asked(struct arena *a,
                                         const struct oauth_params *params,
                                         struct json *body)
{
    for (size_t i = 0; i < countof(oauth_asked); i++) {
        const char *member = oauth_asked[i].member;
        const int64_t max = oauth_asked[i].max;
        const struct str value = oauth_get(params, oauth_asked[i].parameter);
        int64_t n = 0;
        if (value.p && max == 0)
            json_set_text(body, member, value);
        if (!value.p || max == 0)
            continue;
        if (!str_int(value, 1, INT32_MAX, &n))
            return oauth_bad(a, oauth_asked[i].parameter,
                             "A whole number above zero is needed here.");
        if (n < oauth_asked[i].min)
            n = oauth_asked[i].min;
        json_set_int(body, member, n < max ? n : max);
    }
    return NULL;
}

const struct err *oauth_ask(struct arena *a, const struct oauth_params *params,
                            struct json **body, struct str *details)
{
    static const char *const refused[] = {"request", "id_token_hint",
                                          "login_hint_token", "user_code"};
    struct json *o = json_object(a), *list = NULL;
    TRY(oauth_check(a, params));
    for (size_t i = 0; i < countof(refused); i++) {
        if (oauth_get(params, refused[i]).p)
            return oauth_bad(a, refused[i],
                             "This parameter is not supported here.");
    }
    *details = oauth_get(params, "authorization_details");
    if (!details->p)
        return oauth_bad(a, "authorization_details",
                         "authorization_details are needed.");
    if (json_parse(a, *details, &list) ||
        json_depth(list) > JSON_INPUT_DEPTH_MAX)
        return err_at(a, ERR_BAD_REQUEST, oauth_invalid_details,
                      STR("authorization_details"),
                      "authorization_details is not valid JSON.");
    const struct err *e =
        permit_details_check(a, list, STR("authorization_details"));
    if (e)
        return oauth_error(a, e);
    json_set_json(o, "authorization_details", list);
    TRY(oauth_check_message(a, oauth_get(params, "binding_message")));
    if (!oauth_get(params, "resource").p)
        return oauth_bad(a, "resource", "A resource is needed.");
    *body = o;
    return oauth_put_asked(a, params, o);
}

/* ---- tokens --------------------------------------------------------- */

/* One text for all cases that a stranger must not distinguish. */
static const struct err *oauth_error_grant(void)
{
    return ERROR(ERR_BAD_REQUEST, oauth_invalid_grant,
                 "There is no such grant for this client and key.");
}

static const struct err *oauth_error_expired(void)
{
    return ERROR(ERR_BAD_REQUEST, oauth_expired, "This request has expired.");
}

static const struct err *oauth_error_denied(struct arena *a,
                                            const struct permit *p)
{
    struct json *more = json_object(a);
    json_set_text_or_null(more, "request_id", p->suspension_id);
    json_set_text_or_null(more, "reason", p->reason);
    return err_more(a,
                    ERROR(ERR_BAD_REQUEST, oauth_denied,
                          "This was not approved, or the approval has ended."),
                    more);
}

/* Polls need a distance of some seconds, also after a poll that came too soon.
 * A time that is further away was set by a clock that was wrong, and does not
 * count. */
static const struct err *oauth_poll_again(const struct oauth_exchange *x,
                                          int64_t *poll_after)
{
    *poll_after = x->now.now + PERMIT_POLL * CLOCK_SECOND;
    if (x->now.now < x->permit->poll_after &&
        *poll_after >= x->permit->poll_after)
        return ERROR(ERR_BAD_REQUEST, oauth_slow_down,
                     "Wait at least 5 seconds before the next request.");
    return ERROR(ERR_BAD_REQUEST, oauth_pending, "Nobody has answered yet.");
}

const struct err *oauth_exchange(struct arena *a,
                                 const struct oauth_exchange *x,
                                 int64_t *poll_after)
{
    const struct permit *p = x->permit;
    const struct str bound = p ? p->terms.dpop_jkt : STR_NONE;
    *poll_after = 0;
    if (!p || !str_eq(p->agent, x->agent))
        return oauth_error_grant();
    if (!x->jkt.p && (bound.p || x->jkt_needed))
        return ERROR(ERR_BAD_REQUEST, oauth_invalid_proof,
                     "A token of this grant is bound to a key: send a DPoP "
                     "proof.");
    if (bound.p && !str_eq(bound, x->jkt))
        return oauth_error_grant();
    switch (p->state) {
    case PERMIT_ASKED:
        return x->due ? oauth_error_expired()
                      : oauth_poll_again(x, poll_after);
    case PERMIT_REFUSED:
        return x->ending == OUTCOME_EXPIRED ? oauth_error_expired()
                                            : oauth_error_denied(a, p);
    case PERMIT_REVOKED:
        return oauth_error_denied(a, p);
    case PERMIT_ACTIVE:
    case PERMIT_SPENT:
    case PERMIT_STATE__MAX:
    default:
        break;
    }
    const struct err *e = permit_usable(p, &x->now);
    if (!e)
        return NULL;
    if (err_is(e, permit_lapsed))
        return oauth_error_expired();
    if (err_is(e, permit_revoked))
        return oauth_error_denied(a, p);
    return err_is(e, permit_paused) ? oauth_poll_again(x, poll_after)
                                    : oauth_error_grant();
}

int64_t oauth_expires_in(const struct permit *p, int64_t now)
{
    const int64_t left = (p->not_after - now) / CLOCK_SECOND;
    return left < OAUTH_TOKEN_SECONDS ? left : OAUTH_TOKEN_SECONDS;
}

struct json *oauth_token(struct arena *a, const struct permit *p,
                         struct str token, bool bound, int64_t now)
{
    struct json *o = json_object(a);
    json_set_text(o, "access_token", token);
    json_set_text(o, "token_type", bound ? STR("DPoP") : STR("Bearer"));
    json_set_int(o, "expires_in", oauth_expires_in(p, now));
    json_set_read(a, o, "authorization_details", p->granted);
    json_set_text_given(o, "request_id", p->suspension_id);
    json_set_text(o, "permit_id", p->id);
    json_set_int(o, "uses_left", permit_uses(a, p) - p->used);
    return o;
}

static struct json *oauth_member(struct arena *a, const char *key,
                                 struct str value)
{
    struct json *o = json_object(a);
    json_set_text(o, key, value);
    return o;
}

struct json *oauth_introspection(struct arena *a,
                                 const struct oauth_live *live)
{
    struct json *o = json_object(a);
    json_set_bool(o, "active", live != NULL);
    if (!live)
        return o;
    const struct permit *p = live->permit;
    json_set_text(o, "token_type", live->jkt.p ? STR("DPoP") : STR("Bearer"));
    json_set_text(o, "iss", live->issuer);
    json_set_text(o, "client_id", p->agent);
    json_set_text(o, "sub", live->initiator.p ? live->initiator : p->agent);
    if (live->initiator.p)
        json_set_json(o, "act", oauth_member(a, "sub", p->agent));
    json_set_text(o, "aud", live->resource);
    json_set_int(o, "iat", live->issued_at / CLOCK_SECOND);
    json_set_int(o, "exp", live->expires_at / CLOCK_SECOND);
    if (live->jkt.p)
        json_set_json(o, "cnf", oauth_member(a, "jkt", live->jkt));
    json_set_read(a, o, "authorization_details", p->granted);
    json_set_text(o, "permit_id", p->id);
    json_set_text_given(o, "request_id", p->suspension_id);
    json_set_int(o, "uses_left", permit_uses(a, p) - p->used);
    json_set_text(o, "redemption_endpoint",
                  arena_join(a, live->issuer, STR("/api/v1/redemptions")));
    return o;
}

/* ---- metadata ------------------------------------------------------- */

struct json *oauth_metadata(struct arena *a, struct str issuer)
{
    static const struct {
        const char *member, *path;
    } places[] = {
        {"token_endpoint", "/oauth/token"},
        {"backchannel_authentication_endpoint", "/oauth/bc-authorize"},
        {"introspection_endpoint", "/oauth/introspect"},
        {"revocation_endpoint", "/oauth/revoke"},
    };
    static const struct {
        const char *member, *words; /* with a space between */
    } lists[] = {
        {"backchannel_token_delivery_modes_supported", "poll"},
        {"grant_types_supported", OAUTH_GRANT},
        {"response_types_supported", ""},
        {"token_endpoint_auth_methods_supported",
         "client_secret_basic client_secret_post"},
        {"dpop_signing_alg_values_supported", "ES256 Ed25519 EdDSA"},
        {"authorization_details_types_supported", "tool_call"},
    };
    struct json *o = json_object(a);
    json_set_text(o, "issuer", issuer);
    for (size_t i = 0; i < countof(places); i++)
        json_set_text(o, places[i].member,
                      arena_join(a, issuer, str_of(places[i].path)));
    json_set_bool(o, "backchannel_user_code_parameter_supported", false);
    for (size_t i = 0; i < countof(lists); i++) {
        struct json *list = json_array(a);
        struct str rest = str_of(lists[i].words);
        while (rest.n > 0)
            json_add_text(list, str_cut(&rest, ' '));
        json_set_json(o, lists[i].member, list);
    }
    return o;
}
