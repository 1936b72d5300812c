/* Intents in the database: struct in, struct out. Decides nothing. */
#include "store/intent/intents.h"

#include "base/clock.h"
#include "base/id.h"
#include "base/shared/clock_watch.h"
#include "store/rows.h"

/* The columns of the table, in its order: PostgreSQL hands on a whole row as it
 * is stored, and starts a statement with a list of its own for each column. */
enum {
    ID, TITLE, DESCRIPTION, CREATED_BY, STATUS, CONSTRAINTS, STATE, CONFIDENCE,
    VERSION, CREATED_AT, UPDATED_AT, PARENT, DEPENDS_ON, GOVERNANCE, SESSION,
    TASK, TURN, INITIATED_BY, SEQUENCE, HASH, OWNER, INITIATOR_ID, CONTAINERS,
    ACL, TEST, ACCESS
};

/* After every time and every id. */
#define LAST_TIME STR("infinity")
#define LAST_ID STR("ffffffff-ffff-ffff-ffff-ffffffffffff")

static const struct err *intents_unknown(void)
{
    return ERROR(ERR_NOT_FOUND, "intent.unknown", "There is no intent with "
                                                  "this id.");
}

struct intent intents_row(const struct pg_rows *r, size_t i)
{
    return (struct intent){
        .id = pg_str(r, i, ID),
        .title = pg_str(r, i, TITLE),
        .description = pg_str(r, i, DESCRIPTION),
        .created_by = pg_str(r, i, CREATED_BY),
        .status = vocabulary_intent_status_of(pg_str(r, i, STATUS)),
        .constraints = pg_str(r, i, CONSTRAINTS),
        .state = pg_str(r, i, STATE),
        .confidence = pg_int(r, i, CONFIDENCE),
        .version = pg_int(r, i, VERSION),
        .created_at = pg_time(r, i, CREATED_AT),
        .updated_at = pg_time(r, i, UPDATED_AT),
        .parent_intent_id = pg_str(r, i, PARENT),
        .governance_policy = pg_str(r, i, GOVERNANCE),
        .session_id = pg_str(r, i, SESSION),
        .task_id = pg_str(r, i, TASK),
        .turn_id = pg_str(r, i, TURN),
        .initiated_by = pg_str(r, i, INITIATED_BY),
        .initiator_id = pg_str(r, i, INITIATOR_ID),
        .depends_on = pg_str(r, i, DEPENDS_ON),
        .owner = pg_str(r, i, OWNER),
        .containers = (int)pg_int(r, i, CONTAINERS),
        .closed = pg_int(r, i, ACL) == INTENTS_CLOSED,
        .test = pg_bool(r, i, TEST),
        .tail = {.sequence = pg_int(r, i, SEQUENCE),
                 .hash = pg_str(r, i, HASH),
                 .test = pg_bool(r, i, TEST)},
    };
}

enum access intents_access(const struct pg_rows *r, size_t i, int column)
{
    return (enum access)pg_int(r, i, column);
}

struct pg_value intents_reader(struct arena *a, const struct principal *who)
{
    return pg_text(who ? reach_reader(a, who) : STR_NONE);
}

struct pg_value intents_now(void)
{
    return pg_moment(clock_watch_latest(clock_now()));
}

const struct err *intents_get_for(struct pg *pg, struct arena *a,
                                  struct str id, const struct principal *who,
                                  struct intent *out)
{
    struct pg_list args = {0};
    struct pg_rows *rows = NULL;
    if (!id_uuid(id))
        return intents_unknown();
    pg_add(&args, pg_text(id));
    pg_ahead_join(pg, &args);
    TRY(pg_query(pg, a, SQL_INTENT_GET, PG_ALL(&args), &rows));
    if (pg_count(rows) == 0)
        return intents_unknown();
    *out = intents_row(rows, 0);
    out->access = ACCESS_ADMIN;
    if (!who || reach_all(who, out))
        return NULL;
    out->access = ACCESS_NONE;
    if (!reach_sort(who, out->test))
        return NULL;
    TRY(pg_query(pg, a, SQL_INTENT_TIES,
                 PG(pg_text(id), intents_reader(a, who), intents_now()),
                 &rows));
    out->access = intents_access(rows, 0, 0);
    return NULL;
}

const struct err *intents_get(struct pg *pg, struct arena *a, struct str id,
                              struct intent *out)
{
    return intents_get_for(pg, a, id, NULL, out);
}

