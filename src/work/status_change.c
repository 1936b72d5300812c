/* Other intents that the work on one moves to another status. */
#include "work/status_change.h"

#include "store/intent/events.h"
#include "store/sending/deliveries.h"
#include "store/sql.gen.h"

const struct err *status_change_event(struct status_changes *m,
                                      struct intent *i,
                                      const struct status_change *change,
                                      struct event_list *out)
{
    const struct event_draft draft = {
        .type = "status_changed",
        .by = event_by_server(),
        .payload = intent_status_changed(m->arena, change->from, change->to,
                                         str_of(change->reason)),
        .optional = true};
    return event_append(m->arena, i->id, &draft, m->now, &i->tail, out);
}

void status_change_write(struct status_changes *m, const struct intent *i,
                         const struct status_change *change,
                         const struct event_list *list)
{
    const struct deliveries_news news = {
        .intent = i, .events = list, .now = m->now};
    struct status_change_other *other =
        arena_new(m->arena, struct status_change_other);
    *other = (struct status_change_other){.intent_id = i->id,
                                          .version = i->version + 1,
                                          .next = m->changed_intents};
    m->changed_intents = other;
    pg_queue(m->pg, m->arena, SQL_INTENT_MOVE,
             PG(pg_text(i->id),
                pg_text(vocabulary_intent_status(change->to)->wire),
                pg_number(other->version), pg_moment(m->now),
                pg_number(i->tail.sequence), pg_text(i->tail.hash)));
    if (list->n == 0)
        return;
    events_queue(m->pg, m->arena, i->id, list);
    if (m->has_listeners)
        deliveries_queue(m->pg, m->arena, &news);
}

const struct err *status_change_queue(struct status_changes *m,
                                      struct intent *i,
                                      const struct status_change *change)
{
    struct event_list list = {.n = 0};
    TRY(status_change_event(m, i, change, &list));
    status_change_write(m, i, change, &list);
    return NULL;
}
