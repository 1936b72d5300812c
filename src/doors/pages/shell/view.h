/* Small helpers for the views of pages: folded texts, moments, addresses.
 * Templates escape, mark and format values themselves
 * (world/template/template.h). Never decides, never loads. */
#ifndef DOORS_PAGES_SHELL_VIEW_H
#define DOORS_PAGES_SHELL_VIEW_H

#include "base/json/json.h"
#include "domain/question/artifact.h"
#include "domain/search/search.h"
#include "world/template/words.h"

#define PAGE_VIEW_TITLE 300 /* characters of a question's title */
#define PAGE_VIEW_ROW 200   /* of a text in a row of a list */
#define PAGE_VIEW_TAB 120   /* of a title in the browser's tab */

/* One page while it is built. */
struct page_view {
    struct arena *a;
    int64_t now;
    struct str zone; /* of the reader, for moments; p NULL: UTC */
    /* Counted by all code that leaves out a value, or folds or cuts a text. */
    int64_t cut, folded;
    /* The uploaded files of the question; NULL: none, or not loaded. */
    const struct artifact_list *files;
    struct str files_of; /* the question's id */
    /* The words that a list is searched for; NULL: none. */
    const struct search_query *words;
};

/* A view in UTC; now is the page's time. A page for a person begins with
 * page_begin. */
struct page_view page_view(struct arena *a, int64_t now);

/* {count, start} for a text of more than max characters, or of more than 12
 * lines, else NULL. */
struct json *page_view_long(struct page_view *v, struct str s, size_t max);

/* A moment, or a count, for the template to format; null for 0. */
void page_view_set_time(struct json *o, const char *key, int64_t t);
void page_view_set_count(struct json *o, const char *key, size_t n);
/* For a sentence, in the reader's zone: "20 Nov 2026 04:12:04 CET". */
struct str page_view_when(const struct page_view *v, int64_t t);
/* An address of this server: before, id percent-encoded, after. */
struct str page_view_path(struct arena *a, const char *before, struct str id,
                          const char *after);

#endif
