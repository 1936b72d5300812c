/* Time stamps of checkpoints of the log (RFC-0019 with RFC 3161): the anchor of
 * a checkpoint, and the event about it. Pure. */
#ifndef DOMAIN_LOG_LOG_ANCHOR_H
#define DOMAIN_LOG_LOG_ANCHOR_H

#include "domain/record.h"

/* A stamp of a checkpoint's root, by an authority. */
struct log_anchor {
    struct str checkpoint_id;
    struct str intent_id; /* p NULL: the server's */
    struct str anchor;    /* JSON */
};
extern const struct record log_anchor_record;

/* The JSON, from the stamp's serial number and time, and the whole answer of
 * the authority. */
struct str log_anchor_text(struct arena *a, struct str serial, int64_t at,
                           struct str answer);
/* The payload of the event log.checkpoint.anchored. */
struct json *log_anchor_payload(struct arena *a, const struct log_anchor *x);
/* The id under which the end of a try is announced, with its time as the
 * version. */
struct str log_anchor_wake(struct arena *a, struct str checkpoint_id);

#endif
