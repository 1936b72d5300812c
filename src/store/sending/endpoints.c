/* Endpoints in the database: an agent's, and the channels to people.
 *
 * Struct in, struct out; their fields are checked by
 * domain/sending/endpoint.h. Lists leave out the secret. */
#include "store/sending/endpoints.h"

#include "base/id.h"
#include "base/json/json.h"
#include "base/shared/metrics.h"
#include "store/rows.h"
#include "world/pg/pg_error.h"

const char endpoints_taken[] = "endpoint.taken";

#define AGAIN 60 /* seconds until one may have been removed */

static const struct err *endpoints_taken_of(const struct err *e)
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
    return rows_list(pg, a, SQL_ENDPOINT_LIST,
                     PG(pg_flag(channels), pg_text(agent)), &endpoint_record,
                     &out->v, &out->n);
}

const struct err *endpoints_get(struct pg *pg, struct arena *a,
                                struct str id, struct str agent,
                                struct endpoint *out)
{
    if (!id_uuid(id))
        return &endpoint_record.unknown;
    return rows_get(pg, a, SQL_ENDPOINT_GET, PG(pg_text(id), pg_text(agent)),
                    &endpoint_record, out);
}

const struct err *endpoints_failing(struct pg *pg, struct arena *a,
                                    struct endpoints_failing *out)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_ENDPOINT_FAILING, NULL, &r));
    *out = (struct endpoints_failing){.endpoints = pg_bool(r, 0, 0),
                                      .channels = pg_bool(r, 0, 1)};
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
                                 struct str id, struct delivery *out)
{
    bool found = false;
    *out = (struct delivery){.id = STR_NONE};
    return rows_find(pg, a, SQL_ENDPOINT_LAST, PG(pg_text(id)),
                     &delivery_record, out, &found);
}

const struct err *endpoints_test(struct pg *pg, struct arena *a,
                                 const struct endpoints_test *test)
{
    return rows_must_change(
        pg, a, SQL_ENDPOINT_TEST,
        PG(pg_text(test->delivery_id), pg_text(test->endpoint_id),
           pg_text(str_of(test->type)), pg_text(test->body),
           pg_moment(test->now)),
        ERROR(ERR_CONFLICT, "endpoint.trying",
              "A test message to this endpoint is still waiting."));
}

const struct err *endpoints_channels(struct pg *pg, struct arena *a,
                                     struct channels *out)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_ENDPOINT_CHANNELS, NULL, &r));
    out->n = pg_count(r) < CHANNELS_MAX ? pg_count(r) : CHANNELS_MAX;
    for (size_t i = 0; i < out->n; i++) {
        struct channel *c = &out->v[i];
        struct json *list = NULL;
        rows_read(&channel_record, r, i, c);
        TRY(json_parse(a, pg_str(r, i, rows_columns(&channel_record)), &list));
        struct str *v = arena_many(a, json_count(list) + 1, struct str);
        for (size_t k = 0; k < json_count(list); k++)
            v[k] = json_text(json_at(list, k));
        c->notify_to = v;
        c->notify_to_n = json_count(list);
    }
    return NULL;
}

/* ---- writing -------------------------------------------------------- */

static struct pg_value endpoints_list_text(struct str list)
{
    return pg_text(list.p ? list : STR("[]"));
}

/* As it is written: with a detail, which only channels have. */
static struct endpoint endpoints_whole(const struct endpoint *e)
{
    struct endpoint whole = *e;
    if (!whole.detail.p)
        whole.detail = STR("title");
    return whole;
}

/* The limit that was reached. */
static const struct err *endpoints_too_many(struct pg *pg, struct arena *a,
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
    return e->kind == ENDPOINT_AGENT
               ? err_at(a, ERR_CONFLICT, "endpoint.too_many", STR(""),
                        "There are already %d endpoints, or %d of this agent. "
                        "Remove one first.",
                        ENDPOINTS_MAX, ENDPOINTS_OF_AGENT_MAX)
               : err_at(a, ERR_CONFLICT, "endpoint.too_many", STR(""),
                        "There are already %d channels. Remove one first.",
                        CHANNELS_MAX);
}

