/* Authorization details (RFC 9396): the exact contents of a permit.
 *
 * The details are a list of objects. An object of the type "tool_call" is a
 * call of one tool:
 *   {"type": "tool_call", "tool": "shop.refund",
 *    "arguments": {"order": "12345"}, "constraints": {"amount": "50.00"}}
 * A call has to have each member of arguments with an equal value, and each
 * member of constraints within its limit (domain/permit/permit_covers.h). Only
 * the server makes objects of other types. Pure. */
#ifndef DOMAIN_PERMIT_PERMIT_DETAILS_H
#define DOMAIN_PERMIT_PERMIT_DETAILS_H

#include "base/err.h"
#include "base/json/json.h"

#define PERMIT_DETAILS_MAX 50
#define PERMIT_DETAILS_TEXT ((size_t)512 << 10) /* bytes, in canonical form */
#define PERMIT_DETAILS_LIST_MAX 500 /* elements of a constraint's list */

extern const char permit_details_type[]; /* "tool_call" */
/* A code that callers compare: permit.details. */
extern const char permit_details_wrong[];

/* Checks a list of 1 to PERMIT_DETAILS_MAX details of the type tool_call: no
 * other member, none missing but constraints, and no name in both objects.
 * ERR_INVALID permit.details; .at begins with path. */
const struct err *permit_details_check(struct arena *a,
                                       const struct json *list,
                                       struct str path) MUST;
/* Exact details of a list of calls {tool, args}. Elements without a tool are
 * left out, and elements without args where args_needed. NULL where no element
 * is left, or one has a form that no detail can have. */
struct json *permit_details_of_calls(struct arena *a, const struct json *list,
                                     bool args_needed);
/* The exact detail of an action {provider, action, params}: a call of the tool
 * PROVIDER.ACTION, in a list. ERR_INVALID permit.details or field.*, .at begins
 * with path. */
const struct err *permit_details_of_action(struct arena *a,
                                           const struct json *v,
                                           struct str path,
                                           struct json **out) MUST;
/* Makes these limits the constraints of a single detail; its arguments of the
 * same names are no longer exact. ERR_INVALID permit.details, .at begins with
 * path, for several details and for a value that is not a limit. */
const struct err *permit_details_limit(struct arena *a, struct json *list,
                                       const struct json *limits,
                                       struct str path) MUST;
/* All constraints in one object, for the question: under their names, with the
 * detail's place before them where there are several details ("2.amount").
 * NULL: there are none. */
struct json *permit_details_limits(struct arena *a, const struct json *list);
/* A copy of the details with the constraints of an answer, which have the names
 * of permit_details_limits. ERR_INVALID amend.unknown, or amend.wider at
 * constraints.NAME. */
const struct err *permit_details_narrow(struct arena *a,
                                        const struct json *asked,
                                        const struct json *limits,
                                        struct json **out) MUST;
/* The text that is stored and hashed; ERR_TOO_LARGE suspension.too_large. */
const struct err *permit_details_text(struct arena *a, const struct json *list,
                                      struct str *out) MUST;

#endif
