/* Markdown of an agent, as its page shows it: a strict subset, read in one pass
 * and never to hide a word.
 *
 * Paragraphs, headings, quotes, lists, code between fences; in a line code,
 * emphasis, strong, and links. All else is text: HTML, images, references,
 * tables, entities, escapes. A line ends where it ended in the text. A link is
 * its text and then its whole address, which has to be a plain https one; an
 * address that stands alone is a link too. Only the marks themselves are left
 * out; every other character is in the view, in its order. */
#ifndef DOORS_PAGES_QUESTION_MARKDOWN_H
#define DOORS_PAGES_QUESTION_MARKDOWN_H

#include "base/json/json.h"

#define MARKDOWN_DEPTH 4    /* quotes and lists in each other */
#define MARKDOWN_PARTS 3000 /* of a text: blocks, and pieces of lines */

/* The text as a list of blocks in their order. A block has one member:
 *   in_quote, in_list, in_steps, in_item, in_step: a container begins; the
 *              blocks in it follow. in_step is its number, the others true.
 *   out_quote, out_list, out_steps, out_item: it ends.
 *   head, subhead, para: a list of pieces.
 *   fence      {info, lines}, of a line {tone, line}; tone add, del or hunk in
 *              a diff
 * A piece has one member: plain, em, strong, both, tick (code): the text; or
 * link: {label, url, same}, label "" where the address stands alone, same where
 * it says nothing else than the address.
 * NULL where nothing in the text is a mark, or there are too many parts: it is
 * then shown as it is. */
struct json *question_markdown(struct arena *a, struct str text);

#endif
