/* References of an agent: evidence, artifacts, a saved plan, an address.
 *
 * Only a plain https address becomes a link, with its host next to it; any
 * other reference is text. Never loads, never decides. */
#ifndef DOORS_PAGES_SHELL_REFS_H
#define DOORS_PAGES_SHELL_REFS_H

#include "doors/pages/shell/view.h"

/* An address in three parts that make the whole. */
struct page_refs_url {
    struct str before, host, after; /* "https://", "a.example:8443", "/x" */
};

/* Is s an address of that scheme ("https://") that shows its host? No user
 * before the host, no backslash, only printable ASCII. */
bool page_refs_url(struct str s, const char *scheme,
                   struct page_refs_url *out);
/* The file that the reference names, of those of the view; NULL: none. */
const struct artifact *page_refs_file(const struct page_view *v,
                                      struct str ref);
/* One reference: {title, kind, ref_url, where}. p NULL: title is the
 * reference itself, there is no kind. */
struct json *page_refs_one(struct page_view *v, struct str title,
                           struct str kind, struct str ref);
/* Those of a list of {title, kind?, ref}. */
struct json *page_refs(struct page_view *v, const struct json *list);

#endif
