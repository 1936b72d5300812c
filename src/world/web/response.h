/* One HTTP answer, made whole in memory and sent with one write. */
#ifndef WORLD_WEB_RESPONSE_H
#define WORLD_WEB_RESPONSE_H

#include "base/buf.h"
#include "base/err.h"
#include "base/json/json.h"

#define RESPONSE_BODY_MAX ((size_t)24 << 20)
#define RESPONSE_HEADERS_MAX 16

/* The form of errors at a door (docs/design.md, "Decisions where the sources
 * disagree"). */
enum response_style {
    RESPONSE_DETAIL,  /* {"detail": ..., "message": ..., "code": ...} */
    RESPONSE_PROBLEM, /* RFC 9457 application/problem+json */
    RESPONSE_HTML,    /* an error page; the caller renders it */
    RESPONSE_OAUTH,   /* RFC 6749 5.2 {"error": ..., "error_description": ...},
                       * for an error whose code and sentence are OAuth's */
    RESPONSE_AAP,     /* {"error": {"type", "code", "message"}} of the Agent
                       * Approval Protocol */
};

struct response {
    struct arena *arena;
    int status;                /* 0 until set */
    enum response_style style; /* of the 500 for a body that is too large */
    struct {
        const char *name;
        struct str value;
    } header[RESPONSE_HEADERS_MAX];
    size_t headers;
    struct buf body;
};

/* An answer without status, headers and body; its style is RESPONSE_PROBLEM
 * until the route is known. */
struct response response_make(struct arena *a);
/* Sets a header, replacing one of that name. The name is a literal; control
 * characters in the value are left out, so CR and LF cannot pass. */
void response_header(struct response *rs, const char *name, struct str value);
/* Adds a Set-Cookie to the existing ones. */
void response_cookie(struct response *rs, struct str value);
/* The answer is v. Over RESPONSE_BODY_MAX it becomes a 500. */
void response_json(struct response *rs, int status, const struct json *v);
/* The answer is an event stream, or the rest of one, with a "message" for each
 * element of the list. */
void response_events(struct response *rs, const struct json *list);
/* The text is JSON already. */
void response_json_text(struct response *rs, int status, struct str text);
/* The same, and the buffer becomes the body: a large one is not copied. */
void response_json_buf(struct response *rs, int status, const struct buf *b);
/* 303 See Other to a path of this server; to "/" when it is not such a
 * path. */
void response_see_other(struct response *rs, struct str path);

/* kind -> HTTP status. The only mapping of the two. */
int response_status(enum err_kind kind);
/* Replaces the answer by an error's JSON, dropping the headers of the answer
 * (Location, ETag, Set-Cookie, Cache-Control and the like). RESPONSE_HTML
 * counts as PROBLEM. Members of e->more appear at the top level of the body
 * and, in RESPONSE_DETAIL, inside of "detail" too. Adds Retry-After to 503 and
 * 429, as in the error, else 2 seconds and a minute; and WWW-Authenticate to
 * 401 where the answer has none. A 409 that is not of ERR_LEASE never has the
 * letters "lease" on the wire: the OpenIntent SDK reads them as a lease
 * conflict. */
void response_error(struct response *rs, const struct err *e,
                    enum response_style style);
/* The answer is made by another process, which nginx finds at target. Replaces
 * the answer so far: nginx would merge some headers of both. */
void response_hand_over(struct response *rs, struct str target);
/* "Status: ..." and the headers, as a FastCGI application sends them. Adds the
 * headers of every answer: Content-Type, Content-Length, nosniff, no-store;
 * none to an answer that is handed over. */
struct str response_head(const struct response *rs);

#endif
