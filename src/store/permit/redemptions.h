/* Uses of permits in the database. */
#ifndef STORE_PERMIT_REDEMPTIONS_H
#define STORE_PERMIT_REDEMPTIONS_H

#include "domain/permit/permit.h"
#include "domain/record.h"
#include "world/pg/pg.h"

#define REDEMPTIONS_SHOWN 100

struct redemption {
    struct str id, permit_id, operation_id, call_sha256, tool;
    struct str amount; /* p NULL: the permit has no budget */
    struct str by;     /* the agent or the gateway */
    int64_t n, at;
    enum redemption_result result; /* REDEMPTION_OPEN: not reported */
    struct str result_ref;         /* p NULL: none */
    int64_t result_at;             /* 0: not reported */
};
struct redemption_rows {
    struct redemption *v;
    size_t n;
};
/* Its body is a result with a ref, its event tool.invoked. */
extern const struct record redemption_record;

/* The use of a permit under that operation_id; *found false: none. */
const struct err *redemptions_of_operation(struct pg *pg, struct arena *a,
                                           struct str permit_id,
                                           struct str operation_id,
                                           struct redemption *out,
                                           bool *found) MUST;
/* The calls of all uses of a permit, with `room` for that many more. */
const struct err *redemptions_calls(struct pg *pg, struct arena *a,
                                    struct str permit_id, size_t room,
                                    struct permit_covers_call **out,
                                    size_t *n) MUST;
/* ERR_NOT_FOUND redemption.unknown. */
const struct err *redemptions_get(struct pg *pg, struct arena *a,
                                  struct str id, struct redemption *out) MUST;
/* The newest first, at most REDEMPTIONS_SHOWN. */
const struct err *redemptions_list(struct pg *pg, struct arena *a,
                                   struct str permit_id,
                                   struct redemption_rows *out) MUST;
/* Into the current batch. arguments: of the call, canonical. */
void redemptions_queue_insert(struct pg *pg, struct arena *a,
                              const struct redemption *r,
                              struct str arguments, struct str key_id);
/* Writes the result once; *done is false where there is one. */
const struct err *redemptions_result(struct pg *pg, struct arena *a,
                                     const struct redemption *r,
                                     bool *done) MUST;

/* The one use of an answer that made no permit. */
struct answer_use {
    struct str suspension_id, operation_id;
    struct str call_sha256; /* p NULL: no call was named */
    struct str by, by_key;  /* the agent, the id of its key */
    int64_t at;
};
/* Without suspension_id, by and by_key. */
const struct err *redemptions_of_answer(struct pg *pg, struct arena *a,
                                        struct str suspension_id,
                                        struct answer_use *out,
                                        bool *found) MUST;
/* Into the current batch. */
void redemptions_queue_answer(struct pg *pg, struct arena *a,
                              const struct answer_use *u);
/* The facts that decide whether answers can be used, as they are read: one for
 * each suspension, in their order. */
struct redemptions_state {
    struct permit permit; /* id, state and end; id p NULL: it made none */
    struct permit_case about;
    int64_t used_at; /* of an answer without a permit; 0: not used */
};
const struct err *redemptions_states(struct pg *pg, struct arena *a,
                                     const struct str *ids, size_t n,
                                     int64_t now,
                                     struct redemptions_state *out) MUST;

#endif
