/* The part of a page that depends on the kind of the question. Never loads,
 * never decides; an absent fact is shown as unknown, never guessed. */
#ifndef DOORS_PAGES_KINDS_KINDS_H
#define DOORS_PAGES_KINDS_KINDS_H

#include "domain/intent/principal.h"
#include "domain/question/suspension.h"
#include "doors/pages/shell/view.h"

/* A question, and the one that it replaces. */
struct kinds_of {
    const struct suspension *s;
    const struct suspension *before; /* NULL: none */
    const struct principal *reader;
    int64_t revision; /* from 1: the number of questions that it replaces, and
                       * itself */
};

/* `kind_view`: {"plan_review": ...}, the word of the kind and what its template
 * shows; NULL for a question without a kind. */
struct json *kinds_view(struct page_view *v, const struct kinds_of *of);

/* The part of one kind, each in a file of its name; kinds.c has the small
 * ones. */
struct json *kinds_plan(struct page_view *v, const struct kinds_of *of);
struct json *kinds_approval(struct page_view *v, const struct kinds_of *of);
struct json *kinds_cost(struct page_view *v, const struct kinds_of *of);

#endif
