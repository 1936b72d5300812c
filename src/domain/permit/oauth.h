/* The OAuth addresses of permits: reading requests, the error codes, and the
 * answers (RFC 6749, with RFC 7662, 8414, 8707, 9396, 9449; the requests have
 * the form of CIBA's poll mode).
 *
 * An error's code is an error code of OAuth. Its sentence has only the
 * characters of an error_description, and no text that a person wrote. Pure. */
#ifndef DOMAIN_PERMIT_OAUTH_H
#define DOMAIN_PERMIT_OAUTH_H

#include "domain/permit/permit.h"

#define OAUTH_GRANT "urn:openid:params:grant-type:ciba"
#define OAUTH_TOKEN_SECONDS 300 /* the most that a token lives */
#define OAUTH_MESSAGE_MAX 200   /* characters of a binding_message */
#define OAUTH_EXPIRY_MIN 60     /* seconds that a question is open */
#define OAUTH_EXPIRY_MAX (7 * 24 * 3600)

/* A parameter of a form, decoded. */
struct oauth_param {
    struct str key, value;
};
struct oauth_params {
    const struct oauth_param *v;
    size_t n;
};

/* ---- errors --------------------------------------------------------- */

/* Codes that callers compare. */
extern const char oauth_invalid_client[];
extern const char oauth_slow_down[];
extern const char oauth_use_nonce[];
extern const char oauth_invalid_request[];
extern const char oauth_invalid_proof[];
extern const char oauth_unsupported_grant[];
extern const char oauth_unknown_user[];
extern const char oauth_denied[];
extern const char oauth_expired[];

/* A copy of the error for an OAuth answer: its code becomes an error code of
 * OAuth, and its sentence an error_description. */
const struct err *oauth_error(struct arena *a, const struct err *e);
/* The text in the characters %x20-21, %x23-5B and %x5D-7E (RFC 6749 5.2). */
struct str oauth_description(struct arena *a, struct str text);

/* ---- requests ------------------------------------------------------- */

/* invalid_request where a parameter stands twice. */
const struct err *oauth_check(struct arena *a,
                              const struct oauth_params *params) MUST;
/* The value of a parameter; p NULL where it is absent or empty. */
struct str oauth_get(const struct oauth_params *params, const char *key);

enum oauth_method {
    OAUTH_BASIC,  /* the header Authorization */
    OAUTH_POST,   /* client_id and client_secret in the form */
    OAUTH_HEADER, /* the header X-API-Key, read elsewhere */
};
/* The credentials of a client. */
struct oauth_client {
    enum oauth_method method;
    struct str id;     /* p NULL: not sent, with OAUTH_HEADER only */
    struct str secret; /* p NULL with OAUTH_HEADER */
};
/* Reads one way of authentication. authorization: the header, p NULL: absent;
 * key: there is an X-API-Key. invalid_client where there is none, or where
 * Basic cannot be read; invalid_request for two of them, and for a client_id
 * that is not the one of Basic. */
const struct err *oauth_client(struct arena *a, struct str authorization,
                               bool key, const struct oauth_params *params,
                               struct oauth_client *out) MUST;

/* A request at bc-authorize as the body that POST /api/v1/authorizations
 * takes. *details: the text of authorization_details as it was sent. Members
 * that are texts in a form and numbers in the body become numbers. Parameters
 * that are not known are left out. invalid_request,
 * invalid_authorization_details, invalid_target, invalid_binding_message. */
const struct err *oauth_ask(struct arena *a, const struct oauth_params *params,
                            struct json **body, struct str *details) MUST;

/* ---- tokens --------------------------------------------------------- */

/* A request for a token of a permit. */
struct oauth_exchange {
    const struct permit *permit; /* NULL: the handle is not known */
    struct str agent;            /* that asks */
    struct str jkt;  /* of its proof, which is good; p NULL: there is none */
    bool jkt_needed; /* the permit's resource takes only bound tokens */
    bool due;        /* the time of the question is over */
    enum outcome ending; /* of the question */
    struct permit_case now;
};
/* NULL: a token may be made. Else the error for the permit's state; the caller
 * stores a *poll_after that is not 0. */
const struct err *oauth_exchange(struct arena *a,
                                 const struct oauth_exchange *x,
                                 int64_t *poll_after) MUST;
/* The seconds that a token of an active permit lives. */
int64_t oauth_expires_in(const struct permit *p, int64_t now);
/* The answer to a token request. */
struct json *oauth_token(struct arena *a, const struct permit *p,
                         struct str token, bool bound, int64_t now);

/* A live token, for introspection by its resource. */
struct oauth_live {
    const struct permit *permit;
    struct str issuer, resource; /* addresses */
    struct str initiator;        /* p NULL: nobody */
    struct str jkt;              /* p NULL: a bearer token */
    int64_t issued_at, expires_at;
};
/* The answer of introspection; NULL: {"active": false}. */
struct json *oauth_introspection(struct arena *a,
                                 const struct oauth_live *live);
/* The metadata document (RFC 8414). issuer: the server's public address. */
struct json *oauth_metadata(struct arena *a, struct str issuer);

#endif
