/* The feed of questions that have ended: one read for a host of many agents,
 * which goes on where the last one ended and may be held. */
#include "base/clock_text.h"
#include "base/id.h"
#include "base/shared/clock_watch.h"
#include "domain/sending/frame.h"
#include "doors/api/api.h"
#include "doors/asking/view.h"
#include "doors/call/hold.h"
#include "store/question/suspensions.h"
#include "store/sending/event_cursor.h"
#include "store/tables.h"

static const struct err *feed_wrong(struct call *c, const char *key,
                                    const char *say)
{
    return err_at(c->a, ERR_BAD_REQUEST, "request.query", str_of(key), "%s",
                  say);
}

/* XID or XID.SUSPENSION_ID, behind the epoch; "now" is after everything that
 * has ended. Another epoch's would leave out what ends from now on, or show it
 * twice. */
static const struct err *feed_read_place(struct call *c,
                                         struct suspensions_feed *feed)
{
    const struct tables_restore restore = tables_restore();
    struct str rest = request_query(c->rq, "ended_after");
    struct json *more = json_object(c->a);
    int64_t xid = 0, epoch = 0;
    if (str_is(rest, "now")) {
        struct event_cursor now;
        TRY(event_cursor_now(c->pg, c->a, &now));
        feed->after_xid = now.xid;
        return NULL;
    }
    const bool ours = frame_id_epoch_read(&rest, &epoch) &&
                      str_int(str_cut(&rest, '.'), 0, INT64_MAX, &xid);
    if (!ours || (rest.p && !id_token(rest)))
        return feed_wrong(c, "ended_after",
                          "\"ended_after\" has to be \"now\", 0 for the "
                          "beginning, or \"next\" of the last answer.");
    feed->after_xid = (uint64_t)xid;
    feed->after_id = rest.p ? rest : STR("");
    if (xid == 0 || epoch == restore.epoch)
        return NULL;
    json_set_int(more, "restore_epoch", restore.epoch);
    if (restore.epoch > 0)
        json_set_text(more, "restored_from",
                      clock_rfc3339(c->a, restore.lost_from));
    return err_more(c->a,
                    err_at(c->a, ERR_CONFLICT, "feed.restored",
                           STR("ended_after"),
                           "This position is older than a restore of the "
                           "database. Start again with \"now\" or 0, and read "
                           "the questions that you wait for."),
                    more);
}

static const struct err *feed_read(struct call *c,
                                   struct suspensions_feed *feed)
{
    const struct str agents = request_query(c->rq, "agents");
    static const char *const others[] = {"state", "after"};
    for (size_t i = 0; i < countof(others); i++)
        if (request_query(c->rq, others[i]).p)
            return feed_wrong(
                c, others[i],
                "\"ended_after\" excludes \"state\" and \"after\".");
    if (agents.p && !str_is(agents, "all"))
        return feed_wrong(c, "agents", "\"agents\" can only be \"all\".");
    if (c->who.role == ROLE_AGENT && agents.p)
        feed->key_id = c->who.id;
    else if (c->who.role == ROLE_AGENT)
        feed->agent = reach_name(c->a, &c->who);
    return feed_read_place(c, feed);
}

const struct err *api_feed(struct call *c)
{
    struct suspensions_feed feed = {.now = clock_watch_latest(clock_now()),
                                    .limit = call_query_int(c, "limit", 50),
                                    .after_id = STR("")};
    struct suspensions_fed fed;
    int64_t wait = 0;
    TRY(hold_wait(c, &wait));
    TRY(feed_read(c, &feed));
    TRY(suspensions_feed(c->pg, c->a, &feed, &fed));
    if (fed.rows.n == 0 && !fed.rows.more && wait > 0) {
        hold_feed(c, fed.below, wait);
        return NULL;
    }
    struct buf b = buf_make(c->a, RESPONSE_BODY_MAX);
    struct buf next = buf_make(c->a, 128);
    frame_id_epoch(&next, tables_restore().epoch);
    buf_int(&next, (int64_t)fed.xid);
    if (fed.id.n > 0) {
        buf_char(&next, '.');
        buf_str(&next, fed.id);
    }
    TRY(view_suspensions(c, &b, &fed.rows, buf_text(&next)));
    buf_put(&b, fed.rows.more ? ",\"more\":true}" : ",\"more\":false}");
    response_json_buf(c->rs, 200, &b);
    if (fed.rows.n == 0 && c->rq->unheld)
        response_header(c->rs, "Retry-After", STR("1"));
    return NULL;
}
