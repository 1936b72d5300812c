/* The body of a digest: the requests that wait for a person. Pure. */
#ifndef DOMAIN_SENDING_DIGEST_H
#define DOMAIN_SENDING_DIGEST_H

#include "domain/sending/channel.h"

#define DIGEST_ROWS 20 /* the gravest, then those that end soonest */

struct digest {
    const struct suspension *v;
    size_t n;        /* at most DIGEST_ROWS */
    int64_t waiting; /* all that wait */
    bool over;       /* there are more than that: it was not counted on */
    enum channel_detail detail;
    struct str time_zone; /* of the person; p NULL: UTC */
    struct str url;       /* public_url */
    int64_t now;
};
extern const char digest_type[];
/* {type, timestamp, data}; data: waiting, over, time_zone, url of the inbox,
 * chosen_at (the page where the person chose it), requests: {title as
 * channel_title, severity, agent, expires_at, amount (with all), url}. */
struct str digest_body(struct arena *a, const struct digest *d);

#endif
