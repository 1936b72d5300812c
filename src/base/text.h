/* What a text says, whatever it is written with: what prints nothing, and
 * texts that read alike. The one door to utf8proc. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include "base/arena.h"
#include "base/str.h"

/* Does it print nothing, or change how its neighbours are read? */
bool text_hidden(uint32_t rune);
/* Does it stand within a word: a letter, a mark, a number, an apostrophe? */
bool text_wordy(uint32_t rune);
/* The text to compare it by (Unicode's NFKC with full case folding): without
 * what is hidden, white space as single spaces within it and none at its ends,
 * a typographic apostrophe as the plain one.
 * Letters of another alphabet that look alike stay different. */
struct str text_fold(struct arena *a, struct str s);

#endif
