/* Suspensions in the database: struct in, struct out. Decides nothing. */
#include "store/suspensions.h"

#include "base/clock.h"
#include "base/id.h"
#include "store/intents.h"
#include "store/sql.gen.h"
#include "store/tables.h"

#define SUSPENSIONS_SEARCHED 10000 /* ends that one read of the feed searches */

struct suspension suspensions_row(const struct pg_rows *r, size_t i)
{
    struct suspension s = {.seq = 0};
    int column = 0;
    for (size_t k = 0; k < suspension_fields_n; k++) {
        const struct suspension_field *f = &suspension_fields[k];
        if (f->column)
            suspension_field_read(&s, f, pg_str(r, i, column++));
    }
    tables_mark(&s);
    return s;
}

/* Reads the columns that are written with a part. Returns their number. */
static int read_part(struct suspension *s, const struct pg_rows *r,
                     enum suspension_in in)
{
    int column = 0;
    for (size_t k = 0; k < suspension_fields_n; k++) {
        const struct suspension_field *f = &suspension_fields[k];
        if (f->in == in || f->in == IN_BOTH)
            suspension_field_read(s, f, pg_str(r, 0, column++));
    }
    return column;
}

struct suspension suspensions_asked(const struct pg_rows *r)
{
    struct suspension s = {.seq = 0};
    for (size_t k = 0; k < suspension_fields_n; k++) {
        if (suspension_fields[k].in == IN_DECISION)
            suspension_field_read(&s, &suspension_fields[k], STR_NONE);
    }
    read_part(&s, r, IN_ASKED);
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
    tables_mark(s);
    return true;
}

void suspensions_decided(struct suspension *s, const struct pg_rows *r)
{
    if (pg_count(r) == 0)
        return;
    const int own = read_part(s, r, IN_DECISION);
    s->channel_hint = pg_str(r, 0, own);
    s->attempt = pg_int(r, 0, own + 1);
}

struct suspension_rows suspensions_rows(struct arena *a,
                                        const struct pg_rows *r)
{
    struct suspension_rows out = {.n = pg_count(r)};
    out.v = arena_many(a, out.n + 1, struct suspension);
    for (size_t i = 0; i < out.n; i++)
        out.v[i] = suspensions_row(r, i);
    return out;
}

const struct err *suspensions_in_order(struct pg *pg, struct arena *a,
                                       int statement,
                                       const struct pg_args *args,
                                       struct pg_rows **out)
{
    struct pg_rows *rows[2] = {NULL};
    pg_queue(pg, SQL_INBOX_IN_ORDER, NULL);
    pg_queue(pg, statement, args);
    TRY(pg_run(pg, a, rows));
    *out = rows[1];
    return NULL;
}

void suspensions_arg_kinds(struct pg_args *args, enum kind only)
{
    struct str v[KIND__MAX];
    size_t n = 0;
    for (enum kind k = KIND_NONE; k < KIND__MAX; k++) {
        if (only == KIND__MAX || k == only)
            v[n++] = str_of(vocabulary_key(kind_words(k)));
    }
    pg_arg_texts(args, v, n);
}

/* suspensions_rows, with the agent's task from the column `at`. */
static struct suspension_rows rows_with_task(struct arena *a,
                                             const struct pg_rows *r, int at)
{
    struct suspension_rows out = suspensions_rows(a, r);
    for (size_t i = 0; i < out.n; i++)
        out.v[i].task_id = pg_str(r, i, at);
    return out;
}

static const struct err *select_rows(struct pg *pg, struct arena *a,
                                     int statement,
                                     const struct pg_args *args,
                                     struct suspension_rows *out)
{
    struct pg_rows *rows = NULL;
    TRY(pg_query(pg, a, statement, args, &rows));
    *out = suspensions_rows(a, rows);
    return NULL;
}

static const struct err *find(struct pg *pg, struct arena *a, struct str id,
                              struct pg_rows **rows)
{
    struct pg_args args = pg_args(a);
    pg_arg(&args, id);
    return id_token(id) ? pg_query(pg, a, SQL_SUSPENSION_GET, &args, rows)
                        : NULL;
}

