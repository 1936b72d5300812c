/* The parts that the pages of the kinds share: labelled facts, tables of the
 * agent's values, and its claims next to the server's checks. Never loads,
 * never decides; an absent fact is shown as unknown. */
#ifndef DOORS_PAGES_KINDS_CARD_H
#define DOORS_PAGES_KINDS_CARD_H

#include "domain/question/suspension.h"
#include "doors/pages/shell/facts.h"

/* A subject while its page is built. Shown values are removed from rest, so
 * that every further value of the agent is shown as well. */
struct kinds_card {
    struct page_view *v;
    const struct json *subject; /* an object */
    struct json *rest;
    struct page_facts_room room;
    size_t lines; /* left for the parts of calls (doors/pages/kinds/parts.h) */
};

/* The subject of s, of which no part is shown yet. */
struct kinds_card kinds_card(struct page_view *v, const struct suspension *s);
/* The value at a path of members joined by dots, or NULL; it counts as
 * shown. */
const struct json *kinds_card_take(struct kinds_card *c, const char *path);
/* A text, or a list, which then counts as shown; STR_NONE or NULL for another
 * type, which does not. */
struct str kinds_card_take_text(struct kinds_card *c, const char *path);
const struct json *kinds_card_take_list(struct kinds_card *c,
                                        const char *path);

/* The value at path into o as a text; NULL where it is absent. */
void kinds_card_set_text(struct kinds_card *c, struct json *o, const char *key,
                         const char *path);
/* A list as texts, and KEY_more: the number not shown, or null. */
void kinds_card_set_list(struct kinds_card *c, struct json *o, const char *key,
                         const char *path);
/* The same of the references at key; returns their number. kinds: the page
 * shows the kind of each. */
size_t kinds_card_set_refs(struct kinds_card *c, struct json *o,
                           const char *key, bool kinds);
/* `tables`: the table of all values that were not shown yet, or none. */
void kinds_card_set_rest(struct kinds_card *c, struct json *o);

#define KINDS_CARD_LONG 600 /* characters; a longer fact is folded */

/* {label, value, long, note, risk, is_new}; value NULL: unknown. */
void kinds_card_add_fact(struct kinds_card *c, struct json *list,
                         const char *label, const struct json *value);
/* The same with a text of the server; p NULL: unknown. note: a second line, or
 * "". */
void kinds_card_add_words(struct kinds_card *c, struct json *list,
                          const char *label, struct str value,
                          struct str note);
/* The heading of a table. */
struct kinds_card_heading {
    size_t n;                /* its number; 0: none */
    const char *heading;     /* "": the heading is the tool */
    struct str tool, target; /* p NULL: none */
    struct str note;         /* p NULL: none */
};
/* `n`, `heading`, `tool`, `target` and `note` into o. */
void kinds_card_set_heading(struct json *o,
                            const struct kinds_card_heading *of);
/* A table of the members of value; none where it is empty. */
struct kinds_card_table {
    struct kinds_card_heading of;
    const struct json *parts;    /* before the rows; NULL: none */
    const struct json *value;
    bool always;                 /* also without rows */
};
void kinds_card_add_table(struct kinds_card *c, struct json *list,
                          const struct kinds_card_table *t);
/* The table of all values that were not shown yet. */
void kinds_card_add_rest(struct kinds_card *c, struct json *list);
/* The last fact of the list has a risk next to it (NULL: none), or is new. */
void kinds_card_mark(struct json *list, const struct json *risk, bool is_new);
/* {what, claimed, long}; claimed p NULL: unknown. */
void kinds_card_add_claim(struct kinds_card *c, struct json *list,
                          const char *what, struct str claimed);
/* A text as it is, another value as JSON; p NULL when it is absent or blank. */
struct str kinds_card_text(struct kinds_card *c, const struct json *value);
/* "1 hour", "90 minutes", "3 days". */
struct str kinds_card_span(struct arena *a, int64_t seconds);

#endif
