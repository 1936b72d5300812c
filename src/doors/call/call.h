/* One call of a route: the argument of every handler, and the parts that all
 * doors share (reading a body, answering, replaying an answer). */
#ifndef DOORS_CALL_CALL_H
#define DOORS_CALL_CALL_H

#include "domain/intent/reach.h"
#include "domain/permit/oauth.h"
#include "doors/call/serve.h"
#include "work/work.h"

#define CALL_PARAMS_MAX 6

struct route;

struct call {
    struct arena *a;
    const struct serve *serve;
    struct pg *pg;
    const struct request *rq;
    struct response *rs;
    const struct route *route;
    struct str param[CALL_PARAMS_MAX]; /* {..} of the pattern, in order */
    struct principal who;
    struct str cookie; /* of a person's session; p NULL: none */
    bool counted;      /* as a request: limit.h */
    bool noted;        /* the error reports a failed write that was noted
                        * before (replication_note) */
    bool kept;         /* the refusal was committed */
    bool stores;       /* what it stores counts to the limit of bytes */
    int64_t opened;    /* pg_opened when the handler began */
    size_t route_n;    /* the route's number; route_count: no route was found */
    int64_t cpu;       /* clock_cpu when a read began */
    struct str visit;  /* of a browser at the login; p NULL: none */
    struct oauth_params params; /* the form of an OAuth client */
    struct json *body;          /* a JSON object, once it was read */
    struct work_once once; /* the key of a call that writes, once it was read;
                            * key p NULL: none */
};

typedef const struct err *call_handler(struct call *c, void *own);

/* ERR_AGAIN where the connection is another one than when the handler began:
 * before a commit of what was read outside of its transaction. */
const struct err *call_same_connection(const struct call *c) MUST;
/* Before an answer is sent that is final for a client, and that was not
 * committed: a no that tells it about what is stored, or the use of a yes. Did
 * a database say it that is still the primary? Errors of call_same_connection,
 * of pg_ahead, and ERR_BUSY where it cannot be told (replication_prove). Rolls
 * back. */
const struct err *call_prove(struct call *c) MUST;
/* e, or NULL, as it may be sent: after call_prove where it is a refusal of a
 * kind that tells about what is stored, such as that there is no such
 * question. */
const struct err *call_refusal(struct call *c, const struct err *e) MUST;
/* Runs the handler, four times at most while the database asks for a retry, and
 * gives what may be sent (call_refusal). A caller taken from the worker's cache
 * is checked again before (pg_ahead), for refusals too. No transaction stays
 * open. ERR_BUSY database.contended after the last time. */
const struct err *call_run(struct call *c, call_handler *handle,
                           void *own) MUST;
/* The intent with that id, where the caller has the access that its route
 * needs. ERR_NOT_FOUND intent.unknown; ERR_FORBIDDEN access.denied. With
 * REACH_READ one next to its own too, without the question in its state. */
const struct err *call_intent(struct call *c, struct str id,
                              enum reach_act act, struct intent *out) MUST;
/* A unit of work of the caller, which has not begun. */
struct work call_work(const struct call *c);
/* work_begin_by_caller of a new unit, with the key of the call. */
const struct err *call_begin(struct call *c, struct work *w,
                             struct str id) MUST;
/* ERR_MEDIA_TYPE request.encoding for a body that is compressed. */
const struct err *call_plain(const struct call *c) MUST;
/* Reads the body into c->body. ERR_BAD_REQUEST json.*; ERR_MEDIA_TYPE
 * request.encoding; ERR_INVALID body.not_object. */
const struct err *call_body(struct call *c) MUST;
/* The same; without a body an empty object. */
const struct err *call_body_if_any(struct call *c) MUST;
/* Reads the Idempotency-Key into c->once. ERR_BAD_REQUEST idempotency.key. */
const struct err *call_once(struct call *c) MUST;
/* The same for a key that the server made: of at most 255 visible ASCII
 * characters. */
struct work_once call_once_as(const struct call *c, struct str key,
                              struct str request_sha256);
/* The body and the key of a call that writes. */
const struct err *call_body_once(struct call *c) MUST;
/* The version in If-Match, bare or quoted. ERR_BAD_REQUEST
 * request.if_match when it is missing or no number. */
const struct err *call_if_match(struct call *c, int64_t *out) MUST;
/* The same of another thing than an intent: ERR_PRECONDITION
 * request.precondition where the header is missing. */
const struct err *call_must_match(struct call *c, int64_t *out) MUST;
/* e, an ERR_CONFLICT, with the current version, unless the caller has read that
 * one. */
const struct err *call_check_version(struct call *c, int64_t read,
                                     int64_t current,
                                     const struct err *e) MUST;
/* ERR_CONFLICT intent.version with current_version in more, unless equal. */
const struct err *call_same_version(struct call *c, const struct work *w,
                                    int64_t version) MUST;
/* A whole number or a time of the query, of the type in the route's row; the
 * argument otherwise where it is absent. */
int64_t call_query_int(const struct call *c, const char *key,
                       int64_t otherwise);
int64_t call_query_time(const struct call *c, const char *key,
                        int64_t otherwise);
/* Answers with the stored response of the same request. */
const struct err *call_replay(struct call *c, const struct work *w) MUST;
/* A created thing: its path, and the member of its body that names it. */
struct call_made {
    const char *path; /* "/api/v1/things/" */
    const char *member;
};
/* The Location of one. */
void call_locate(struct call *c, const struct call_made *made, struct str id);
/* call_replay with the Location of the created thing. */
const struct err *call_replay_made(struct call *c, const struct work *w,
                                   const struct call_made *made) MUST;
/* Commits the work and answers with v, and with the intent's version as the
 * ETag where etag is set. */
const struct err *call_commit(struct call *c, struct work *w, int status,
                              const struct json *v, bool etag) MUST;
/* The same for JSON text. */
const struct err *call_commit_text(struct call *c, struct work *w, int status,
                                   struct str body, bool etag) MUST;
/* The same for work that concerns no intent. */
const struct err *call_commit_bare(struct call *c, struct work *w, int status,
                                   const struct json *v) MUST;
/* The same for v with a member "secret", which is sent only this once: a replay
 * comes without it, because only the thing itself stores it. */
const struct err *call_commit_secret(struct call *c, struct work *w,
                                     int status, struct json *v,
                                     struct str secret) MUST;
/* ETag of a version. */
struct str call_etag(struct arena *a, int64_t version);
/* Untrusted text, made safe for a quoted value in a line of the log. */
struct str call_quoted(struct call *c, struct str s);
/* An address of this server with the host: public_url and path and id. */
struct str call_url(struct call *c, const char *path, struct str id);

#endif
