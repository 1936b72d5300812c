/* Artifacts in the database: struct in, struct out. Decides nothing. */
#ifndef STORE_QUESTION_ARTIFACTS_H
#define STORE_QUESTION_ARTIFACTS_H

#include "domain/question/artifact.h"
#include "world/pg/pg.h"

/* The unused ones of a key, counted up to most. */
const struct err *artifacts_unused(struct pg *pg, struct arena *a,
                                   struct str key_id, int64_t most,
                                   int64_t *out) MUST;
/* Stores one with its bytes. *t is its row, of an earlier upload where there is
 * one; *erased: whose bytes were erased. */
const struct err *artifacts_put(struct pg *pg, struct arena *a,
                                struct artifact *t, struct str bytes,
                                bool *erased) MUST;
/* Those of an agent with these refs, locked until the transaction ends. */
struct artifacts_wanted {
    struct str agent;
    bool test;
    const struct str *refs;
    size_t n;
};
const struct err *artifacts_take(struct pg *pg, struct arena *a,
                                 const struct artifacts_wanted *wanted,
                                 struct artifact_rows *out) MUST;
/* Into the batch, behind the question: it uses them. */
void artifacts_queue_use(struct pg *pg, struct arena *a,
                         struct str suspension_id,
                         const struct artifact_rows *used);
/* Those of a question, each with at most so many bytes of its text. */
const struct err *artifacts_of(struct pg *pg, struct arena *a,
                               struct str suspension_id, size_t bytes,
                               struct artifact_list *out) MUST;
/* Pairs of a question and an artifact with these bytes: of the question, where
 * it is named, else of 20 that have it. */
struct artifacts_pair {
    struct str suspension_id, artifact_id;
};
struct artifacts_pairs {
    struct artifacts_pair *v;
    size_t n;
};
const struct err *artifacts_questions(struct pg *pg, struct arena *a,
                                      struct str sha256,
                                      struct str suspension_id,
                                      struct artifacts_pairs *out) MUST;
/* The id of an agent's own; p NULL: it has none. */
const struct err *artifacts_own(struct pg *pg, struct arena *a,
                                struct str sha256, struct str agent, bool test,
                                struct str *out) MUST;
/* With its bytes, p NULL where they were erased. ERR_NOT_FOUND
 * artifact.unknown. */
const struct err *artifacts_get(struct pg *pg, struct arena *a, struct str id,
                                struct artifact *out, struct str *bytes) MUST;

#endif
