/* The roles of people and keys, and their words. Pure. */
#ifndef DOMAIN_INTENT_ROLE_H
#define DOMAIN_INTENT_ROLE_H

#include "base/str.h"

struct arena;

/* Bits, so that a route can name the allowed roles in one word. */
enum role {
    ROLE_NONE = 0,
    ROLE_AGENT = 1,
    ROLE_OPERATOR = 2,
    ROLE_ADMIN = 4,
    ROLE_AUDITOR = 8,
    ROLE_CLOCK = 16,   /* the server itself, when time is up */
    ROLE_USER = 32,    /* a person for whom agents work */
    ROLE_RESOURCE = 64 /* a gateway that runs tools */
};

/* "agent" -> ROLE_AGENT; ROLE_NONE for an unknown word. */
enum role role_of(struct str word);
const char *role_word(enum role role);
/* Both for a column of a record (domain/record.h); at: an enum role. */
struct str role_column(struct arena *a, const void *at);
void role_take(void *at, struct str text);

#endif