const struct err *endpoints_insert(struct pg *pg, struct arena *a,
                                   const struct endpoint *e)
{
    const struct endpoint whole = endpoints_whole(e);
    struct pg_rows *r[4] = {NULL};
    const bool inside = pg_in_transaction(pg);
    const size_t at = inside ? 1 : 2;
    if (!inside)
        pg_queue(pg, NULL, SQL_BEGIN, NULL);
    pg_queue(pg, NULL, SQL_ENDPOINT_COUNT_LOCK, NULL);
    rows_queue(
        pg, a, SQL_ENDPOINT_INSERT,
        PG(endpoints_list_text(e->event_types),
           endpoints_list_text(e->notify_to), pg_text(e->key_id),
           pg_text(vocabulary_endpoint_kind(e->kind)->wire),
           pg_number(e->kind == ENDPOINT_AGENT ? ENDPOINTS_MAX : CHANNELS_MAX),
           pg_text(e->agent), pg_number(ENDPOINTS_OF_AGENT_MAX),
           pg_number(e->most)),
        &endpoint_record, IN_INSERT, &whole);
    if (!inside)
        pg_queue(pg, NULL, SQL_COMMIT, NULL);
    TRY(endpoints_taken_of(pg_run(pg, a, r)));
    return pg_affected(r[at]) == 0 ? endpoints_too_many(pg, a, e) : NULL;
}

const struct err *endpoints_update(struct pg *pg, struct arena *a,
                                   const struct endpoint *e)
{
    const struct endpoint whole = endpoints_whole(e);
    struct pg_rows *r = NULL;
    rows_queue(pg, a, SQL_ENDPOINT_UPDATE,
               PG(pg_text(e->id), endpoints_list_text(e->event_types),
                  endpoints_list_text(e->notify_to)),
               &endpoint_record, IN_UPDATE, &whole);
    TRY(endpoints_taken_of(pg_run(pg, a, &r)));
    return pg_affected(r) ? NULL : &endpoint_record.unknown;
}

const struct err *endpoints_pause(struct pg *pg, struct arena *a, bool paused,
                                  int64_t now, struct endpoint *e)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_ENDPOINT_PAUSE,
                 PG(pg_text(e->id), pg_flag(paused), pg_moment(now)), &r));
    if (pg_count(r) == 0)
        return &endpoint_record.unknown;
    e->paused_at = pg_time(r, 0, 0);
    e->gone_at = pg_time(r, 0, 1);
    return NULL;
}

const struct err *endpoints_rotate(struct pg *pg, struct arena *a,
                                   struct str id, struct str secret,
                                   int64_t now)
{
    return rows_must_change(
        pg, a, SQL_ENDPOINT_ROTATE,
        PG(pg_text(id), pg_text(secret), pg_moment(now + ENDPOINTS_ROTATION)),
        &endpoint_record.unknown);
}

const struct err *endpoints_remove(struct pg *pg, struct arena *a,
                                   struct str id, int64_t now)
{
    const struct pg_args *args = PG(pg_text(id), pg_moment(now));
    struct pg_rows *r[5] = {NULL};
    pg_queue(pg, NULL, SQL_BEGIN, NULL);
    pg_queue(pg, a, SQL_ENDPOINT_REMOVE, args);
    pg_queue(pg, a, SQL_ENDPOINT_REMOVE_SUBSCRIPTIONS, PG(pg_text(id)));
    pg_queue(pg, a, SQL_ENDPOINT_GIVE_UP, args);
    pg_queue(pg, NULL, SQL_COMMIT, NULL);
    TRY(pg_run(pg, a, r));
    return pg_affected(r[1]) ? NULL : &endpoint_record.unknown;
}
