/* The claim of an agent about an answer that a restore lost: evidence shown
 * with its question. Never changes the question. */
#include "base/clock.h"
#include "doors/api/api.h"
#include "doors/asking/question.h"
#include "store/tables.h"
#include "work/restores.h"

/* Not in a unit of work on the intent: a claim ends nothing, and nothing may
 * keep it out while the clock waits. */
static const struct err *reconcile_keep(struct call *c,
                                        const struct suspension *s,
                                        struct claim *mine, bool *again)
{
    struct restores_claims list;
    bool lost;
    TRY(restores_lock_claims(c->pg, c->a, s, &lost, &list));
    *again = false;
    for (size_t i = 0; i < list.n; i++) {
        if (!str_eq(list.v[i].said_sha256, mine->said_sha256))
            continue;
        *mine = list.v[i];
        *again = true;
        return NULL;
    }
    if (!lost)
        return ERROR(
            ERR_CONFLICT, "claim.nothing_lost",
            "No restore affected this question: it was asked later, or it was "
            "answered in the backup and could not have been used since.");
    if (list.n == CLAIMS_MAX)
        return ERROR(ERR_CONFLICT, "claim.too_many",
                     "A question may have at most 5 claims. Contact the "
                     "people who answer.");
    restores_queue_claim(c->pg, c->a, s->id, mine, list.n + 1, c->who.id);
    return NULL;
}

const struct err *api_reconcile(struct call *c)
{
    struct claim mine = {.by = principal_actor(&c->who)};
    struct suspension s;
    struct work w = call_work(c);
    bool again;
    TRY(call_body_once(c));
    TRY(claim_read(c->a, c->body, tables_restore().epoch, clock_now(), &mine));
    TRY(question_get(c, c->param[0], &s));
    if (!str_eq(s.asked_by, principal_actor(&c->who)))
        return ERROR(ERR_NOT_FOUND, "suspension.unknown",
                     "This agent asked no question with this id.");
    TRY(work_begin_bare(&w, &c->once));
    if (w.answered)
        return call_replay(c, &w);
    mine.at = w.now;
    TRY(reconcile_keep(c, &s, &mine, &again));
    return call_commit_bare(c, &w, again ? 200 : 201,
                            claim_record(c->a, &mine));
}
