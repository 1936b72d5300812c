/* The amount that a question is about, read from its facts: what its calls or
 * its limit name as amount and currency, exactly as it stands there. A sum is
 * of one currency, and exact. Never loads, never decides. */
#ifndef DOORS_PAGES_INBOX_AMOUNT_H
#define DOORS_PAGES_INBOX_AMOUNT_H

#include "domain/decimal.h"
#include "domain/question/suspension.h"

#define INBOX_AMOUNT_UNIT 12 /* characters */

struct inbox_amount {
    struct decimal value;
    unsigned places; /* shown behind the point */
    struct str unit; /* p NULL: no amount */
};

/* Of an approval the sum over its calls, of a cost its limit. None where one
 * call has an amount that cannot be read, where two have different units, and
 * for all other kinds. The unit is a slice of subject. */
struct inbox_amount inbox_amount_of(enum kind kind,
                                    const struct json *subject);
/* Adds one to *sum; *sum becomes none where the units differ, where one of the
 * two has no amount, or where the sum is too large. */
void inbox_amount_add(struct inbox_amount *sum,
                      const struct inbox_amount *one);
/* "1,284.50" */
struct str inbox_amount_text(struct arena *a, const struct inbox_amount *m);
/* "1284.50", for a script that adds. */
struct str inbox_amount_plain(struct arena *a, const struct inbox_amount *m);
/* Sets `figure`: {value, unit}, or null. */
void inbox_amount_set(struct arena *a, struct json *o,
                      const struct inbox_amount *m);

#endif
