/* Words for the search: how a text falls into words, so that what was written
 * and what somebody types meet.
 *
 * Letters are folded: case, accents, wide forms, marks above and below letters
 * and characters of no width make no difference. Whatever is neither a letter
 * nor a digit separates words. In scripts without spaces each two letters that
 * follow one another are a word, and the last one of a run too. Pure. */
#ifndef DOMAIN_SEARCH_SEARCH_TEXT_H
#define DOMAIN_SEARCH_SEARCH_TEXT_H

#include "base/buf.h"

#define SEARCH_TEXT_LETTERS 24 /* of a word; what is behind them is left out */
#define SEARCH_TEXT_WORD ((size_t)SEARCH_TEXT_LETTERS * 4) /* bytes */

/* Walks the words of a text:
 *   for (struct search_text t = search_text(s); search_text_next(&t);) t.word
 * A word is valid until the next one. */
struct search_text {
    struct str text;
    size_t at;
    uint32_t run[SEARCH_TEXT_LETTERS]; /* letters that are read and not given
                                        * out */
    size_t n;
    bool spaceless; /* they are of a script without spaces */
    char room[SEARCH_TEXT_WORD];
    struct str word;
    size_t letters; /* of word */
};
struct search_text search_text(struct str s);
bool search_text_next(struct search_text *t);

#endif
