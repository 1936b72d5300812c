/* Which intents an agent reaches.
 *
 * One that it made, owns, is assigned to or holds a lease on it may use in
 * every way. Of what stands around these it may read the intent itself: their
 * ancestors, what they depend on, and one whose handoff waits for its answer.
 * All else is to it as if it were not there. A key with reach "all" keeps its
 * agents from nothing, and neither are people and other programs kept. */
#ifndef DOMAIN_REACH_H
#define DOMAIN_REACH_H

#include "domain/principal.h"

/* What the caller wants of an intent. */
enum reach_act {
    REACH_READ, /* the intent itself, and no list of what belongs to it */
    REACH_USE   /* anything else */
};

/* What the database knows of an agent and an intent. */
struct reach_tie {
    bool own; /* it made, owns, is assigned to or has leased it */
    bool kin; /* it is tied so to one that this one stands around */
};

/* "all" and "own"; REACH__MAX for another word. */
enum reach reach_of(struct str word);
const char *reach_word(enum reach reach);
/* The reach of a key of these names, where "all" or "own" was asked for (p
 * NULL: nothing was): own, but all for any agent and for none, which is no
 * agent's key. false for what cannot be: another word, or own for these. */
bool reach_choose(struct str word, const struct str *names, size_t n,
                  enum reach *out);
/* The agent whose ties are to be looked up; p NULL where none matter. */
struct str reach_agent(const struct principal *p);
bool reach_may(const struct principal *p, struct reach_tie tie,
               enum reach_act act);

#endif
