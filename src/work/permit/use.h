/* The use of a yes, counted before what it allows is done: the one place where
 * all doors ask whether a yes may be used now (domain/permit/permit.h says
 * so). And the lock and the facts that requests for tokens and uses share.
 *
 * A yes is used by its permit; one without a permit counts once. */
#ifndef WORK_PERMIT_USE_H
#define WORK_PERMIT_USE_H

#include "domain/answer/verdict.h"
#include "domain/permit/dpop.h"
#include "domain/permit/tool_call.h"
#include "store/permit/permits.h"
#include "store/permit/redemptions.h"
#include "work/work.h"

struct use {
    struct work w;           /* of the caller */
    struct str operation_id; /* names the use: the same one is the same use */
    struct tool_call call;   /* tool p NULL: the one that was approved */
    /* The yes. */
    struct permits_row row; /* id p NULL: no permit, the answer itself */
    struct suspension suspension; /* id p NULL: not read */
    /* The result. */
    bool again;   /* it was counted before, and nothing is to be written */
    bool counted; /* false: it holds for its time, and nothing is counted */
    struct redemption redemption;
};

/* The yes of the question in u, which the caller may see. ERR_NOT_FOUND
 * suspension.unknown where another one asked it; ERR_FORBIDDEN permit.not_yours
 * for a gateway's. */
const struct err *use_find(struct use *u) MUST;
/* Locks it, and asks whether it may be used now. ERR_CONFLICT of permit_usable
 * and permit_again, operation.other_call; ERR_INVALID field.missing at "call";
 * those of work_begin. */
const struct err *use_begin(struct use *u) MUST;
/* Counts it, unless it was before, into the batch of the commit. Errors of
 * permit_use. */
const struct err *use_count(struct use *u) MUST;

/* use_begin and use_count, and commits. A use that was counted before, or that
 * is not counted, writes nothing. */
const struct err *use_up(struct use *u) MUST;
/* After use_count: was it written? */
bool use_kept(const struct use *u);

/* For a client that can only run a call or not: uses the yes of a verdict
 * VERDICT_ALLOW, or makes a no of it. *kept false: nothing was committed, and
 * the answer is still to be proved, because it is final for the client. The
 * call is the one that was approved. w has not begun. */
const struct err *use_verdict(const struct work *w, const struct suspension *s,
                              struct str operation_id, struct verdict *out,
                              bool *kept) MUST;

/* A counted use, for a report of its result: any key of the resource that used
 * the permit may report, or the agent that did. ERR_NOT_FOUND
 * redemption.unknown. */
const struct err *use_find_own(const struct work *w, struct str id,
                               struct redemption *out) MUST;
/* Stores result and result_ref of such a use, once, and reads it again. The
 * same report again changes nothing; ERR_CONFLICT redemption.result for
 * another. */
const struct err *use_report(const struct work *w, struct redemption *r) MUST;

/* Why answers cannot be used as they are read, errors of permit_usable; NULL:
 * they can, by an operation that is new. */
const struct err *use_read(const struct work *w, const struct suspension *v,
                           size_t n, const struct err **why) MUST;

/* ---- what tokens of gateways need too --------------------------------- */

/* Begins work on the intent of a permit, whose lock is the permit's too, and
 * reads the permit again. ERR_NOT_FOUND permit.unknown; those of work_begin. */
const struct err *use_lock(struct work *w, struct permits_row *row) MUST;
/* The facts that decide about its use. */
struct permit_case use_case(const struct permits_row *row,
                            const struct work *w);
/* The effect of the rules on what a permit grants, as they are now: TOOL_DENY
 * too where they ask others than its question did, or at a higher risk. */
const struct err *use_rules(const struct work *w, const struct permit *p,
                            enum tool_effect *out) MUST;

/* Stores a proof in the transaction at hand. ERR_UNAUTHENTICATED
 * dpop.replay. */
const struct err *use_proof_keep(const struct work *w,
                                 const struct dpop *proof) MUST;

#endif
