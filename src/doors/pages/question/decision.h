/* The end of a question, as members of the pages: responder, answer, door and
 * consequence. Never loads, never decides. */
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
/* The rest of the summary of an answered page, into o: `past` of an answer, its
 * `result` or what the agent does `then`, `with`, `differs`; `fallback`. */
void question_decision_set_summary(struct page_view *v, struct json *o,
                                   const struct suspension *s);
/* For a list: the reason, else the answer; "" when there is neither. */
struct str question_decision_line(struct arena *a, const struct suspension *s);
/* How long ago it ended, for who answers late: "9 seconds", "2 min". */
struct str question_decision_ago(const struct page_view *v,
                                 const struct suspension *s);

#endif
