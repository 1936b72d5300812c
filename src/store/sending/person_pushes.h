/* Browsers that subscribed to Web Push, in the database. */
#ifndef STORE_SENDING_PERSON_PUSHES_H
#define STORE_SENDING_PERSON_PUSHES_H

#include "domain/vocabulary.h"
#include "world/pg/pg.h"

#define PERSON_PUSHES_MAX 10 /* browsers of one person */

struct person_push {
    struct str person_id, cookie; /* of the session */
    struct str endpoint_id;       /* the channel */
    struct str address;           /* at the push service */
    enum severity least;
    bool mine;
    int64_t now;
};
/* ERR_CONFLICT push.too_many from PERSON_PUSHES_MAX on; push.taken where
 * another person has the address. */
const struct err *person_pushes_insert(struct pg *pg, struct arena *a,
                                       const struct person_push *p) MUST;
const struct err *person_pushes_delete(struct pg *pg, struct arena *a,
                                       struct str person_id,
                                       struct str address) MUST;
/* The clock's part: queues a message to each browser whose person may answer
 * one of the questions. */
const struct err *person_pushes_queue(struct pg *pg, struct arena *a,
                                      const struct str *ids, size_t n,
                                      int64_t now) MUST;
#endif
