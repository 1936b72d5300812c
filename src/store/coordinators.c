/* Coordinators in the database, and what follows in them from a change of an
 * intent. */
#include "store/coordinators.h"

#include "base/id.h"
#include "store/sql.gen.h"

#define BELOW_MAX 10000 /* as in coordinator_below */
#define PAGE 50         /* dependents of one batch */

enum {
    ID, INTENT_ID, AGENT, ROLE, SUPERVISOR, TYPE, POLICY, GUARDRAILS, METADATA,
    SECONDS, HEARTBEAT, GRANTED, ENDED, VERSION
};

static struct coordinator row(const struct pg_rows *r, size_t i)
{
    return (struct coordinator){
        .id = pg_str(r, i, ID),
        .intent_id = pg_str(r, i, INTENT_ID),
        .agent_id = pg_str(r, i, AGENT),
        .role = pg_str(r, i, ROLE),
        .supervisor_id = pg_str(r, i, SUPERVISOR),
        .type = vocabulary_coordinator_type_of(pg_str(r, i, TYPE)),
        .policy = vocabulary_coordinator_policy_of(pg_str(r, i, POLICY)),
        .guardrails = pg_str(r, i, GUARDRAILS),
        .metadata = pg_str(r, i, METADATA),
        .heartbeat_seconds = pg_int(r, i, SECONDS),
        .heartbeat_at = pg_int(r, i, HEARTBEAT),
        .granted_at = pg_int(r, i, GRANTED),
        .ended_at = pg_int(r, i, ENDED),
        .version = pg_int(r, i, VERSION)};
}

struct coordinator_rows coordinators_rows(struct arena *a,
                                          const struct pg_rows *r)
{
    struct coordinator_rows out = {.n = pg_count(r)};
    out.v = arena_many(a, out.n + 1, struct coordinator);
    for (size_t i = 0; i < out.n; i++)
        out.v[i] = row(r, i);
    return out;
}

/* ---- reading --------------------------------------------------------- */

const struct err *coordinators_get(struct pg *pg, struct arena *a,
                                   struct str id, struct coordinator *out)
{
    const struct err *unknown =
        ERROR(ERR_NOT_FOUND, "coordinator.unknown",
              "There is no coordinator with this id.");
    struct pg_args args = pg_args(a);
    struct pg_rows *r = NULL;
    if (!id_uuid(id))
        return unknown;
    pg_arg(&args, id);
    TRY(pg_query(pg, a, SQL_COORDINATOR_GET, &args, &r));
    if (pg_count(r) == 0)
        return unknown;
    *out = row(r, 0);
    return NULL;
}

const struct err *coordinators_active(struct pg *pg, struct arena *a,
                                      struct str intent_id,
                                      struct coordinator *out, bool *found)
{
    struct pg_args args = pg_args(a);
    struct pg_rows *r = NULL;
    pg_arg(&args, intent_id);
    TRY(pg_query(pg, a, SQL_COORDINATOR_ACTIVE, &args, &r));
    *found = pg_count(r) > 0;
    if (*found)
        *out = row(r, 0);
    return NULL;
}

static const struct err *many(struct pg *pg, struct arena *a, int statement,
                              struct str intent_id, int64_t limit,
                              struct coordinator_rows *out)
{
    struct pg_args args = pg_args(a);
    struct pg_rows *r = NULL;
    pg_arg(&args, intent_id);
    pg_arg_int(&args, limit);
    TRY(pg_query(pg, a, statement, &args, &r));
    *out = coordinators_rows(a, r);
    return NULL;
}

const struct err *coordinators_list(struct pg *pg, struct arena *a,
                                    struct str intent_id,
                                    struct coordinator_rows *out)
{
    return many(pg, a, SQL_COORDINATOR_LIST, intent_id,
                COORDINATORS_OF_INTENT_MAX, out);
}

const struct err *coordinators_over(struct pg *pg, struct arena *a,
                                    struct str intent_id,
                                    struct coordinator_rows *out)
{
    return many(pg, a, SQL_COORDINATOR_OVER, intent_id, COORDINATORS_OVER_MAX,
                out);
}

/* ---- writing --------------------------------------------------------- */

static const struct err *check_counts(struct pg *pg, struct arena *a,
                                      struct str intent_id)
{
    struct pg_args args = pg_args(a);
    struct pg_rows *r = NULL;
    struct coordinator_rows before;
    pg_arg(&args, intent_id);
    TRY(pg_query(pg, a, SQL_COORDINATOR_BELOW, &args, &r));
    if (pg_int(r, 0, 0) > BELOW_MAX)
        return ERROR(ERR_CONFLICT, "intent.graph_too_large",
                     "More than 10000 intents are below this one.");
    TRY(coordinators_list(pg, a, intent_id, &before));
    if (before.n >= COORDINATORS_OF_INTENT_MAX)
        return ERROR(ERR_CONFLICT, "coordinator.too_many",
                     "The intent has had 100 coordinators. Continue in a new "
                     "intent.");
    return NULL;
}

/* A child that was being made while its parent's lock was awaited is found by
 * the next turn: the last one finds none. */
static const struct err *mark(struct pg *pg, struct arena *a,
                              struct str intent_id)
{
    struct pg_args args = pg_args(a);
    struct pg_rows *r = NULL;
    pg_arg(&args, intent_id);
    do
        TRY(pg_query(pg, a, SQL_COORDINATOR_MARK, &args, &r));
    while (pg_affected(r) > 0);
    return NULL;
}

