/* The table of every route: the site map. It lists all that the server
 * offers. */
#ifndef DOORS_ROUTE_H
#define DOORS_ROUTE_H

#include "doors/call/route.h"

extern const struct route routes[];
extern const size_t route_count;

/* The row for a request, and the pattern's parts in param. ERR_NOT_FOUND
 * route.unknown; ERR_METHOD route.method, with the methods of the path in
 * *allow. HEAD finds GET. */
const struct err *route_find(struct arena *a, enum method method,
                             struct str path, const struct route **out,
                             struct str param[static CALL_PARAMS_MAX],
                             struct str *allow) MUST;
/* Does the row have this query key? *type is "1-100", "0-", "uuid", "time",
 * or p NULL for any text. */
bool route_takes(const struct route *r, struct str key, struct str *type);
/* ERR_BAD_REQUEST request.unknown_key for a key that the row does not have,
 * request.query for a value that is not of its type. */
const struct err *route_check_query(const struct route *r,
                                    const struct request *rq) MUST;
/* The style of errors for a path without a row. */
enum response_style route_style(struct str path);
const char *route_method_word(enum method m);

#endif
