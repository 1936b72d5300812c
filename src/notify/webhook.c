/* A signed request to an endpoint. Sends nothing. */
#include "notify/webhook.h"

#include "base/buf.h"
#include "base/clock.h"
#include "domain/sending/signature.h"

#define AGENT_HEADER "user-agent: Sayso/" PACKAGE_VERSION

static struct str header(struct arena *a, const char *name, struct str value)
{
    struct buf b = buf_make(a, value.n + 64);
    buf_put(&b, name);
    buf_put(&b, ": ");
    buf_str(&b, value);
    return buf_text(&b);
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
    webhook_add(&rq, STR(AGENT_HEADER));
    return rq;
}

bool webhook_signed(struct arena *a, const struct webhook *w,
                    struct outbound_request *out)
{
    const int64_t seconds = w->now / CLOCK_SECOND;
    struct buf when = buf_make(a, 32);
    const struct signature parts = {.id = w->id,
                                    .timestamp = seconds,
                                    .body = w->body,
                                    .secret = w->secret,
                                    .previous_secret = w->previous_secret};
    const struct str value = signature_make(a, &parts);
    if (!value.p)
        return false;
    buf_int(&when, seconds);
    *out = webhook_plain(w);
    webhook_add(out, header(a, "webhook-id", w->id));
    webhook_add(out, header(a, "webhook-timestamp", buf_text(&when)));
    webhook_add(out, header(a, "webhook-signature", value));
    return true;
}
