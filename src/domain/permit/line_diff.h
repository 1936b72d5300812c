/* The lines in which two texts differ. Pure. */
#ifndef DOMAIN_PERMIT_LINE_DIFF_H
#define DOMAIN_PERMIT_LINE_DIFF_H

#include "base/arena.h"

enum line_change { LINE_SAME, LINE_REMOVED, LINE_ADDED };

struct line_diff_row {
    enum line_change change;
    struct str text; /* without its line feed; part of one of the texts */
};

struct line_diff {
    struct line_diff_row *rows; /* between equal lines, the removed first */
    size_t n, removed, added;
};

/* A line feed ends a line. The empty text has no line; "a\n" has two, of which
 * the empty one is left out where the other text ends with a line feed too, or
 * is empty. The difference is the shortest one up to 400 changed lines. Beyond
 * them, or where the search takes too long, all lines between the common
 * beginning and the common end are removed and added. Memory grows with the
 * number of lines. */
void line_diff(struct arena *a, struct str before, struct str after,
               struct line_diff *out);

#endif
