/* Authorization details (RFC 9396): what a permit allows, exactly.
 *
 * A list of objects. Of type "tool_call" is a call of one tool:
 *   {"type": "tool_call", "tool": "shop.refund",
 *    "arguments": {"order": "12345"}, "constraints": {"amount": "50.00"}}
 * Its arguments are members that a call has to have exactly so; a constraint
 * is a member that it has to have within a limit (domain/permit_covers.h).
 * Other types are made by the server alone. Pure. */
#ifndef DOMAIN_PERMIT_DETAILS_H
#define DOMAIN_PERMIT_DETAILS_H

#include "base/err.h"
#include "base/json.h"

#define PERMIT_DETAILS_MAX 50
#define PERMIT_DETAILS_TEXT ((size_t)512 << 10) /* bytes, in canonical form */
#define PERMIT_DETAILS_LIST_MAX 500 /* elements of a constraint's list */

extern const char permit_details_type[]; /* "tool_call" */
/* A code that others ask about: permit.details. */
extern const char permit_details_wrong[];

/* A list of 1 to PERMIT_DETAILS_MAX details of the type tool_call, as
 * somebody asks for them: no other member, none missing but constraints, and
 * no name twice. ERR_INVALID permit.details; .at begins with path. */
const struct err *permit_details_check(struct arena *a,
                                       const struct json *list,
                                       struct str path) MUST;
/* The details of calls {tool, args} that stand in a list: exact ones. Elements
 * without a tool are left out, and where args are needed, those without them.
 * NULL where nothing is left, or a call cannot be said so. */
struct json *permit_details_of_calls(struct arena *a, const struct json *list,
                                     bool args_needed);
/* Makes limits of these names: they are its constraints, and no longer exact.
 * Only where there is one detail; ERR_INVALID permit.details, .at begins with
 * path, for a limit that none can be. */
const struct err *permit_details_limit(struct arena *a, struct json *list,
                                       const struct json *limits,
                                       struct str path) MUST;
/* All constraints in one object, as a person sees and lowers them: by their
 * names, and with the detail's place before it where there are several:
 * "2.amount". NULL: there are none. */
struct json *permit_details_limits(struct arena *a, const struct json *list);
/* A copy of the details with constraints that were lowered by an answer, under
 * the names of permit_details_limits. ERR_INVALID amend.unknown, or
 * amend.wider at constraints.NAME. */
const struct err *permit_details_narrow(struct arena *a,
                                        const struct json *asked,
                                        const struct json *limits,
                                        struct json **out) MUST;
/* The text that is kept and hashed; ERR_TOO_LARGE suspension.too_large. */
const struct err *permit_details_text(struct arena *a, const struct json *list,
                                      struct str *out) MUST;

#endif
