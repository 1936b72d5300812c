/* Portfolios in the database: struct in, struct out. Decides nothing. */
#include "store/portfolios.h"

#include "base/id.h"
#include "store/sql.gen.h"

/* The columns of portfolio_columns. */
enum { ID, NAME, DESCRIPTION, CREATED_BY, STATUS, STATUS_BY, STATUS_AT, POLICY,
       METADATA, DEADLINE, THRESHOLD, VERSION, CREATED_AT, UPDATED_AT,
       COORDINATOR, GRANTED_BY, TEST };

static struct portfolio row(const struct pg_rows *r, size_t i)
{
    return (struct portfolio){
        .id = pg_str(r, i, ID),
        .name = pg_str(r, i, NAME),
        .description = pg_str(r, i, DESCRIPTION),
        .created_by = pg_str(r, i, CREATED_BY),
        .status = vocabulary_portfolio_status_of(pg_str(r, i, STATUS)),
        .status_by = pg_str(r, i, STATUS_BY),
        .status_at = pg_int(r, i, STATUS_AT),
        .policy = pg_str(r, i, POLICY),
        .metadata = pg_str(r, i, METADATA),
        .deadline = pg_int(r, i, DEADLINE),
        .threshold = pg_int(r, i, THRESHOLD),
        .version = pg_int(r, i, VERSION),
        .created_at = pg_int(r, i, CREATED_AT),
        .updated_at = pg_int(r, i, UPDATED_AT),
        .coordinator = pg_str(r, i, COORDINATOR),
        .granted_by = pg_str(r, i, GRANTED_BY),
        .test = pg_bool(r, i, TEST)};
}

static struct portfolio_rows page_of(struct arena *a, const struct pg_rows *r,
                                     int64_t limit)
{
    struct portfolio_rows out = {.n = pg_count(r)};
    out.more = out.n > (size_t)limit;
    if (out.more)
        out.n = (size_t)limit;
    out.v = arena_many(a, out.n + 1, struct portfolio);
    for (size_t i = 0; i < out.n; i++)
        out.v[i] = row(r, i);
    return out;
}

/* ---- reading --------------------------------------------------------- */

static const struct err *unknown(void)
{
    return ERROR(ERR_NOT_FOUND, "portfolio.unknown",
                 "There is no portfolio with this id.");
}

static const struct err *get(struct pg *pg, struct arena *a, struct str id,
                             const struct principal *who, bool lock,
                             struct portfolio *out)
{
    struct pg_list args = {0};
    struct pg_rows *rows[2] = {NULL};
    if (!id_uuid(id))
        return unknown();
    pg_add(&args, pg_text(id));
    intents_reader(&args, a, who);
    if (lock)
        pg_queue(pg, a, SQL_PORTFOLIO_TAKE, PG(pg_text(id)));
    pg_queue(pg, a, SQL_PORTFOLIO_GET, PG_ALL(&args));
    TRY(pg_run(pg, a, rows));
    const struct pg_rows *found = rows[lock ? 1 : 0];
    if (pg_count(found) == 0)
        return unknown();
    *out = row(found, 0);
    return NULL;
}

const struct err *portfolios_get(struct pg *pg, struct arena *a, struct str id,
                                 const struct principal *who,
                                 struct portfolio *out)
{
    return get(pg, a, id, who, false, out);
}

const struct err *portfolios_take(struct pg *pg, struct arena *a,
                                  struct str id, const struct principal *who,
                                  struct portfolio *out)
{
    return get(pg, a, id, who, true, out);
}

const struct err *portfolios_list(struct pg *pg, struct arena *a,
                                  const struct portfolios_page *page,
                                  struct portfolio_rows *out)
{
    struct pg_list args = {0};
    struct pg_rows *rows = NULL;
    pg_add(&args, pg_number(page->limit + 1));
    intents_reader(&args, a, page->who);
    pg_add(&args, pg_text(page->after));
    pg_add(&args, pg_text(page->created_by));
    pg_add(&args, pg_text(page->status));
    TRY(pg_query(pg, a, SQL_PORTFOLIO_LIST, PG_ALL(&args), &rows));
    *out = page_of(a, rows, page->limit);
    return NULL;
}

