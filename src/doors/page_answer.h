/* The decision strip: how this reader can answer a question now, with what
 * was typed and what was wrong with it. Never loads, never decides. */
#ifndef DOORS_PAGE_ANSWER_H
#define DOORS_PAGE_ANSWER_H

#include "doors/page_view.h"
#include "domain/principal.h"
#include "domain/suspension.h"
#include "world/request.h"

struct page_answer_of {
    const struct suspension *s;
    const struct principal *reader;
    struct str choice; /* that is to be confirmed; p NULL: none */
    const struct pairs *typed; /* what was posted; NULL: nothing yet */
    const struct err *error;   /* what was wrong with it; NULL: nothing */
    /* What the answer would make of it, to be looked at; NULL: not yet. */
    const struct suspension *after;
};

/* How a question is answered on a page. */
enum page_answer_way { PAGE_ANSWER_CHOICE, PAGE_ANSWER_TEXT, PAGE_ANSWER_FORM };
enum page_answer_way page_answer_way(struct arena *a,
                                     const struct suspension *s);
/* `answer` */
struct json *page_answer(struct page_view *v, const struct page_answer_of *of);
/* `errors`; NULL when there is no error. */
struct json *page_answer_errors(struct page_view *v,
                                const struct page_answer_of *of);
/* Is it the choice by which words or a form are declined? */
bool page_answer_declines(struct arena *a, const struct suspension *s,
                          struct str value);

#endif
