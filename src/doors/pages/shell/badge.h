/* Badges of a question: its kind, its risk, its end, its choices, its responder
 * and the door, in a word or two. Never loads, never decides. */
#ifndef DOORS_PAGES_SHELL_BADGE_H
#define DOORS_PAGES_SHELL_BADGE_H

#include "domain/intent/principal.h"
#include "domain/question/suspension.h"
#include "doors/pages/shell/view.h"

/* {word, tone, icon}: a state, in a chip (inline/badge). */
struct json *page_badge(struct arena *a, const struct vocabulary_word *words);
/* `kind`: {word, icon, test} (inline/kind); a question without a kind has the
 * words too. */
struct json *page_badge_kind(struct arena *a, const struct suspension *s);
/* NULL when the agent gave no severity. */
struct json *page_badge_risk(struct arena *a, const struct suspension *s);
/* Was a permission for longer given once? That is not called a change. */
bool page_badge_once(const struct suspension *s);
/* NULL while the question can be answered. */
struct json *page_badge_outcome(const struct page_view *v,
                                const struct suspension *s);
/* A choice, {word, label, value}: the server's word for its effect first, then
 * the agent's label. word "" where it has no effect; label NULL where it adds
 * nothing to the word; value, where another choice has the same label, else
 * NULL. NULL for no choice. */
struct json *page_badge_choice(struct page_view *v, const struct json *choices,
                               const struct json *choice);
/* Did the reader answer it? */
bool page_badge_own(const struct suspension *s,
                    const struct principal *reader);
/* A principal that acted, by the name on record: the reader's own name,
 * "System" for Sayso itself, else the name. */
struct str page_badge_name(const struct principal *reader, struct str name);
/* The responder: the reader's own name, an e-mail, an agent, the clock. */
struct str page_badge_who(struct arena *a, const struct suspension *s,
                          const struct principal *reader);

#endif