/* The columns that a new one and a changed one have in common. */
static void put(struct pg_args *args, const struct coordinator *c)
{
    pg_arg(args, c->id);
    pg_arg(args, c->role);
    pg_arg(args, c->supervisor_id);
    pg_arg(args, str_of(vocabulary_coordinator_type(c->type)->wire));
    pg_arg(args, str_of(vocabulary_coordinator_policy(c->policy)->wire));
    pg_arg(args, c->guardrails);
    pg_arg(args, c->metadata);
    pg_arg_int(args, c->heartbeat_seconds);
    pg_arg_time(args, c->heartbeat_at);
    pg_arg_time(args, c->ended_at ? 0 : coordinator_lapses_at(c));
    pg_arg_int(args, c->version);
}

const struct err *coordinators_insert(struct pg *pg, struct arena *a,
                                      const struct coordinator *c)
{
    struct pg_args args = pg_args(a);
    TRY(check_counts(pg, a, c->intent_id));
    TRY(mark(pg, a, c->intent_id));
    put(&args, c);
    pg_arg(&args, c->intent_id);
    pg_arg(&args, c->agent_id);
    pg_arg_time(&args, c->granted_at);
    return pg_query(pg, a, SQL_COORDINATOR_INSERT, &args, NULL);
}

void coordinators_queue_update(struct pg *pg, struct arena *a,
                               const struct coordinator *c)
{
    struct pg_args args = pg_args(a);
    put(&args, c);
    pg_arg_time(&args, c->ended_at);
    pg_queue(pg, SQL_COORDINATOR_UPDATE, &args);
}

/* ---- following an intent ---------------------------------------------- */

static void queue_end(const struct coordinators_change *c)
{
    struct pg_args args = pg_args(c->moves->arena);
    pg_arg(&args, c->intent->id);
    pg_arg_time(&args, c->moves->now);
    pg_queue(c->moves->pg, SQL_COORDINATOR_END, &args);
}

static const struct err *block_page(const struct coordinators_change *c,
                                    const struct pg_rows *r)
{
    const struct moved_change change = {.from = INTENT_DRAFT,
                                        .to = INTENT_BLOCKED,
                                        .reason = "upstream_suspended"};
    struct moved *m = c->moves;
    for (size_t k = 0; k < pg_count(r); k++) {
        struct intent i = {.id = pg_str(r, k, 0),
                           .version = pg_int(r, k, 1),
                           .tail = {.sequence = pg_int(r, k, 2),
                                    .hash = pg_str(r, k, 3)}};
        if (coordinator_takes_input(m->arena, pg_str(r, k, 4), pg_str(r, k, 5),
                                    c->intent->title))
            TRY(moved_queue(m, &i, &change));
    }
    return pg_queued(m->pg) > 0 ? pg_run(m->pg, m->arena, NULL) : NULL;
}

/* Drafts that take an input from the intent are blocked. They could not become
 * active before it is completed in any case. */
static const struct err *block_dependents(const struct coordinators_change *c)
{
    struct str after = STR("00000000-0000-0000-0000-000000000000");
    for (;;) {
        struct pg_args args = pg_args(c->moves->arena);
        struct pg_rows *r = NULL;
        pg_arg(&args, c->intent->id);
        pg_arg(&args, after);
        pg_arg_int(&args, PAGE);
        TRY(pg_query(c->moves->pg, c->moves->arena,
                     SQL_COORDINATOR_DEPENDENTS, &args, &r));
        TRY(block_page(c, r));
        if (pg_count(r) < PAGE)
            return NULL;
        after = pg_str(r, pg_count(r) - 1, 0);
    }
}

/* A full log does not keep the supervisors from hearing of it. */
static const struct err *escalate(const struct coordinators_change *c,
                                  const struct coordinator *by)
{
    struct arena *a = c->moves->arena;
    const struct event_draft draft = {
        .type = "coordinator.stalled",
        .by = event_by_server(),
        .payload = coordinator_stalled(a, by, c->intent->id, c->asked->id)};
    const struct err *e =
        event_append(a, c->intent->id, &draft, c->moves->now,
                     &c->intent->tail, c->events);
    if (e && !err_is(e, event_log_full))
        return e;
    c->told->v[c->told->n++] = by->supervisor_id;
    return NULL;
}

/* Nothing depends on an intent that is being made, and the coordinators of its
 * parent answer for it. */
static const struct err *suspended(const struct coordinators_change *c)
{
    struct coordinator_rows over;
    bool block = false;
    TRY(coordinators_over(c->moves->pg, c->moves->arena,
                          c->made ? c->intent->parent_intent_id
                                  : c->intent->id,
                          &over));
    for (size_t i = 0; i < over.n; i++) {
        block = block || over.v[i].policy == COORDINATOR_BLOCK_DEPENDENTS;
        if (c->asked && over.v[i].policy == COORDINATOR_ESCALATE)
            TRY(escalate(c, &over.v[i]));
    }
    block = block && !c->made && c->was != INTENT_SUSPENDED;
    return block ? block_dependents(c) : NULL;
}

const struct err *coordinators_follow(const struct coordinators_change *c)
{
    const bool changed = c->was != c->intent->status;
    if (!(c->intent->containers & INTENT_COORDINATED))
        return NULL;
    if (intent_ended(c->intent->status) && changed)
        queue_end(c);
    else if (c->intent->status == INTENT_SUSPENDED && (changed || c->asked))
        return suspended(c);
    return NULL;
}
