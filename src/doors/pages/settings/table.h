/* A settings page that is one table: a row for each thing, with a state and at
 * most one action. Never loads, never decides. */
#ifndef DOORS_PAGES_SETTINGS_TABLE_H
#define DOORS_PAGES_SETTINGS_TABLE_H

#include "doors/pages/settings/destinations.h"

#define SETTINGS_TABLE_COLUMNS 8

struct settings_table_words {
    const char *path, *title, *heading, *about;
    const char *empty_heading, *empty_sentence;
    const char *heads[SETTINGS_TABLE_COLUMNS]; /* NULL ends them */
    const char *acts;                       /* head of the last; NULL: none */
};
struct settings_table {
    struct call *c;
    const struct settings_table_words *words;
    struct page_view v;
    struct json *view, *rows, *row, *cells;
};
/* An empty table, and a page without a form, errors and a secret. */
struct settings_table settings_table(struct call *c,
                                     const struct settings_table_words *words);

/* Begins a row; the cells that follow are in it, one for each head. */
void settings_table_row(struct settings_table *r);
/* second p NULL: it has no second line; url "": no link. */
void settings_table_text(struct settings_table *r, struct str text,
                         struct str second, struct str url);
/* A day, or the time since; 0: the word instead. second as above. */
void settings_table_day(struct settings_table *r, int64_t t, const char *none,
                        struct str second);
void settings_table_ago(struct settings_table *r, int64_t t, const char *none);
/* A state in a chip. */
void settings_table_state(struct settings_table *r,
                          const struct vocabulary_word *state);

/* The action of the row: a link to its confirm step. */
struct settings_table_act {
    const char *label;
    struct str about; /* the same with the object, for readers who cannot see
                       * the row */
    struct str url;
};
void settings_table_act(struct settings_table *r,
                        const struct settings_table_act *act);

/* The pager of a table that has pages. older: the last row's id; p NULL: there
 * is no further page. */
void settings_table_pager(struct settings_table *r, bool first,
                          struct str older);
const struct err *settings_table_show(struct settings_table *r, int status,
                                      struct str summary) MUST;

#endif
