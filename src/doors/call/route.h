/* A row of the table of routes (doors/route.c). */
#ifndef DOORS_CALL_ROUTE_H
#define DOORS_CALL_ROUTE_H

#include "doors/call/call.h"

/* The way a caller authenticates. */
enum route_proof {
    ROUTE_OPEN,   /* needs none */
    ROUTE_KEY,    /* X-API-Key, or Authorization: Bearer */
    ROUTE_LOG,    /* the same, unless the log is public (log_public) */
    ROUTE_CLIENT, /* an OAuth client, with a form */
    ROUTE_COOKIE, /* a person's session, and a token in every form */
};

struct route {
    enum method method;
    const char *pattern;
    enum route_proof proof;
    unsigned who;      /* allowed roles, ORed; 0 for ROUTE_OPEN */
    const char *query; /* the query keys, separated by spaces, with ":" and the
                        * type where not every text is valid; NULL: any */
    size_t body;       /* the body's ceiling in bytes; 0: none is read */
    enum response_style style;
    const struct err *(*handle)(struct call *c);
    enum access needs; /* of an agent, to an intent that the call is about;
                        * ACCESS_NONE: it is about none (reach.h) */
};

#endif
