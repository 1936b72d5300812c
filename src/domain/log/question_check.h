/* Does the row of a question say what the events of the log say, and what its
 * receipt says? Pure.
 *
 * The event that asked has the digest of all that was asked; the one that ended
 * the question has the answer; the receipt has both, signed. Events of older
 * releases have less: what an event does not say is not compared. */
#ifndef DOMAIN_LOG_QUESTION_CHECK_H
#define DOMAIN_LOG_QUESTION_CHECK_H

#include "domain/log/receipt.h"
#include "domain/log/signing_key.h"
#include "domain/question/ending.h"

/* The row, and what it is compared with. */
struct question_check {
    const struct suspension *s;
    const struct permit *permit; /* that the answer granted; NULL: none */
    struct str calls; /* of tools, as struct receipt has them; p NULL: none */
    struct event asked, ended;   /* sequence 0: the log has none */
    enum ending ending;          /* of ended; ENDING_NONE: it was erased */
    int64_t receipt_sequence;    /* 0: there is no receipt */
    struct str salt, jws, kid;   /* of the receipt */
    int64_t signed_at;
    bool due; /* it has to have a receipt */
};

/* NULL, or why they differ, in words. */
const char *question_check_row(struct arena *a, const struct question_check *q);
/* The same for the record that the state of its intent has, in which agents
 * read the answer. mirror: of this or another question, or NULL. */
const char *question_check_mirror(struct arena *a, const struct suspension *s,
                                  const struct json *mirror);
/* The same for the receipt, with the keys that the log ever had. */
const char *question_check_receipt(struct arena *a,
                                   const struct question_check *q,
                                   const struct signing_key *keys, size_t n);

#endif
