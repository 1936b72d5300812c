/* Endpoints in the database: an agent's, and the channels to people.
 *
 * Struct in, struct out; their fields are checked by
 * domain/sending/endpoint.h. Lists leave out the secret. */
#include "store/endpoints.h"

#include "base/id.h"
#include "base/json/json.h"
#include "base/shared/metrics.h"
#include "store/sql.gen.h"
#include "world/pg/pg_error.h"

const char endpoints_taken[] = "endpoint.taken";

#define AGAIN 60 /* seconds until one may have been removed */

/* The columns of endpoint_list and endpoint_get. */
enum { ID, KIND, NAME, ADDRESS, AGENT, TYPES, NOTIFY, DETAIL, EVERY, INTERNAL,
       SECRET, CREATED_AT, CREATED_BY, PAUSED_AT, GONE_AT, WAITING, PREFIX };

static struct endpoint row(const struct pg_rows *r, size_t i)
{
    return (struct endpoint){.id = pg_str(r, i, ID),
                             .kind = vocabulary_endpoint_kind_of(
                                 pg_str(r, i, KIND)),
                             .name = pg_str(r, i, NAME),
                             .address = pg_str(r, i, ADDRESS),
                             .agent = pg_str(r, i, AGENT),
                             .event_types = pg_str(r, i, TYPES),
                             .notify_to = pg_str(r, i, NOTIFY),
                             .detail = pg_str(r, i, DETAIL),
                             .every_question = pg_bool(r, i, EVERY),
                             .internal = pg_bool(r, i, INTERNAL),
                             .secret = pg_str(r, i, SECRET),
                             .created_at = pg_int(r, i, CREATED_AT),
                             .created_by = pg_str(r, i, CREATED_BY),
                             .paused_at = pg_int(r, i, PAUSED_AT),
                             .gone_at = pg_int(r, i, GONE_AT),
                             .waiting = pg_int(r, i, WAITING),
                             .prefix = pg_bool(r, i, PREFIX)};
}

static const struct err *unknown(void)
{
    return ERROR(ERR_NOT_FOUND, "endpoint.unknown",
                 "There is no endpoint with this id.");
}

static const struct err *taken(const struct err *e)
{
    if (!err_is(e, pg_error_conflict))
        return e;
    return ERROR(ERR_CONFLICT, endpoints_taken,
                 "An endpoint with this name or address already exists.");
}

/* ---- reading -------------------------------------------------------- */

const struct err *endpoints_list(struct pg *pg, struct arena *a,
                                 bool channels, struct str agent,
                                 struct endpoint_rows *out)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_ENDPOINT_LIST,
                 PG(pg_flag(channels), pg_text(agent)), &r));
    out->n = pg_count(r);
    out->v = arena_many(a, out->n + 1, struct endpoint);
    for (size_t i = 0; i < out->n; i++)
        out->v[i] = row(r, i);
    return NULL;
}

const struct err *endpoints_get(struct pg *pg, struct arena *a,
                                struct str id, struct str agent,
                                struct endpoint *out)
{
    struct pg_rows *r = NULL;
    if (!id_uuid(id))
        return unknown();
    TRY(pg_query(pg, a, SQL_ENDPOINT_GET, PG(pg_text(id), pg_text(agent)),
                 &r));
    if (pg_count(r) == 0)
        return unknown();
    *out = row(r, 0);
    return NULL;
}

const struct err *endpoints_prefix(struct pg *pg, struct arena *a,
                                   struct str agent, struct str url,
                                   struct endpoint *out, bool *found)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_ENDPOINT_PREFIX, PG(pg_text(agent), pg_text(url)),
                 &r));
    *found = pg_count(r) > 0;
    if (*found)
        *out = (struct endpoint){.id = pg_str(r, 0, 0),
                                 .address = pg_str(r, 0, 1)};
    return NULL;
}

