/* The parts of an edited subject that go beyond what was asked for, and why.
 *
 * An operator may edit an approved subject in any direction; an edit that is
 * more, or other, than the agent asked for is marked:
 *   WIDENING_REASON  needs a comment: a value above the asked one or below
 * zero, another type, a switch, a name or address of something else, an
 * addition or omission, and a statement about the consequence WIDENING_TYPED
 * needs the typed target too: a limit, a tool, a right or a target is another
 * one, or a value is above its limit A limit is a member of the asked
 * "constraints"; it holds for each value of the same name, with max_, _max or
 * _limit or without. Lower values, shorter lists and other prose are not
 * beyond. Pure. */
#ifndef DOMAIN_QUESTION_WIDENING_H
#define DOMAIN_QUESTION_WIDENING_H

#include "base/json/json.h"

enum widening_grade { WIDENING_NOT, WIDENING_REASON, WIDENING_TYPED };

/* One value that goes beyond. asked, allowed: the nodes of the two trees, NULL
 * where there is none. */
struct widening_row {
    struct str path; /* "calls[0].args.amount" */
    struct str why;  /* a sentence */
    enum widening_grade grade;
    const struct json *asked, *allowed;
};
struct widening {
    enum widening_grade grade; /* the highest of all */
    struct widening_row *rows; /* the first WIDENING_ROWS of them */
    size_t n, more;          /* more: findings without a row */
};
#define WIDENING_ROWS 100

/* Finds the parts of allowed that go beyond asked; both are whole subjects.
 * Fills *out, whose rows live in a. */
void widening_find(struct arena *a, const struct json *asked,
                   const struct json *allowed, struct widening *out);
/* The row of these two nodes; NULL: they do not go beyond. */
const struct widening_row *widening_row(const struct widening *e,
                                        const struct json *asked,
                                        const struct json *allowed);

#endif
