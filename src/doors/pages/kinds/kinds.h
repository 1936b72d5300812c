/* The part of a page that depends on the kind of the question. Never loads,
 * never decides; an absent fact is shown as unknown, never guessed. */
#ifndef DOORS_PAGES_KINDS_KINDS_H
#define DOORS_PAGES_KINDS_KINDS_H

#include "domain/principal.h"
#include "domain/suspension.h"
#include "doors/pages/shell/view.h"

/* A question, and the one that it replaces. */
struct kinds_of {
    const struct suspension *s;
    const struct suspension *before; /* NULL: none */
    const struct principal *reader;
    int64_t revision; /* from 1: the number of questions that it replaces, and
                       * itself */
};

/* `kind_view`; NULL for a question without a kind. */
struct json *kinds_view(struct page_view *v, const struct kinds_of *of);

/* `kind_view.plan` and so on, each in a file of its name, the small ones in
 * simple.c; NULL for a question of another kind. */
struct json *kinds_plan(struct page_view *v, const struct kinds_of *of);
struct json *kinds_elicitation(struct page_view *v, const struct kinds_of *of);
struct json *kinds_credential(struct page_view *v, const struct kinds_of *of);
struct json *kinds_handoff(struct page_view *v, const struct kinds_of *of);
struct json *kinds_approval(struct page_view *v, const struct kinds_of *of);
struct json *kinds_cost(struct page_view *v, const struct kinds_of *of);
struct json *kinds_permission(struct page_view *v, const struct kinds_of *of);

#endif
