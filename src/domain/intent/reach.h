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
 * People and keys of other roles have all access.
 *
 * Tests live apart: an intent that a test key made is there for test keys
 * alone, and a real agent's for real keys. */
#ifndef DOMAIN_INTENT_REACH_H
#define DOMAIN_INTENT_REACH_H

#include "domain/intent/intent.h"
#include "domain/intent/principal.h"

/* The intents that a caller means. */
enum reach_act {
    REACH_READ, /* those next to its own too: the intent itself, and no list
                 * that belongs to it */
    REACH_USE   /* those that it has access to */
};

/* The reach of a new key with these agent names, where word is "all", "own" or
 * p NULL (not given): by default own, but all for a key of any agent ("*") and
 * for one without names, which is not an agent's key. false for an invalid
 * combination: another word, or own for these two. */
bool reach_choose(struct str word, const struct str *names, size_t n,
                  enum reach *out);
/* ACCESS_NONE for a word that is none of access. */
enum access reach_access_of(struct str word);
/* The caller as the statements take it (sql/0036_tests_apart.sql): p NULL for
 * people; the agent's name; before it "/", where its key reaches all; and
 * before that REACH_TEST of a test key. reach_name: without the "/", to be
 * compared with stored names of one sort. */
#define REACH_TEST "test/"
struct str reach_reader(struct arena *a, const struct principal *p);
struct str reach_name(struct arena *a, const struct principal *p);
/* Takes a reader apart again. */
struct reach_parts {
    struct str agent; /* n 0: a person */
    bool all, test;
};
struct reach_parts reach_parts(struct str reader);
/* Is something of this sort, a test or not, within the caller's world? */
bool reach_sort(const struct principal *p, bool test);
/* The same as an error: ERR_NOT_FOUND intent.unknown. */
const struct err *reach_check_sort(const struct principal *p, bool test) MUST;
/* Has it all access to an intent by what the intent itself says: its sort, its
 * maker, its owner, and whether it is closed? intent_access in sql/ has the
 * same rule, for lists. false: the ties decide. */
bool reach_all(const struct principal *p, const struct intent *i);
/* NULL where what is joined is of one sort: an intent with another, with a
 * portfolio, or with the agent that it is given to. ERR_INVALID test.apart. */
const struct err *reach_joins(struct arena *a, bool test, bool other,
                              const char *at) MUST;
/* Is it an agent that reaches only the intents that it is tied to? */
bool reach_own(const struct principal *p);
/* NULL where the access is what is needed. ERR_NOT_FOUND intent.unknown without
 * any; ERR_FORBIDDEN access.denied where it is too little, with both in
 * more. */
const struct err *reach_check(struct arena *a, enum access has,
                              enum access needs) MUST;

#endif
