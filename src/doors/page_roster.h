/* A settings page that is one table: who there is, with a state and at most
 * one thing to do in each row. Never loads, never decides. */
#ifndef DOORS_PAGE_ROSTER_H
#define DOORS_PAGE_ROSTER_H

#include "doors/page_settings.h"

#define PAGE_ROSTER_COLUMNS 8

struct page_roster_words {
    const char *path, *title, *heading, *about;
    const char *empty_heading, *empty_sentence;
    const char *heads[PAGE_ROSTER_COLUMNS]; /* NULL ends them */
    const char *acts;                       /* head of the last; NULL: none */
};
struct page_roster {
    struct call *c;
    const struct page_roster_words *words;
    struct page_view v;
    struct json *view, *rows, *row, *cells;
};
/* An empty table, and a page with no form, no errors and no secret yet. */
struct page_roster page_roster(struct call *c,
                               const struct page_roster_words *words);

/* Begins a row; the cells that follow are in it, one for each head. */
void page_roster_row(struct page_roster *r);
/* second p NULL: it has no second line; url "": it leads nowhere. */
void page_roster_text(struct page_roster *r, struct str text,
                      struct str second, struct str url);
/* A day, or how long ago; 0: the word instead. second as above. */
void page_roster_day(struct page_roster *r, int64_t t, const char *none,
                     struct str second);
void page_roster_ago(struct page_roster *r, int64_t t, const char *none);
/* A state in a chip. */
void page_roster_state(struct page_roster *r, const char *word,
                       const char *tone, const char *icon);

/* What can be done with the row: a link to the step that asks first. */
struct page_roster_act {
    const char *label;
    struct str about; /* the same and of what, for who cannot see the row */
    struct str url;
};
void page_roster_act(struct page_roster *r, const struct page_roster_act *act);

/* The words above the table, of its count; and the pager. older: the address
 * behind the last row, p NULL: there are no more. first: not the first page. */
void page_roster_pager(struct page_roster *r, bool first, struct str older);
const struct err *page_roster_show(struct page_roster *r, int status,
                                   struct str summary) MUST;

#endif
