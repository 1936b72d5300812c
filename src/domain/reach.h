/* The access of agents to intents.
 *
 * An agent has all access to an intent that it made or owns. One that is
 * assigned to it, holds a lease on it or is its coordinator has all as long as
 * the intent is open, and so has any agent whose key reaches everything; of a
 * closed intent an assigned agent may write, and the others have nothing. An
 * entry in the intent's access control list gives what it says. The strongest
 * of these counts; sql/0026_access.sql finds it. Of the open intents around
 * these an agent may read the intent itself: ancestors, dependencies, and one
 * whose handoff waits for its answer. Every other intent reads as not found.
 * People and keys of other roles have all access. */
#ifndef DOMAIN_REACH_H
#define DOMAIN_REACH_H

#include "domain/principal.h"

/* The intents that a caller means. */
enum reach_act {
    REACH_READ, /* those next to its own too: the intent itself, and no list
                 * that belongs to it */
    REACH_USE   /* those that it has access to */
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
/* "read", "write" and "admin"; ACCESS_NONE for another word, and no word for
 * it. */
enum access reach_access_of(struct str word);
const char *reach_access_word(enum access access);
/* The reader as the statements take it (intent_access): p NULL for people, the
 * agent's name, or "/" and the name of an agent whose key reaches all. */
struct str reach_reader(struct arena *a, const struct principal *p);
/* Has it all access to an intent by what the intent itself says: its maker, its
 * owner, and whether it is closed? intent_access in sql/ has the same rule, for
 * lists. false: the ties decide. */
bool reach_all(const struct principal *p, struct str maker, struct str owner,
               bool closed);
/* Is it an agent that reaches only the intents that it is tied to? */
bool reach_own(const struct principal *p);
/* NULL where the access is what is needed. ERR_NOT_FOUND intent.unknown without
 * any; ERR_FORBIDDEN access.denied where it is too little, with both in
 * more. */
const struct err *reach_check(struct arena *a, enum access has,
                              enum access needs) MUST;

#endif
