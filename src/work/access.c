/* Changes of an intent's access control list, with what goes with them. */
#include "work/access.h"

#include "base/id.h"
#include "store/intent/leases.h"
#include "store/rows.h"

#define OPEN_MAX 5 /* requests for access to one intent */
#define OPEN_OF_AGENT_MAX 3
#define OF_AGENT_MAX 10 /* ended ones too */
#define REQUESTS_MAX 200
#define LEASES_APART 12 /* each with an event of its own */

/* More leases than may have events of their own share one event. A full log
 * keeps nobody from losing access. */
static const struct err *access_log_leases(struct work *w, struct event_by by,
                                           const struct lease_rows *ended,
                                           const char *reason)
{
    struct json *o = json_object(w->arena), *ids = json_array(w->arena);
    for (size_t i = 0; i < ended->n && i < LEASES_APART; i++)
        TRY(work_event_optional(
            w, "lease_released", by,
            lease_payload(w->arena, &ended->v[i], reason)));
    if (ended->n <= LEASES_APART)
        return NULL;
    for (size_t i = LEASES_APART; i < ended->n; i++)
        json_add_text(ids, ended->v[i].id);
    json_set_json(o, "lease_ids", ids);
    json_set_text(o, "reason", str_of(reason));
    return work_event_optional(w, "lease_released", by, o);
}

/* After the rows: the mark on the intent; the leases of the agents that lost
 * an entry, and of all that can no longer write; and the deliveries to those
 * that have no access. */
static const struct err *access_settle(struct work *w, struct event_by by,
                                       const struct acl_entry *lost, size_t n,
                                       const char *reason)
{
    struct str *agents = arena_many(w->arena, n + 1, struct str);
    struct pg_rows **rows = NULL;
    for (size_t i = 0; i < n; i++)
        agents[i] = lost[i].agent;
    pg_queue(w->pg, w->arena, SQL_ACL_MARK,
             PG(pg_text(w->intent.id), pg_flag(w->intent.closed)));
    const struct pg_args *end =
        PG(pg_text(w->intent.id), pg_texts(agents, n), pg_moment(w->now));
    pg_queue(w->pg, w->arena, SQL_ACL_END_LEASES, end);
    const size_t last = pg_queued(w->pg) - 1;
    pg_queue(w->pg, w->arena, SQL_ACL_END_DELIVERIES, end);
    rows = arena_many(w->arena, last + 2, struct pg_rows *);
    TRY(pg_run(w->pg, w->arena, rows));
    const struct lease_rows ended = {
        .v = rows_all(w->arena, &lease_record, rows[last]),
        .n = pg_count(rows[last])};
    return access_log_leases(w, by, &ended, reason);
}

const struct err *access_grant(struct work *w, struct event_by by,
                               struct acl_entry *e)
{
    struct acl_rows rows;
    TRY(acls_all(w->pg, w->arena, w->intent.id, &rows));
    const struct acl_entry *old = acl_of_agent(rows.v, rows.n, e->agent);
    if (!old && rows.n >= ACL_ENTRIES_MAX)
        return err_at(w->arena, ERR_CONFLICT, "acl.too_many", STR(""),
                      "The intent has %d entries. Remove one first.",
                      ACL_ENTRIES_MAX);
    e->id = old ? old->id : id_new(w->arena);
    e->intent_id = w->intent.id;
    e->granted_by = by.name;
    e->granted_at = w->now;
    acls_queue_put(w->pg, w->arena, e);
    TRY(work_event(w, "access_granted", by,
                   acl_payload(w->arena, e, 1, true)));
    return access_settle(w, by, NULL, 0, "access_revoked");
}

const struct err *access_revoke(struct work *w, struct event_by by,
                                struct str id)
{
    struct acl_rows rows;
    TRY(acls_all(w->pg, w->arena, w->intent.id, &rows));
    for (size_t i = 0; i < rows.n; i++) {
        if (!str_eq(rows.v[i].id, id))
            continue;
        acls_queue_remove(w->pg, w->arena, &rows.v[i], 1);
        TRY(work_event_optional(w, "access_revoked", by,
                                acl_payload(w->arena, &rows.v[i], 1, false)));
        return access_settle(w, by, &rows.v[i], 1, "access_revoked");
    }
    return ERROR(ERR_NOT_FOUND, "acl.unknown",
                 "The intent has no entry with this id.");
}

