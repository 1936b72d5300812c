/* The decision strip: how this reader can answer a question now, with typed
 * values and errors. Never loads, never decides. */
#ifndef DOORS_PAGES_ANSWER_STRIP_H
#define DOORS_PAGES_ANSWER_STRIP_H

#include "domain/intent/principal.h"
#include "domain/question/suspension.h"
#include "doors/pages/shell/view.h"
#include "world/web/request.h"

struct answer_strip_of {
    const struct suspension *s;
    const struct principal *reader;
    struct str choice; /* that is to be confirmed; p NULL: none */
    const struct pairs *typed; /* posted values; NULL: none */
    const struct err *error;   /* its error; NULL: none */
    /* The question with the answer, to be shown; NULL: not yet. */
    const struct suspension *after;
    const struct json *claims; /* of question_claims; NULL: none */
};

/* The way in which a page answers a question. */
enum answer_strip_way {
    ANSWER_STRIP_CHOICE,
    ANSWER_STRIP_TEXT,
    ANSWER_STRIP_FORM
};
enum answer_strip_way answer_strip_way(struct arena *a,
                                       const struct suspension *s);
/* `answer` */
struct json *answer_strip(struct page_view *v,
                          const struct answer_strip_of *of);
/* session.ended: the answer was sent after the end of the session. */
extern const char answer_strip_session_ended[];
/* `errors`; NULL when there is no error. */
struct json *answer_strip_errors(struct page_view *v,
                                 const struct answer_strip_of *of);
/* Is it the choice by which a text or a form is declined? */
bool answer_strip_declines(struct arena *a, const struct suspension *s,
                           struct str value);

#endif
