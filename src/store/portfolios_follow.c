/* A change of a member's status reaches its portfolios: an event for each of
 * them, and the completion of those that it completes. */
#include "base/clock_text.h"
#include "store/portfolios.h"
#include "store/sql.gen.h"

/* ---- events ---------------------------------------------------------- */

/* A full log takes none of them: they must not keep a question from its end. */
static const struct err *tell(const struct containers_change *c,
                              const char *type, const struct json *payload)
{
    const struct event_draft draft = {
        .type = type, .by = event_by_server(), .payload = payload};
    const struct err *e = event_append(c->arena, c->intent->id, &draft, c->now,
                                       &c->intent->tail, c->events);
    return err_is(e, event_log_full) ? NULL : e;
}

static struct json *suspended(const struct containers_change *c,
                              struct str portfolio_id)
{
    const struct suspension *s = c->suspension;
    const bool open = s && s->state == SUSPENSION_PENDING;
    struct json *p = json_object(c->arena);
    json_set_text(p, "portfolio_id", portfolio_id);
    json_set_text(p, "intent_id", c->intent->id);
    json_set_text_or_null(p, "suspension_id", open ? s->id : STR_NONE);
    json_set_text(p, "suspended_since", clock_naive(c->arena, c->now));
    json_set_text_or_null(p, "expires_at",
                          open ? clock_naive(c->arena, s->expires_at)
                               : STR_NONE);
    return p;
}

static const char *resolution(enum suspension_state state)
{
    return state == SUSPENSION_RESOLVED  ? "responded"
           : state == SUSPENSION_EXPIRED ? "fallback"
                                         : "cancelled";
}

/* An operator may resume an intent that has no question. */
static struct json *resumed(const struct containers_change *c,
                            struct str portfolio_id)
{
    const struct suspension *s = c->suspension;
    const bool ended =
        s && s->state != SUSPENSION_PENDING && s->responded_at == c->now;
    struct json *p = json_object(c->arena);
    json_set_text(p, "portfolio_id", portfolio_id);
    json_set_text(p, "intent_id", c->intent->id);
    json_set_text_or_null(p, "suspension_id", ended ? s->id : STR_NONE);
    json_set_text(p, "resolution",
                  str_of(resolution(ended ? s->state : SUSPENSION_CANCELLED)));
    json_set_text(p, "status",
                  vocabulary_intent_status(c->intent->status)->wire);
    return p;
}

/* ---- completion ------------------------------------------------------ */

/* The count is a statement after the lock: another member may have completed
 * during the wait for it. */
static const struct err *complete(const struct containers_change *c,
                                  const struct str *ids, size_t n)
{
    if (n == 0)
        return NULL;
    pg_queue(c->pg, c->arena, SQL_PORTFOLIO_TAKE_MANY, PG(pg_texts(ids, n)));
    pg_queue(c->pg, c->arena, SQL_PORTFOLIO_COMPLETE,
             PG(pg_texts(ids, n), pg_text(c->intent->id),
                pg_text(event_by_server().name), pg_moment(c->now)));
    pg_queue(c->pg, c->arena, SQL_COORDINATOR_END_OF_PORTFOLIOS,
             PG(pg_texts(ids, n), pg_moment(c->now)));
    return pg_run(c->pg, c->arena, NULL);
}

const struct err *portfolios_follow(const struct containers_change *c)
{
    const enum intent_status to = c->intent->status;
    const bool back = c->was == INTENT_SUSPENDED && !intent_ended(to);
    struct str ids[PORTFOLIOS_OF_INTENT_MAX];
    struct pg_rows *rows = NULL;
    size_t n = 0;
    if (!(c->intent->containers & INTENT_IN_PORTFOLIO) ||
        (to != INTENT_SUSPENDED && to != INTENT_COMPLETED && !back))
        return NULL;
    TRY(pg_query(c->pg, c->arena, SQL_PORTFOLIO_ACTIVE,
                 PG(pg_text(c->intent->id)), &rows));
    for (size_t i = 0; i < pg_count(rows); i++) {
        const struct str id = pg_str(rows, i, 0);
        if (to == INTENT_SUSPENDED)
            TRY(tell(c, "portfolio.member_suspended", suspended(c, id)));
        else if (back)
            TRY(tell(c, "portfolio.member_resumed", resumed(c, id)));
        if (to == INTENT_COMPLETED && pg_int(rows, i, 1) > 0)
            ids[n++] = id;
    }
    return complete(c, ids, n);
}