const struct err *access_expire(struct work *w, const struct acl_entry *v,
                                size_t n)
{
    const struct event_by by = event_by_clock();
    acls_queue_remove(w->pg, w->arena, v, n);
    TRY(work_event_optional(w, "access_expired", by,
                            acl_payload(w->arena, v, n, false)));
    return access_settle(w, by, v, n, "access_expired");
}

/* ---- a whole list ----------------------------------------------------- */

/* The two sides of a change. */
struct change {
    struct acl_entry *given, *lost;
    size_t given_n, lost_n;
};

static struct change access_compare(struct work *w, struct event_by by,
                                    const struct acl_rows *old,
                                    const struct acl_list *list)
{
    struct change c = {
        .given = arena_many(w->arena, list->n + 1, struct acl_entry),
        .lost = arena_many(w->arena, old->n + 1, struct acl_entry)};
    for (size_t i = 0; i < list->n; i++) {
        struct acl_entry e = list->v[i];
        const struct acl_entry *before =
            acl_of_agent(old->v, old->n, e.agent);
        if (before && acl_same(before, &e))
            continue;
        e.id = before ? before->id : id_new(w->arena);
        e.intent_id = w->intent.id;
        e.granted_by = by.name;
        c.given[c.given_n++] = e;
    }
    for (size_t i = 0; i < old->n; i++) {
        if (!acl_of_agent(list->v, list->n, old->v[i].agent))
            c.lost[c.lost_n++] = old->v[i];
    }
    return c;
}

/* One event for what was taken away and one for what was given, each with the
 * policy where it has changed in that direction. */
static const struct err *access_log_change(struct work *w, struct event_by by,
                                           const struct change *c,
                                           bool was_closed)
{
    const bool closes = w->intent.closed && !was_closed;
    const bool opens = !w->intent.closed && was_closed;
    struct json *lost = acl_payload(w->arena, c->lost, c->lost_n, false);
    struct json *given = acl_payload(w->arena, c->given, c->given_n, true);
    if (closes)
        json_set_text(lost, "default_policy", STR("closed"));
    if (opens)
        json_set_text(given, "default_policy", STR("open"));
    if (closes || c->lost_n > 0)
        TRY(work_event_optional(w, "access_revoked", by, lost));
    if (opens || c->given_n > 0)
        TRY(work_event(w, "access_granted", by, given));
    return NULL;
}

const struct err *access_set(struct work *w, struct event_by by,
                             const struct acl_list *list)
{
    const bool was_closed = w->intent.closed;
    struct acl_rows old;
    TRY(acls_all(w->pg, w->arena, w->intent.id, &old));
    const struct change c = access_compare(w, by, &old, list);
    w->intent.closed = list->closed;
    if (c.given_n + c.lost_n == 0 && list->closed == was_closed)
        return NULL;
    acls_queue_remove(w->pg, w->arena, c.lost, c.lost_n);
    for (size_t i = 0; i < c.given_n; i++)
        acls_queue_put(w->pg, w->arena, &c.given[i]);
    TRY(access_log_change(w, by, &c, was_closed));
    return access_settle(w, by, c.lost, c.lost_n, "access_revoked");
}

/* ---- requests --------------------------------------------------------- */

const struct err *access_check_request(const struct work *w,
                                       const struct suspension *s)
{
    struct acl_requested n;
    TRY(acls_requested(w->pg, w->arena, w->intent.id, s, &n));
    if (n.same)
        return ERROR(
            ERR_CONFLICT, "access.requested",
            "This access was already requested, and nobody has answered yet.");
    if (n.all < REQUESTS_MAX && n.of_agent < OF_AGENT_MAX &&
        n.open < OPEN_MAX && n.open_of_agent < OPEN_OF_AGENT_MAX)
        return NULL;
    return ERROR(ERR_CONFLICT, "access.too_many_requests",
                 "This intent has too many access requests. 5 may be open at "
                 "once, 3 per agent, and an agent may make 10 in all.");
}
