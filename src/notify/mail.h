/* A notice as a mail. */
#ifndef NOTIFY_MAIL_H
#define NOTIFY_MAIL_H

#include "world/template/template.h"

struct mail {
    struct str id;   /* of the delivery */
    struct str body; /* of the notice */
    struct str from;
    const struct str *to;
    size_t to_n;
    int64_t now;
    const struct templates *templates;
};
/* A whole mail with its headers, lines ending in CR LF. */
const struct err *mail_write(struct arena *a, const struct mail *m,
                             struct str *out) MUST;
/* The addresses of a comma-separated list that can stand in a mail's header
 * and envelope, at most max; others are left out. How many. */
size_t mail_addresses(struct str list, struct str *out, size_t max);

#endif
