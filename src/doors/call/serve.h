/* A worker, as its calls see it. */
#ifndef DOORS_CALL_SERVE_H
#define DOORS_CALL_SERVE_H

#include "base/conf.h"
#include "base/shared/metrics.h"
#include "base/shared/presence.h"
#include "base/shared/quota.h"
#include "world/pg/pg.h"
#include "world/template/template.h"
#include "world/web/request.h"
#include "world/web/response.h"

/* The data that lives as long as a worker. */
struct serve {
    const struct conf *conf;
    const struct templates *templates;
    struct pg *pg;
    struct principals *principals;
    struct metrics *metrics;
    struct quota *quota;
    struct presence *presence;
    size_t seat;               /* the worker's own: base/shared/quota.h */
    struct str secret;         /* seals requests that are handed over:
                                * doors/call/hold.h */
    struct outbound *outbound; /* for requests that a handler makes; NULL:
                                * none */
};

#endif
