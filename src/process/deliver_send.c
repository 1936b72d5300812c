/* One delivery made into one transfer, by the kind of its endpoint: a signed
 * request, a message to Slack, a mail. Never waits for what comes of it. */
#include "process/deliver_send.h"

#include "base/clock.h"
#include "doors/message.h"
#include "domain/signature.h"

#define AGENT_HEADER "user-agent: Sayso/" PACKAGE_VERSION

static struct str header(struct arena *a, const char *name, struct str value)
{
    struct buf b = buf_make(a, value.n + 64);
    buf_put(&b, name);
    buf_put(&b, ": ");
    buf_str(&b, value);
    return buf_text(&b);
}

static void add(struct outbound_request *rq, struct str line)
{
    if (rq->headers < OUTBOUND_HEADERS_MAX)
        rq->header[rq->headers++] = line;
}

static struct outbound_request post(const struct outbox_item *item,
                                    struct str body)
{
    struct outbound_request rq = {
        .url = item->address, .body = body, .internal = item->internal};
    add(&rq, STR("content-type: application/json"));
    add(&rq, STR(AGENT_HEADER));
    return rq;
}

static bool make_signed(const struct deliver_send *s,
                        const struct outbox_item *item,
                        struct outbound_request *rq, struct str *why)
{
    const int64_t seconds = s->now / CLOCK_SECOND;
    struct buf when = buf_make(s->arena, 32);
    const struct signature parts = {.id = item->id,
                                    .timestamp = seconds,
                                    .body = item->body,
                                    .secret = item->secret,
                                    .previous_secret = item->previous_secret};
    const struct str value = signature_make(s->arena, &parts);
    *why = STR("The endpoint has no secret to sign with.");
    if (!value.p)
        return false;
    buf_int(&when, seconds);
    *rq = post(item, item->body);
    add(rq, header(s->arena, "webhook-id", item->id));
    add(rq, header(s->arena, "webhook-timestamp", buf_text(&when)));
    add(rq, header(s->arena, "webhook-signature", value));
    return true;
}

static bool make_slack(const struct deliver_send *s,
                       const struct outbox_item *item,
                       struct outbound_request *rq, struct str *why)
{
    struct str body;
    const struct err *e = message_slack(s->arena, item->body, &body);
    if (e) {
        *why = e->say;
        return false;
    }
    *rq = post(item, body);
    return true;
}

static bool make_mail(const struct deliver_send *s,
                      const struct outbox_item *item,
                      struct outbound_request *rq, struct str *why)
{
    *rq = (struct outbound_request){.from = s->mail_from};
    rq->recipients =
        message_addresses(item->recipient.p ? item->recipient : item->address,
                          rq->to, OUTBOUND_RECIPIENTS_MAX);
    *why = STR("No mail server is configured.");
    if (!s->mail_from.p)
        return false;
    *why = STR("There is no address that mail can be sent to.");
    if (rq->recipients == 0)
        return false;
    const struct message_mail mail = {.id = item->id,
                                      .body = item->body,
                                      .from = s->mail_from,
                                      .to = rq->to,
                                      .to_n = rq->recipients,
                                      .now = s->now,
                                      .templates = s->templates};
    const struct err *e = message_mail(s->arena, &mail, &rq->body);
    if (e)
        *why = e->say;
    return !e;
}

bool deliver_send(const struct deliver_send *s, const struct outbox_item *item,
                  void *own, struct str *why)
{
    struct outbound_request rq;
    bool made;
    if (str_is(item->kind, "mail"))
        made = make_mail(s, item, &rq, why);
    else if (str_is(item->kind, "slack"))
        made = make_slack(s, item, &rq, why);
    else
        made = make_signed(s, item, &rq, why);
    if (!made)
        return false;
    *why = STR("It could not be begun.");
    return outbound_send(s->out, &rq, own);
}
