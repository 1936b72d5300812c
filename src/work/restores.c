/* Restores to an older point, in the database. Decides nothing. */
#include "work/restores.h"

#include "domain/sending/push.h"
#include "store/intent/events.h"
#include "store/sending/deliveries.h"
#include "store/sql.gen.h"
#include "store/tables.h"

#define PAGE 40 /* permits of one batch; five statements each at most */
#define UUID 37
#define NIL "00000000-0000-0000-0000-000000000000"

static const char reason[] =
    "The database was restored to an older point; it may have been used "
    "since.";

/* ---- taking back ---------------------------------------------------- */

/* Run by the owner with the server stopped: nobody else has a lock, and nobody
 * waits for it. */

/* The last permit that was reported, in the order of their intents. */
struct place {
    char intent[UUID], permit[UUID];
};

/* The columns of restore_revoked. */
enum { PERMIT, INTENT, AGENT, SUSPENSION, USED, STATUS, VERSION, SEQUENCE, HASH,
       CONTAINERS, TEST, SESSION, TASK, TURN };

/* With the members that its events and messages have. */
static struct intent restores_intent(const struct pg_rows *r, size_t i)
{
    return (struct intent){
        .id = pg_str(r, i, INTENT),
        .status = vocabulary_intent_status_of(pg_str(r, i, STATUS)),
        .version = pg_int(r, i, VERSION),
        .tail = {.sequence = pg_int(r, i, SEQUENCE),
                 .hash = pg_str(r, i, HASH),
                 .test = pg_bool(r, i, TEST)},
        .containers = (int)pg_int(r, i, CONTAINERS),
        .session_id = pg_str(r, i, SESSION),
        .task_id = pg_str(r, i, TASK),
        .turn_id = pg_str(r, i, TURN)};
}

/* The event and the messages of one permit. A log that is full gets none: the
 * permit is revoked anyway. */
static const struct err *restores_queue(struct pg *pg, struct arena *a,
                                        struct intent *i,
                                        const struct permit *p, int64_t now)
{
    const struct push_revocation revoked = {.permit = p,
                                            .reason = STR(reason)};
    const struct event_draft draft = {
        .type = "grant.revoked",
        .by = event_by_server(),
        .payload = push_revoked_payload(a, &revoked),
        .optional = true};
    struct event_list list = {.n = 0};
    TRY(event_append(a, i->id, &draft, now, &i->tail, &list));
    i->version++;
    pg_queue(pg, a, SQL_INTENT_MOVE,
             PG(pg_text(i->id),
                pg_text(vocabulary_intent_status(i->status)->wire),
                pg_number(i->version), pg_moment(now),
                pg_number(i->tail.sequence), pg_text(i->tail.hash)));
    events_queue(pg, a, i->id, &list);
    deliveries_queue(pg, a,
                     &(struct deliveries_news){.intent = i,
                                               .revoked = &revoked,
                                               .events = &list,
                                               .now = now});
    return NULL;
}

static const struct err *restores_page(struct pg *pg, struct arena *a,
                                       int64_t now, struct place *at,
                                       bool *more)
{
    struct pg_rows *r = NULL;
    struct intent i = {.id = STR_NONE};
    TRY(pg_query(pg, a, SQL_RESTORE_REVOKED,
                 PG(pg_moment(now), pg_text(str_of(at->intent)),
                    pg_text(str_of(at->permit)), pg_number(PAGE)),
                 &r));
    const size_t n = pg_count(r);
    *more = n == PAGE;
    for (size_t k = 0; k < n; k++) {
        const struct permit p = {.id = pg_str(r, k, PERMIT),
                                 .agent = pg_str(r, k, AGENT),
                                 .suspension_id = pg_str(r, k, SUSPENSION),
                                 .used = pg_int(r, k, USED)};
        if (!i.id.p || !str_eq(i.id, pg_str(r, k, INTENT)))
            i = restores_intent(r, k);
        TRY(restores_queue(pg, a, &i, &p, now));
        if (!str_copy(at->intent, sizeof at->intent, i.id) ||
            !str_copy(at->permit, sizeof at->permit, p.id))
            return ERROR(ERR_INTERNAL, "internal", "This is not a UUID.");
    }
    return n > 0 ? pg_run(pg, a, NULL) : NULL;
}

