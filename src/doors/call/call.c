/* The parts that all doors share: reading a body, answering, replaying an
 * answer. Knows no route. */
#include "doors/call/call.h"

#include "base/clock.h"
#include "base/crypt.h"
#include "store/intent/intents.h"
#include "store/replication.h"
#include "store/sql.gen.h"
#include "world/pg/pg_error.h"

#define KEY_MAX 255
#define TRIES 4 /* of a handler that met a deadlock or a request with the same
                 * key */

const struct err *call_same_connection(const struct call *c)
{
    return pg_opened(c->pg) == c->opened ? NULL : pg_error_again();
}

const struct err *call_prove(struct call *c)
{
    if (pg_ahead_waits(c->pg))
        TRY(pg_run(c->pg, c->a, NULL));
    pg_rollback(c->pg);
    TRY(replication_prove(c->pg, c->a));
    return call_same_connection(c);
}

const struct err *call_refusal(struct call *c, const struct err *e)
{
    static const unsigned stored = 1U << ERR_FORBIDDEN | 1U << ERR_NOT_FOUND |
                                   1U << ERR_CONFLICT | 1U << ERR_LEASE |
                                   1U << ERR_INVALID;
    if (!e || c->kept || !(stored >> e->kind & 1) || c->who.role == ROLE_NONE)
        return e;
    TRY(call_prove(c));
    return e;
}

const struct err *call_run(struct call *c, call_handler *handle, void *own)
{
    for (int i = 0; i < TRIES; i++) {
        c->opened = pg_opened(c->pg);
        const struct err *e = handle(c, own);
        const struct err *other =
            pg_ahead_waits(c->pg) ? pg_run(c->pg, c->a, NULL) : NULL;
        e = call_refusal(c, other ? other : e);
        pg_rollback(c->pg);
        if (!e || e->kind != ERR_AGAIN)
            return e;
    }
    return ERROR(ERR_BUSY, "database.contended",
                 "Too many requests for the same intent. Try again in a "
                 "moment.");
}

const struct err *call_intent(struct call *c, struct str id,
                              enum reach_act act, struct intent *out)
{
    bool kin = false;
    TRY(intents_get_for(c->pg, c->a, id, &c->who, out));
    if (out->access == ACCESS_NONE && act == REACH_READ)
        TRY(intents_kin(c->pg, c->a, id, &c->who, &kin));
    return kin ? suspension_drop_mirror(c->a, out)
               : reach_check(c->a, out->access, c->who.needs);
}

struct work call_work(const struct call *c)
{
    return (struct work){.arena = c->a,
                         .pg = c->pg,
                         .conf = c->serve->conf,
                         .who = &c->who,
                         .quota = c->serve->quota,
                         .outbound = c->serve->outbound,
                         .traceparent = request_traceparent(c->rq),
                         .terms = c->who.terms};
}

const struct err *call_begin(struct call *c, struct work *w, struct str id)
{
    *w = call_work(c);
    return work_begin_by_caller(w, id, &c->once);
}

const struct err *call_plain(const struct call *c)
{
    const struct str how = request_header(c->rq, "Content-Encoding");
    if ((how.n > 0 && !str_is_nocase(how, "identity")) ||
        str_starts(c->rq->body, STR("\x1F\x8B")))
        return ERROR(ERR_MEDIA_TYPE, "request.encoding",
                     "The body is compressed. Send it uncompressed.");
    return NULL;
}

const struct err *call_body(struct call *c)
{
    c->body = NULL;
    /* A JSON reader could only call a compressed body malformed. */
    TRY(call_plain(c));
    TRY(json_parse(c->a, c->rq->body, &c->body));
    if (json_depth(c->body) > JSON_INPUT_DEPTH_MAX)
        return ERROR(ERR_BAD_REQUEST, "json.too_deep",
                     "Arrays and objects may be nested 32 levels deep.");
    if (!json_is(c->body, JSON_OBJECT))
        return ERROR(ERR_INVALID, "body.not_object",
                     "The body has to be a JSON object.");
    return NULL;
}

const struct err *call_body_if_any(struct call *c)
{
    if (c->rq->body.n > 0)
        return call_body(c);
    c->body = json_object(c->a);
    return NULL;
}

struct work_once call_once_as(const struct call *c, struct str key,
                              struct str request_sha256)
{
    const bool agent = c->who.role == ROLE_AGENT;
    return (struct work_once){
        .principal = agent
                         ? arena_join(c->a, c->who.id, STR("/"), c->who.agent)
                         : c->who.id,
        .key = key,
        .request_sha256 = request_sha256};
}

/* "?" and the parameters of the address, each escaped, and a line feed; empty
 * where there are none, so that such a request keeps its digest. */
static struct str call_query(const struct call *c)
{
    const struct pairs query = c->rq->query;
    struct buf b = buf_make(c->a, 8 * REQUEST_TARGET_MAX);
    for (size_t i = 0; i < query.n; i++) {
        buf_put(&b, i ? "&" : "?");
        buf_escape(&b, query.v[i].key);
        buf_put(&b, "=");
        buf_escape(&b, query.v[i].value);
    }
    buf_put(&b, query.n ? "\n" : "");
    return buf_text(&b);
}

