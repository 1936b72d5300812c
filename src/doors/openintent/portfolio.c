/* Portfolios of OpenIntent: making and reading them, their status, their
 * members. */
#include "domain/containers/portfolio.h"

#include "base/clock.h"
#include "base/id.h"
#include "base/json/fields.h"
#include "doors/asking/view.h"
#include "doors/openintent/openintent.h"
#include "store/plan/portfolios.h"
#include "store/sql.gen.h"
#include "world/pg/pg_error.h"

#define PAGE 50

/* ---- reading --------------------------------------------------------- */

/* The portfolio with the members that the caller reaches. */
static const struct err *
portfolio_whole(struct call *c, const struct portfolio *p, struct json **out)
{
    struct portfolio_members members;
    TRY(portfolios_members(c->pg, c->a, p->id, &c->who, &members));
    *out = portfolio_object(c->a, p, &members);
    return NULL;
}

const struct err *openintent_portfolio_get(struct call *c)
{
    struct json *o = NULL;
    struct portfolio p;
    TRY(portfolios_get(c->pg, c->a, c->param[0], &c->who, &p));
    TRY(portfolio_whole(c, &p, &o));
    response_json(c->rs, 200, o);
    return NULL;
}

static void portfolio_answer_list(struct call *c,
                                  const struct portfolio_rows *rows)
{
    struct json *o = json_object(c->a);
    json_set_json(o, "portfolios",
                  record_list(c->a, &portfolio_record, rows->v, rows->n));
    json_set_text_or_null(o, "next", rows->more && rows->n > 0
                                         ? rows->v[rows->n - 1].id
                                         : STR_NONE);
    response_json(c->rs, 200, o);
}

const struct err *openintent_portfolio_list(struct call *c)
{
    const struct portfolios_page page = {
        .who = &c->who,
        .created_by = request_query(c->rq, "created_by"),
        .status = request_query(c->rq, "status"),
        .after = request_query(c->rq, "after"),
        .limit = call_query_int(c, "limit", PAGE)};
    struct portfolio_rows rows;
    if (page.status.p && vocabulary_portfolio_status_of(page.status) ==
                             PORTFOLIO_STATUS__MAX)
        return err_at(c->a, ERR_BAD_REQUEST, "request.query", STR("status"),
                      "\"status\" has to be active, completed or abandoned.");
    TRY(portfolios_list(c->pg, c->a, &page, &rows));
    portfolio_answer_list(c, &rows);
    return NULL;
}

const struct err *openintent_portfolio_of_intent(struct call *c)
{
    struct portfolio_rows rows;
    struct intent i;
    TRY(call_intent(c, c->param[0], REACH_USE, &i));
    TRY(portfolios_of_intent(c->pg, c->a, i.id, &rows));
    portfolio_answer_list(c, &rows);
    return NULL;
}

const struct err *openintent_portfolio_intents(struct call *c)
{
    const struct portfolios_intents page = {
        .id = c->param[0],
        .who = &c->who,
        .after = request_query(c->rq, "after"),
        .limit = call_query_int(c, "limit", PORTFOLIO_MEMBERS_MAX)};
    struct buf b = buf_make(c->a, RESPONSE_BODY_MAX);
    struct portfolio_members members;
    struct intent_rows rows;
    struct portfolio p;
    TRY(portfolios_get(c->pg, c->a, c->param[0], &c->who, &p));
    TRY(portfolios_members(c->pg, c->a, p.id, &c->who, &members));
    TRY(portfolios_intents(c->pg, c->a, &page, &rows));
    view_intents(&b, "intents", &rows);
    b.n--; /* the closing brace */
    buf_put(&b, ",\"aggregate_status\":");
    json_write(&b, portfolio_aggregate(c->a, &members));
    buf_char(&b, '}');
    response_json_buf(c->rs, 200, &b);
    return NULL;
}

/* ---- making and changing --------------------------------------------- */

const struct err *openintent_portfolio_create(struct call *c)
{
    struct portfolio p = {.id = id_new(c->a),
                          .created_by = principal_actor(&c->who),
                          .test = c->who.test};
    const struct portfolio_members none = {.n = 0};
    struct work w = call_work(c);
    TRY(call_body_once(c));
    TRY(portfolio_read(c->a, c->body, clock_now(), &p));
    TRY(work_begin_bare(&w, &c->once));
    if (w.answered)
        return call_replay(c, &w);
    portfolios_queue_insert(c->pg, c->a, &p);
    return call_commit_bare(c, &w, 201, portfolio_object(c->a, &p, &none));
}

/* Nothing is queued before the object is read. */
static const struct err *
portfolio_commit(struct call *c, struct work *w, const struct portfolio *p,
                 const struct portfolios_waiting *waiting)
{
    struct json *o = NULL;
    TRY(portfolio_whole(c, p, &o));
    portfolios_queue_update(c->pg, c->a, p);
    portfolios_queue_deadlines(c->pg, c->a, waiting->v, waiting->n);
    return call_commit_bare(c, w, 200, o);
}