const struct err *portfolios_of_intent(struct pg *pg, struct arena *a,
                                       struct str intent_id,
                                       struct portfolio_rows *out)
{
    struct pg_rows *rows = NULL;
    TRY(pg_query(pg, a, SQL_PORTFOLIO_OF_INTENT, PG(pg_text(intent_id)),
                 &rows));
    *out = page_of(a, rows, PORTFOLIOS_OF_INTENT_MAX);
    return NULL;
}

/* ---- members --------------------------------------------------------- */

enum { NODE_ID, TITLE, INTENT_STATUS, DEPENDS_ON, SUSPENSION, EXPIRES_AT,
       MEMBERSHIP, ROLE, PRIORITY, ADDED_AT, SINCE };

static struct graph_node node(const struct pg_rows *r, size_t i)
{
    return (struct graph_node){
        .id = pg_str(r, i, NODE_ID),
        .title = pg_str(r, i, TITLE),
        .status = vocabulary_intent_status_of(pg_str(r, i, INTENT_STATUS)),
        .depends_on = pg_str(r, i, DEPENDS_ON),
        .suspension_id = pg_str(r, i, SUSPENSION),
        .expires_at = pg_int(r, i, EXPIRES_AT),
        .outside = !pg_str(r, i, MEMBERSHIP).p};
}

static struct portfolio_member member(const struct pg_rows *r, size_t i,
                                      struct str portfolio_id)
{
    return (struct portfolio_member){
        .id = pg_str(r, i, MEMBERSHIP),
        .portfolio_id = portfolio_id,
        .intent_id = pg_str(r, i, NODE_ID),
        .role = vocabulary_member_role_of(pg_str(r, i, ROLE)),
        .priority = pg_int(r, i, PRIORITY),
        .added_at = pg_int(r, i, ADDED_AT),
        .suspended_since = pg_int(r, i, SINCE)};
}

const struct err *portfolios_members(struct pg *pg, struct arena *a,
                                     struct str id,
                                     const struct principal *who,
                                     struct portfolio_members *out)
{
    struct pg_list args = {0};
    struct pg_rows *r = NULL;
    pg_add(&args, pg_text(id));
    intents_reader(&args, a, who);
    TRY(pg_query(pg, a, SQL_PORTFOLIO_MEMBERS, PG_ALL(&args), &r));
    const size_t n = pg_count(r);
    *out = (struct portfolio_members){
        .v = arena_many(a, n + 1, struct portfolio_member),
        .graph = {.v = arena_many(a, n + 1, struct graph_node), .n = n}};
    for (size_t i = 0; i < n; i++) {
        out->graph.v[i] = node(r, i);
        if (!out->graph.v[i].outside)
            out->v[out->n++] = member(r, i, id);
    }
    return NULL;
}

const struct err *portfolios_intents(struct pg *pg, struct arena *a,
                                     const struct portfolios_intents *page,
                                     struct intent_rows *out)
{
    struct pg_list args = {0};
    struct pg_rows *rows = NULL;
    pg_add(&args, pg_text(page->id));
    intents_reader(&args, a, page->who);
    intents_arg_page(&args, page->limit);
    pg_add(&args, pg_text(page->after));
    TRY(pg_query(pg, a, SQL_PORTFOLIO_INTENTS, PG_ALL(&args), &rows));
    *out = intents_page_of(a, rows, page->limit);
    return NULL;
}

const struct err *portfolios_questions(struct pg *pg, struct arena *a,
                                       struct str id, int64_t most,
                                       struct portfolios_questions *out)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_PORTFOLIO_QUESTIONS,
                 PG(pg_text(id), pg_number(most)), &r));
    *out = (struct portfolios_questions){
        .rows = suspensions_rows(a, r),
        .found = pg_count(r) ? pg_int(r, 0, pg_columns(r) - 1) : 0};
    return NULL;
}