const struct err *restores_take(struct pg *pg, struct arena *a,
                                const struct restores_loss *loss,
                                struct restores_taken *out)
{
    struct pg_rows *r[4] = {NULL};
    struct place at = {.intent = NIL, .permit = NIL};
    pg_queue(
        pg, a, SQL_RESTORE_PERMITS,
        PG(pg_moment(loss->from), pg_moment(loss->now), pg_text(STR(reason))));
    pg_queue(pg, a, SQL_RESTORE_TOKENS, PG(pg_moment(loss->now)));
    pg_queue(pg, a, SQL_RESTORE_USES,
             PG(pg_moment(loss->from), pg_moment(loss->now)));
    pg_queue(pg, NULL, SQL_RESTORE_OPEN, NULL);
    TRY(pg_run(pg, a, r));
    *out = (struct restores_taken){.permits = (int64_t)pg_affected(r[0]),
                                   .answers = (int64_t)pg_affected(r[2]),
                                   .open = pg_int(r[3], 0, 0)};
    struct arena *page = arena_within(a);
    const struct err *e = NULL;
    for (bool more = true; !e && more; arena_reset(page))
        e = restores_page(pg, page, loss->now, &at, &more);
    arena_free(page);
    return e;
}

/* ---- claims --------------------------------------------------------- */

static struct restores_claims restores_read_claims(const struct pg_rows *r)
{
    struct restores_claims out = {.n = pg_count(r)};
    if (out.n > CLAIMS_MAX)
        out.n = CLAIMS_MAX;
    for (size_t i = 0; i < out.n; i++)
        out.v[i] = (struct claim){.said = pg_str(r, i, 0),
                                  .said_sha256 = pg_str(r, i, 1),
                                  .by = pg_str(r, i, 2),
                                  .at = pg_int(r, i, 3)};
    return out;
}

const struct err *restores_claims(struct pg *pg, struct arena *a,
                                  const struct suspension *s,
                                  struct restores_claims *out)
{
    struct pg_rows *r = NULL;
    *out = (struct restores_claims){.n = 0};
    if (tables_restore().epoch == 0 ||
        s->suspended_at > tables_restore().open_until)
        return NULL;
    TRY(pg_query(pg, a, SQL_CLAIM_LIST, PG(pg_text(s->id)), &r));
    *out = restores_read_claims(r);
    return NULL;
}

const struct err *restores_lock_claims(struct pg *pg, struct arena *a,
                                       const struct suspension *s, bool *lost,
                                       struct restores_claims *out)
{
    const struct pg_args *id = PG(pg_text(s->id));
    struct pg_rows *r[3] = {NULL};
    pg_queue(pg, a, SQL_INTENT_TAKE_OF_SUSPENSION, id);
    pg_queue(pg, a, SQL_CLAIM_LOSS, id);
    pg_queue(pg, a, SQL_CLAIM_LIST, id);
    TRY(pg_run(pg, a, r));
    *lost = pg_bool(r[1], 0, 0);
    *out = restores_read_claims(r[2]);
    return NULL;
}

void restores_queue_claim(struct pg *pg, struct arena *a, struct str id,
                          const struct claim *c, size_t n, struct str key_id)
{
    pg_queue(pg, a, SQL_CLAIM_INSERT,
             PG(pg_text(id), pg_number((int64_t)n), pg_text(c->said),
                pg_text(c->said_sha256), pg_text(c->by), pg_text(key_id),
                pg_moment(c->at)));
}
