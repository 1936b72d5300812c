/* Subscriptions: reading one from a client.
 *
 * Pure. The caller checks that webhook_url is the address of an endpoint:
 * nothing is ever sent to a URL because a body has it. */
#include "domain/sending/subscription.h"

#include "base/clock.h"
#include "base/json/fields.h"
#include "domain/sending/endpoint.h"

#define TIME_MAX 64
#define ZONE_MAX (14 * 3600 * CLOCK_SECOND) /* no clock is further from UTC */
#define ZONE_LIFE (3600 * CLOCK_SECOND)

/* Has the time no zone? */
static bool subscription_zoneless(struct str text)
{
    for (size_t i = 11; i < text.n; i++) {
        if (text.p[i] == 'Z' || text.p[i] == 'z' || text.p[i] == '+' ||
            text.p[i] == '-')
            return false;
    }
    return true;
}

/* OpenIntent's asynchronous client sends local time without a zone. An end
 * without one that would be in the future of some zone is an hour from now. */
static void read_end(struct fields *f, int64_t now, int64_t *out)
{
    struct str text = STR_NONE;
    fields_text(f, "expires_at", TIME_MAX, &text);
    if (f->e || !text.p)
        return;
    if (!clock_parse(text, out))
        fields_wrong(f, "expires_at", "field.time",
                     "This has to be a time like 2026-11-20T09:26:13.510233.");
    else if (*out <= now && *out > now - ZONE_MAX &&
             subscription_zoneless(text))
        *out = now + ZONE_LIFE;
    else if (*out <= now)
        fields_wrong(f, "expires_at", "field.range",
                     "The time has to be in the future.");
}

const struct err *subscription_read(struct arena *a, const struct json *body,
                                    struct str otherwise, int64_t now,
                                    struct subscription *out)
{
    struct fields f = fields(a, body, STR(""));
    const struct json *types = NULL;
    fields_uuid(&f, "intent_id", &out->intent_id);
    fields_uuid(&f, "portfolio_id", &out->portfolio_id);
    if (!f.e && out->intent_id.p && out->portfolio_id.p)
        fields_wrong(&f, "portfolio_id", "field.unused",
                     "A subscription is to an intent or to a portfolio.");
    fields_text(&f, "subscriber_id", SUBSCRIPTION_SUBSCRIBER_MAX,
                &out->subscriber_id);
    fields_json(&f, "event_types", JSON_ARRAY, &types);
    fields_need(&f, "webhook_url");
    fields_text(&f, "webhook_url", ENDPOINT_URL_MAX, &out->webhook_url);
    read_end(&f, now, &out->expires_at);
    TRY(fields_error(&f));
    if (out->subscriber_id.n == 0)
        out->subscriber_id = otherwise;
    return endpoint_events(a, "event_types", types, &out->event_types);
}

bool subscription_active(const struct subscription *s, int64_t now)
{
    return !s->gone && (s->expires_at == 0 || s->expires_at > now);
}
