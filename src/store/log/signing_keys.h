/* The signing keys of the log in the database: the public ones. */
#ifndef STORE_LOG_SIGNING_KEYS_H
#define STORE_LOG_SIGNING_KEYS_H

#include "domain/log/signing_key.h"
#include "world/pg/pg.h"

struct signing_key_rows {
    struct signing_key *v;
    size_t n;
};
/* Oldest first. */
const struct err *signing_keys_list(struct pg *pg, struct arena *a,
                                    struct signing_key_rows *out) MUST;
/* The first of them in a state; NULL: none. There is one current key at most,
 * and one next key. */
const struct signing_key *signing_keys_in(const struct signing_key_rows *rows,
                                          enum signing_key_state state);
/* The statement of the current key that names the next one. */
const struct err *signing_keys_succeed(struct pg *pg, struct arena *a,
                                       struct str kid,
                                       struct str statement) MUST;
/* The next key becomes the current one, and that is retired. */
const struct err *signing_keys_turn(struct pg *pg, struct arena *a,
                                    int64_t now) MUST;
/* Ends a key: retired, or compromised. *found: there is such a key. */
const struct err *signing_keys_end(struct pg *pg, struct arena *a,
                                   struct str kid,
                                   enum signing_key_state state, int64_t now,
                                   bool *found) MUST;
const struct err *signing_keys_insert(struct pg *pg, struct arena *a,
                                      const struct signing_key *k) MUST;

#endif
