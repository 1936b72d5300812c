/* The amount that a question is about, read from its facts: what its calls or
 * its limit name as amount and currency, exactly as it stands there. A sum is
 * of one currency, and exact. Pure. */
#ifndef DOMAIN_KIND_AMOUNT_H
#define DOMAIN_KIND_AMOUNT_H

#include "domain/decimal.h"
#include "domain/kind/kind.h"

#define AMOUNT_UNIT 12 /* characters */

struct amount {
    struct decimal value;
    unsigned places; /* shown behind the point */
    struct str unit; /* p NULL: no amount */
};

/* Of an approval the sum over its calls, of a cost its limit. None where one
 * call has an amount that cannot be read, where two have different units, and
 * for all other kinds. The unit is a slice of subject. */
struct amount amount_of(enum kind kind, const struct json *subject);
/* Adds one to *sum; *sum becomes none where the units differ, where one of the
 * two has no amount, or where the sum is too large. */
void amount_add(struct amount *sum, const struct amount *one);
/* The whole part, as it is written, with the places behind the point. */
struct str amount_join(struct arena *a, struct str whole,
                       const struct amount *m);
/* "1284.50" */
struct str amount_plain(struct arena *a, const struct amount *m);

#endif
