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
    struct pg_args args = pg_args(a);
    struct pg_rows *r = NULL;
    pg_arg(&args, suspension_id);
    TRY(pg_query(pg, a, SQL_PERMIT_OF_SUSPENSION, &args, &r));
    *found = pg_count(r) > 0;
    if (*found)
        *out = row(r, 0);
    return NULL;
}

const struct err *permits_get(struct pg *pg, struct arena *a, struct str id,
                              struct permits_row *out)
{
    struct pg_args args = pg_args(a);
    struct pg_rows *r = NULL;
    if (!id_uuid(id))
        return permit_unknown();
    pg_arg(&args, id);
    pg_arg_time(&args, clock_now());
    TRY(pg_query(pg, a, SQL_PERMIT_GET, &args, &r));
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
    struct pg_args args = pg_args(a);
    struct pg_rows *r = NULL;
    pg_arg_time(&args, wish->now);
    pg_arg_time(&args, wish->after ? wish->after->created_at : 0);
    pg_arg(&args, wish->after ? wish->after->id : STR_NONE);
    pg_arg_int(&args, wish->limit + 1);
    pg_arg(&args, wish->initiator_id);
    TRY(pg_query(pg, a, SQL_PERMIT_LIVE, &args, &r));
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
    struct pg_args args = pg_args(a);
    struct pg_rows *r = NULL;
    pg_arg(&args, handle);
    TRY(pg_query(pg, a, SQL_PERMIT_BY_HANDLE, &args, &r));
    *found = pg_count(r) > 0;
    if (*found)
        *out = row(r, 0);
    return NULL;
}

static void arg_budget(struct pg_args *args, struct arena *a,
                       const struct permit_covers_budget *b)
{
    pg_arg(args, b->unit.p ? decimal_text(a, b->amount) : STR_NONE);
    pg_arg(args, b->unit.p ? b->of : STR_NONE);
    pg_arg(args, b->unit);
}

void permits_queue_insert(struct pg *pg, struct arena *a,
                          const struct permit *p, struct str key_id)
{
    struct pg_args args = pg_args(a);
    pg_arg(&args, p->id);
    pg_arg(&args, p->intent_id);
    pg_arg(&args, p->suspension_id);
    pg_arg(&args, p->auth_req_id);
    pg_arg(&args, p->agent);
    pg_arg(&args, p->terms.resource);
    pg_arg(&args, p->terms.dpop_jkt);
    pg_arg(&args, p->asked);
    pg_arg(&args, p->asked_sha256);
    pg_arg(&args, p->granted);
    pg_arg(&args, p->granted_sha256);
    pg_arg_int(&args, p->terms.max_uses);
    pg_arg_int(&args, p->terms.use_seconds);
    arg_budget(&args, a, &p->terms.budget);
    pg_arg(&args, str_of(vocabulary_permit_state(p->state)->wire));
    pg_arg_time(&args, p->created_at);
    pg_arg_time(&args, p->granted_at);
    pg_arg_time(&args, p->not_after);
    pg_arg_time(&args, p->ended_at);
    pg_arg(&args, key_id);
    pg_queue(pg, SQL_PERMIT_INSERT, &args);
}

void permits_queue_update(struct pg *pg, struct arena *a,
                          const struct permit *p)
{
    struct pg_args args = pg_args(a);
    pg_arg(&args, p->id);
    pg_arg(&args, p->granted);
    pg_arg(&args, p->granted_sha256);
    pg_arg_time(&args, p->granted_at);
    pg_arg_time(&args, p->not_after);
    pg_arg_int(&args, p->used);
    pg_arg(&args, decimal_text(a, p->spent));
    pg_arg(&args, str_of(vocabulary_permit_state(p->state)->wire));
    pg_arg(&args, p->reason);
    pg_arg(&args, p->ended_by);
    pg_arg_time(&args, p->ended_at);
    pg_queue(pg, SQL_PERMIT_UPDATE, &args);
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
    struct pg_args args = pg_args(a);
    pg_arg(&args, id);
    pg_arg(&args, jkt);
    pg_arg_time(&args, poll_after);
    pg_queue(pg, SQL_PERMIT_POLLED, &args);
}

void permits_queue_refuse(struct pg *pg, struct arena *a,
                          const struct suspension *s)
{
    struct pg_args args = pg_args(a);
    pg_arg(&args, s->id);
    pg_arg(&args, s->reason);
    pg_arg(&args, s->responded_by);
    pg_arg_time(&args, s->responded_at);
    pg_queue(pg, SQL_PERMIT_REFUSE, &args);
}

struct str permits_handle(struct arena *a)
{
    struct buf b = buf_make(a, 64);
    buf_put(&b, "sar_");
    buf_str(&b, crypt_token(a, 20));
    return buf_text(&b);
}
