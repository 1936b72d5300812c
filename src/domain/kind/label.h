/* The words that people answer with, and the labels of the choices of a
 * question. One list of words serves answers, values and labels.
 *
 * The server's word for the effect comes first, the agent's label second. A
 * label must not say the opposite of the choice's effect, and no two choices
 * may look alike. Pure. */
#ifndef DOMAIN_KIND_LABEL_H
#define DOMAIN_KIND_LABEL_H

#include "base/err.h"
#include "domain/kind/effect.h"

/* Read folded: without regard to case, width, hidden characters, letters of
 * another script that are drawn alike, and to "-" and "_" between words, up to
 * the first punctuation. */
struct label_word {
    const char *text; /* folded */
    enum effect_class says;
    /* Of a word that is an answer by itself. EFFECT__MAX: of whatever rejects.
     * EFFECT_NONE: it only says what a value or a label would mean; it may be
     * about the action instead, as in "cancel". */
    enum effect effect;
};
/* The word that the text is, as a whole or up to its first punctuation ("No,
 * stop"); NULL: none of the list. */
const struct label_word *label_word(struct arena *a, struct str text);
/* The meaning of the text by that; EFFECT_NEUTRAL for any other text. */
enum effect_class label_says(struct arena *a, struct str text);
/* Does the text begin with the word and say more ("Cancel order 1234")? */
bool label_begins(struct arena *a, const struct label_word *w, struct str text);
/* Our own words, by index: approve, reject, accept, decline, complete; NULL
 * after them. */
const struct label_word *label_ours(size_t i);

/* A choice as it is shown to people, in two parts. word: the server's, "" where
 * the choice has no effect. label: the agent's; p NULL where it adds nothing to
 * the word. value: p NULL, unless no choice has an effect and another has the
 * same label. */
struct label {
    struct str word, label, value;
};
struct label label_of(struct arena *a, const struct json *choices,
                      const struct json *choice);
/* The same in one line: "Approve: Refund 499.99 EUR", "Approve", "Blue";
 * p NULL for no choice. */
struct str label_line(struct arena *a, const struct json *choice);
/* May these choices have these labels? Checked only where one of them has an
 * effect. ERR_INVALID at choices[i].label: choice.label_equal, it looks like an
 * earlier one; choice.label_opposite, a yes that is called a no or the other
 * way round. */
const struct err *label_check(struct arena *a, const struct json *choices)
    MUST;

#endif
