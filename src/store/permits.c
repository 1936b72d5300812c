/* Permits in the database: struct in, struct out. Decides nothing. */
#include "store/permits.h"

#include "base/clock.h"
#include "base/crypt.h"
#include "base/id.h"
#include "store/intents.h"
#include "store/permit_tokens.h"
#include "store/sql.gen.h"

/* The columns of permit_columns. */
enum { ID, INTENT, SUSPENSION, HANDLE, AGENT, RESOURCE, JKT, ASKED,
       ASKED_SHA256, GRANTED, GRANTED_SHA256, MAX_USES, USE_SECONDS, BUDGET,
       BUDGET_OF, BUDGET_UNIT, USED, SPENT, STATE, REASON, ENDED_BY, CREATED,
       GRANTED_AT, NOT_AFTER, ENDED, POLL_AFTER, KEY_ENDED,
       RESOURCE_REMOVED, RESOURCE_ID, REQUIRE_DPOP, TITLE,
       ACCESS = TITLE, CLOSED };

static struct decimal amount(struct str text)
{
    struct decimal d = {0, 0};
    return text.p && decimal_read(text, &d) ? d : (struct decimal){0, 0};
}

static struct permits_row row(const struct pg_rows *r, size_t i)
{
    return (struct permits_row){
        .permit = {.id = pg_str(r, i, ID),
                   .intent_id = pg_str(r, i, INTENT),
                   .suspension_id = pg_str(r, i, SUSPENSION),
                   .auth_req_id = pg_str(r, i, HANDLE),
                   .agent = pg_str(r, i, AGENT),
                   .terms = {.resource = pg_str(r, i, RESOURCE),
                             .dpop_jkt = pg_str(r, i, JKT),
                             .max_uses = pg_int(r, i, MAX_USES),
                             .use_seconds = pg_int(r, i, USE_SECONDS),
                             .budget = {.amount = amount(pg_str(r, i, BUDGET)),
                                        .unit = pg_str(r, i, BUDGET_UNIT),
                                        .of = pg_str(r, i, BUDGET_OF)}},
                   .asked = pg_str(r, i, ASKED),
                   .asked_sha256 = pg_str(r, i, ASKED_SHA256),
                   .granted = pg_str(r, i, GRANTED),
                   .granted_sha256 = pg_str(r, i, GRANTED_SHA256),
                   .used = pg_int(r, i, USED),
                   .spent = amount(pg_str(r, i, SPENT)),
                   .state = vocabulary_permit_state_of(pg_str(r, i, STATE)),
                   .reason = pg_str(r, i, REASON),
                   .ended_by = pg_str(r, i, ENDED_BY),
                   .created_at = pg_time(r, i, CREATED),
                   .granted_at = pg_time(r, i, GRANTED_AT),
                   .not_after = pg_time(r, i, NOT_AFTER),
                   .ended_at = pg_time(r, i, ENDED),
                   .poll_after = pg_time(r, i, POLL_AFTER)},
        .key_ended = pg_bool(r, i, KEY_ENDED),
        .resource_removed = pg_bool(r, i, RESOURCE_REMOVED),
        .resource_id = pg_str(r, i, RESOURCE_ID),
        .require_dpop = pg_bool(r, i, REQUIRE_DPOP)};
}

struct permits_row permits_first(const struct pg_rows *r)
{
    return row(r, 0);
}

const struct err *permits_of_suspension(struct pg *pg, struct arena *a,
                                        struct str suspension_id,
                                        struct permits_row *out, bool *found)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_PERMIT_OF_SUSPENSION, PG(pg_text(suspension_id)),
                 &r));
    *found = pg_count(r) > 0;
    if (*found)
        *out = row(r, 0);
    return NULL;
}

const struct err *permits_get(struct pg *pg, struct arena *a, struct str id,
                              struct permits_row *out)
{
    struct pg_rows *r = NULL;
    if (!id_uuid(id))
        return permit_unknown();
    TRY(pg_query(pg, a, SQL_PERMIT_GET,
                 PG(pg_text(id), pg_moment(clock_now())), &r));
    if (pg_count(r) == 0)
        return permit_unknown();
    *out = row(r, 0);
    out->access = intents_access(r, 0, ACCESS);
    out->closed = pg_bool(r, 0, CLOSED);
    return NULL;
}