const struct err *endpoints_last(struct pg *pg, struct arena *a,
                                 struct str id, struct endpoints_last *out)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_ENDPOINT_LAST, PG(pg_text(id)), &r));
    *out = (struct endpoints_last){.tries = 0};
    if (pg_count(r) > 0)
        *out = (struct endpoints_last){
            .delivery_id = pg_str(r, 0, 0),
            .type = pg_str(r, 0, 1),
            .state = vocabulary_delivery_state_of(pg_str(r, 0, 2)),
            .tries = pg_int(r, 0, 3),
            .answer = pg_str(r, 0, 4),
            .created_at = pg_int(r, 0, 5)};
    return NULL;
}

const struct err *endpoints_test(struct pg *pg, struct arena *a,
                                 const struct endpoints_test *test)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_ENDPOINT_TEST,
                 PG(pg_text(test->delivery_id), pg_text(test->endpoint_id),
                    pg_text(str_of(test->type)), pg_text(test->body),
                    pg_moment(test->now)),
                 &r));
    return pg_affected(r)
               ? NULL
               : ERROR(ERR_CONFLICT, "endpoint.trying",
                       "A test message to this endpoint is still waiting.");
}

static const struct err *read_list(struct arena *a, struct str text,
                                   struct channel *c)
{
    struct json *list = NULL;
    TRY(json_parse(a, text, &list));
    struct str *v = arena_many(a, json_count(list) + 1, struct str);
    for (size_t i = 0; i < json_count(list); i++)
        v[i] = json_text(json_at(list, i));
    c->notify_to = v;
    c->notify_to_n = json_count(list);
    return NULL;
}

const struct err *endpoints_channels(struct pg *pg, struct arena *a,
                                     struct channels *out)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_ENDPOINT_CHANNELS, NULL, &r));
    out->n = pg_count(r) < CHANNELS_MAX ? pg_count(r) : CHANNELS_MAX;
    for (size_t i = 0; i < out->n; i++) {
        struct channel *c = &out->v[i];
        *c = (struct channel){.id = pg_str(r, i, 0),
                              .kind =
                                  vocabulary_endpoint_kind_of(pg_str(r, i, 1)),
                              .name = pg_str(r, i, 2),
                              .address = pg_str(r, i, 3),
                              .detail = vocabulary_channel_detail_of(
                                  pg_str(r, i, 5)),
                              .every_question = pg_bool(r, i, 6),
                              .off = pg_bool(r, i, 7)};
        TRY(read_list(a, pg_str(r, i, 4), c));
    }
    return NULL;
}

/* ---- writing -------------------------------------------------------- */

static struct str or_empty(struct str list)
{
    return list.p ? list : STR("[]");
}

static void queue_insert(struct pg *pg, struct arena *a,
                         const struct endpoint *e)
{
    pg_queue(
        pg, a, SQL_ENDPOINT_INSERT,
        PG(pg_text(e->id), pg_text(vocabulary_endpoint_kind(e->kind)->wire),
           pg_text(e->name), pg_text(e->address), pg_text(e->agent),
           pg_text(or_empty(e->event_types)), pg_text(or_empty(e->notify_to)),
           pg_text(e->detail.p ? e->detail : STR("title")),
           pg_flag(e->every_question), pg_flag(e->internal),
           pg_text(e->secret), pg_moment(e->created_at),
           pg_text(e->created_by), pg_moment(e->paused_at),
           pg_moment(e->gone_at),
           pg_number(e->kind == ENDPOINT_AGENT ? ENDPOINTS_MAX : CHANNELS_MAX),
           pg_number(ENDPOINTS_OF_AGENT_MAX), pg_text(e->key_id),
           pg_number(e->most), pg_flag(e->prefix)));
}

