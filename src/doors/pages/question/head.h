/* The parts of a question that all pages show: head, risk, deadline, facts, the
 * agent's words. Never loads, never decides. */
#ifndef DOORS_PAGES_QUESTION_HEAD_H
#define DOORS_PAGES_QUESTION_HEAD_H

#include "domain/question/suspension.h"
#include "doors/pages/shell/view.h"

#define QUESTION_HEAD_LONG 600 /* characters; a longer question is folded */

/* `suspension` of a question's page: the record that the API shows, without its
 * JSON values, and what question_head_brief and the template question/head add
 * to it. */
struct json *question_head(struct page_view *v, const struct suspension *s);
/* `suspension` of a row, or of a link to the question: the members of the
 * record that rows show, by its names; kind, risk and outcome as badges; the
 * title that lists show. */
struct json *question_head_brief(struct page_view *v,
                                 const struct suspension *s);
/* Its name in lists: the title, else the question's first line. */
struct str question_head_title(const struct suspension *s);
struct json *question_head_deadline(struct page_view *v,
                                    const struct suspension *s);
/* `facts`: the subject, then the context where it differs. whole: the subject's
 * raw text is not folded. */
struct json *question_head_facts(struct page_view *v,
                                 const struct suspension *s, bool whole);
/* The id of the subject's table. */
const char *question_head_facts_id(const struct suspension *s);
/* Are there any facts for an answer? */
bool question_head_has_facts(const struct suspension *s);
/* `why`; NULL when the agent gave no words. */
struct json *question_head_why(struct page_view *v,
                               const struct suspension *s);
/* The fallback in words: a choice's label or the value. */
struct str question_head_fallback(struct arena *a, const struct suspension *s);

#endif