const struct err *permits_live(struct pg *pg, struct arena *a,
                               const struct permits_live *wish,
                               struct permits_rows *out)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_PERMIT_LIVE,
                 PG(pg_moment(wish->now),
                    pg_moment(wish->after ? wish->after->created_at : 0),
                    pg_text(wish->after ? wish->after->id : STR_NONE),
                    pg_number(wish->limit + 1), pg_text(wish->initiator_id)),
                 &r));
    *out = (struct permits_rows){.n = pg_count(r)};
    out->more = out->n > (size_t)wish->limit;
    if (out->more)
        out->n = (size_t)wish->limit;
    out->v = arena_many(a, out->n + 1, struct permits_titled);
    for (size_t i = 0; i < out->n; i++)
        out->v[i] = (struct permits_titled){row(r, i), pg_str(r, i, TITLE)};
    return NULL;
}

const struct err *permits_by_handle(struct pg *pg, struct arena *a,
                                    struct str handle,
                                    struct permits_row *out, bool *found)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_PERMIT_BY_HANDLE, PG(pg_text(handle)), &r));
    *found = pg_count(r) > 0;
    if (*found)
        *out = row(r, 0);
    return NULL;
}

static void arg_budget(struct pg_list *args, struct arena *a,
                       const struct permit_covers_budget *b)
{
    pg_add(args, pg_text(b->unit.p ? decimal_text(a, b->amount) : STR_NONE));
    pg_add(args, pg_text(b->unit.p ? b->of : STR_NONE));
    pg_add(args, pg_text(b->unit));
}

void permits_queue_insert(struct pg *pg, struct arena *a,
                          const struct permit *p, struct str key_id)
{
    struct pg_list args = {0};
    pg_add(&args, pg_text(p->id));
    pg_add(&args, pg_text(p->intent_id));
    pg_add(&args, pg_text(p->suspension_id));
    pg_add(&args, pg_text(p->auth_req_id));
    pg_add(&args, pg_text(p->agent));
    pg_add(&args, pg_text(p->terms.resource));
    pg_add(&args, pg_text(p->terms.dpop_jkt));
    pg_add(&args, pg_text(p->asked));
    pg_add(&args, pg_text(p->asked_sha256));
    pg_add(&args, pg_text(p->granted));
    pg_add(&args, pg_text(p->granted_sha256));
    pg_add(&args, pg_number(p->terms.max_uses));
    pg_add(&args, pg_number(p->terms.use_seconds));
    arg_budget(&args, a, &p->terms.budget);
    pg_add(&args, pg_text(vocabulary_permit_state(p->state)->wire));
    pg_add(&args, pg_moment(p->created_at));
    pg_add(&args, pg_moment(p->granted_at));
    pg_add(&args, pg_moment(p->not_after));
    pg_add(&args, pg_moment(p->ended_at));
    pg_add(&args, pg_text(key_id));
    pg_queue(pg, a, SQL_PERMIT_INSERT, PG_ALL(&args));
}

void permits_queue_update(struct pg *pg, struct arena *a,
                          const struct permit *p)
{
    pg_queue(
        pg, a, SQL_PERMIT_UPDATE,
        PG(pg_text(p->id), pg_text(p->granted), pg_text(p->granted_sha256),
           pg_moment(p->granted_at), pg_moment(p->not_after),
           pg_number(p->used), pg_text(decimal_text(a, p->spent)),
           pg_text(vocabulary_permit_state(p->state)->wire),
           pg_text(p->reason), pg_text(p->ended_by), pg_moment(p->ended_at)));
    if (p->state == PERMIT_SPENT)
        permit_tokens_queue_end(pg, a, p->id, PERMIT_TOKENS_SPENT,
                                p->ended_at);
    if (p->state == PERMIT_REVOKED)
        permit_tokens_queue_end(pg, a, p->id, PERMIT_TOKENS_REVOKED,
                                p->ended_at);
}

void permits_queue_polled(struct pg *pg, struct arena *a, struct str id,
                          struct str jkt, int64_t poll_after)
{
    pg_queue(pg, a, SQL_PERMIT_POLLED,
             PG(pg_text(id), pg_text(jkt), pg_moment(poll_after)));
}

void permits_queue_refuse(struct pg *pg, struct arena *a,
                          const struct suspension *s)
{
    pg_queue(pg, a, SQL_PERMIT_REFUSE,
             PG(pg_text(s->id), pg_text(s->reason), pg_text(s->responded_by),
                pg_moment(s->responded_at)));
}

struct str permits_handle(struct arena *a)
{
    return arena_join(a, STR("sar_"), crypt_token(a, 20));
}
