/* The intents that an agent may reach.
 *
 * An agent may use in every way an intent that it made, owns, is assigned to or
 * holds a lease on. Of the intents around these it may read the intent itself:
 * ancestors, dependencies, and one whose handoff waits for its answer. Every
 * other intent reads as not found. A key with reach "all" is not limited, and
 * neither are people and keys of other roles. */
#ifndef DOMAIN_REACH_H
#define DOMAIN_REACH_H

#include "domain/principal.h"

/* The access that the caller wants. */
enum reach_act {
    REACH_READ, /* the intent itself, and no list that belongs to it */
    REACH_USE   /* anything else */
};

/* The ties of an agent to an intent in the database. */
struct reach_tie {
    bool own; /* the agent made, owns, is assigned to or has leased it */
    bool kin; /* the agent has such a tie to an intent that this one is next
               * to */
};

/* "all" and "own"; REACH__MAX for another word. */
enum reach reach_of(struct str word);
const char *reach_word(enum reach reach);
/* The reach of a new key with these agent names, where word is "all", "own" or
 * p NULL (not given): by default own, but all for a key of any agent ("*") and
 * for one without names, which is no agent's key. false for an invalid
 * combination: another word, or own for these two. */
bool reach_choose(struct str word, const struct str *names, size_t n,
                  enum reach *out);
/* The agent whose ties have to be looked up; p NULL where none matter. */
struct str reach_agent(const struct principal *p);
bool reach_may(const struct principal *p, struct reach_tie tie,
               enum reach_act act);

#endif
