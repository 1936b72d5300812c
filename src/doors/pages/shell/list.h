/* The parts that the lists of questions share: filters in the address, chips
 * that change one of them, counts, the link to the next page. Never loads,
 * never decides. */
#ifndef DOORS_PAGES_SHELL_LIST_H
#define DOORS_PAGES_SHELL_LIST_H

#include "domain/kind/kind.h"
#include "doors/call/call.h"
#include "doors/pages/shell/view.h"
#include "store/question/inbox.h"

#define PAGE_LIST_ROWS 50
#define PAGE_LIST_WORDS 200 /* characters of a search */

/* A filter of the address; p NULL where it is absent or empty. */
struct str page_list_filter(struct call *c, const char *key);
/* The kind that a list is narrowed to; KIND__MAX: none. false: the address has
 * an unknown one. */
bool page_list_kind(struct call *c, enum kind *out);
/* The list at path with one filter changed, from its first page; value p NULL:
 * without it. */
struct str page_list_url(struct call *c, const char *path, const char *key,
                         struct str value);
/* The list at path as it is shown, from the place where this page of it
 * begins. */
struct str page_list_here(struct call *c, const char *path);
/* The call as if it had asked for the list at this address. ERR_BAD_REQUEST. */
const struct err *page_list_at(struct call *c, struct str address,
                               struct call *list) MUST;
/* The open questions that the inbox's address asks for, from the first one.
 * false: it has an unknown word, or a text that is too long. */
bool page_list_open_of(struct call *c, int64_t now, struct inbox_query *out);
/* The query without the position in the list. */
struct str page_list_query(struct call *c);
/* The address where the filtered list can be saved under a name. */
struct str page_list_save(struct call *c, const char *path);
/* Adds {url, label, count, icon, here}; count and icon may be "". */
struct page_list_chip {
    struct str url, label, count;
    const char *icon;
    bool here;
};
void page_list_chip(struct json *list, struct arena *a,
                    const struct page_list_chip *chip);
/* Adds a chip that sets one filter of the list at path; word p NULL: it
 * removes the filter. none: it would find nothing, and is added only where it
 * is set. Is it set? */
struct page_list_link {
    const char *path, *key;
    struct str word, label, count;
    const char *icon;
    bool none;
};
bool page_list_link(struct call *c, struct json *list,
                    const struct page_list_link *link);
/* "57", or "200+" for more than max. */
struct str page_list_count(struct arena *a, int64_t n, int64_t max);
/* The same of open questions: every page says their number with it, so that no
 * two places of one differ. */
struct str page_list_open(struct arena *a, int64_t n);
/* {shown_text, first_url, older_url, onward}; NULL where there is one page. */
struct page_list_pager {
    const char *path;
    bool first;       /* it is the first page */
    struct str older; /* the id to continue after; p NULL: it is the last */
    const char *onward; /* the word of the link there; NULL: "Older" */
    struct str shown;
};
struct json *page_list_pager(struct call *c, const struct page_list_pager *p);
/* Before the number of rows of one page: "The newest ", "Another ", "The last
 * ". */
struct str page_list_part(bool first, bool more);
/* A row in memory of its own: the trees that it is read from may be many times
 * as large as the row, and a page has many rows. Between the two calls `call`
 * and `view` replace the page's. */
struct page_list_row {
    struct call call;
    struct page_view view;
    struct call *page;
    struct page_view *page_view;
};
void page_list_row_begin(struct page_list_row *r, struct call *c,
                         struct page_view *v);
/* The built row, as the page's own; the row's memory is freed. */
struct json *page_list_row_end(struct page_list_row *r,
                               const struct json *built);
/* ERR_BAD_REQUEST request.query */
const struct err *page_list_bad(void) MUST;

#endif
