/* The decision strip: how this reader can answer a question now, with what
 * was typed and what was wrong with it. Never loads, never decides. */
#ifndef DOORS_PAGES_ANSWER_STRIP_H
#define DOORS_PAGES_ANSWER_STRIP_H

#include "domain/principal.h"
#include "domain/suspension.h"
#include "doors/pages/shell/view.h"
#include "world/request.h"

struct answer_strip_of {
    const struct suspension *s;
    const struct principal *reader;
    struct str choice; /* that is to be confirmed; p NULL: none */
    const struct pairs *typed; /* what was posted; NULL: nothing yet */
    const struct err *error;   /* what was wrong with it; NULL: nothing */
    /* What the answer would make of it, to be looked at; NULL: not yet. */
    const struct suspension *after;
};

/* How a question is answered on a page. */
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
/* session.ended: the answer came after the end of the session. */
extern const char answer_strip_session_ended[];
/* `errors`; NULL when there is no error. */
struct json *answer_strip_errors(struct page_view *v,
                                 const struct answer_strip_of *of);
/* Is it the choice by which words or a form are declined? */
bool answer_strip_declines(struct arena *a, const struct suspension *s,
                           struct str value);

#endif
