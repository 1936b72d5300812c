/* Events of an intent as rows: of the timeline of one question, and of the
 * intent's own table. Reads only the stored bytes, and accepts any. */
#ifndef DOORS_PAGES_QUESTION_TIMELINE_H
#define DOORS_PAGES_QUESTION_TIMELINE_H

#include "domain/intent/event.h"
#include "domain/plan/intent_plans.h"
#include "doors/pages/shell/view.h"

/* {seq, at, what, who, detail, tone}. about_question: the words of a
 * question's own timeline ("Asked"), else those of the intent ("Question
 * asked"). */
struct json *question_timeline_row(struct page_view *v, const struct event *e,
                                   bool about_question);
/* The `detail` of an event about steps and plans: their names, where the event
 * has ids. */
void question_timeline_name(struct page_view *v, struct json *row,
                            const struct event *e,
                            const struct intent_plans *plans);
/* Adds hash_before, hash, is_ok and is_broken: checked is whether the
 * chain was verified, broken the first broken sequence or 0. */
void question_timeline_set_chain(struct json *row, const struct event *e,
                                 bool checked, int64_t broken);

#endif
