/* One delivery made into one transfer, by the kind of its endpoint: a request,
 * signed unless it is plain, a message to Slack, a mail. Never waits for the
 * result. */
#include "process/deliver_send.h"

#include "domain/sending/endpoint.h"
#include "notify/mail.h"
#include "notify/slack.h"
#include "notify/web_push.h"
#include "notify/webhook.h"
#include "store/tables.h"

static struct webhook deliver_send_request(const struct deliver_send *s,
                                           const struct outbox_item *item)
{
    return (struct webhook){.epoch = tables_restore().epoch,
                            .id = item->id,
                            .url = item->address,
                            .body = item->body,
                            .secret = item->secret,
                            .previous_secret = item->previous_secret,
                            .traceparent = item->traceparent,
                            .internal = item->internal,
                            .now = s->now};
}

static bool deliver_send_webhook(const struct deliver_send *s,
                                 const struct outbox_item *item,
                                 struct outbound_request *rq, struct str *why)
{
    const struct webhook w = deliver_send_request(s, item);
    if (item->plain) {
        *rq = webhook_named(s->arena, &w);
        return true;
    }
    *why = STR("The endpoint has no signing secret.");
    return webhook_signed(s->arena, &w, rq);
}

static bool deliver_send_slack(const struct deliver_send *s,
                               const struct outbox_item *item,
                               struct outbound_request *rq, struct str *why)
{
    struct webhook w = deliver_send_request(s, item);
    const struct err *e = slack_write(s->arena, item->body, &w.body);
    if (e) {
        *why = e->say;
        return false;
    }
    *rq = webhook_plain(&w);
    return true;
}

static bool deliver_send_mail(const struct deliver_send *s,
                              const struct outbox_item *item,
                              struct outbound_request *rq, struct str *why)
{
    *rq = (struct outbound_request){.from = s->mail_from};
    rq->recipients =
        mail_addresses(item->recipient.p ? item->recipient : item->address,
                       rq->to, OUTBOUND_RECIPIENTS_MAX);
    *why = STR("No mail server is configured.");
    if (!s->mail_from.p)
        return false;
    *why = STR("The channel has no valid mail address.");
    if (rq->recipients == 0)
        return false;
    const struct mail mail = {.id = item->id,
                              .body = item->body,
                              .from = s->mail_from,
                              .to = rq->to,
                              .to_n = rq->recipients,
                              .now = s->now,
                              .templates = s->templates};
    const struct err *e = mail_write(s->arena, &mail, &rq->body);
    if (e)
        *why = e->say;
    return !e;
}

/* The address came from a browser: it is a push service's, on the internet,
 * unless an admin says that those of the channel are internal. */
static bool deliver_send_push(const struct deliver_send *s,
                              const struct outbox_item *item,
                              struct outbound_request *rq, struct str *why)
{
    const struct web_push p = {.url = item->address,
                               .private_key = item->secret,
                               .contact = item->prefix,
                               .internal = item->internal,
                               .now = s->now};
    *why = STR("The channel's key cannot sign.");
    return web_push_write(s->arena, &p, rq);
}

struct str deliver_refusal(struct arena *a, const struct outbox_item *item)
{
    struct endpoint_host host;
    if (!item->below)
        return STR_NONE;
    if (item->kind == ENDPOINT_PUSH) {
        const struct err *e = endpoint_url(a, "address", item->address, &host);
        return e ? e->say : STR_NONE;
    }
    if (!item->prefix.p)
        return STR("The endpoint no longer accepts callbacks of this agent.");
    const struct err *e = endpoint_url(a, "address", item->address, &host);
    if (!e)
        e = endpoint_below(a, "address", item->address, item->prefix);
    return e ? e->say : STR_NONE;
}

struct attempt {
    struct deliver_send send;
    const struct outbox_item *item;
    void *own;
    struct str why;
    bool begun;
};

static void deliver_send_try(void *p)
{
    struct attempt *x = p;
    struct outbound_request rq;
    bool made;
    if (x->item->kind == ENDPOINT_MAIL)
        made = deliver_send_mail(&x->send, x->item, &rq, &x->why);
    else if (x->item->kind == ENDPOINT_PUSH)
        made = deliver_send_push(&x->send, x->item, &rq, &x->why);
    else if (x->item->kind == ENDPOINT_SLACK)
        made = deliver_send_slack(&x->send, x->item, &rq, &x->why);
    else
        made = deliver_send_webhook(&x->send, x->item, &rq, &x->why);
    if (!made)
        return;
    x->why = STR("The request could not be started.");
    x->begun = outbound_send(x->send.out, &rq, x->own);
}

bool deliver_send(const struct deliver_send *s, const struct outbox_item *item,
                  void *own, struct str *why)
{
    struct attempt x = {.send = *s, .item = item, .own = own};
    struct arena *const a = arena_within(s->arena);
    x.send.arena = a;
    if (!arena_try(a, deliver_send_try, &x))
        x.why = STR("The message needs more memory than is available.");
    if (!x.begun)
        *why = arena_str(s->arena, x.why);
    arena_free(a);
    return x.begun;
}
