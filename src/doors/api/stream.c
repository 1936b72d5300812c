/* Event streams: who may listen, and from which position.
 *
 * A worker only authorizes and hands over; the process that holds the stream
 * writes its frames. Never waits and never writes a frame itself. */
#include "doors/api/api.h"
#include "doors/call/hold.h"
#include "doors/call/session.h"
#include "store/plan/portfolios.h"
#include "store/sending/event_cursor.h"
#include "store/tables.h"

#define AGAIN 30 /* seconds */

/* The listener's position, if it sends one of our ids; one from before a
 * restore is none. */
static bool left_at(struct call *c, enum frame_audience to,
                    struct frame_id *out)
{
    const struct str last = request_header(c->rq, "Last-Event-ID");
    return frame_id_read(last.p ? last : request_query(c->rq, "after"), to,
                         out) &&
           out->epoch == tables_restore().epoch;
}

/* Hands over. A stream that comes back was not accepted: the process that holds
 * streams is down for a moment. */
static const struct err *hold(struct call *c, const struct hold_stream *s)
{
    if (c->rq->bare)
        return ERROR(
            ERR_UNSUPPORTED, "stream.web_server",
            "This web server cannot hold a stream: the locations of Sayso's "
            "nginx site are missing. Poll instead: a GET returns at once.");
    if (c->rq->over)
        return err_retry(c->a, ERROR(ERR_RATE, metrics_limit_streams,
                                     "The key has too many open streams. Close "
                                     "some, or connect again later."),
                         AGAIN);
    if (c->rq->waited)
        return ERROR(ERR_BUSY, "stream.unavailable",
                     "The stream cannot be opened right now. Connect again in "
                     "a moment.");
    if (c->rq->method != METHOD_HEAD) {
        hold_stream(c, s);
        return NULL;
    }
    c->rs->status = 200;
    response_header(c->rs, "Content-Type", STR("text/event-stream"));
    return NULL;
}

const struct err *api_stream_intent(struct call *c)
{
    struct hold_stream s = {.to = FRAME_INTENT, .agent = c->who.agent};
    struct frame_id last;
    struct intent i;
    TRY(call_intent(c, c->param[0], REACH_USE, &i));
    s.after.sequence = i.tail.sequence;
    if (left_at(c, s.to, &last) && last.sequence <= i.tail.sequence)
        s.after = last;
    s.after.intent_id = i.id;
    return hold(c, &s);
}

/* A stream over all intents continues in the order of all events. */
static const struct err *hold_tail(struct call *c, struct hold_stream *s)
{
    struct event_cursor now;
    struct frame_id last;
    TRY(event_cursor_now(c->pg, c->a, &now));
    s->after.xid = now.xid;
    if (left_at(c, s->to, &last) && last.xid < now.xid)
        s->after = last;
    return hold(c, s);
}

const struct err *api_stream_agent(struct call *c)
{
    const struct str agent = c->param[0];
    struct hold_stream s = {.to = FRAME_AGENT};
    if (!principal_agent_name(agent))
        return ERROR(ERR_NOT_FOUND, "agent.unknown",
                     "This is not a valid agent name.");
    TRY(session_speak(c, agent));
    s.any = c->who.role != ROLE_AGENT;
    s.agent = s.any ? agent : reach_name(c->a, &c->who);
    return hold_tail(c, &s);
}

const struct err *api_stream_inbox(struct call *c)
{
    struct hold_stream s = {.to = FRAME_INBOX};
    return hold_tail(c, &s);
}

/* The caller gets the events of the members that it reaches. */
const struct err *api_stream_portfolio(struct call *c)
{
    struct hold_stream s = {.to = FRAME_PORTFOLIO,
                            .agent = reach_reader(c->a, &c->who)};
    struct portfolio p;
    TRY(portfolios_get(c->pg, c->a, c->param[0], &c->who, &p));
    s.portfolio_id = p.id;
    return hold_tail(c, &s);
}
