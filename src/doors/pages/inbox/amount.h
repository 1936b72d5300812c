/* The amount that a question is about, on a page. */
#ifndef DOORS_PAGES_INBOX_AMOUNT_H
#define DOORS_PAGES_INBOX_AMOUNT_H

#include "domain/kind/amount.h"

/* "1,284.50" */
struct str inbox_amount_text(struct arena *a, const struct amount *m);
/* Sets `figure`: {value, unit}, or null. */
void inbox_amount_set(struct arena *a, struct json *o, const struct amount *m);

#endif
