/* Suspensions in the database: struct in, struct out. Decides nothing. */
#include "store/question/suspensions.h"

#include "base/id.h"
#include "domain/search/search.h"
#include "store/intent/intents.h"
#include "store/rows.h"
#include "store/tables.h"

#define SUSPENSIONS_SEARCHED 10000 /* ends that one read of the feed searches */

/* Row i of a statement that selects {s.*} first. */
static struct suspension suspensions_row(struct arena *a,
                                         const struct pg_rows *r, size_t i)
{
    struct suspension s;
    rows_read(&suspension_record, r, i, &s);
    suspension_keep(a, &s);
    tables_mark(&s);
    return s;
}

struct suspension suspensions_asked(struct arena *a, const struct pg_rows *r)
{
    struct suspension s = {.seq = 0};
    suspension_keep(a, &s);
    for (size_t k = 0; k < suspension_record.n; k++) {
        if (suspension_record.fields[k].in & IN_PART)
            record_take(&suspension_record.fields[k], &s, STR_NONE);
    }
    rows_part(&suspension_record, IN_INSERT, r, 0, 0, &s);
    return s;
}

bool suspensions_open(struct suspension *s, const struct pg_rows *r)
{
    if (pg_count(r) == 0 || !str_eq(pg_str(r, 0, 0), s->id))
        return false;
    s->state = SUSPENSION_PENDING;
    s->channel_hint = pg_str(r, 0, 1);
    s->attempt = pg_int(r, 0, 2);
    s->next_attempt_at = pg_time(r, 0, 3);
    s->traceparent = pg_str(r, 0, 4);
    tables_mark(s);
    return true;
}

void suspensions_decided(struct suspension *s, const struct pg_rows *r)
{
    if (pg_count(r) == 0)
        return;
    const int own = rows_part(&suspension_record, IN_PART, r, 0, 0, s);
    s->channel_hint = pg_str(r, 0, own);
    s->attempt = pg_int(r, 0, own + 1);
}

struct suspension_rows suspensions_rows(struct arena *a,
                                        const struct pg_rows *r)
{
    struct suspension_rows out = {.n = pg_count(r)};
    out.v = arena_many(a, out.n + 1, struct suspension);
    for (size_t i = 0; i < out.n; i++)
        out.v[i] = suspensions_row(a, r, i);
    return out;
}

const struct err *suspensions_in_order(struct pg *pg, struct arena *a,
                                       int statement,
                                       const struct pg_args *args,
                                       struct pg_rows **out)
{
    struct pg_rows *rows[2] = {NULL};
    pg_queue(pg, NULL, SQL_INBOX_IN_ORDER, NULL);
    pg_queue(pg, a, statement, args);
    TRY(pg_run(pg, a, rows));
    *out = rows[1];
    return NULL;
}

struct pg_value suspensions_kinds(struct arena *a, enum kind only)
{
    struct str *v = arena_many(a, KIND__MAX, struct str);
    size_t n = 0;
    for (enum kind k = KIND_NONE; k < KIND__MAX; k++) {
        if (only == KIND__MAX || k == only)
            v[n++] = vocabulary_key(kind_words(k));
    }
    return pg_texts(v, n);
}

/* suspensions_rows, with the agent's task from the column `at`. */
static struct suspension_rows
suspensions_rows_with_task(struct arena *a, const struct pg_rows *r, int at)
{
    struct suspension_rows out = suspensions_rows(a, r);
    for (size_t i = 0; i < out.n; i++)
        out.v[i].task_id = pg_str(r, i, at);
    return out;
}

static const struct err *suspensions_select_rows(struct pg *pg,
                                                 struct arena *a,
                                                 int statement,
                                                 const struct pg_args *args,
                                                 struct suspension_rows *out)
{
    struct pg_rows *rows = NULL;
    TRY(pg_query(pg, a, statement, args, &rows));
    *out = suspensions_rows(a, rows);
    return NULL;
}

