/* What a question's page does not show in the open: values that have no row,
 * texts that are cut or folded. A yes to these takes a second step, which says
 * how much it is. The server counts it from what it would show; nothing that
 * is posted makes it less. Never decides. */
#ifndef DOORS_PAGES_QUESTION_UNSEEN_H
#define DOORS_PAGES_QUESTION_UNSEEN_H

#include "domain/suspension.h"
#include "doors/pages/shell/view.h"
#include "world/request.h"

struct question_unseen {
    int64_t values, texts;
};

/* Of the facts and the question; zeroes where no choice is a yes. */
struct question_unseen question_unseen(struct arena *a,
                                       const struct suspension *s);
/* Does this choice say yes to something that is not seen? */
bool question_unseen_by(const struct question_unseen *u,
                        const struct json *choice);
/* `unseen`: {text, token, raw_url}, where the choice says so; else NULL. The
 * token is posted back as `unseen`. */
struct json *question_unseen_view(struct page_view *v,
                                  const struct question_unseen *u,
                                  const struct suspension *s,
                                  const struct json *choice);
/* Was this answer posted without the step that says it? */
bool question_unseen_skipped(struct arena *a, const struct suspension *s,
                             const struct json *choice,
                             const struct pairs *posted);

#endif