const struct err *suspensions_get(struct pg *pg, struct arena *a,
                                  struct str id, struct suspension *out)
{
    struct pg_rows *rows = NULL;
    const struct str other = id_respelled(a, id);
    TRY(find(pg, a, id, &rows));
    if (other.p && pg_count(rows) == 0)
        TRY(find(pg, a, other, &rows));
    if (!rows || pg_count(rows) == 0)
        return ERROR(ERR_NOT_FOUND, "suspension.unknown",
                     "There is no suspension with this id.");
    *out = suspensions_row(rows, 0);
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
        struct pg_args args = pg_args(a);
        pg_arg(&args, id_token(ids[i]) ? ids[i] : STR_NONE);
        pg_queue(pg, SQL_SUSPENSION_GET, &args);
    }
    TRY(n ? pg_run(pg, a, rows) : NULL);
    for (size_t i = 0; i < n; i++)
        out[i] = pg_count(rows[i]) ? suspensions_row(rows[i], 0)
                                   : (struct suspension){.id = STR_NONE};
    return NULL;
}

const struct err *suspensions_same(struct pg *pg, struct arena *a,
                                   const struct suspensions_same *of,
                                   struct suspension_rows *out)
{
    struct pg_args args = pg_args(a);
    struct pg_rows *r = NULL;
    pg_arg_texts(&args, of->digests, of->digests_n);
    pg_arg_texts(&args, of->ids, of->ids_n);
    pg_arg_int(&args, of->most);
    TRY(suspensions_in_order(pg, a, SQL_SUSPENSION_SAME, &args, &r));
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
    struct pg_args args = pg_args(a);
    struct pg_rows *r = NULL;
    const bool open =
        vocabulary_suspension_state_of(page->state) == SUSPENSION_PENDING;
    pg_arg_int(&args, page->limit + 1);
    pg_arg(&args, page->agent);
    pg_arg_time(&args, page->after_at);
    pg_arg(&args, page->after_id);
    pg_arg_int(&args, (int64_t)SUSPENSIONS_PAGE_BYTES);
    pg_arg_time(&args, clock_watch_latest(clock_now()));
    if (page->state.p && !open)
        pg_arg(&args, page->state);
    TRY(pg_query(pg, a,
                 !page->state.p ? SQL_SUSPENSION_LIST
                 : open         ? SQL_SUSPENSION_LIST_OPEN
                                : SQL_SUSPENSION_LIST_ENDED,
                 &args, &r));
    *out = rows_with_task(a, r, pg_columns(r) - 2);
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
static void set_place(const struct pg_rows *r, int own, int64_t limit,
                      struct suspensions_fed *out)
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
    struct pg_args args = pg_args(a);
    struct pg_rows *r = NULL;
    pg_arg_int(&args, (int64_t)feed->after_xid);
    pg_arg(&args, feed->after_id);
    pg_arg(&args, feed->agent);
    pg_arg(&args, feed->key_id);
    pg_arg_int(&args, SUSPENSIONS_SEARCHED);
    pg_arg_int(&args, feed->limit);
    pg_arg_int(&args, (int64_t)SUSPENSIONS_PAGE_BYTES);
    pg_arg_time(&args, feed->now);
    TRY(pg_query(pg, a, SQL_SUSPENSION_FEED, &args, &r));
    out->rows = rows_with_task(a, r, pg_columns(r) - FED__MAX - 1);
    if (out->rows.n == 1 && !out->rows.v[0].id.p)
        out->rows.n = 0;
    set_place(r, pg_columns(r) - FED__MAX, feed->limit, out);
    return NULL;
}

const struct err *suspensions_of_intent(struct pg *pg, struct arena *a,
                                        struct str intent_id,
                                        struct suspension_rows *out)
{
    struct pg_args args = pg_args(a);
    pg_arg(&args, intent_id);
    return select_rows(pg, a, SQL_SUSPENSION_OF_INTENT, &args, out);
}

const struct err *suspensions_revision(struct pg *pg, struct arena *a,
                                       struct str id, int64_t *out)
{
    struct pg_args args = pg_args(a);
    struct pg_rows *rows = NULL;
    pg_arg(&args, id);
    TRY(pg_query(pg, a, SQL_SUSPENSION_REVISION, &args, &rows));
    *out = pg_int(rows, 0, 0);
    return NULL;
}

const struct err *suspensions_replacing(struct pg *pg, struct arena *a,
                                        struct str id,
                                        struct suspension_rows *out)
{
    struct pg_args args = pg_args(a);
    pg_arg(&args, id);
    return select_rows(pg, a, SQL_SUSPENSION_REPLACING, &args, out);
}

const struct err *suspensions_test_clock(struct pg *pg, struct arena *a,
                                         struct str key_id, int64_t us,
                                         int64_t *moved)
{
    struct pg_args args = pg_args(a);
    struct pg_rows *r = NULL;
    pg_arg(&args, key_id);
    pg_arg_int(&args, us);
    TRY(pg_query(pg, a, SQL_SUSPENSION_TEST_CLOCK, &args, &r));
    *moved = (int64_t)pg_affected(r);
    return NULL;
}

