/* Fact tables: a JSON value as rows of path, value and type, and the exact
 * bytes that were sent, by lines. */
#ifndef DOORS_PAGES_SHELL_FACTS_H
#define DOORS_PAGES_SHELL_FACTS_H

#include "doors/pages/shell/view.h"

#define PAGE_FACTS_ROWS 500
#define PAGE_FACTS_LINES 2000               /* lines with a number each */
#define PAGE_FACTS_BYTES ((size_t)256 << 10) /* of the rows, and of the raw
                                              * text */
#define PAGE_FACTS_LONG 200  /* characters; a longer value is folded */

struct page_facts_of {
    const char *id, *heading;
    struct str note;
    struct str text;   /* JSON as it is stored */
    const struct json *value; /* of the text; NULL: it is parsed */
    struct str sha256; /* 64 hexadecimal digits; p NULL: not shown */
    const char *hash_note;
    bool folded; /* the rows are elsewhere on the page */
    bool open;   /* the raw text is not folded */
};

/* The limits left for the tables of a page. */
struct page_facts_room {
    size_t rows, bytes;
    bool bare; /* without the type of a value, and nothing is folded */
};
/* The limits of one table. */
struct page_facts_room page_facts_room(void);

/* One table. The number of values beyond the limits is shown; none is dropped
 * silently. */
struct json *page_facts(struct page_view *v, const struct page_facts_of *of);
/* `rows` and `more` of a value into a table, within the limits. */
void page_facts_set_rows(struct page_view *v, struct page_facts_room *room,
                         struct json *table, const struct json *value);
/* One key after a path, as in calls[0].args.amount; a key that could be taken
 * for a path is quoted, a long one cut. */
void page_facts_put_key(struct page_view *v, struct buf *path, struct str key);
/* A value for people: text as it is, any other value as JSON. */
struct str page_facts_value(struct arena *a, const struct json *value);
/* "text, 39", "integer", "list, empty" */
struct str page_facts_type(struct arena *a, const struct json *value);

/* A number for people: "1,800.50". */
struct str page_facts_number(struct arena *a, const struct json *value);

#endif
