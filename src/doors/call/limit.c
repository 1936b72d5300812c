/* The limits of one key or session.
 *
 * Called by serve.c around every call. Takes no locks, and writes to the
 * database only every few megabytes. */
#include "doors/call/limit.h"

#include "base/clock.h"
#include "base/log.h"
#include "store/person/keys.h"

#define DAY (86400 * CLOCK_SECOND)
#define MEGABYTE INT64_C(1000000)
#define WORK_AGAIN 1
/* Bytes that are charged as one request more, of a request's body and of a
 * response, which costs the server less. A request with a larger body than one
 * piece is large. */
#define PIECE ((size_t)16 << 10)
#define PIECE_SENT ((size_t)128 << 10)
/* A request beyond these is large or long: a read by the bytes that it sends,
 * more than one intent has, and by its time of the processor, because a busy
 * machine or a slow database is not the caller's doing; a change by the bytes
 * that it stores or sends, because an intent is read and written whole. */
#define LARGE_READ ((size_t)1 << 20)
#define LARGE_SENT ((size_t)64 << 10) /* by a change */
#define LARGE_STORED ((size_t)256 << 10)
#define LONG_READ (CLOCK_SECOND / 10)

static bool limit_reads(const struct call *c)
{
    return c->rq->method == METHOD_GET || c->rq->method == METHOD_HEAD;
}

/* Was it counted before it was held? Behind a web server that holds nothing no
 * request was. */
static bool limit_came_back(const struct call *c)
{
    return c->rq->waited && !c->rq->bare;
}

static void limit_charge(const struct call *c, size_t pieces)
{
    if (pieces > 0)
        quota_charge(c->serve->quota, c->who.id, c->serve->conf->limit_rate,
                     (int64_t)pieces, clock_mono());
}

static bool limit_large_body(const struct call *c)
{
    return !limit_reads(c) && c->rq->body.n > PIECE;
}

/* Was it large or long, which its body did not say? A person writes no more
 * than a page takes. The time of a change says nothing: a worker prepares its
 * statements in its first one. */
static bool limit_was_heavy(const struct call *c, size_t stored)
{
    const size_t sent = c->rs->body.n;
    if (limit_reads(c))
        return sent > LARGE_READ || clock_cpu() - c->cpu > LONG_READ;
    return !c->who.person_id.p && !limit_large_body(c) &&
           (sent > LARGE_SENT || stored > LARGE_STORED);
}

/* Is it a caller that answers, in a browser or with a key? The worker that is
 * kept from agents serves those: else one key of an agent could hold them up.
 */
static bool limit_answers(const struct call *c)
{
    return c->who.role & (ROLE_OPERATOR | ROLE_ADMIN | ROLE_USER);
}

/* Would `more` requests of the caller be too many, with those in progress? */
static bool limit_full(const struct call *c, int64_t more)
{
    const struct conf *conf = c->serve->conf;
    const bool person = limit_answers(c);
    const int64_t keys = conf->workers > 1 ? conf->workers - 1 : 1;
    const struct quota_seats n =
        quota_seats(c->serve->quota, c->who.id, person);
    return n.own + more > conf->limit_workers ||
           (!person && n.keys + more > keys);
}

/* Takes the seat for a large request. One that was held had a seat before it
 * was, and is only counted. */
static const struct err *limit_work(struct call *c)
{
    const struct serve *s = c->serve;
    /* The work of a body is known before it is read; any other only from the
     * last one of its kind. */
    if (!limit_large_body(c) &&
        !quota_was_heavy(s->quota, c->who.id, c->route_n, clock_mono()))
        return NULL;
    bool full = !limit_came_back(c) && limit_full(c, 1);
    if (!full) {
        quota_seat_take(s->quota, s->seat, c->who.id, limit_answers(c));
        full = !limit_came_back(c) && limit_full(c, 0); /* another was faster */
    }
    if (!full)
        return NULL;
    quota_seat_give(s->quota, s->seat);
    return err_retry(c->a,
                     ERROR(ERR_RATE, metrics_limit_workers,
                           "Too many large requests of this key are in "
                           "progress. Send them one at a time."),
                     WORK_AGAIN);
}

const struct err *limit_enter(struct call *c)
{
    if (c->counted || c->who.id.n == 0)
        return NULL;
    c->counted = true;
    /* Only agents store data that nobody has reviewed; an answer is never
     * refused for its bytes. A test key acts as a person later on. */
    c->stores = c->who.role == ROLE_AGENT && !limit_reads(c);
    c->cpu = limit_reads(c) ? clock_cpu() : 0;
    if (limit_came_back(c))
        return limit_work(c);
    const int64_t again =
        quota_request(c->serve->quota, c->who.id,
                      c->serve->conf->limit_rate, clock_mono());
    if (again > 0)
        return err_retry(c->a, ERROR(ERR_RATE, metrics_limit_rate,
                                     "Too many requests at once. Wait a "
                                     "moment, and use wait instead of "
                                     "polling."),
                         again);
    const int64_t now = clock_now();
    if (c->stores && quota_bytes(c->serve->quota, c->who.id, now / DAY) >=
                         c->serve->conf->limit_bytes_mb * MEGABYTE)
        return err_retry(c->a,
                         ERROR(ERR_RATE, metrics_limit_bytes,
                               "This key has reached its limit of bytes "
                               "stored in a day."),
                         (DAY - now % DAY) / CLOCK_SECOND + 1);
    TRY(limit_work(c));
    limit_charge(c, c->rq->body.n / PIECE);
    return NULL;
}

/* Saves the count of the key every few megabytes. */
static void limit_store(struct call *c, size_t bytes)
{
    const int64_t day = clock_now() / DAY;
    int64_t total = 0;
    metrics_count(c->serve->metrics, METRICS_STORED, bytes);
    const int64_t n = quota_store(c->serve->quota, c->who.id, day,
                                  (int64_t)bytes);
    if (n == 0)
        return;
    const struct err *e =
        keys_stored(c->pg, c->a, c->who.id, day * DAY, n, &total);
    if (e) {
        log_line(LOG_WARN,
                 "limit: the stored bytes of key %.*s are not saved: %s",
                 STR_FMT(c->who.id), e->code);
        quota_unsaved(c->serve->quota, c->who.id, day, n);
    } else {
        quota_saved(c->serve->quota, c->who.id, day, total);
    }
}

void limit_leave(struct call *c)
{
    const size_t sent = c->rs->body.n;
    const size_t stored = pg_stored(c->pg);
    quota_seat_give(c->serve->quota, c->serve->seat);
    if (!c->counted)
        return;
    if (limit_was_heavy(c, stored))
        quota_heavy(c->serve->quota, c->who.id, c->route_n, clock_mono());
    if (sent > LARGE_READ)
        limit_charge(c, sent / PIECE_SENT);
    if (stored > 0 && c->stores)
        limit_store(c, stored);
}
