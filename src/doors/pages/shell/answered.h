/* The page that follows an answer: the next question of the list from which its
 * reader came, else the list, with a line that says what was answered. */
#ifndef DOORS_PAGES_SHELL_ANSWERED_H
#define DOORS_PAGES_SHELL_ANSWERED_H

#include "doors/call/call.h"

#define PAGE_ANSWERED_MAX 50 /* questions */

/* `answered`, of the ids in the address: {tone, one: {word, title,
 * suspension_id}, many: "12 approved, 1 rejected", left}, one of the first two;
 * left: {found, name} of the list that the address names, else null. Only what
 * this reader has answered within the last hour counts, as it is stored; NULL:
 * nothing. */
const struct err *page_answered(struct call *c, struct json **out) MUST;

/* The list at `list` with these as answered; p NULL: the address would be too
 * long. A list that is not one of open questions is the inbox. */
struct str page_answered_list(struct call *c, struct str list,
                              const struct str *ids, size_t n);
/* After the answer to the question id: of the ids in the posted `order`, what
 * followed it in the posted `list`, the first that is still open and this
 * reader's to answer; else the list, which says what was answered of the
 * posted `done` too; without a list the question itself. A person's own
 * setting may leave out the next ones, or the list too. */
const struct err *page_answered_next(struct call *c,
                                     const struct pairs *posted, struct str id,
                                     struct str *out) MUST;

#endif
