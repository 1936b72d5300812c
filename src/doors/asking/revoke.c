/* Takes a permit back, for the API and for the pages. */
#include "doors/asking/revoke.h"

#include "store/question/suspensions.h"

const struct err *revoke_may(struct call *c, const struct permit *p,
                             const struct suspension *s)
{
    if (c->who.role == ROLE_ADMIN)
        return NULL;
    if (c->who.role == ROLE_AGENT)
        return permit_own(p, &c->who) ? NULL : &permit_record.unknown;
    if (!s)
        return ERROR(ERR_FORBIDDEN, "permit.not_yours",
                     "Only an admin may revoke a permit that a rule granted.");
    const struct responder_case about = suspension_case(s);
    return responder_sees(&about, &c->who)
               ? responder_check(c->a, &about, &c->who)
               : &permit_record.unknown;
}

const struct err *revoke_check(struct call *c, const struct permit *p)
{
    struct suspension s;
    if (!p->suspension_id.p)
        return revoke_may(c, p, NULL);
    TRY(suspensions_get(c->pg, c->a, p->suspension_id, &s));
    return revoke_may(c, p, &s);
}

/* The lock of the intent is the permit's too: the permit is read again under
 * it. */
const struct err *revoke_permit(struct call *c, struct revoke *r,
                                const struct work_once *once)
{
    struct permit *p = &r->row.permit;
    TRY(permits_get(c->pg, c->a, r->permit_id, &r->row));
    TRY(revoke_check(c, p));
    TRY(call_begin(c, &r->w, p->intent_id, once));
    if (r->w.answered)
        return NULL;
    TRY(permits_get(c->pg, c->a, r->permit_id, &r->row));
    r->revoked = (struct push_revocation){.permit = p, .reason = r->reason};
    TRY(permit_revoke(p, r->reason, principal_actor(&c->who), r->w.now,
                      &r->revoked.late));
    TRY(work_event(&r->w, "grant.revoked", event_by(&c->who),
                   push_revoked_payload(c->a, &r->revoked)));
    work_touch(&r->w);
    r->w.revoked = &r->revoked;
    permits_queue_update(c->pg, c->a, p);
    return NULL;
}
