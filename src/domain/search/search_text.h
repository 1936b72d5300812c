/* Words for the search: how a text falls into words, so that what was written
 * and what somebody types meet.
 *
 * Case, accents, wide forms and characters of no width make no difference
 * (text_plain). Whatever is neither a letter nor a digit separates words. In
 * scripts without spaces each two letters that follow one another are a word,
 * and the last one of a run too. Pure. */
#ifndef DOMAIN_SEARCH_SEARCH_TEXT_H
#define DOMAIN_SEARCH_SEARCH_TEXT_H

#include "base/buf.h"

#define SEARCH_TEXT_LETTERS 24 /* of a word; what is behind them is left out */

/* Walks the words of a text, of its first 16 kB:
 *   for (struct search_text t = search_text(a, s); search_text_next(&t);)
 *       t.word */
struct search_text {
    struct str text;
    size_t at;
    struct str word;
    size_t letters; /* of word */
};
struct search_text search_text(struct arena *a, struct str s);
bool search_text_next(struct search_text *t);

#endif
