/* Handing a request over to the process that holds waiters.
 *
 * Called by the handlers that may wait, after they have authorized the caller,
 * and by serve.c for refused streams. Never waits itself. */
#include "doors/call/hold.h"

#include "base/clock.h"
#include "base/crypt.h"

#define TARGET_MAX 2048
#define AGAIN 10 /* seconds until a place may be free */
#define SPREAD_MAX (10 * CLOCK_SECOND)
#define SPREAD_FROM 2 /* seconds; shorter holds end on time */
#define PREFIX 8 /* characters of a key that identify a caller */

static const char *const audiences[] = {[FRAME_INTENT] = "intent",
                                        [FRAME_AGENT] = "agent",
                                        [FRAME_INBOX] = "inbox",
                                        [FRAME_PORTFOLIO] = "portfolio"};
_Static_assert(countof(audiences) == FRAME_AUDIENCE__MAX,
               "a word for each audience");

static struct buf hold_target(struct call *c, const char *path)
{
    struct buf b = buf_make(c->a, TARGET_MAX);
    buf_put(&b, path);
    return b;
}

static void hold_put_text(struct buf *b, const char *key, struct str value)
{
    buf_put(b, key);
    buf_escape(b, value);
}

static void hold_put_int(struct buf *b, const char *key, int64_t value)
{
    buf_put(b, key);
    buf_int(b, value);
}

struct str hold_seal(struct arena *a, struct str secret, struct str target)
{
    struct buf b = buf_make(a, 256);
    buf_escape(&b, crypt_hmac(a, secret, target));
    return buf_text(&b);
}

/* Appends the caller to whom the place is counted. */
static void hold_put_caller(struct call *c, struct buf *b)
{
    if (c->who.person)
        hold_put_text(b, "&session=", crypt_sha256_hex(c->a, c->cookie));
    else
        hold_put_text(b, "&key=", c->who.id);
}

/* The end of a hold of so many seconds: a random moment of its last fifth.
 * Thousands that began together, as after a restart, would otherwise come back
 * together: more than the workers' socket takes. */
static int64_t hold_until(int64_t wait)
{
    const int64_t fifth = wait * CLOCK_SECOND / 5;
    const int64_t span = fifth < SPREAD_MAX ? fifth : SPREAD_MAX;
    uint32_t random = 0;
    crypt_random(&random, sizeof random);
    return clock_now() + wait * CLOCK_SECOND -
           (wait < SPREAD_FROM ? 0 : (int64_t)random % span);
}

static void hold_hand_over(struct call *c, struct buf *b)
{
    const struct str seal =
        hold_seal(c->a, c->serve->secret, buf_text(b));
    buf_put(b, HOLD_SEAL);
    buf_str(b, seal);
    response_hand_over(c->rs, buf_text(b));
}

const struct err *hold_wait(struct call *c, int64_t *out)
{
    *out = 0;
    if (c->rq->over)
        return err_retry(c->a, ERROR(ERR_RATE, metrics_limit_held,
                                     "This key has too many waiting reads. Ask "
                                     "again later, or without wait."),
                         AGAIN);
    if (!c->rq->waited && c->rq->method == METHOD_GET)
        *out = call_query_int(c, "wait", 0);
    return NULL;
}

void hold_poll(struct call *c, const struct hold_poll *p)
{
    const bool reports = p->token.n > 0 && p->token.n <= HOLD_TOKEN_MAX;
    struct buf b = hold_target(c, reports                   ? "/_wait/progress"
                                  : p->wait > HOLD_POLL_MAX ? "/_wait/call"
                                                            : "/_wait/poll");
    hold_put_text(&b, "?intent=", p->intent_id);
    if (reports)
        hold_put_text(&b, p->listens ? "&listen=" : "&token=", p->token);
    if (p->suspension_id.p)
        hold_put_text(&b, "&suspension=", p->suspension_id);
    else
        hold_put_int(&b, "&since=", p->since);
    hold_put_int(&b, "&until=", hold_until(p->wait));
    hold_put_caller(c, &b);
    hold_hand_over(c, &b);
}

void hold_feed(struct call *c, uint64_t from, int64_t wait)
{
    struct buf b = hold_target(c, "/_wait/feed");
    hold_put_text(
        &b, "?intent=", c->who.role == ROLE_AGENT ? c->who.id : STR(HOLD_ANY));
    hold_put_int(&b, "&since=", (int64_t)from - 1);
    hold_put_int(&b, "&until=", hold_until(wait));
    hold_put_caller(c, &b);
    hold_hand_over(c, &b);
}

void hold_stream(struct call *c, const struct hold_stream *s)
{
    struct buf b = hold_target(c, "/_wait/stream");
    hold_put_text(&b, "?to=", str_of(audiences[s->to]));
    hold_put_int(&b, "&xid=", (int64_t)s->after.xid);
    hold_put_text(&b, "&intent=", s->after.intent_id);
    hold_put_int(&b, "&after=", s->after.sequence);
    hold_put_int(&b, "&skip=", (int64_t)s->after.part);
    if (s->agent.p)
        hold_put_text(&b, "&agent=", s->agent);
    if (s->any)
        hold_put_text(&b, "&any=", STR("yes"));
    if (s->portfolio_id.p)
        hold_put_text(&b, "&portfolio=", s->portfolio_id);
    hold_put_caller(c, &b);
    hold_hand_over(c, &b);
}

bool hold_refuse(struct call *c)
{
    const struct str accept = request_header(c->rq, "Accept");
    const struct str key = request_header(c->rq, "X-API-Key");
    const struct str bearer = request_header(c->rq, "Authorization");
    if (c->rq->waited || c->rq->method != METHOD_GET ||
        !str_starts(c->rq->path, STR("/api/")) ||
        str_search_nocase(accept, STR("text/event-stream")) >= accept.n)
        return false;
    struct buf b = hold_target(c, "/_wait/hold");
    /* The digest by which refused callers are slowed down together; nothing of
     * a key is passed on. */
    const struct str head =
        str_sub(key.p ? key : bearer, 0, key.p ? PREFIX : 7 + PREFIX);
    const struct str digest =
        crypt_sha256_hex(c->a, arena_join(c->a, c->rq->remote, STR("\n"), head,
                                          STR("\n"), c->rq->path));
    hold_put_text(&b, "?who=", str_sub(digest, 0, 16));
    hold_hand_over(c, &b);
    return true;
}
