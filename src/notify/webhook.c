/* A signed request to an endpoint. Sends nothing. */
#include "notify/webhook.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/crypt.h"
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

/* The same trace and flags, with a new parent-id. */
static struct str webhook_trace(struct arena *a, struct str given)
{
    uint8_t id[8];
    crypt_random(id, sizeof id);
    id[0] |= 1; /* zero is none */
    return arena_join(a, STR("00"), str_sub(given, 2, 36),
                      crypt_hex(a, (struct str){(const char *)id, sizeof id}),
                      str_sub(given, 52, given.n));
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
    if (w->traceparent.p)
        webhook_add(&rq, webhook_header(a, "traceparent",
                                        webhook_trace(a, w->traceparent)));
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
