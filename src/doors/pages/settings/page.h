/* The parts that the settings pages share: their tabs, cells, counts, and the
 * actions on the page of one thing. Never loads, never decides. */
#ifndef DOORS_PAGES_SETTINGS_PAGE_H
#define DOORS_PAGES_SETTINGS_PAGE_H

#include "doors/call/call.h"
#include "doors/pages/shell/badge.h"

/* The state of an account, a key or an endpoint that works. */
extern const struct vocabulary_word settings_page_active;
/* Adds the tabs that the reader may open; path is the page's own. */
void settings_page_tabs(const struct call *c, struct json *view,
                        const char *path);
/* One more cell of a row; second p NULL: it has no second line. */
void settings_page_cell(struct page_view *v, struct json *cells,
                        struct str text, struct str second);
/* A list of texts in JSON as one text, with sep between. */
struct str settings_page_joined(struct arena *a, struct str list,
                                const char *sep);
/* "12", or "more than 1,000" above the ceiling of the count. */
struct str settings_page_count(struct arena *a, int64_t n, int64_t max);
/* An action on the page of one thing, by a form of its own. name: the value of
 * its `do`. */
struct settings_page_act {
    const char *name, *heading, *sentence, *label;
};
void settings_page_act(struct arena *a, struct json *acts,
                       const struct settings_page_act *act);

#endif
