/* Text compared by its look, and hidden characters. The one door to
 * utf8proc. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include "base/arena.h"
#include "base/str.h"

/* Is it invisible, or does it change how its neighbours are read? */
bool text_hidden(uint32_t rune);
/* The same for the code point at s.p[at], which is well-formed, except where
 * its neighbours give it a meaning that readers see: U+FE0F behind an emoji,
 * U+200D between emoji, and U+200C and U+200D between letters that join. */
bool text_hidden_at(struct str s, size_t at);
/* May it be inside a word: a letter, a mark, a number, an apostrophe? */
bool text_wordy(uint32_t rune);
/* The form of the text for comparison (Unicode's NFKC with full case folding):
 * without hidden characters, white space as single spaces within it and none at
 * its ends, a typographic apostrophe as the plain one. Similar letters of other
 * alphabets stay different. */
struct str text_fold(struct arena *a, struct str s);

#endif
