/* Subscriptions: which events of which intents go to an endpoint (OpenIntent
 * RFC-0006). Pure. */
#ifndef DOMAIN_SENDING_SUBSCRIPTION_H
#define DOMAIN_SENDING_SUBSCRIPTION_H

#include "domain/record.h"

#define SUBSCRIPTION_SUBSCRIBER_MAX 200

struct subscription {
    struct str id;
    struct str webhook_url; /* the endpoint's address */
    struct str intent_id;   /* p NULL: every intent, or the members of */
    struct str portfolio_id; /* this portfolio; p NULL: none */
    struct str subscriber_id;
    struct str event_types; /* JSON list; empty: all */
    int64_t created_at;
    struct str created_by; /* id of the key */
    int64_t expires_at;    /* 0: never */
    bool gone; /* its endpoint is gone, or its key has ended */
    bool active; /* it is sent events now */
};
extern const struct record subscription_record;

/* Reads the SDK's body: intent_id or portfolio_id, webhook_url, event_types,
 * expires_at (in the future) and subscriber_id (the argument otherwise where it
 * is missing or empty). Unknown members are
 * ignored, because newer OpenIntent clients send more. */
const struct err *subscription_read(struct arena *a, const struct json *body,
                                    struct str otherwise, int64_t now,
                                    struct subscription *out) MUST;
/* Is it active at now? Its key has to be valid: the subscriptions of a revoked
 * or expired key are sent nothing. */
bool subscription_active(const struct subscription *s, int64_t now);

#endif
