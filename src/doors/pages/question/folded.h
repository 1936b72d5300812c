/* The parts of a question that its page does not show unfolded: values without
 * a row, and texts that are cut or folded. A yes to these takes a second step,
 * which names their number. The server counts them from the page that it would
 * build; a post cannot lower the count. Never decides. */
#ifndef DOORS_PAGES_QUESTION_FOLDED_H
#define DOORS_PAGES_QUESTION_FOLDED_H

#include "domain/question/suspension.h"
#include "doors/pages/shell/view.h"
#include "world/web/request.h"

struct question_folded {
    int64_t values, texts;
};

/* Of the facts and the question; zeroes where no choice is a yes. */
struct question_folded question_folded(struct arena *a,
                                       const struct suspension *s);
/* Does this choice say yes to parts that were not shown? */
bool question_folded_by(const struct question_folded *u,
                        const struct json *choice);
/* `unseen`: {values, texts, all, token, facts_id}, where the choice does; else
 * NULL. The token is posted back as `unseen`. */
struct json *question_folded_view(struct page_view *v,
                                  const struct question_folded *u,
                                  const struct suspension *s,
                                  const struct json *choice);
/* Was this answer posted without the step that names them? */
bool question_folded_skipped(struct arena *a, const struct suspension *s,
                             const struct json *choice,
                             const struct pairs *posted);

#endif
