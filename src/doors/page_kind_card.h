/* What the pages of the kinds have in common: labelled facts, tables of what
 * an agent sent, and what it claims beside what Sayso checked. Never loads,
 * never decides; what is not told is shown as unknown. */
#ifndef DOORS_PAGE_KIND_CARD_H
#define DOORS_PAGE_KIND_CARD_H

#include "doors/page_facts.h"

/* A subject on its way to the page. What has been shown is taken out of rest,
 * so that whatever an agent sent besides is shown as well. */
struct page_kind_card {
    struct page_view *v;
    const struct json *subject; /* an object */
    struct json *rest;
    struct page_facts_room room;
};

/* A subject of which nothing is shown yet. */
struct page_kind_card page_kind_card(struct page_view *v, struct str subject);
/* The value at a path of members joined by dots, or NULL; it counts as
 * shown. */
const struct json *page_kind_card_take(struct page_kind_card *c,
                                       const char *path);
/* A text, or a list, which then counts as shown; STR_NONE, NULL where it is
 * something else, which does not. */
struct str page_kind_card_take_text(struct page_kind_card *c,
                                    const char *path);
const struct json *page_kind_card_take_list(struct page_kind_card *c,
                                            const char *path);

/* The value at path into o as a text; NULL where it is not told. */
void page_kind_card_set_text(struct page_kind_card *c, struct json *o,
                             const char *key, const char *path);
/* A list as texts, and KEY_more: "", or how many are not shown. */
void page_kind_card_set_list(struct page_kind_card *c, struct json *o,
                             const char *key, const char *path);
/* The same of the references at key; gives how many there are. kinds: the
 * page shows the kind of each. */
size_t page_kind_card_set_refs(struct page_kind_card *c, struct json *o,
                               const char *key, bool kinds);
/* `tables`: that of all that was not shown yet, or none. */
void page_kind_card_set_rest(struct page_kind_card *c, struct json *o);

#define PAGE_KIND_CARD_LONG 600 /* characters; a longer fact is folded */

/* {label, value, long, note, risk, is_new}; value NULL: unknown. */
void page_kind_card_add_fact(struct page_kind_card *c, struct json *list,
                             const char *label, const struct json *value);
/* The same in words of ours; p NULL: unknown. note: a second line, or "". */
void page_kind_card_add_words(struct page_kind_card *c, struct json *list,
                              const char *label, struct str value,
                              struct str note);
/* A table of what stands in value; nothing where it is empty. */
struct page_kind_card_table {
    struct str n;                /* its number, or "" */
    const char *heading;         /* "": the tool is one */
    struct str tool, target;     /* p NULL: none */
    struct str note;
    const struct json *value;
    bool always;                 /* also without rows */
};
void page_kind_card_add_table(struct page_kind_card *c, struct json *list,
                              const struct page_kind_card_table *t);
/* The table of all that was not shown yet. */
void page_kind_card_add_rest(struct page_kind_card *c, struct json *list);
/* The last fact of the list has a risk beside it (NULL: none), or is new. */
void page_kind_card_mark(struct json *list, const struct json *risk,
                         bool is_new);
/* {what, claimed, long, checked}; claimed p NULL: unknown; checked p NULL:
 * not checked. */
void page_kind_card_add_claim(struct page_kind_card *c, struct json *list,
                              const char *what, struct str claimed,
                              struct str checked);
/* A text as it is, another value as JSON; p NULL when there is none or it is
 * blank. */
struct str page_kind_card_text(struct page_kind_card *c,
                               const struct json *value);
/* A number as a person reads it: "1,800.50". */
struct str page_kind_card_number(struct arena *a, const struct json *value);
/* "1 hour", "90 minutes", "3 days". */
struct str page_kind_card_span(struct arena *a, int64_t seconds);

#endif
