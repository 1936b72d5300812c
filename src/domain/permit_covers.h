/* Does a permit cover a call? Walks over what was granted, never over what
 * the caller brings: what is not named there is not allowed. Pure. */
#ifndef DOMAIN_PERMIT_COVERS_H
#define DOMAIN_PERMIT_COVERS_H

#include "domain/decimal.h"
#include "domain/permit_details.h"

/* Codes that others ask about: permit.tool and permit.budget. */
extern const char permit_covers_tool[];
extern const char permit_covers_budget[];

/* NULL: one of the details granted covers the call; *detail is that one, and
 * may be NULL where nobody asks. ERR_INVALID with the member in .at:
 * permit.tool, permit.missing, permit.extra, permit.other for one that has to
 * be another value, permit.limit for one beyond its limit or of another type.
 * Where several details are of that tool, the first one's mistake is told. */
const struct err *permit_covers(struct arena *a, const struct json *granted,
                                struct str tool, const struct json *arguments,
                                const struct json **detail) MUST;

/* How much all uses of a permit may come to. */
struct permit_covers_budget {
    struct decimal amount;
    struct str unit; /* p NULL: there is no budget */
    struct str of;   /* the constraint that is counted */
};
/* Reads {amount, unit, of}: of names a constraint of every detail that is a
 * decimal text, and unit is the exact argument "currency" where there is one.
 * ERR_INVALID permit.details, .at begins with path; field.*. */
const struct err *permit_covers_budget_read(struct arena *a,
                                            const struct json *v,
                                            struct str path,
                                            const struct json *details,
                                            struct permit_covers_budget *out)
    MUST;
/* What one call, which is covered, takes of the budget, and what is spent
 * with it. ERR_CONFLICT permit.budget. */
const struct err *permit_covers_spend(const struct permit_covers_budget *budget,
                                      struct decimal spent,
                                      const struct json *arguments,
                                      struct decimal *amount,
                                      struct decimal *sum) MUST;

#endif