const struct err *call_once(struct call *c)
{
    const struct str key = request_header(c->rq, "Idempotency-Key");
    c->once = (struct work_once){.key = STR_NONE};
    if (!key.p)
        return NULL;
    if (key.n == 0 || key.n > KEY_MAX || !str_visible(key))
        return ERROR(ERR_BAD_REQUEST, "idempotency.key",
                     "An Idempotency-Key is 1 to 255 visible ASCII "
                     "characters.");
    /* A key belongs to the whole request: the same key for another address, or
     * another query, is another request. */
    const struct str request =
        arena_join(c->a, call_query(c),
                   arena_number(c->a, (int64_t)c->rq->method), STR(" "),
                   c->rq->path, STR("\n"), c->rq->body);
    c->once = call_once_as(c, key, crypt_sha256_hex(c->a, request));
    return NULL;
}

const struct err *call_body_once(struct call *c)
{
    TRY(call_body(c));
    return call_once(c);
}

const struct err *call_if_match(struct call *c, int64_t *out)
{
    struct str v = request_header(c->rq, "If-Match");
    if (v.n >= 2 && v.p[0] == '"' && v.p[v.n - 1] == '"')
        v = str_sub(v, 1, v.n - 1);
    if (!v.p || !str_int(v, 1, INT64_MAX, out))
        return ERROR(ERR_BAD_REQUEST, "request.if_match",
                     "The If-Match header is required: the version of the "
                     "intent that you have read.");
    return NULL;
}

const struct err *call_must_match(struct call *c, int64_t *out)
{
    return request_header(c->rq, "If-Match").p
               ? call_if_match(c, out)
               : ERROR(ERR_PRECONDITION, "request.precondition",
                       "The If-Match header is required: the version that you "
                       "have read.");
}

const struct err *call_check_version(struct call *c, int64_t read,
                                     int64_t current, const struct err *e)
{
    struct json *more = json_object(c->a);
    json_set_int(more, "current_version", current);
    return read == current ? NULL : err_more(c->a, e, more);
}

const struct err *call_same_version(struct call *c, const struct work *w,
                                    int64_t version)
{
    /* An expiry by this very call is not a change that the caller could have
     * seen. */
    if (w->expired && version == w->intent.version - 1)
        return NULL;
    return call_check_version(
        c, version, w->intent.version,
        ERROR(ERR_CONFLICT, "intent.version",
              "The intent has changed since you read it. Read it again."));
}

int64_t call_query_int(const struct call *c, const char *key,
                       int64_t otherwise)
{
    str_int(request_query(c->rq, key), INT64_MIN, INT64_MAX, &otherwise);
    return otherwise;
}

int64_t call_query_time(const struct call *c, const char *key,
                        int64_t otherwise)
{
    const struct str s = request_query(c->rq, key);
    if (s.p)
        clock_parse(s, &otherwise);
    return otherwise;
}

struct str call_etag(struct arena *a, int64_t version)
{
    return arena_join(a, STR("\""), arena_number(a, version), STR("\""));
}

const struct err *call_replay(struct call *c, const struct work *w)
{
    response_json_text(c->rs, w->before.status, w->before.body);
    if (w->before.etag.p)
        response_header(c->rs, "ETag", w->before.etag);
    response_header(c->rs, "Idempotency-Replayed", STR("true"));
    return NULL;
}

void call_locate(struct call *c, const struct call_made *made, struct str id)
{
    response_header(c->rs, "Location", call_url(c, made->path, id));
}

const struct err *call_replay_made(struct call *c, const struct work *w,
                                   const struct call_made *made)
{
    struct json *body = NULL;
    TRY(call_replay(c, w));
    TRY(json_parse(c->a, w->before.body, &body));
    call_locate(c, made, json_get_text(body, made->member));
    return NULL;
}

const struct err *call_commit_text(struct call *c, struct work *w, int status,
                                   struct str body, bool etag)
{
    const struct work_answer answer = {
        .status = status,
        .etag = etag ? call_etag(c->a, w->intent.version) : STR_NONE,
        .body = body};
    TRY(work_commit(w, &answer));
    response_json_text(c->rs, status, body);
    if (etag)
        response_header(c->rs, "ETag", answer.etag);
    return NULL;
}

const struct err *call_commit(struct call *c, struct work *w, int status,
                              const struct json *v, bool etag)
{
    const struct str body = json_dump(c->a, v, RESPONSE_BODY_MAX);
    return call_commit_text(c, w, status, body, etag);
}

const struct err *call_commit_bare(struct call *c, struct work *w, int status,
                                   const struct json *v)
{
    const struct work_answer answer = {
        .status = status, .body = json_dump(c->a, v, RESPONSE_BODY_MAX)};
    TRY(work_commit_bare(w, &answer));
    response_json_text(c->rs, status, answer.body);
    return NULL;
}

const struct err *call_commit_secret(struct call *c, struct work *w,
                                     int status, struct json *v,
                                     struct str secret)
{
    TRY(call_commit_bare(c, w, status, v));
    json_set_text(v, "secret", secret);
    response_json(c->rs, status, v);
    return NULL;
}

struct str call_url(struct call *c, const char *path, struct str id)
{
    struct buf b = buf_make(c->a, 4096);
    buf_escape(&b, id);
    return conf_address(c->a, c->serve->conf, path, buf_text(&b));
}

struct str call_quoted(struct call *c, struct str s)
{
    struct buf b = buf_make(c->a, s.n + 1);
    for (size_t i = 0; i < s.n; i++)
        buf_char(&b, s.p[i] == '"' || s.p[i] == '\\' ? '?' : s.p[i]);
    return buf_text(&b);
}
