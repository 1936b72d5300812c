/* The small things that pages are made of: texts of strangers with what is
 * hidden in them made visible, moments, spans, counts, addresses. The members
 * are those that templates/README.md promises. Never decides, never loads. */
#ifndef DOORS_PAGES_SHELL_VIEW_H
#define DOORS_PAGES_SHELL_VIEW_H

#include "base/json.h"
#include "world/words.h"

#define PAGE_VIEW_TITLE 300 /* characters of a question's title */
#define PAGE_VIEW_ROW 200   /* of a text in a row of a list */
#define PAGE_VIEW_TAB 120   /* of a title in the browser's tab */

/* One page in the making. */
struct page_view {
    struct arena *a;
    int64_t now;
    size_t codes; /* hidden characters that still get a mark of their own */
    struct str zone; /* of the reader, for moments; p NULL: UTC */
    /* Counted by whatever leaves out a value, or folds or cuts a text. */
    int64_t cut, folded;
};

/* A view with its whole allowance of marks, in UTC; now is the page's time. A
 * page of somebody begins with page_begin. */
struct page_view page_view(struct arena *a, int64_t now);

/* A stranger's text as {text, segments, hidden}; NULL when p is NULL. */
struct json *page_view_text(struct page_view *v, struct str s);
/* The same of at most max characters, "…" standing for the rest. */
struct json *page_view_head(struct page_view *v, struct str s, size_t max);
/* The first line that is not empty, cut for a row, "…" standing for the
 * others; NULL when there is none. */
struct json *page_view_line(struct page_view *v, struct str s);
/* {count, start} for a text of more than max characters, or of more than 12
 * lines, else NULL. */
struct json *page_view_long(struct page_view *v, struct str s, size_t max);

/* {iso, utc, text, short, day, clock, word, ago}; NULL for 0. */
struct json *page_view_time(const struct page_view *v, int64_t t);
/* The same where the reader is: "20 Nov 2026 04:12:04 CET". */
struct str page_view_when(const struct page_view *v, int64_t t);
/* An address of ours: before, id percent-encoded, after. */
struct str page_view_path(struct arena *a, const char *before, struct str id,
                          const char *after);

#endif
