/* The limits of one key or session.
 *
 * Called by serve.c around every call, and by the handlers that ask. Takes no
 * locks, and writes to the database only every few megabytes. */
#include "doors/call/limit.h"

#include "base/clock.h"
#include "base/log.h"
#include "store/keys.h"
#include "store/suspensions.h"

#define DAY (86400 * CLOCK_SECOND)
#define MEGABYTE INT64_C(1000000)
#define ASK_AGAIN 60 /* seconds until a question may have been answered */

/* Only agents store data that nobody has reviewed; an answer is never refused
 * for its bytes. */
static bool stores(const struct call *c)
{
    return c->who.role == ROLE_AGENT && c->rq->method != METHOD_GET &&
           c->rq->method != METHOD_HEAD;
}

static const struct err *check_bytes(struct call *c)
{
    const int64_t now = clock_now();
    const int64_t most = c->serve->conf->limit_bytes_mb * MEGABYTE;
    if (!stores(c) ||
        quota_bytes(c->serve->quota, c->who.id, now / DAY) < most)
        return NULL;
    return err_retry(c->a,
                     ERROR(ERR_RATE, metrics_limit_bytes,
                           "This key has reached its limit of bytes stored in "
                           "a day."),
                     (DAY - now % DAY) / CLOCK_SECOND + 1);
}

const struct err *limit_enter(struct call *c)
{
    if (c->counted || c->rq->waited || c->who.id.n == 0)
        return NULL;
    c->counted = true;
    const int64_t again =
        quota_request(c->serve->quota, c->who.id,
                      c->serve->conf->limit_rate, clock_mono());
    if (again > 0)
        return err_retry(c->a, ERROR(ERR_RATE, metrics_limit_rate,
                                     "Too many requests at once. Wait a "
                                     "moment, and use wait instead of "
                                     "polling."),
                         again);
    return check_bytes(c);
}

const struct err *limit_ask(struct call *c)
{
    struct quota *const q = c->serve->quota;
    const int64_t most = c->serve->conf->limit_open;
    int64_t n = 0;
    if (quota_open(q, c->who.id, most, clock_mono()))
        return NULL;
    TRY(suspensions_open_of(c->pg, c->a, c->who.id, most, &n));
    quota_opened(q, c->who.id, n + 1, clock_mono());
    return n < most
               ? NULL
               : err_retry(c->a,
                           ERROR(ERR_RATE, metrics_limit_open,
                                 "This key has reached its limit of open "
                                 "questions. Wait for answers, or cancel "
                                 "some."),
                           ASK_AGAIN);
}

void limit_leave(struct call *c)
{
    const int64_t day = clock_now() / DAY;
    int64_t total = 0;
    if (c->stored == 0 || !stores(c))
        return;
    const int64_t n = quota_store(c->serve->quota, c->who.id, day,
                                  (int64_t)c->stored);
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
