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

/* The way of a reader through a list of open questions. */
struct page_answered_way {
    struct str list; /* its address; n 0: the reader came from none */
    struct str done; /* ids of what was answered on it, a dot between two */
    const struct str *behind; /* ids of what follows in the list */
    size_t n;
};
/* As the posted form says it; NULL: as the address of the page does, else the
 * browser. Without what follows. */
struct page_answered_way page_answered_way(struct call *c,
                                           const struct pairs *posted);
/* Does an answer lead to the next one? Not without a list, and not where its
 * reader wishes otherwise. */
bool page_answered_leads(const struct call *c,
                         const struct page_answered_way *way);
/* After the answer to the question id: of what follows the first that is still
 * open and this reader's to answer; else the list, which says what was
 * answered on the way; without a list, or where its reader wishes to stay, the
 * question itself. */
const struct err *page_answered_next(struct call *c,
                                     const struct page_answered_way *way,
                                     struct str id, struct str *out) MUST;

#endif
