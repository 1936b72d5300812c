/* Takes a permit back, for the API and for the pages. */
#include "work/permit/revoke.h"

#include "store/question/suspensions.h"

const struct err *revoke_may(const struct work *w, const struct permit *p,
                             const struct suspension *s)
{
    if (w->who->role == ROLE_ADMIN)
        return NULL;
    if (w->who->role == ROLE_AGENT)
        return permit_own(p, w->who) ? NULL : &permit_record.unknown;
    if (!s)
        return ERROR(ERR_FORBIDDEN, "permit.not_yours",
                     "Only an admin may revoke a permit that a rule granted.");
    const struct responder_case about = suspension_case(s);
    return responder_sees(&about, w->who)
               ? responder_check(w->arena, &about, w->who)
               : &permit_record.unknown;
}

const struct err *revoke_check(const struct work *w, const struct permit *p)
{
    struct suspension s;
    if (!p->suspension_id.p)
        return revoke_may(w, p, NULL);
    TRY(suspensions_get(w->pg, w->arena, p->suspension_id, &s));
    return revoke_may(w, p, &s);
}

/* The lock of the intent is the permit's too: the permit is read again under
 * it. */
const struct err *revoke_permit(struct work *w, struct revoke *r,
                                const struct work_once *once)
{
    struct permit *p = &r->row.permit;
    TRY(permits_get(w->pg, w->arena, r->permit_id, &r->row));
    TRY(revoke_check(w, p));
    TRY(work_begin_by_caller(w, p->intent_id, once));
    if (w->answered)
        return NULL;
    TRY(permits_get(w->pg, w->arena, r->permit_id, &r->row));
    r->revoked = (struct push_revocation){.permit = p, .reason = r->reason};
    TRY(permit_revoke(p, r->reason, principal_actor(w->who), w->now,
                      &r->revoked.late));
    TRY(work_event(w, "grant.revoked", event_by(w->who),
                   push_revoked_payload(w->arena, &r->revoked)));
    work_touch(w);
    w->revoked = &r->revoked;
    permits_queue_update(w->pg, w->arena, p);
    return NULL;
}
