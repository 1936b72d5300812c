/* Mail to people about requests, in the database: what each chose, and what
 * the clock does by it. Struct in, struct out. Decides nothing, sends nothing.
 */
#ifndef STORE_PERSON_PERSON_MAILS_H
#define STORE_PERSON_PERSON_MAILS_H

#include "domain/sending/person_mail.h"
#include "store/question/suspensions.h"
#include "world/pg/pg.h"

/* found false: the person wants none. */
const struct err *person_mails_get(struct pg *pg, struct arena *a,
                                   struct str person_id,
                                   struct person_mail *out, bool *found) MUST;
const struct err *person_mails_put(struct pg *pg, struct arena *a,
                                   const struct person_mail *m) MUST;
const struct err *person_mails_delete(struct pg *pg, struct arena *a,
                                      struct str person_id) MUST;

/* ---- the clock's part -------------------------------------------------- */

/* Is there anything to do? */
struct person_mails_work {
    bool wanted;  /* somebody wants mails at once */
    bool digests; /* some are due */
    bool again;   /* some are tried again soon, before `soon` */
    bool placed;  /* there is a place among the events, */
    bool news;    /* and there are some after it */
};
const struct err *person_mails_look(struct pg *pg, struct arena *a,
                                    int64_t now, int64_t soon,
                                    struct person_mails_work *out) MUST;
/* Begins a transaction in which no other process does the same. false: another
 * one is at it, and no transaction is open. */
const struct err *person_mails_begin(struct pg *pg, struct arena *a,
                                     bool *begun) MUST;
/* In it. The open questions that were asked since the last call, as far as one
 * page of events reaches; *more: it was full. The first call after nobody
 * wanted any finds none. wanted false: forgets the place. */
const struct err *person_mails_asked(struct pg *pg, struct arena *a,
                                     bool wanted, struct suspension_rows *out,
                                     bool *more) MUST;
/* A person who wants a mail of a question at once. */
struct person_mails_one {
    struct person_mail mail;
    struct str suspension_id;
};
struct person_mails_ones {
    struct person_mails_one *v;
    size_t n;
};
/* By person, and of each the oldest question first. */
const struct err *person_mails_people(struct pg *pg, struct arena *a,
                                      const struct suspension_rows *asked,
                                      struct person_mails_ones *out) MUST;
/* Digests that are due, or again: that could not be sent, are tried before
 * `soon`, and were written before `old`. */
struct person_mails_digest {
    struct person_mail mail;
    bool waits; /* the one before is not sent yet */
};
struct person_mails_digests {
    struct person_mails_digest *v;
    size_t n;
};
const struct err *person_mails_due(struct pg *pg, struct arena *a, int64_t now,
                                   struct person_mails_digests *out) MUST;
const struct err *person_mails_again(struct pg *pg, struct arena *a,
                                     int64_t now, int64_t soon, int64_t old,
                                     struct person_mails_digests *out) MUST;
/* These queue into the current batch. */
void person_mails_queue_keep(struct pg *pg, struct arena *a,
                             const struct person_mail *m);
struct person_mails_message {
    struct str id, endpoint_id, recipient, body;
    struct str suspension_id; /* p NULL: a digest */
    int64_t sequence;
    const char *type;
    int64_t now;
};
void person_mails_queue(struct pg *pg, struct arena *a,
                        const struct person_mails_message *m);
/* Of the digest that could not be sent: a new body; p NULL: nothing waits, it
 * ends. */
void person_mails_queue_anew(struct pg *pg, struct arena *a, struct str id,
                             struct str body, int64_t now);

#endif
