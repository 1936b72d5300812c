/* Deliveries: written in the deciding transaction, and listed in the log of
 * deliveries.
 *
 * The statements themselves find the recipients. Never sends anything. */
#include "store/sending/deliveries.h"

#include "base/clock.h"
#include "base/id.h"
#include "base/log.h"
#include "store/rows.h"

/* ---- writing -------------------------------------------------------- */

struct push {
    struct str agent, suspension_id, type, body;
    struct str traceparent; /* p NULL: none */
    bool stranger; /* of a request for access: the agent needs none */
};

static void deliveries_queue_push(struct pg *pg, struct arena *a,
                                  const struct deliveries_news *news,
                                  const struct push *push)
{
    pg_queue(pg, a, SQL_DELIVERY_PUSH,
             PG(pg_text(push->agent), pg_text(news->intent->id),
                pg_text(push->suspension_id),
                pg_number(news->intent->tail.sequence), pg_text(push->type),
                pg_text(push->body), pg_moment(news->now),
                pg_flag(push->stranger), pg_text(push->traceparent)));
}

static void deliveries_queue_answer(struct pg *pg, struct arena *a,
                                    const struct deliveries_news *news)
{
    const struct suspension *s = news->decided;
    const struct str type = str_of(push_type(s));
    if (s->callback.p)
        pg_queue(pg, a, SQL_DELIVERY_CALLBACK,
                 PG(pg_text(s->callback_endpoint), pg_text(news->intent->id),
                    pg_text(s->id), pg_number(news->intent->tail.sequence),
                    pg_text(type),
                    pg_text(push_callback(a, news->intent, s, news->permit)),
                    pg_moment(news->now), pg_text(s->callback),
                    pg_text(s->asked_by),
                    pg_flag(s->callback_body == CALLBACK_ANSWER),
                    pg_text(s->traceparent)));
    deliveries_queue_push(
        pg, a, news,
        &(struct push){.agent = s->asked_by,
                       .suspension_id = s->id,
                       .type = type,
                       .traceparent = s->traceparent,
                       .stranger = s->origin == ORIGIN_ACCESS,
                       .body = push_body(a, news->intent, s, news->permit)});
}

void deliveries_queue(struct pg *pg, struct arena *a,
                      const struct deliveries_news *news)
{
    const struct event_list *events = news->events;
    if (news->decided)
        deliveries_queue_answer(pg, a, news);
    for (const struct push_revocation *r = news->revoked; r; r = r->next)
        deliveries_queue_push(
            pg, a, news,
            &(struct push){
                .agent = r->permit->agent,
                .suspension_id = r->permit->suspension_id,
                .type = str_of(push_revoked),
                .body = push_revoked_body(a, news->intent, r, news->now)});
    if (events->n == 0)
        return;
    const struct pg_args *args =
        PG(pg_text(news->intent->id), pg_number(events->v[0].sequence),
           pg_number(events->v[events->n - 1].sequence), pg_moment(news->now));
    pg_queue(pg, a, SQL_DELIVERY_EVENTS, args);
    if (news->intent->containers & INTENT_IN_PORTFOLIO)
        pg_queue(pg, a, SQL_DELIVERY_MEMBER_EVENTS, args);
}

/* The text for target i, within its channel's setting: shared by all targets
 * with the same setting. */
static struct str deliveries_body_for(struct arena *a,
                                      const struct deliveries_notice *n,
                                      const struct channel_target *to,
                                      const struct str *before, size_t i)
{
    const struct channel_notice one = {.news = n->news,
                                       .channel = to[i].channel,
                                       .suspension = n->suspension,
                                       .notify_to = to[i].recipient,
                                       .url = n->url,
                                       .now = n->now};
    for (size_t k = 0; k < i; k++) {
        if (to[k].channel->detail == to[i].channel->detail &&
            !to[k].recipient.p == !to[i].recipient.p)
            return before[k];
    }
    return channel_body(a, &one);
}

