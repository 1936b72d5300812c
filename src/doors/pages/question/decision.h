/* The end of a question, in words and as members of the pages: responder, time,
 * answer and door. Never loads, never decides. */
#ifndef DOORS_PAGES_QUESTION_DECISION_H
#define DOORS_PAGES_QUESTION_DECISION_H

#include "domain/intent/principal.h"
#include "domain/question/suspension.h"
#include "doors/pages/shell/view.h"

/* `decision`: what `suspension` does not say of it; sequence is that of its
 * event, 0 when that is not known. */
struct json *question_decision(struct page_view *v, const struct suspension *s,
                               const struct principal *reader,
                               int64_t sequence);
/* `label` and `values` of an answer to the question, into o. */
void question_decision_set_answer(struct page_view *v, struct json *o,
                                  const struct suspension *s,
                                  const struct json *value);
/* One paragraph on the decision. */
struct str question_decision_summary(const struct page_view *v,
                                     const struct suspension *s,
                                     const struct principal *reader);
/* For a list: the reason, else the answer; "" when there is neither. */
struct str question_decision_line(struct arena *a, const struct suspension *s);
/* Of the page for a late answer. */
struct str question_decision_heading(const struct page_view *v,
                                     const struct suspension *s,
                                     const struct principal *reader);

#endif