const struct err *suspensions_ages(struct pg *pg, struct arena *a,
                                   int64_t out[static 4])
{
    struct pg_rows *rows = NULL;
    TRY(pg_query(pg, a, SQL_SUSPENSION_AGES, NULL, &rows));
    for (int i = 0; i < 4; i++)
        out[i] = pg_int(rows, 0, i);
    return NULL;
}

const struct err *suspensions_open_of(struct pg *pg, struct arena *a,
                                      struct str key_id, int64_t most,
                                      int64_t *out)
{
    struct pg_args args = pg_args(a);
    struct pg_rows *rows = NULL;
    pg_arg(&args, key_id);
    pg_arg_int(&args, most);
    TRY(pg_query(pg, a, SQL_SUSPENSION_OPEN_OF, &args, &rows));
    *out = pg_int(rows, 0, 0);
    return NULL;
}

static void arg_fields(struct pg_args *args, struct arena *a,
                       const struct suspension *s, enum suspension_in in)
{
    for (size_t i = 0; i < suspension_fields_n; i++) {
        const struct suspension_field *f = &suspension_fields[i];
        if (f->in == in || f->in == IN_BOTH)
            pg_arg(args, suspension_field_text(a, s, f));
    }
}

void suspensions_queue_insert(struct pg *pg, struct arena *a,
                              const struct suspension *s)
{
    struct pg_args args = pg_args(a);
    pg_arg_time(&args, s->next_attempt_at);
    arg_fields(&args, a, s, IN_ASKED);
    pg_queue(pg, SQL_SUSPENSION_INSERT, &args);
}

/* The server takes questions back. */
static void queue_back(struct pg *pg, int statement, struct pg_args args,
                       const char *summary, int64_t now)
{
    pg_arg(&args, event_by_server().name);
    pg_arg(&args, str_of(vocabulary_via(VIA_NATIVE)->wire));
    pg_arg_time(&args, now);
    pg_arg(&args, str_of(summary));
    pg_queue(pg, statement, &args);
}

void suspensions_queue_end_beside(struct pg *pg, struct arena *a,
                                  const struct str *intents, size_t n,
                                  int64_t now)
{
    struct pg_args args = pg_args(a);
    pg_arg_texts(&args, intents, n);
    queue_back(pg, SQL_SUSPENSION_END_BESIDE, args,
               "The task ended before anybody answered.", now);
}

void suspensions_queue_take_back(struct pg *pg, struct arena *a,
                                 const struct str *ids, size_t n,
                                 const char *summary, int64_t now)
{
    struct pg_args args = pg_args(a);
    pg_arg_texts(&args, ids, n);
    queue_back(pg, SQL_SUSPENSION_TAKE_BACK, args, summary, now);
}

const struct err *suspensions_beside(struct pg *pg, struct arena *a,
                                     struct str intent_id, int64_t *out)
{
    struct pg_args args = pg_args(a);
    struct pg_rows *rows = NULL;
    pg_arg(&args, intent_id);
    TRY(pg_query(pg, a, SQL_SUSPENSION_BESIDE, &args, &rows));
    *out = pg_int(rows, 0, 0);
    return NULL;
}

const struct err *
suspensions_escalations(struct pg *pg, struct arena *a,
                        const struct suspensions_escalations *wish,
                        struct suspension_rows *out)
{
    struct pg_args args = pg_args(a);
    const bool one = wish->intent_id.p;
    intents_reader(&args, wish->who);
    if (wish->any)
        pg_arg(&args, STR_NONE);
    else
        pg_arg_bool(&args, wish->open);
    if (one)
        pg_arg(&args, wish->intent_id);
    return select_rows(pg, a,
                       one ? SQL_SUSPENSION_ESCALATIONS_OF
                           : SQL_SUSPENSION_ESCALATIONS,
                       &args, out);
}

const struct err *suspensions_arbitration(struct pg *pg, struct arena *a,
                                          struct str intent_id,
                                          struct str *out)
{
    struct pg_args args = pg_args(a);
    struct pg_rows *rows = NULL;
    pg_arg(&args, intent_id);
    TRY(pg_query(pg, a, SQL_SUSPENSION_ARBITRATION, &args, &rows));
    *out = pg_count(rows) ? pg_str(rows, 0, 0) : STR_NONE;
    return NULL;
}

void suspensions_queue_decide(struct pg *pg, struct arena *a,
                              const struct suspension *s)
{
    struct pg_args args = pg_args(a);
    arg_fields(&args, a, s, IN_DECISION);
    pg_queue(pg, SQL_SUSPENSION_DECIDE, &args);
}