/* notify_to may be a person's address, and is not logged. */
static void deliveries_log_instead(const struct suspension *s, size_t n)
{
    if (s->channel_hint.n > 0)
        log_line(LOG_NOTICE,
                 "question %.*s: its channel \"%.*s\" is missing or off; "
                 "notified instead: %zu channels for every question",
                 STR_FMT(s->id), STR_FMT(s->channel_hint), n);
    else
        log_line(LOG_NOTICE,
                 "question %.*s: its recipient is on no channel's list; "
                 "notified instead: %zu channels for every question",
                 STR_FMT(s->id), n);
}

void deliveries_queue_notice(struct pg *pg, struct arena *a,
                             const struct deliveries_notice *notice)
{
    const struct suspension *s = notice->suspension;
    struct str channel[CHANNELS_MAX], recipient[CHANNELS_MAX],
        body[CHANNELS_MAX];
    struct channel_targets to;
    channel_targets(notice->channels, s->channel_hint, notice->notify_to, &to);
    if (to.instead)
        deliveries_log_instead(s, to.n);
    if (to.n == 0)
        return;
    for (size_t i = 0; i < to.n; i++) {
        channel[i] = to.v[i].channel->id;
        recipient[i] = to.v[i].recipient;
        body[i] = deliveries_body_for(a, notice, to.v, body, i);
    }
    pg_queue(pg, a, SQL_DELIVERY_NOTICES,
             PG(pg_text(s->intent_id), pg_text(s->id),
                pg_number(notice->sequence),
                pg_text(str_of(channel_news_word(notice->news))),
                pg_texts(channel, to.n), pg_texts(recipient, to.n),
                pg_texts(body, to.n), pg_moment(notice->now)));
}

/* ---- the log -------------------------------------------------------- */

/* IN_PART: what an endpoint's own object says of its newest. */
static const struct record_field delivery_fields[] = {
    {RECORD_TEXT(delivery, id, IN_ROW | IN_PART), .member = "delivery_id"},
    {RECORD_TEXT(delivery, endpoint_id, IN_ROW)},
    {RECORD_TEXT(delivery, intent_id, IN_ROW)},
    {RECORD_TEXT(delivery, suspension_id, IN_ROW)},
    {RECORD_NUMBER(delivery, event_sequence, IN_ROW)},
    {RECORD_TEXT(delivery, address, IN_ROW)},
    {RECORD_TEXT(delivery, type, IN_ROW | IN_PART)},
    {RECORD_TEXT(delivery, recipient, IN_ROW)},
    {RECORD_TEXT(delivery, answer, IN_ROW | IN_PART)},
    {RECORD_WORD(delivery, state, IN_ROW | IN_PART,
                 vocabulary_delivery_state_all)},
    {RECORD_NUMBER(delivery, tries, IN_ROW | IN_PART)},
    {RECORD_TIME(delivery, next_at, IN_ROW)},
    {RECORD_TIME(delivery, created_at, IN_ROW | IN_PART)},
    {RECORD_TIME(delivery, ended_at, IN_ROW)},
    {RECORD_TEXT(delivery, endpoint_name, IN_JOIN)},
    {RECORD_WORD(delivery, endpoint_kind, IN_JOIN,
                 vocabulary_endpoint_kind_all)},
    {RECORD_TEXT(delivery, title, IN_JOIN)},
    {RECORD_TEXT(delivery, body, IN_JOIN)},
};
const struct record delivery_record =
    RECORD(delivery, "delivery", "delivery");

static const struct record_field delivery_try_fields[] = {
    {RECORD_NUMBER(delivery_try, n, IN_ROW)},
    {RECORD_TIME(delivery_try, at, IN_ROW)},
    {RECORD_NUMBER(delivery_try, ms, IN_ROW)},
    {RECORD_COUNT(delivery_try, status, IN_ROW)},
    {RECORD_TEXT(delivery_try, answer, IN_ROW)},
};
static const struct record delivery_try_record =
    RECORD(delivery_try, "try", "delivery_try");