const struct err *openintent_portfolio_status(struct call *c)
{
    const struct portfolios_waiting none = {.n = 0};
    struct intent_ids open = {.n = 0};
    struct portfolio p;
    struct work w = call_work(c);
    TRY(call_body(c));
    struct fields f = fields(c->a, c->body, STR(""));
    fields_need(&f, "status");
    const enum portfolio_status to =
        vocabulary_portfolio_status_read(&f, "status");
    TRY(fields_error(&f));
    TRY(work_begin_bare(&w, NULL));
    TRY(portfolios_take(c->pg, c->a, c->param[0], &c->who, &p));
    TRY(portfolio_check_changer(&p, &c->who));
    if (to != p.status) { /* the one that it has changes nothing */
        TRY(portfolio_check_active(&p));
        TRY(portfolio_check_keeper(&p, &c->who));
        /* All members are completed, or the policy does not ask for it. */
        const struct portfolio_policy policy = portfolio_policy_of(c->a, &p);
        if (to == PORTFOLIO_COMPLETED && policy.all)
            TRY(portfolios_open(c->pg, c->a, p.id, policy.partial, &open));
        if (open.n > 0)
            return err_more(c->a,
                            ERROR(ERR_CONFLICT, "portfolio.members_open",
                                  "The portfolio has members that are not "
                                  "completed."),
                            intent_ids_open(c->a, &open));
        p.status = to;
        p.status_by = principal_actor(&c->who);
        p.status_at = p.updated_at = w.now;
        p.version++;
    }
    return portfolio_commit(c, &w, &p, &none);
}

/* The clock has to find them by the earlier deadline. Another one may have
 * asked before the portfolio was locked: then all of it runs again. */
static const struct err *
portfolio_check_waiting(struct call *c, const struct portfolio *p,
                        const struct portfolios_waiting *locked)
{
    struct portfolios_waiting now;
    TRY(portfolios_waiting(c->pg, c->a, p->id, &now));
    for (size_t i = 0; i < now.n; i++) {
        size_t k = 0;
        while (k < locked->n && !str_eq(locked->v[k], now.v[i]))
            k++;
        if (k == locked->n)
            return pg_error_again();
    }
    return NULL;
}

const struct err *openintent_portfolio_change(struct call *c)
{
    struct portfolios_waiting locked = {.n = 0};
    struct portfolio p;
    struct work w = call_work(c);
    TRY(call_body(c));
    TRY(work_begin_bare(&w, NULL));
    /* Before the portfolio's lock: those of the members that an earlier
     * deadline could end. */
    if (json_has(c->body, "deadline")) {
        TRY(portfolios_waiting(c->pg, c->a, c->param[0], &locked));
        TRY(portfolios_take_waiting(c->pg, c->a, &locked));
    }
    TRY(portfolios_take(c->pg, c->a, c->param[0], &c->who, &p));
    const int64_t before = p.deadline;
    TRY(portfolio_check_active(&p));
    TRY(portfolio_read_changes(c->a, c->body, &p));
    p.updated_at = w.now;
    p.version++;
    if (p.deadline && (!before || p.deadline < before))
        TRY(portfolio_check_waiting(c, &p, &locked));
    return portfolio_commit(c, &w, &p, &locked);
}

/* ---- members --------------------------------------------------------- */

/* The portfolio of a change of its members, locked after the intent. */
static const struct err *portfolio_take(struct call *c, struct work *w,
                                        struct portfolio *p,
                                        struct portfolio_place *at)
{
    TRY(portfolios_take(c->pg, c->a, c->param[0], &c->who, p));
    TRY(portfolio_check_changer(p, &c->who));
    return portfolios_place(c->pg, c->a, p->id, w->intent.id, at);
}

const struct err *openintent_portfolio_add(struct call *c)
{
    struct portfolio_member m = {.id = id_new(c->a), .role = MEMBER_PLAIN};
    struct portfolio_place at;
    struct portfolio p;
    struct work w;
    TRY(call_body_once(c));
    TRY(record_body(c->a, c->body, &portfolio_member_record, &m));
    TRY(call_begin(c, &w, m.intent_id));
    if (w.answered)
        return call_replay(c, &w);
    TRY(portfolio_take(c, &w, &p, &at));
    TRY(portfolio_check_active(&p));
    TRY(portfolio_check_adder(&c->who, &w.intent));
    TRY(reach_joins(c->a, p.test, w.intent.test, "intent_id"));
    TRY(portfolio_check_room(&at, m.role));
    const bool new = !at.member.id.p;
    m.portfolio_id = at.member.portfolio_id;
    m.id = new ? m.id : at.member.id;
    m.added_at = new ? w.now : at.member.added_at;
    portfolios_queue_join(c->pg, c->a, &m);
    portfolios_queue_deadlines(c->pg, c->a, &w.intent.id, 1);
    w.intent.containers |= INTENT_IN_PORTFOLIO;
    if (new)
        TRY(work_event(&w, "added_to_portfolio", event_by(&c->who),
                       record_payload(c->a, &portfolio_member_record, &m)));
    return call_commit(c, &w, new ? 201 : 200,
                       record_object(c->a, &portfolio_member_record, &m),
                       false);
}

/* Out of an ended one too: an intent may be in a few only. */
const struct err *openintent_portfolio_remove(struct call *c)
{
    struct portfolio_place at;
    struct portfolio p;
    struct work w;
    TRY(call_begin(c, &w, c->param[1]));
    TRY(portfolio_take(c, &w, &p, &at));
    if (!at.member.id.p)
        return ERROR(ERR_NOT_FOUND, "portfolio.no_member",
                     "The intent is not in this portfolio.");
    TRY(portfolio_check_keeper(&p, &c->who));
    portfolios_queue_leave(c->pg, c->a, &at.member);
    TRY(work_event(&w, "removed_from_portfolio", event_by(&c->who),
                   record_payload(c->a, &portfolio_member_record,
                                  &at.member)));
    TRY(work_commit(&w, NULL));
    c->rs->status = 204;
    return NULL;
}
