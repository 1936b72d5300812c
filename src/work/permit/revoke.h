/* Takes a permit back, for the API and for the pages. */
#ifndef WORK_PERMIT_REVOKE_H
#define WORK_PERMIT_REVOKE_H

#include "store/permit/permits.h"
#include "work/work.h"

struct revoke {
    struct str permit_id, reason; /* reason p NULL: none */
    struct permits_row row; /* set by revoke_permit, like all below */
    struct push_revocation revoked;
};

/* The agent of a permit gives it up; an admin, and whoever may decide its
 * question, take it back. NULL: the caller may. ERR_NOT_FOUND permit.unknown
 * for whoever may not see it; ERR_FORBIDDEN permit.not_yours, suspension.* of
 * responder_check. */
const struct err *revoke_check(const struct work *w,
                               const struct permit *p) MUST;
/* The same for a permit whose question is at hand; NULL: a rule gave it. */
const struct err *revoke_may(const struct work *w, const struct permit *p,
                             const struct suspension *s) MUST;
/* Begins the work on the permit's intent, and ends the permit with an event and
 * a push; the caller commits. Where w->answered is set, nothing was done.
 * ERR_NOT_FOUND permit.unknown, errors of revoke_check, ERR_CONFLICT
 * permit.asked, permit.refused, permit.revoked. */
const struct err *revoke_permit(struct work *w, struct revoke *r,
                                const struct work_once *once) MUST;

#endif
