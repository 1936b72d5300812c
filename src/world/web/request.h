/* One HTTP request, parsed once, strictly.
 *
 * Built from CGI parameters by a pure function, so that it is tested and fuzzed
 * without a server. Never decides on access. */
#ifndef WORLD_WEB_REQUEST_H
#define WORLD_WEB_REQUEST_H

#include "base/buf.h"
#include "base/err.h"

#define REQUEST_BODY_MAX ((size_t)1 << 20)
#define REQUEST_PAIRS_MAX 400  /* pairs of a form: a plan has up to 100 steps */
#define REQUEST_QUERY_MAX 16   /* pairs of a query */
#define REQUEST_TARGET_MAX 4096
#define REQUEST_PARAMS_MAX 256 /* CGI parameters, headers included */
#define REQUEST_PARAMS_BYTES ((size_t)128 << 10) /* all of them together */

enum method { METHOD_GET, METHOD_HEAD, METHOD_POST, METHOD_PATCH, METHOD_PUT,
              METHOD_DELETE, METHOD__MAX };

struct pair {
    struct str key, value;
};
struct pairs {
    const struct pair *v;
    size_t n;
};

struct request {
    struct arena *arena;
    struct str id; /* nginx's $request_id, or a new one */
    enum method method;
    struct str path;     /* decoded, UTF-8, starts with '/' */
    struct pairs query;  /* decoded, keys unique */
    struct pairs header; /* HTTP_X_API_KEY style names, values as sent */
    struct str content_type;
    struct str body;
    bool https;
    bool waited; /* returned by the process that holds it, to be answered now:
                  * doors/call/hold.h */
    bool unheld; /* and was returned before its time */
    bool over;   /* and its caller holds too many */
    bool streamed; /* its client reads an event stream that the answer ends */
    bool bare;   /* the web server has none of our locations, so that nothing
                  * can be held: waited and unheld are set */
    struct str site;   /* SITE_VERSION of nginx's server.conf; p NULL: none */
    struct str remote; /* the client's address */
};

/* From CGI parameters (REQUEST_METHOD, REQUEST_URI or DOCUMENT_URI and
 * QUERY_STRING, HTTP_*, CONTENT_TYPE, HTTPS, REMOTE_ADDR, REQUEST_ID, WAITED,
 * SITE_VERSION) and the body. Only our site has a REQUEST_ID. A header that was
 * sent more than once is joined as RFC 9110 5.3 says. All header values are
 * UTF-8 without NUL. r->id, arena, method (GET when it is not one of ours) and
 * remote are usable even on an error; after ERR_METHOD everything is, path and
 * query included.
 * Errors: ERR_BAD_REQUEST request.path | request.query | request.repeated_key
 * | request.header, ERR_NOT_FOUND request.path for an encoded slash,
 * ERR_METHOD request.method, ERR_TOO_LARGE request.target | request.params. */
const struct err *request_parse(struct arena *a, struct pairs params,
                                struct str body, struct request *r) MUST;
/* A request header by its HTTP name ("If-Match"), trimmed; p NULL: absent. */
struct str request_header(const struct request *r, const char *name);
/* The header traceparent (W3C Trace Context), without what a later version
 * adds; p NULL: absent or malformed. */
#define REQUEST_TRACEPARENT 55 /* bytes */
struct str request_traceparent(const struct request *r);
/* The trace-id of it: 32 hexadecimal digits. */
struct str request_trace(const struct request *r);
/* A query value; p NULL: absent. */
struct str request_query(const struct request *r, const char *key);
/* The value of a cookie; p NULL: absent, sent twice, or malformed.
 * RFC 6265 4.2.1. */
struct str request_cookie(const struct request *r, const char *name);

/* application/x-www-form-urlencoded (WHATWG URL 5.1, strictly: bad %xx, NUL
 * and malformed UTF-8 are errors). CRLF in values becomes LF. Keys may
 * repeat; their order is kept. ERR_BAD_REQUEST request.form with the pair's
 * number in .at; ERR_TOO_LARGE request.form for more than max pairs. */
const struct err *request_form(struct arena *a, struct str text, size_t max,
                               struct pairs *out) MUST;
/* The first value of key; p NULL: absent. */
struct str pairs_get(struct pairs p, const char *key);
/* Percent-decodes one path or query part ('+' as space when plus). The result
 * is UTF-8 without NUL. ERR_BAD_REQUEST request.escape. */
const struct err *request_unescape(struct arena *a, struct str s, bool plus,
                                   struct str *out) MUST;

#endif