const struct err *portfolios_open(struct pg *pg, struct arena *a,
                                  struct str id, bool partial,
                                  struct json **out)
{
    struct pg_rows *rows = NULL;
    struct json *list = json_array(a);
    *out = json_object(a);
    TRY(pg_query(pg, a, SQL_PORTFOLIO_OPEN, PG(pg_text(id), pg_flag(partial)),
                 &rows));
    for (size_t i = 0; i < pg_count(rows); i++)
        json_add_text(list, pg_str(rows, i, 0));
    json_set_json(*out, "open", list);
    return NULL;
}

/* ---- writing --------------------------------------------------------- */

static struct str status_word(const struct portfolio *p)
{
    return vocabulary_portfolio_status(p->status)->wire;
}

void portfolios_queue_insert(struct pg *pg, struct arena *a,
                             const struct portfolio *p)
{
    struct pg_list args = {0};
    pg_add(&args, pg_text(p->id));
    pg_add(&args, pg_text(p->name));
    pg_add(&args, pg_text(p->description));
    pg_add(&args, pg_text(p->created_by));
    pg_add(&args, pg_text(status_word(p)));
    pg_add(&args, pg_text(p->policy));
    pg_add(&args, pg_text(p->metadata));
    pg_add(&args, pg_moment(p->deadline));
    if (p->threshold)
        pg_add(&args, pg_number(p->threshold));
    else
        pg_add(&args, pg_text(STR_NONE));
    pg_add(&args, pg_number(p->version));
    pg_add(&args, pg_moment(p->created_at));
    pg_add(&args, pg_moment(p->updated_at));
    pg_add(&args, pg_flag(p->test));
    pg_queue(pg, a, SQL_PORTFOLIO_INSERT, PG_ALL(&args));
}

void portfolios_queue_update(struct pg *pg, struct arena *a,
                             const struct portfolio *p)
{
    pg_queue(pg, a, SQL_PORTFOLIO_UPDATE,
             PG(pg_text(p->id), pg_text(p->name), pg_text(p->description),
                pg_text(status_word(p)), pg_text(p->status_by),
                pg_moment(p->status_at), pg_text(p->policy),
                pg_moment(p->deadline), pg_number(p->version),
                pg_moment(p->updated_at)));
    if (p->status == PORTFOLIO_ACTIVE)
        return;
    pg_queue(pg, a, SQL_COORDINATOR_END_OF_PORTFOLIOS,
             PG(pg_texts(&p->id, 1), pg_moment(p->updated_at)));
}

const struct err *portfolios_place(struct pg *pg, struct arena *a,
                                   struct str id, struct str intent_id,
                                   struct portfolio_place *out)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_PORTFOLIO_MEMBER,
                 PG(pg_text(id), pg_text(intent_id)), &r));
    *out = (struct portfolio_place){
        .member = {.id = pg_str(r, 0, 0),
                   .portfolio_id = id,
                   .intent_id = intent_id,
                   .role = vocabulary_member_role_of(pg_str(r, 0, 1)),
                   .priority = pg_int(r, 0, 2),
                   .added_at = pg_int(r, 0, 3)},
        .members = pg_int(r, 0, 4),
        .portfolios = pg_int(r, 0, 5),
        .primary = pg_bool(r, 0, 6)};
    return NULL;
}

static void queue_mark(struct pg *pg, struct arena *a, struct str intent_id)
{
    pg_queue(pg, a, SQL_PORTFOLIO_MARK, PG(pg_text(intent_id)));
}

void portfolios_queue_join(struct pg *pg, struct arena *a,
                           const struct portfolio_member *m)
{
    pg_queue(pg, a, SQL_PORTFOLIO_JOIN,
             PG(pg_text(m->id), pg_text(m->portfolio_id),
                pg_text(m->intent_id),
                pg_text(vocabulary_member_role(m->role)->wire),
                pg_number(m->priority), pg_moment(m->added_at)));
    queue_mark(pg, a, m->intent_id);
}

void portfolios_queue_leave(struct pg *pg, struct arena *a,
                            const struct portfolio_member *m)
{
    pg_queue(pg, a, SQL_PORTFOLIO_LEAVE,
             PG(pg_text(m->portfolio_id), pg_text(m->intent_id)));
    queue_mark(pg, a, m->intent_id);
}
