/* The time of the next try of a failed delivery. Pure: the current time and the
 * random number are arguments. */
#ifndef DOMAIN_SENDING_BACKOFF_H
#define DOMAIN_SENDING_BACKOFF_H

#include <stdint.h>

/* The longest wait that a receiver may ask for, in seconds. */
#define BACKOFF_ASKED_MAX (INT64_C(24) * 3600)

struct backoff {
    int64_t tries;       /* that were made, from 1 */
    int64_t retry_after; /* seconds that the receiver asked for; 0: none */
    uint32_t random;     /* any number: spreads deliveries that failed
                          * together */
    int64_t now;
};
/* The moment of the next try, in microseconds: after the n-th one in about 5 s,
 * 1 min, 5 min, 30 min, 2 h, 5 h, 8 h, 9 h, a fifth more or less, and never
 * before the moment that the receiver asked for. 0: that was the last one. */
int64_t backoff_next(const struct backoff *b);

#endif
