/* One decision for many questions: which questions may take part, and which of
 * a question's answers is its plain yes or no. Pure.
 *
 * Each question is still decided separately (domain/answer/resolve.h). */
#ifndef DOMAIN_ANSWER_BULK_H
#define DOMAIN_ANSWER_BULK_H

#include "domain/question/suspension.h"

#define BULK_MAX 50 /* questions at once */
/* Bytes and values of a subject that is approved together with others: the
 * page that asks for the yes shows all of it. */
#define BULK_SUBJECT_MAX ((size_t)2048)
#define BULK_VALUES_MAX 60

/* The value that means a plain yes or no: for a confirm its own value unless
 * that has another effect, else that of the one choice that authorizes or
 * accepts, or that of the first that vetoes or declines. p NULL: there is none,
 * or the answer takes something. reason: does the choice demand one? */
struct bulk_answer {
    struct str value;
    bool reason;
};
struct bulk_answer bulk_answer(struct arena *a, const struct suspension *s,
                               bool yes);
/* The reason, a sentence, why this reader cannot decide the question together
 * with others; p NULL when they can. */
struct str bulk_left_out(struct arena *a, const struct suspension *s,
                         const struct principal *reader, bool yes,
                         int64_t now);

#endif
