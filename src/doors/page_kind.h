/* What a question of one of the seven kinds shows beyond a plain card
 * (reference/ui.md 5.4). Never loads, never decides; what is not told is shown
 * as unknown, never guessed. */
#ifndef DOORS_PAGE_KIND_H
#define DOORS_PAGE_KIND_H

#include "doors/page_view.h"
#include "domain/principal.h"
#include "domain/suspension.h"

/* A question, and the one that it replaces. */
struct page_kind_of {
    const struct suspension *s;
    const struct suspension *before; /* NULL: none */
    const struct principal *reader;
    int64_t revision; /* from 1: how many it replaces, and itself */
};

/* `kind`: the word and the icon; a question without a kind has them too. */
struct json *page_kind_word(struct arena *a, const struct suspension *s);
/* `kind_view`; NULL for a question without a kind. */
struct json *page_kind(struct page_view *v, const struct page_kind_of *of);

/* The subject's object; an empty one where it cannot be read. */
struct json *page_kind_subject(struct arena *a, const struct suspension *s);

/* `kind_view.plan` and so on, each in a file of its name; NULL for a question
 * of another kind. */
struct json *page_kind_plan(struct page_view *v,
                            const struct page_kind_of *of);
struct json *page_kind_elicitation(struct page_view *v,
                                   const struct page_kind_of *of);
struct json *page_kind_credential(struct page_view *v,
                                  const struct page_kind_of *of);
struct json *page_kind_handoff(struct page_view *v,
                               const struct page_kind_of *of);

#endif