static const struct err *suspensions_find(struct pg *pg, struct arena *a,
                                          struct str id, struct pg_rows **rows)
{
    return id_token(id)
               ? pg_query(pg, a, SQL_SUSPENSION_GET, PG(pg_text(id)), rows)
               : NULL;
}

const struct err *suspensions_get(struct pg *pg, struct arena *a,
                                  struct str id, struct suspension *out)
{
    struct pg_rows *rows = NULL;
    const struct str other = id_respelled(a, id);
    TRY(suspensions_find(pg, a, id, &rows));
    if (other.p && pg_count(rows) == 0)
        TRY(suspensions_find(pg, a, other, &rows));
    if (!rows || pg_count(rows) == 0)
        return ERROR(ERR_NOT_FOUND, "suspension.unknown",
                     "There is no suspension with this id.");
    *out = suspensions_row(a, rows, 0);
    out->task_id = pg_str(rows, 0, pg_columns(rows) - 2);
    out->closed = pg_bool(rows, 0, pg_columns(rows) - 1);
    return NULL;
}

const struct err *suspensions_many(struct pg *pg, struct arena *a,
                                   const struct str *ids, size_t n,
                                   struct suspension *out)
{
    struct pg_rows **rows = arena_many(a, n + 1, struct pg_rows *);
    for (size_t i = 0; i < n; i++) {
        pg_queue(pg, a, SQL_SUSPENSION_GET,
                 PG(pg_text(id_token(ids[i]) ? ids[i] : STR_NONE)));
    }
    TRY(n ? pg_run(pg, a, rows) : NULL);
    for (size_t i = 0; i < n; i++)
        out[i] = pg_count(rows[i]) ? suspensions_row(a, rows[i], 0)
                                   : (struct suspension){.id = STR_NONE};
    return NULL;
}

const struct err *suspensions_same(struct pg *pg, struct arena *a,
                                   const struct suspensions_same *of,
                                   struct suspension_rows *out)
{
    struct pg_rows *r = NULL;
    TRY(suspensions_in_order(pg, a, SQL_SUSPENSION_SAME,
                             PG(pg_texts(of->digests, of->digests_n),
                                pg_texts(of->ids, of->ids_n),
                                pg_number(of->most)),
                             &r));
    out->n = pg_count(r);
    out->v = arena_many(a, out->n + 1, struct suspension);
    for (size_t i = 0; i < out->n; i++)
        out->v[i] = (struct suspension){.id = pg_str(r, i, 0),
                                        .title = pg_str(r, i, 1),
                                        .question = pg_str(r, i, 2),
                                        .subject_sha256 = pg_str(r, i, 3)};
    return NULL;
}

const struct err *suspensions_list(struct pg *pg, struct arena *a,
                                   const struct suspensions_page *page,
                                   struct suspension_rows *out)
{
    const bool open =
        vocabulary_suspension_state_of(page->state) == SUSPENSION_PENDING;
    const bool ended = page->state.p && !open;
    const struct pg_value all[] = {pg_number(page->limit + 1),
                                   pg_text(page->agent),
                                   pg_moment(page->after_at),
                                   pg_text(page->after_id),
                                   pg_number((int64_t)SUSPENSIONS_PAGE_BYTES),
                                   intents_now(),
                                   pg_text(page->state)};
    const struct pg_args args = {all, countof(all) - (ended ? 0 : 1)};
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a,
                 ended  ? SQL_SUSPENSION_LIST_ENDED
                 : open ? SQL_SUSPENSION_LIST_OPEN
                        : SQL_SUSPENSION_LIST,
                 &args, &r));
    *out = suspensions_rows_with_task(a, r, pg_columns(r) - 2);
    const int64_t found = out->n ? pg_int(r, 0, pg_columns(r) - 1) : 0;
    if (out->n > (size_t)page->limit)
        out->n = (size_t)page->limit;
    out->more = found > (int64_t)out->n;
    return NULL;
}

