/* Does a permit cover a call? The walk goes over the granted details, never
 * over the call alone: a member that they do not name is not allowed. Pure. */
#ifndef DOMAIN_PERMIT_PERMIT_COVERS_H
#define DOMAIN_PERMIT_PERMIT_COVERS_H

#include "domain/decimal.h"
#include "domain/permit/permit_details.h"

/* A code that callers compare: permit.tool. */
extern const char permit_covers_tool[];

/* NULL: one of the granted details covers the call, and *detail is that one;
 * detail may be NULL. ERR_INVALID with the member in .at: permit.tool,
 * permit.missing, permit.extra, permit.other for another value than the exact
 * one, permit.limit for a value beyond its limit or of another type. Where
 * several details are of that tool, the error is that of the first one. */
const struct err *permit_covers(struct arena *a, const struct json *granted,
                                struct str tool, const struct json *arguments,
                                const struct json **detail) MUST;

/* A call that is made. */
struct permit_covers_call {
    struct str tool;
    const struct json *arguments;
};
/* Is each of these calls covered by a detail of its own? */
bool permit_covers_each(struct arena *a, const struct json *granted,
                        const struct permit_covers_call *calls, size_t n);

/* The most that all uses of a permit may take together. */
struct permit_covers_budget {
    struct decimal amount;
    struct str unit; /* p NULL: there is no budget */
    struct str of;   /* the constraint that is counted */
};
/* Reads {amount, unit, of}: of names a constraint of every detail that is a
 * decimal text, and unit is the exact argument "currency" where a detail names
 * one.
 * ERR_INVALID permit.details, .at begins with path; field.*. */
const struct err *permit_covers_budget_read(struct arena *a,
                                            const struct json *v,
                                            struct str path,
                                            const struct json *details,
                                            struct permit_covers_budget *out)
    MUST;
/* The amount that a covered call takes of the budget, and the sum with it.
 * ERR_CONFLICT permit.budget. */
const struct err *permit_covers_spend(const struct permit_covers_budget *budget,
                                      struct decimal spent,
                                      const struct json *arguments,
                                      struct decimal *amount,
                                      struct decimal *sum) MUST;

#endif