const struct err *intents_kin(struct pg *pg, struct arena *a, struct str id,
                              const struct principal *who, bool *out)
{
    return rows_flag(pg, a, SQL_INTENT_KIN,
                     PG(pg_text(id), intents_reader(a, who), intents_now()),
                     out);
}

const struct err *intents_shut(struct pg *pg, struct arena *a, struct str id,
                               const struct principal *who, bool *out)
{
    *out = false;
    if (who->role != ROLE_AGENT)
        return NULL;
    return rows_flag(pg, a, SQL_INTENT_SHUT,
                     PG(pg_text(id), pg_text(who->agent), intents_now()), out);
}

struct intent_rows intents_page_of(struct arena *a, const struct pg_rows *r,
                                   int64_t limit)
{
    const size_t n = pg_count(r);
    const int64_t found = n ? pg_int(r, 0, pg_columns(r) - 1) : 0;
    struct intent_rows out = {.n = n < (size_t)limit ? n : (size_t)limit};
    out.v = arena_many(a, out.n + 1, struct intent);
    for (size_t i = 0; i < out.n; i++)
        out.v[i] = intents_row(r, i);
    out.more = found > (int64_t)out.n;
    return out;
}

const struct err *intents_list(struct pg *pg, struct arena *a,
                               const struct intents_page *page,
                               struct intent_rows *out)
{
    const bool after = page->after_created != 0;
    const struct pg_value reader = intents_reader(a, page->who),
                          now = intents_now(), status = pg_text(page->status),
                          created = pg_moment(page->after_created),
                          id = pg_text(page->after_id),
                          bytes = pg_number(INTENTS_PAGE_BYTES),
                          most = pg_number(page->limit + 1),
                          offset = pg_number(after ? 0 : page->offset);
    struct pg_rows *rows = NULL;
    if (page->who && reach_own(page->who))
        TRY(pg_query(pg, a, SQL_INTENT_LIST_OWN,
                     PG(reader, now, status,
                        after ? created : pg_text(LAST_TIME),
                        after ? id : pg_text(LAST_ID), bytes, most, offset),
                     &rows));
    else if (after)
        TRY(pg_query(pg, a, SQL_INTENT_LIST_AFTER,
                     PG(status, bytes, most, created, id, reader, now),
                     &rows));
    else
        TRY(pg_query(pg, a, SQL_INTENT_LIST,
                     PG(status, bytes, most, offset, reader, now), &rows));
    *out = intents_page_of(a, rows, page->limit);
    return NULL;
}

static const struct {
    int statement;
    const char *word; /* as in intent_related_at */
} relations[] = {
    [INTENTS_CHILDREN] = {SQL_INTENT_CHILDREN, "child"},
    [INTENTS_READY] = {SQL_INTENT_READY, "child"},
    [INTENTS_WAITING] = {SQL_INTENT_WAITING, "child"},
    [INTENTS_DEPENDENCIES] = {SQL_INTENT_DEPENDENCIES, "dependency"},
    [INTENTS_DEPENDENTS] = {SQL_INTENT_DEPENDENTS, "dependent"},
    [INTENTS_DESCENDANTS] = {SQL_INTENT_DESCENDANTS, NULL},
    [INTENTS_ANCESTORS] = {SQL_INTENT_ANCESTORS, NULL},
};

/* The position of the last row of the page before; 0: there was none. */
static const struct err *intents_related_at(struct pg *pg, struct arena *a,
                                            const struct intents_related *page,
                                            int64_t *at)
{
    struct pg_rows *rows = NULL;
    *at = 0;
    if (!page->after.p)
        return NULL;
    if (id_uuid(page->after))
        TRY(pg_query(pg, a, SQL_INTENT_RELATED_AT,
                     PG(pg_text(page->id), pg_text(page->after),
                        pg_text(str_of(relations[page->relation].word))),
                     &rows));
    if (rows)
        *at = pg_int(rows, 0, 0);
    if (*at)
        return NULL;
    return err_at(a, ERR_BAD_REQUEST, "request.query", STR("after"),
                  "\"after\" has to be the last id of the previous page.");
}