/* The limit that was reached. */
static const struct err *too_many(struct pg *pg, struct arena *a,
                                  const struct endpoint *e)
{
    struct pg_rows *r = NULL;
    TRY(e->key_id.p ? pg_query(pg, a, SQL_ENDPOINT_REACHED,
                               PG(pg_text(e->agent), pg_text(e->key_id),
                                  pg_number(ENDPOINTS_OF_AGENT_MAX),
                                  pg_number(e->most)),
                               &r)
                    : NULL);
    if (r && pg_bool(r, 0, 0))
        return err_retry(
            a, err_at(a, ERR_RATE, metrics_limit_endpoints, STR(""),
                      "A key may have %lld endpoints, and an agent %d. Remove "
                      "one first.", (long long)e->most, ENDPOINTS_OF_AGENT_MAX),
            AGAIN);
    return err_at(a, ERR_CONFLICT, "endpoint.too_many", STR(""),
                  "There are already %d endpoints, or %d of this agent. Remove "
                  "one first.",
                  e->kind == ENDPOINT_AGENT ? ENDPOINTS_MAX : CHANNELS_MAX,
                  ENDPOINTS_OF_AGENT_MAX);
}

const struct err *endpoints_insert(struct pg *pg, struct arena *a,
                                   const struct endpoint *e)
{
    struct pg_rows *r[4] = {NULL};
    const bool inside = pg_in_transaction(pg);
    const size_t at = inside ? 1 : 2;
    if (!inside)
        pg_queue(pg, NULL, SQL_BEGIN, NULL);
    pg_queue(pg, NULL, SQL_ENDPOINT_COUNT_LOCK, NULL);
    queue_insert(pg, a, e);
    if (!inside)
        pg_queue(pg, NULL, SQL_COMMIT, NULL);
    TRY(taken(pg_run(pg, a, r)));
    return pg_affected(r[at]) == 0 ? too_many(pg, a, e) : NULL;
}

const struct err *endpoints_update(struct pg *pg, struct arena *a,
                                   const struct endpoint *e)
{
    struct pg_rows *r = NULL;
    pg_queue(pg, a, SQL_ENDPOINT_UPDATE,
             PG(pg_text(e->id), pg_text(e->name), pg_text(e->address),
                pg_text(or_empty(e->event_types)),
                pg_text(or_empty(e->notify_to)),
                pg_text(e->detail.p ? e->detail : STR("title")),
                pg_flag(e->every_question), pg_flag(e->internal),
                pg_flag(e->prefix)));
    TRY(taken(pg_run(pg, a, &r)));
    return pg_affected(r) ? NULL : unknown();
}

const struct err *endpoints_pause(struct pg *pg, struct arena *a, bool paused,
                                  int64_t now, struct endpoint *e)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_ENDPOINT_PAUSE,
                 PG(pg_text(e->id), pg_flag(paused), pg_moment(now)), &r));
    if (pg_count(r) == 0)
        return unknown();
    e->paused_at = pg_int(r, 0, 0);
    e->gone_at = pg_int(r, 0, 1);
    return NULL;
}

const struct err *endpoints_rotate(struct pg *pg, struct arena *a,
                                   struct str id, struct str secret,
                                   int64_t now)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(
        pg, a, SQL_ENDPOINT_ROTATE,
        PG(pg_text(id), pg_text(secret), pg_moment(now + ENDPOINTS_ROTATION)),
        &r));
    return pg_affected(r) ? NULL : unknown();
}

const struct err *endpoints_remove(struct pg *pg, struct arena *a,
                                   struct str id, int64_t now)
{
    struct pg_list args = {0};
    struct pg_rows *r[5] = {NULL};
    pg_add(&args, pg_text(id));
    pg_add(&args, pg_moment(now));
    pg_queue(pg, NULL, SQL_BEGIN, NULL);
    pg_queue(pg, a, SQL_ENDPOINT_REMOVE, PG_ALL(&args));
    pg_queue(pg, a, SQL_ENDPOINT_REMOVE_SUBSCRIPTIONS, PG(pg_text(id)));
    pg_queue(pg, a, SQL_ENDPOINT_GIVE_UP, PG_ALL(&args));
    pg_queue(pg, NULL, SQL_COMMIT, NULL);
    TRY(pg_run(pg, a, r));
    return pg_affected(r[1]) ? NULL : unknown();
}
