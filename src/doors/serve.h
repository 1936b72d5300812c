/* Runs one request from CGI parameters to the whole answer (route,
 * authenticate, handle). Never uses a socket. */
#ifndef DOORS_SERVE_H
#define DOORS_SERVE_H

#include "doors/call/serve.h"

/* The facts of an answered request, for the log and the metrics. Texts live in
 * the request's arena. */
struct served {
    struct str request_id;
    size_t route;     /* number for metrics_request */
    const char *name; /* "GET /api/v1/intents/{id}", or "unmatched" */
    int status;
    struct str principal; /* "agent:<id>": role and id; or empty */
    int64_t database_us;
};

/* Answers one request into *rs in every case. too_large: the body was over
 * REQUEST_BODY_MAX and is absent. Leaves no transaction open. */
struct served serve_one(struct serve *s, struct arena *a, struct pairs params,
                        struct str body, bool too_large, struct response *rs);
/* The names of all routes for metrics_make, "unmatched" last. */
const char *const *serve_route_names(size_t *n);

#endif
