/* One delivery made into one transfer, by the kind of its endpoint. */
#ifndef PROCESS_DELIVER_SEND_H
#define PROCESS_DELIVER_SEND_H

#include "store/sending/outbox.h"
#include "world/outbound.h"
#include "world/template/template.h"

struct deliver_send {
    struct arena *arena; /* scratch */
    struct outbound *out;
    const struct templates *templates;
    struct str mail_from; /* p NULL: no mail is sent */
    int64_t now;
};
/* The reason for which it may not be sent at all; p NULL: it may. A callback
 * was named long ago: since then its endpoint may have changed, or the
 * rules. */
struct str deliver_refusal(struct arena *a, const struct outbox_item *item);
/* Starts it; own comes back with the result. false: it cannot be sent, and *why
 * is the reason. */
bool deliver_send(const struct deliver_send *s, const struct outbox_item *item,
                  void *own, struct str *why);

#endif