const struct err *deliveries_list(struct pg *pg, struct arena *a,
                                  const struct deliveries_page *page,
                                  struct delivery_rows *out)
{
    *out = (struct delivery_rows){.n = 0};
    if ((page->endpoint.p && !id_uuid(page->endpoint)) ||
        (page->after_at && !id_uuid(page->after_id)))
        return NULL;
    return rows_list(
        pg, a, SQL_DELIVERY_LIST,
        PG(pg_number(page->limit),
           pg_text(vocabulary_delivery_state(page->state)->wire),
           pg_text(page->endpoint), pg_moment(page->after_at),
           pg_text(page->after_at ? page->after_id : STR_NONE)),
        &delivery_record, &out->v, &out->n);
}

const struct err *deliveries_get(struct pg *pg, struct arena *a,
                                 struct str id, struct delivery *out,
                                 struct delivery_tries *tries)
{
    struct pg_rows *r[2] = {NULL};
    if (!id_uuid(id))
        return &delivery_record.unknown;
    pg_queue(pg, a, SQL_DELIVERY_GET, PG(pg_text(id)));
    pg_queue(pg, a, SQL_DELIVERY_TRIES, PG(pg_text(id)));
    TRY(pg_run(pg, a, r));
    if (pg_count(r[0]) == 0)
        return &delivery_record.unknown;
    rows_read(&delivery_record, r[0], 0, out);
    *tries = (struct delivery_tries){
        .v = rows_all(a, &delivery_try_record, r[1]), .n = pg_count(r[1])};
    return NULL;
}

const struct err *deliveries_counts(struct pg *pg, struct arena *a,
                                    int64_t now, int64_t out[static 3])
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_DELIVERY_COUNTS,
                 PG(pg_moment(now - 24 * 3600 * CLOCK_SECOND)), &r));
    for (int i = 0; i < 3; i++)
        out[i] = pg_int(r, 0, i);
    return NULL;
}

const struct err *deliveries_waiting(struct pg *pg, struct arena *a,
                                     struct deliveries_waiting *out)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_DELIVERY_WAITING, NULL, &r));
    out->n = pg_int(r, 0, 0);
    out->since = pg_int(r, 0, 1);
    out->failed = pg_int(r, 0, 2);
    return NULL;
}

const struct err *deliveries_failed(struct pg *pg, struct arena *a,
                                    const struct deliveries_failed *which,
                                    struct delivery_rows *out)
{
    return rows_list(pg, a, SQL_DELIVERY_FAILED,
                     PG(pg_text(which->endpoint),
                        pg_moment(which->since ? which->since : 1)),
                     &delivery_record, &out->v, &out->n);
}

const struct err *
deliveries_failed_again(struct pg *pg, struct arena *a,
                        const struct deliveries_failed *which, int64_t now,
                        int64_t *n)
{
    size_t some = 0;
    *n = 0;
    do {
        struct pg_rows *r = NULL;
        TRY(pg_query(pg, a, SQL_DELIVERY_FAILED_AGAIN,
                     PG(pg_text(which->endpoint),
                        pg_moment(which->since ? which->since : 1),
                        pg_moment(now)),
                     &r));
        some = pg_affected(r);
        *n += (int64_t)some;
    } while (some > 0);
    return NULL;
}

const struct err *deliveries_again(struct pg *pg, struct arena *a,
                                   struct str id, int64_t now)
{
    struct pg_rows *r[2] = {NULL};
    if (!id_uuid(id))
        return &delivery_record.unknown;
    pg_queue(pg, a, SQL_DELIVERY_AGAIN, PG(pg_text(id), pg_moment(now)));
    pg_queue(pg, a, SQL_DELIVERY_THERE, PG(pg_text(id)));
    TRY(pg_run(pg, a, r));
    if (pg_count(r[1]) == 0)
        return &delivery_record.unknown;
    if (pg_affected(r[0]) == 0)
        return ERROR(ERR_CONFLICT, "delivery.endpoint",
                     "The endpoint of the delivery was removed.");
    return NULL;
}
