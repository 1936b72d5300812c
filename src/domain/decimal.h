/* Decimal texts such as "49.90", read, compared and added exactly, never as
 * doubles.
 *
 * A decimal text has 1 to 15 digits, and after a point 1 to 6 more. Pure. */
#ifndef DOMAIN_DECIMAL_H
#define DOMAIN_DECIMAL_H

#include "base/arena.h"

struct decimal {
    int64_t whole;
    int64_t millionths; /* 0..999999 */
};

/* false: the text is none, and *out is untouched. */
bool decimal_read(struct str text, struct decimal *out)
    __attribute__((warn_unused_result));
/* Below zero, zero or above it, as a is less than b, the same or more. */
int decimal_compare(struct decimal a, struct decimal b);
/* a + b; false: the sum has more than fifteen digits before the point. */
bool decimal_add(struct decimal a, struct decimal b, struct decimal *sum)
    __attribute__((warn_unused_result));
bool decimal_zero(struct decimal d);
/* The shortest text of it: "49.9", "50". */
struct str decimal_text(struct arena *a, struct decimal d);

#endif
