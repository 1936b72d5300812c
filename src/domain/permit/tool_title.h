/* The title of a tool call: the server's words for its effect.
 *
 * A title is for lists. It may be shorter than the call, says so where it is,
 * and names each other argument that is set. Pure. */
#ifndef DOMAIN_PERMIT_TOOL_TITLE_H
#define DOMAIN_PERMIT_TOOL_TITLE_H

#include "domain/question/suspension.h"

#define TOOL_TITLE_MAX 200 /* characters */

/* The title of a question about the calls in a subject, a list of {tool,
 * args}: "Edit src/cart.ts (+2 -2)", "Run `rm -rf build`", "Fetch
 * example.com", "2 calls: ..."; one line of visible characters. Hidden
 * characters are spelt as "[U+202E]", line ends as U+21B5, and other white
 * space is one space. p NULL: the table has no row for any of the calls. */
struct str tool_title(struct arena *a, const struct json *subject);
/* Is the title of the question that of the calls in its subject? Then it shows
 * arguments. */
bool tool_title_of(struct arena *a, const struct suspension *s,
                   const struct json *subject);

#endif