/* Behind the columns of a question. */
enum { FED_XID, FED_BELOW, FED_FOUND, FED_SEARCHED, FED_LAST_XID, FED_LAST_ID,
       FED__MAX };

/* The last one that was returned, else the last that was searched, else all
 * are behind it. */
static void suspensions_set_place(const struct pg_rows *r, int own,
                                  int64_t limit, struct suspensions_fed *out)
{
    const size_t n = out->rows.n;
    const int64_t found = pg_int(r, 0, own + FED_FOUND);
    const bool cut = found > (int64_t)n || found == limit;
    out->below = (uint64_t)pg_int(r, 0, own + FED_BELOW);
    out->rows.more =
        cut || pg_int(r, 0, own + FED_SEARCHED) == SUSPENSIONS_SEARCHED;
    out->xid = out->below;
    out->id = STR("");
    if (out->rows.more) {
        out->xid = (uint64_t)pg_int(r, cut ? n - 1 : 0,
                                    own + (cut ? FED_XID : FED_LAST_XID));
        out->id = cut ? out->rows.v[n - 1].id
                      : pg_str(r, 0, own + FED_LAST_ID);
    }
}

const struct err *suspensions_feed(struct pg *pg, struct arena *a,
                                   const struct suspensions_feed *feed,
                                   struct suspensions_fed *out)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(
        pg, a, SQL_SUSPENSION_FEED,
        PG(pg_number((int64_t)feed->after_xid), pg_text(feed->after_id),
           pg_text(feed->agent), pg_text(feed->key_id),
           pg_number(SUSPENSIONS_SEARCHED), pg_number(feed->limit),
           pg_number((int64_t)SUSPENSIONS_PAGE_BYTES), pg_moment(feed->now)),
        &r));
    out->rows = suspensions_rows_with_task(a, r, pg_columns(r) - FED__MAX - 1);
    if (out->rows.n == 1 && !out->rows.v[0].id.p)
        out->rows.n = 0;
    suspensions_set_place(r, pg_columns(r) - FED__MAX, feed->limit, out);
    return NULL;
}

const struct err *suspensions_of_intent(struct pg *pg, struct arena *a,
                                        struct str intent_id,
                                        struct suspension_rows *out)
{
    return suspensions_select_rows(pg, a, SQL_SUSPENSION_OF_INTENT,
                                   PG(pg_text(intent_id)), out);
}

const struct err *suspensions_revision(struct pg *pg, struct arena *a,
                                       struct str id, int64_t *out)
{
    return rows_number(pg, a, SQL_SUSPENSION_REVISION, PG(pg_text(id)), out);
}

const struct err *suspensions_replacing(struct pg *pg, struct arena *a,
                                        struct str id,
                                        struct suspension_rows *out)
{
    return suspensions_select_rows(pg, a, SQL_SUSPENSION_REPLACING,
                                   PG(pg_text(id)), out);
}

const struct err *suspensions_test_clock(struct pg *pg, struct arena *a,
                                         struct str key_id, int64_t us,
                                         int64_t *moved)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_SUSPENSION_TEST_CLOCK,
                 PG(pg_text(key_id), pg_number(us)), &r));
    *moved = (int64_t)pg_affected(r);
    return NULL;
}

const struct err *suspensions_now(struct pg *pg, struct arena *a,
                                   struct suspensions_now *out)
{
    struct pg_rows *rows = NULL;
    int at = 0;
    TRY(pg_query(pg, a, SQL_SUSPENSION_AGES, NULL, &rows));
    for (size_t i = 0; i < countof(out->ages); i++)
        out->ages[i] = pg_int(rows, 0, at++);
    out->late = pg_int(rows, 0, at++);
    for (size_t i = 0; i < countof(out->severity); i++)
        out->severity[i] = pg_int(rows, 0, at++);
    return NULL;
}

const struct err *suspensions_open_of(struct pg *pg, struct arena *a,
                                      struct str key_id, int64_t most,
                                      int64_t *out)
{
    return rows_number(pg, a, SQL_SUSPENSION_OPEN_OF,
                       PG(pg_text(key_id), pg_number(most)), out);
}

