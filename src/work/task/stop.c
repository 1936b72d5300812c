/* Stopping a task with its permits. */
#include "work/task/stop.h"

#include "store/permit/permits.h"
#include "work/task/status.h"

static const struct err *stop_revoke(struct work *w, struct permit *p,
                                     struct str reason)
{
    struct push_revocation *r = arena_new(w->arena, struct push_revocation);
    *r = (struct push_revocation){
        .permit = p, .reason = reason, .next = w->revoked};
    TRY(permit_revoke(p, reason, principal_actor(w->who), w->now, &r->late));
    TRY(work_event(w, "grant.revoked", event_by(w->who),
                   push_revoked_payload(w->arena, r)));
    permits_queue_update(w->pg, w->arena, p);
    w->revoked = r;
    return NULL;
}

const struct err *stop_task(struct work *w, struct stop *s)
{
    struct permits_rows found;
    TRY(work_begin_by_caller(w, s->intent_id, NULL));
    TRY(status_set(w, &(struct status_wanted){.to = INTENT_ABANDONED,
                                              .reason = s->reason,
                                              .via = VIA_BROWSER}));
    TRY(permits_of_intent(w->pg, w->arena, w->intent.id, w->now, STOP_PERMITS,
                          &found));
    for (size_t i = 0; i < found.n; i++)
        TRY(stop_revoke(w, &found.v[i].row.permit, s->reason));
    if (found.n > 0)
        work_touch(w);
    s->revoked = found.n;
    return NULL;
}
