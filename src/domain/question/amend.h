/* Changes of what was asked by an approving answer: only towards less, or,
 * where the agent allows edits, a whole new subject.
 *
 * The member "takes" of a choice says what the answer may change:
 *   limit        constraints {"limit": n}, at most the subject's limit.amount
 *   seconds      constraints {"seconds": n}, at most duration.seconds; needed
 *   constraints  some of the subject's constraints, tighter; needed. A number
 *                is tighter where it is less, and not below zero; a decimal
 *                text (domain/decimal.h) where it is less; a list where
 * it has
 *                some of the elements, none of them more often
 *   steps        constraints {"steps": [{"id", "note"?}]}: steps of the plan
 *                that are kept, in their new order; needed
 *   subject      a whole new subject, checked anew by the kind; needed
 * Pure. */
#ifndef DOMAIN_QUESTION_AMEND_H
#define DOMAIN_QUESTION_AMEND_H

#include "domain/question/suspension.h"

#define AMEND_NOTE_MAX 1000 /* characters of a note on a step */
#define AMEND_LIST_MAX 500  /* elements of a list that may be tightened */

/* The changes as they are recorded. */
struct amend {
    struct str constraints; /* JSON text of all constraints in force; p NULL:
                             * none */
    struct str subject;     /* the bytes that are approved; p NULL: as asked */
};

/* The members that were sent with a choice. */
struct amend_sent {
    const struct json *constraints; /* an object; NULL: none */
    const struct json *subject;     /* an object; NULL: none */
    struct str subject_text;        /* its bytes as sent */
};

/* Codes that callers compare: amend.missing and so on. */
extern const char amend_missing[];
extern const char amend_unchanged[];
extern const char amend_unknown[];
extern const char amend_unused[];
extern const char amend_wider[];

/* ERR_INVALID amend.unused where the choice does not take such a member;
 * amend.missing; amend.wider at constraints.X where it is more than was asked
 * for; amend.unknown; amend.unchanged; kind.facts and
 * subject.too_large for a new subject.
 * ERR_TOO_LARGE suspension.too_large for a subject that is too large to
 * store. */
const struct err *amend_check(struct arena *a, const struct suspension *s,
                              const struct json *choice,
                              const struct amend_sent *sent,
                              struct amend *out) MUST;
/* Is v the same as the limit that was asked for, or no wider? As for
 * "constraints" above. */
bool amend_tighter(struct arena *a, const struct json *asked,
                   const struct json *v);

#endif
