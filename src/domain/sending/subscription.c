/* Subscriptions: reading one from a client.
 *
 * Pure. The caller checks that webhook_url is the address of an endpoint:
 * nothing is ever sent to a URL because a body has it. */
#include "domain/sending/subscription.h"

#include "base/clock.h"
#include "domain/sending/endpoint.h"

#define ZONE_MAX (14 * 3600 * CLOCK_SECOND) /* no clock is further from UTC */
#define ZONE_LIFE (3600 * CLOCK_SECOND)

static const struct record_field subscription_fields[] = {
    {RECORD_TEXT(subscription, id, IN_TABLE | IN_OBJECT)},
    {RECORD_UUID(subscription, intent_id, IN_TABLE | IN_OBJECT | IN_BODY)},
    {RECORD_UUID(subscription, portfolio_id, IN_TABLE | IN_OBJECT | IN_BODY)},
    {RECORD_TEXT(subscription, subscriber_id, IN_TABLE | IN_OBJECT | IN_BODY),
     .max = SUBSCRIPTION_SUBSCRIBER_MAX},
    {RECORD_TEXT(subscription, webhook_url, IN_JOIN | IN_OBJECT | IN_NEED),
     .max = ENDPOINT_URL_MAX},
    {RECORD_JSON(subscription, event_types, IN_JOIN | IN_OBJECT | IN_BODY),
     .shape = JSON_ARRAY, .none = "[]", .max = 1 << 20},
    {RECORD_NAIVE(subscription, expires_at, IN_TABLE | IN_OBJECT | IN_BODY)},
    {RECORD_NAIVE(subscription, created_at, IN_TABLE | IN_OBJECT)},
    {RECORD_TEXT(subscription, created_by, IN_TABLE)},
    {RECORD_FLAG(subscription, gone, IN_JOIN)},
    {RECORD_FLAG(subscription, active, IN_OBJECT)},
};
const struct record subscription_record =
    RECORD(subscription, "subscription", "subscription");

/* OpenIntent's asynchronous client sends local time without a zone. An end
 * without one that would be in the future of some zone is an hour from now. */
static void subscription_end(struct fields *f, int64_t now, int64_t *end)
{
    const struct str text = json_get_text(f->obj, "expires_at");
    bool zone = false;
    if (f->e || !text.p || *end > now)
        return;
    for (size_t i = sizeof "2026-11-20"; i < text.n; i++)
        zone = zone || strchr("Zz+-", text.p[i]);
    if (*end > now - ZONE_MAX && !zone)
        *end = now + ZONE_LIFE;
    else
        fields_wrong(f, "expires_at", "field.range",
                     "The time has to be in the future.");
}

const struct err *subscription_read(struct arena *a, const struct json *body,
                                    struct str otherwise, int64_t now,
                                    struct subscription *out)
{
    struct fields f = fields(a, body, STR(""));
    record_read(&f, &subscription_record, out);
    if (out->intent_id.p && out->portfolio_id.p)
        fields_wrong(&f, "portfolio_id", "field.unused",
                     "A subscription needs either an intent or a portfolio.");
    subscription_end(&f, now, &out->expires_at);
    TRY(fields_error(&f));
    if (out->subscriber_id.n == 0)
        out->subscriber_id = otherwise;
    return endpoint_events(a, "event_types", json_get(body, "event_types"),
                           &out->event_types);
}

bool subscription_active(const struct subscription *s, int64_t now)
{
    return !s->gone && (s->expires_at == 0 || s->expires_at > now);
}
