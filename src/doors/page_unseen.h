/* What a question's page does not show in the open: values that have no row,
 * texts that are cut or folded. A yes to these takes a second step, which says
 * how much it is. The server counts it from what it would show; nothing that
 * is posted makes it less. Never decides. */
#ifndef DOORS_PAGE_UNSEEN_H
#define DOORS_PAGE_UNSEEN_H

#include "doors/page_view.h"
#include "domain/suspension.h"
#include "world/request.h"

struct page_unseen {
    int64_t values, texts;
};

/* Of the facts and the question; zeroes where no choice is a yes. */
struct page_unseen page_unseen(struct arena *a, const struct suspension *s);
/* Does this choice say yes to something that is not seen? */
bool page_unseen_by(const struct page_unseen *u, const struct json *choice);
/* `unseen`: {text, token, raw_url}, where the choice says so; else NULL. The
 * token is posted back as `unseen`. */
struct json *page_unseen_view(struct page_view *v, const struct page_unseen *u,
                              const struct suspension *s,
                              const struct json *choice);
/* Was this answer posted without the step that says it? */
bool page_unseen_skipped(struct arena *a, const struct suspension *s,
                         const struct json *choice,
                         const struct pairs *posted);

#endif
