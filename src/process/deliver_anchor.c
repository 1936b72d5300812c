/* Time stamps for checkpoints of the log. */
#include "process/deliver_anchor.h"

#include "base/clock.h"
#include "base/log.h"
#include "domain/sending/backoff.h"
#include "store/log/log_anchors.h"
#include "world/wake.h"

#define CLAIM (60 * CLOCK_SECOND) /* more than a transfer takes */

static void deliver_anchor_fail(struct deliver_anchor *x, struct str why)
{
    x->ended = true;
    x->answer_n = 0;
    if (!str_copy(x->failure, sizeof x->failure, why))
        x->failure[0] = '\0';
}

const struct err *deliver_anchor_take(struct deliver_anchor *x, struct pg *pg,
                                      struct arena *a, struct outbound *out,
                                      const struct conf *conf)
{
    const int64_t now = clock_now();
    struct log_anchors_item item;
    struct tlog_hash root;
    if (!conf->tsa_url.n || x->sending || x->ended)
        return NULL;
    TRY(log_anchors_take(pg, a, now, now + CLAIM, &item));
    if (!item.checkpoint_id.p)
        return NULL;
    *x = (struct deliver_anchor){.tries = item.tries};
    if (!str_copy(x->checkpoint_id, sizeof x->checkpoint_id,
                  item.checkpoint_id) ||
        !log_checkpoint_hash_read(a, item.merkle_root, &root)) {
        deliver_anchor_fail(x, STR("The checkpoint has no root."));
        return NULL;
    }
    memcpy(x->ask.digest, root.b, sizeof x->ask.digest);
    crypt_random(x->ask.nonce, sizeof x->ask.nonce);
    /* The address is of whoever runs the server, and may be a private one. */
    const struct outbound_request rq = {
        .url = conf->tsa_url,
        .body = stamp_request(a, &x->ask),
        .header = {STR("Content-Type: application/timestamp-query"),
                   STR("Accept: application/timestamp-reply")},
        .headers = 2,
        .internal = true,
        .whole = true};
    x->sending = rq.body.p && outbound_send(out, &rq, x);
    if (!x->sending)
        deliver_anchor_fail(x, STR("The request could not be started."));
    return NULL;
}

void deliver_anchor_done(struct deliver_anchor *x,
                         const struct outbound_result *r)
{
    x->sending = false;
    x->ended = true;
    x->retry_after = r->retry_after;
    if (r->status == 200 && r->body.n > 0 && r->body.n <= sizeof x->answer) {
        x->answer_n = r->body.n;
        memcpy(x->answer, r->body.p, r->body.n);
    } else if (r->status == 200) {
        deliver_anchor_fail(x, STR("The answer is empty or too large."));
    } else {
        deliver_anchor_fail(x, r->said.n ? r->said
                                         : STR("There was no answer."));
    }
}

/* The result of the answer, and when the next try is. */
static struct log_anchors_try deliver_anchor_try(const struct deliver_anchor *x,
                                                 struct arena *a)
{
    const struct str answer = {x->answer, x->answer_n};
    struct log_anchors_try t = {.checkpoint_id = str_of(x->checkpoint_id),
                                .failure = str_of(x->failure),
                                .anchor = STR_NONE};
    struct backoff again = {.tries = x->tries,
                            .retry_after = x->retry_after,
                            .now = clock_now()};
    struct stamp stamp;
    const char *why =
        answer.n > 0 ? stamp_read(a, answer, &x->ask, &stamp) : NULL;
    if (answer.n > 0 && !why) {
        t.failure = STR_NONE;
        t.anchor = log_anchor_text(a, stamp.serial, stamp.at, answer);
        return t;
    }
    if (why)
        t.failure = str_of(why);
    crypt_random(&again.random, sizeof again.random);
    t.next_at = backoff_next(&again);
    return t;
}

const struct err *deliver_anchor_store(struct deliver_anchor *x, struct pg *pg,
                                       struct arena *a)
{
    if (!x->ended)
        return NULL;
    const struct log_anchors_try t = deliver_anchor_try(x, a);
    const struct err *e = log_anchors_end(pg, a, &t);
    if (e && (e->kind == ERR_BUSY || e->kind == ERR_AGAIN))
        return e;
    /* One that the database refuses is dropped: its claim expires. */
    x->ended = false;
    if (e || !t.failure.p)
        return e;
    log_line(LOG_WARN, "deliver: the authority gave no stamp of %.*s: %.*s",
             STR_FMT(t.checkpoint_id), STR_FMT(t.failure));
    wake_changed(log_anchor_wake(a, t.checkpoint_id), clock_now(), STR_NONE);
    return NULL;
}
