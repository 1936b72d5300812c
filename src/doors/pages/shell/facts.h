/* Fact tables: a JSON value as rows of path, value and type, and the exact
 * bytes that were sent, by lines. */
#ifndef DOORS_PAGES_SHELL_FACTS_H
#define DOORS_PAGES_SHELL_FACTS_H

#include "doors/pages/shell/view.h"

#define PAGE_FACTS_ROWS 500
#define PAGE_FACTS_LINES 2000               /* lines with a number each */
#define PAGE_FACTS_BYTES ((size_t)256 << 10) /* of the rows, of the raw text */
#define PAGE_FACTS_LONG 200  /* characters; a longer value is folded */

struct page_facts_of {
    const char *id, *heading;
    struct str note;
    struct str text;   /* JSON as it is stored */
    struct str sha256; /* 64 hexadecimal digits; p NULL: none is shown */
    const char *hash_note;
    bool folded; /* the rows stand elsewhere on the page already */
    bool open;   /* the raw text is not folded */
};

/* What the tables of a page may still show. */
struct page_facts_room {
    size_t rows, bytes;
    bool bare; /* without the type of a value, and nothing is folded */
};
/* The room of one table. */
struct page_facts_room page_facts_room(void);

/* One table. What is beyond the ceilings is told, never dropped silently. */
struct json *page_facts(struct page_view *v, const struct page_facts_of *of);
/* Counts in v what a table of these facts alone would leave out. */
void page_facts_count(struct page_view *v, struct str text);
/* `rows` and `more` of a value into a table, within the room. */
void page_facts_set_rows(struct page_view *v, struct page_facts_room *room,
                         struct json *table, const struct json *value);
/* One key behind a path, as in calls[0].args.amount; a key that could be taken
 * for a path is quoted, a long one cut. */
void page_facts_put_key(struct page_view *v, struct buf *path, struct str key);
/* A value as a person reads it: text as it is, anything else as JSON. */
struct str page_facts_value(struct arena *a, const struct json *value);
/* "text, 39", "integer", "list, empty" */
struct str page_facts_type(struct arena *a, const struct json *value);

/* A number as a person reads it: "1,800.50". */
struct str page_facts_number(struct arena *a, const struct json *value);

#endif