const struct err *intents_related(struct pg *pg, struct arena *a,
                                  const struct intents_related *page,
                                  struct intent_rows *out)
{
    const struct pg_value reader = intents_reader(a, page->who),
                          now = intents_now();
    struct pg_rows *rows[2] = {NULL};
    int64_t at = 0;
    if (!id_uuid(page->id))
        return intents_unknown();
    TRY(intents_related_at(pg, a, page, &at));
    pg_queue(pg, a, SQL_INTENT_REFS, PG(pg_texts(&page->id, 1), reader, now));
    pg_queue(pg, a, relations[page->relation].statement,
             PG(pg_text(page->id), pg_number(INTENTS_PAGE_BYTES),
                pg_number(page->limit + 1), pg_moment(at),
                pg_text(page->after), reader, now));
    TRY(pg_run(pg, a, rows));
    if (pg_count(rows[0]) == 0)
        return intents_unknown();
    if (page->who)
        TRY(reach_check(a, intents_access(rows[0], 0, 1), page->who->needs));
    *out = intents_page_of(a, rows[1], page->limit);
    for (size_t i = 0; i < out->n; i++)
        out->v[i].access = intents_access(rows[1], i, ACCESS);
    return NULL;
}

/* Does it exist, within the reader's reach? Then the access has to do. */
static const struct err *
intents_find_ref(struct pg *pg, struct arena *a, const struct pg_rows *rows,
                 struct str id, const struct intents_refs *refs, bool *out)
{
    enum access has = ACCESS_NONE;
    bool kin = false;
    *out = false;
    for (size_t i = 0; i < pg_count(rows); i++) {
        const struct str found = pg_str(rows, i, 0);
        if (found.n != id.n || str_search_nocase(found, id) != 0)
            continue;
        has = intents_access(rows, i, 1);
        if (refs->joins && reach_sort(refs->who, pg_bool(rows, i, 2)))
            TRY(reach_joins(a, refs->joins->test, pg_bool(rows, i, 2),
                            refs->what));
        if (has == ACCESS_NONE && refs->act == REACH_READ)
            TRY(intents_kin(pg, a, id, refs->who, &kin));
        *out = has != ACCESS_NONE || kin;
    }
    return has == ACCESS_NONE ? NULL : reach_check(a, has, refs->needs);
}

const struct err *intents_check_refs(struct pg *pg, struct arena *a,
                                     const struct intents_refs *refs)
{
    const struct intent_ids *ids = refs->ids;
    struct pg_rows *rows = NULL;
    if (ids->n == 0)
        return NULL;
    TRY(pg_query(pg, a, SQL_INTENT_REFS,
                 PG(pg_texts(ids->v, ids->n), intents_reader(a, refs->who),
                    intents_now()),
                 &rows));
    for (size_t i = 0; i < ids->n; i++) {
        bool there = false;
        TRY(intents_find_ref(pg, a, rows, ids->v[i], refs, &there));
        if (!there)
            return err_at(a, refs->missing, "intent.unknown",
                          str_of(refs->what), "There is no intent with the id "
                                              "%.*s.",
                          STR_FMT(ids->v[i]));
    }
    return NULL;
}

void intents_queue_insert(struct pg *pg, struct arena *a,
                          const struct intent *i)
{
    pg_queue(pg, a, SQL_INTENT_INSERT,
             PG(pg_text(i->id), pg_text(i->title), pg_text(i->description),
                pg_text(i->created_by),
                pg_text(vocabulary_intent_status(i->status)->wire),
                pg_text(i->constraints), pg_text(i->state),
                pg_number(i->confidence), pg_number(i->version),
                pg_moment(i->created_at), pg_moment(i->updated_at),
                pg_text(i->parent_intent_id), pg_text(i->governance_policy),
                pg_text(i->session_id), pg_text(i->task_id),
                pg_text(i->turn_id), pg_text(i->initiated_by),
                pg_number(i->tail.sequence), pg_text(i->tail.hash),
                pg_text(i->depends_on), pg_text(i->initiator_id),
                pg_number(i->containers), pg_flag(i->test)));
}

void intents_queue_update(struct pg *pg, struct arena *a,
                          const struct intent *i)
{
    pg_queue(pg, a, SQL_INTENT_UPDATE,
             PG(pg_text(i->id),
                pg_text(vocabulary_intent_status(i->status)->wire),
                pg_text(i->state), pg_number(i->version),
                pg_moment(i->updated_at), pg_number(i->tail.sequence),
                pg_text(i->tail.hash), pg_text(i->owner)));
}

void intents_queue_govern(struct pg *pg, struct arena *a,
                          const struct intent *i)
{
    pg_queue(pg, a, SQL_INTENT_GOVERN,
             PG(pg_text(i->id), pg_text(i->governance_policy)));
}
