/* Text compared by its look, hidden characters, names and paths. The one door
 * to utf8proc. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include "base/arena.h"
#include "base/str.h"

/* Is it invisible, or does it change how its neighbours are read? */
bool text_hidden(uint32_t rune);
#define TEXT_MARKS_MAX 4 /* drawn on one letter */
/* The same for the code point at s.p[at], which is well-formed, except where
 * its neighbours give it a meaning that readers see: U+FE0F behind an emoji,
 * U+200D between emoji, and U+200C and U+200D between letters that join.
 * A combining mark is hidden too where it has no letter, or is one too many on
 * its letter: they would be drawn over what stands around them. */
bool text_hidden_at(struct str s, size_t at);
/* May it be inside a word: a letter, a mark, a number, an apostrophe? */
bool text_wordy(uint32_t rune);
/* May it become one letter with the one before it: a mark, a part of a Korean
 * syllable, the narrow sign of a Japanese one? */
bool text_combines(uint32_t rune);
/* The form of the text for comparison (Unicode's NFKC with full case folding):
 * without hidden characters, white space as single spaces within it and none at
 * its ends, a typographic apostrophe as the plain one. Similar letters of other
 * alphabets stay different. */
struct str text_fold(struct arena *a, struct str s);
/* The same without accents and points, for a search: a stroke through a letter
 * is left out too, and letters that are two are written as two. */
struct str text_plain(struct arena *a, struct str s);
/* As text_fold, with letters of other scripts that are drawn alike as the Latin
 * ones, and with signs that are drawn alike too. For words and names that are
 * refused: stricter, never exact. */
struct str text_letters(struct arena *a, struct str s);
struct str text_skeleton(struct arena *a, struct str s);
#define TEXT_NAME_MAX 120 /* characters */
/* May it be a name: 1 to 120 characters in NFKC, each of which is drawn, and no
 * white space? */
bool text_name(struct str s);
/* Does a name look like this word, of small ASCII letters? */
bool text_looks(struct str s, const char *word);
/* Has a word of it letters of two scripts that are taken for each other: Latin,
 * Greek, Cyrillic, Armenian, Cherokee, Lisu? White space ends a word. */
bool text_mixed(struct str s);
/* Does every receiver read this path, or the rest of one, as a path below its
 * start? Only unreserved characters, slashes, and escapes of bytes that have no
 * meaning in a path however often they are decoded: no slash, backslash, dot,
 * semicolon, percent sign or control character, nor a character that is folded
 * to one. No part is "." or "..". */
bool text_path(struct arena *a, struct str path);
/* Unicode's normal forms, composed and decomposed; a text that is not UTF-8
 * stays as it is. */
struct str text_nfc(struct arena *a, struct str s);
struct str text_nfd(struct arena *a, struct str s);
/* Did a person type the same letters? However they are composed, and however
 * many spaces or line ends stand between them and around. */
bool text_same(struct arena *a, struct str x, struct str y);

#endif
