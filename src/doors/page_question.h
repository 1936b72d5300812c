/* A question as all pages show it: head, risk, deadline, facts, the agent's
 * words. Members as in templates/README.md; never loads, never decides. */
#ifndef DOORS_PAGE_QUESTION_H
#define DOORS_PAGE_QUESTION_H

#include "doors/page_view.h"
#include "domain/suspension.h"

#define PAGE_QUESTION_LONG 600 /* characters; a longer question is folded */

/* `suspension`: the head of the page. */
struct json *page_question(struct page_view *v, const struct suspension *s);
/* What a list calls it: the title, else the question's first line. */
struct str page_question_title(const struct suspension *s);
/* NULL while the question can be answered. */
struct json *page_question_outcome(const struct page_view *v,
                                   const struct suspension *s);
/* NULL when the agent gave no severity. */
struct json *page_question_risk(struct arena *a, const struct suspension *s);
struct json *page_question_deadline(struct page_view *v,
                                    const struct suspension *s);
/* `facts`: the subject, then the context where it is something else. whole:
 * the subject's raw text is not folded. */
struct json *page_question_facts(struct page_view *v,
                                 const struct suspension *s, bool whole);
/* The id of the subject's table. */
const char *page_question_facts_id(const struct suspension *s);
/* Are there any facts that an answer is about? */
bool page_question_has_facts(const struct suspension *s);
/* `why`; NULL when the agent gave no words. */
struct json *page_question_why(struct page_view *v,
                               const struct suspension *s);
/* What silence will do, in words. */
struct str page_question_silence(const struct page_view *v,
                                 const struct suspension *s);
/* The fallback as a person would say it: a choice's label or the value. */
struct str page_question_fallback(struct arena *a,
                                  const struct suspension *s);

#endif
