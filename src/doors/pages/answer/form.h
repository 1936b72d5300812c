/* The form that answers a question: how this reader can answer it now, with
 * typed values and errors. Never loads, never decides. */
#ifndef DOORS_PAGES_ANSWER_FORM_H
#define DOORS_PAGES_ANSWER_FORM_H

#include "domain/intent/principal.h"
#include "domain/question/suspension.h"
#include "doors/pages/shell/view.h"
#include "world/web/request.h"

struct answer_form_of {
    const struct suspension *s;
    const struct principal *reader;
    struct str choice; /* that is to be confirmed; p NULL: none */
    const struct pairs *typed; /* posted values; NULL: none */
    const struct err *error;   /* its error; NULL: none */
    /* The question with the answer, to be shown; NULL: not yet. */
    const struct suspension *after;
};

/* The way in which a page answers a question. */
enum answer_way {
    ANSWER_WAY_CHOICE,
    ANSWER_WAY_TEXT,
    ANSWER_WAY_FORM
};
enum answer_way answer_form_way(struct arena *a,
                                       const struct suspension *s);
/* `answer` */
struct json *answer_form(struct page_view *v,
                          const struct answer_form_of *of);
/* session.ended: the answer was sent after the end of the session. */
extern const char answer_form_session_ended[];
/* `errors`; NULL when there is no error. */
struct json *answer_form_errors(struct page_view *v,
                                 const struct answer_form_of *of);
/* Is it the choice by which a text or a form is declined? */
bool answer_form_declines(struct arena *a, const struct suspension *s,
                           struct str value);

#endif
