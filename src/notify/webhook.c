/* A signed request to an endpoint. Sends nothing. */
#include "notify/webhook.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/version.h"
#include "domain/sending/signature.h"

static struct str webhook_header(struct arena *a, const char *name,
                                 struct str value)
{
    return arena_join(a, str_of(name), STR(": "), value);
}

static void webhook_add(struct outbound_request *rq, struct str line)
{
    if (rq->headers < OUTBOUND_HEADERS_MAX)
        rq->header[rq->headers++] = line;
}

struct outbound_request webhook_plain(const struct webhook *w)
{
    struct outbound_request rq = {
        .url = w->url, .body = w->body, .internal = w->internal};
    webhook_add(&rq, STR("content-type: application/json"));
    webhook_add(&rq, str_of(version_user_agent));
    return rq;
}

struct outbound_request webhook_named(struct arena *a, const struct webhook *w)
{
    struct outbound_request rq = webhook_plain(w);
    webhook_add(&rq, webhook_header(a, "webhook-id", w->id));
    webhook_add(&rq, webhook_header(a, "webhook-timestamp",
                                    arena_number(a, w->now / CLOCK_SECOND)));
    if (w->epoch > 0)
        webhook_add(&rq, webhook_header(a, "sayso-restore-epoch",
                                        arena_number(a, w->epoch)));
    return rq;
}

bool webhook_signed(struct arena *a, const struct webhook *w,
                    struct outbound_request *out)
{
    const struct signature parts = {.id = w->id,
                                    .timestamp = w->now / CLOCK_SECOND,
                                    .body = w->body,
                                    .secret = w->secret,
                                    .previous_secret = w->previous_secret};
    const struct str value = signature_make(a, &parts);
    if (!value.p)
        return false;
    *out = webhook_named(a, w);
    webhook_add(out, webhook_header(a, "webhook-signature", value));
    return true;
}
