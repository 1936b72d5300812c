/* A stranger's text for a template, with what is hidden in it made visible. */
#ifndef WORLD_SHOWN_H
#define WORLD_SHOWN_H

#include "base/json.h"

/* How many hidden characters of one page get a mark of their own; a page full
 * of them spells the others within the text. */
#define SHOWN_CODES 2000

/* {text, segments, hidden}; NULL when p is NULL. *codes: the marks that are
 * left, counted down. */
struct json *shown_text(struct arena *a, size_t *codes, struct str s);

#endif