struct suspensions_amount suspensions_amount(struct arena *a, enum kind kind,
                                             const struct json *subject)
{
    const struct amount m = amount_of(kind, subject);
    struct buf unit = buf_make(a, AMOUNT_UNIT * 4);
    if (!m.unit.p)
        return (struct suspensions_amount){pg_text(STR_NONE),
                                           pg_text(STR_NONE)};
    buf_lower(&unit, str_trim(m.unit));
    return (struct suspensions_amount){pg_text(decimal_text(a, m.value)),
                                       pg_text(buf_text(&unit))};
}

void suspensions_queue_insert(struct pg *pg, struct arena *a,
                              const struct suspension *s)
{
    const struct suspensions_amount m =
        suspensions_amount(a, s->kind, suspension_subject(a, s));
    rows_queue(pg, a, SQL_SUSPENSION_INSERT,
               PG(pg_moment(s->next_attempt_at), pg_text(search_asked(a, s)),
                  m.value, m.unit, pg_text(s->traceparent)),
               &suspension_record, IN_INSERT, s);
}

/* The server takes questions back. */
static void suspensions_queue_back(struct pg *pg, struct arena *a,
                                   int statement, struct pg_value which,
                                   const char *summary, int64_t now)
{
    const struct str by = event_by_server().name;
    pg_queue(pg, a, statement,
             PG(which, pg_text(by), pg_text(vocabulary_via(VIA_NATIVE)->wire),
                pg_moment(now), pg_text(str_of(summary)),
                pg_text(search_ended_by(a, OUTCOME_WITHDRAWN, VIA_NATIVE,
                                        by))));
}

void suspensions_queue_end_beside(struct pg *pg, struct arena *a,
                                  const struct str *intents, size_t n,
                                  int64_t now)
{
    suspensions_queue_back(pg, a, SQL_SUSPENSION_END_BESIDE,
                           pg_texts(intents, n),
                           "The task ended before anybody answered.", now);
}

void suspensions_queue_take_back(struct pg *pg, struct arena *a,
                                 const struct str *ids, size_t n,
                                 const char *summary, int64_t now)
{
    suspensions_queue_back(pg, a, SQL_SUSPENSION_TAKE_BACK, pg_texts(ids, n),
                           summary, now);
}

const struct err *suspensions_beside(struct pg *pg, struct arena *a,
                                     struct str intent_id, int64_t *out)
{
    return rows_number(pg, a, SQL_SUSPENSION_BESIDE, PG(pg_text(intent_id)),
                       out);
}

const struct err *
suspensions_escalations(struct pg *pg, struct arena *a,
                        const struct suspensions_escalations *query,
                        struct suspension_rows *out)
{
    const struct pg_value reader = intents_reader(a, query->who),
                          now = intents_now(),
                          open = query->any ? pg_text(STR_NONE)
                                           : pg_flag(query->open);
    if (query->intent_id.p)
        return suspensions_select_rows(
            pg, a, SQL_SUSPENSION_ESCALATIONS_OF,
            PG(reader, now, open, pg_text(query->intent_id)), out);
    return suspensions_select_rows(pg, a, SQL_SUSPENSION_ESCALATIONS,
                                   PG(reader, now, open), out);
}

const struct err *suspensions_arbitration(struct pg *pg, struct arena *a,
                                          struct str intent_id,
                                          struct str *out)
{
    return rows_text(pg, a, SQL_SUSPENSION_ARBITRATION, PG(pg_text(intent_id)),
                     out);
}

void suspensions_queue_decide(struct pg *pg, struct arena *a,
                              const struct suspension *s)
{
    const struct suspensions_amount m =
        suspensions_amount(a, s->kind, suspension_approved(a, s));
    rows_queue(pg, a, SQL_SUSPENSION_DECIDE,
               PG(pg_text(search_ended(a, s)), m.value, m.unit),
               &suspension_record, IN_PART, s);
}
