/* Tasks in the database, with the plans of their intent. Decides nothing. */
#include "store/tasks.h"

#include "base/clock_text.h"
#include "base/id.h"
#include "store/plans.h"
#include "store/sql.gen.h"
#include "store/suspensions.h"

enum { ID, INTENT, PLAN, NAME, VERSION, STATUS, HOLD, HELD, AGENT, DEPENDS,
       ATTEMPT, MAX_ATTEMPTS, CREATED, STARTED, COMPLETED, UNTIL, LEFT,
       FACTS_N, FACTS };

/* ---- reading ---------------------------------------------------------- */

static struct task row(const struct pg_rows *r, size_t i)
{
    return (struct task){
        .id = pg_str(r, i, ID),
        .intent_id = pg_str(r, i, INTENT),
        .plan_id = pg_str(r, i, PLAN),
        .name = pg_str(r, i, NAME),
        .version = pg_int(r, i, VERSION),
        .status = vocabulary_task_status_of(pg_str(r, i, STATUS)),
        .hold = vocabulary_task_hold_of(pg_str(r, i, HOLD)),
        .held_at = pg_int(r, i, HELD),
        .assigned_agent = pg_str(r, i, AGENT),
        .depends_on = pg_str(r, i, DEPENDS),
        .attempt = pg_int(r, i, ATTEMPT),
        .max_attempts = pg_int(r, i, MAX_ATTEMPTS),
        .created_at = pg_int(r, i, CREATED),
        .started_at = pg_int(r, i, STARTED),
        .completed_at = pg_int(r, i, COMPLETED),
        .runs_until = pg_int(r, i, UNTIL),
        .time_left = pg_int(r, i, LEFT),
        .facts_n = (size_t)pg_int(r, i, FACTS_N),
        .facts = pg_columns(r) > FACTS ? pg_str(r, i, FACTS) : STR_NONE};
}

const struct err *tasks_get(struct pg *pg, struct arena *a, struct str id,
                            struct task *out)
{
    struct pg_rows *r = NULL;
    if (id_uuid(id))
        TRY(pg_query(pg, a, SQL_TASK_GET, PG(pg_text(id)), &r));
    if (!r || pg_count(r) == 0)
        return ERROR(ERR_NOT_FOUND, "task.unknown",
                     "There is no task with this id.");
    *out = row(r, 0);
    return NULL;
}

struct task tasks_row(const struct pg_rows *r, size_t i)
{
    return row(r, i);
}

/* With room for one more. */
static struct task *rows(struct arena *a, const struct pg_rows *r)
{
    struct task *v = arena_many(a, pg_count(r) + 1, struct task);
    for (size_t i = 0; i < pg_count(r); i++)
        v[i] = row(r, i);
    return v;
}

const struct err *tasks_list(struct pg *pg, struct arena *a,
                             const struct tasks_page *page,
                             struct task_rows *out)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_TASK_LIST,
                 PG(pg_text(page->intent_id),
                    pg_text(vocabulary_task_status(page->status)->wire),
                    pg_number(page->limit), pg_number(page->offset)),
                 &r));
    *out = (struct task_rows){.v = rows(a, r), .n = pg_count(r)};
    return NULL;
}

const struct err *tasks_told(struct pg *pg, struct arena *a,
                             struct str intent_id, struct task_rows *out)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_TASK_TOLD, PG(pg_text(intent_id)), &r));
    *out = (struct task_rows){.v = rows(a, r), .n = pg_count(r)};
    return NULL;
}

const struct err *tasks_board(struct pg *pg, struct arena *a,
                              struct intent *i, struct board **out)
{
    struct board *b = arena_new(a, struct board);
    struct pg_list args = {0};
    struct pg_rows *all[4] = {NULL};
    *b = (struct board){.arena = a,
                         .intent = i,
                         .marked = i->containers & INTENT_HAS_TASKS};
    pg_add(&args, pg_text(i->id));
    pg_queue(pg, a, SQL_TASK_BOARD, PG_ALL(&args));
    plans_queue_read(pg, a, i->id);
    pg_queue(pg, a, SQL_SUSPENSION_BESIDE, PG_ALL(&args));
    TRY(pg_run(pg, a, all));
    b->tasks = rows(a, all[0]);
    b->tasks_n = pg_count(all[0]);
    plans_take(b, all + 1);
    b->beside = pg_int(all[3], 0, 0);
    *out = b;
    return NULL;
}

/* ---- writing ---------------------------------------------------------- */

static void queue_new(struct pg *pg, struct arena *a, const struct task *t)
{
    pg_queue(pg, a, SQL_TASK_INSERT,
             PG(pg_text(t->id), pg_text(t->intent_id), pg_text(t->plan_id),
                pg_text(t->name), pg_number(t->version),
                pg_text(vocabulary_task_status(t->status)->wire),
                pg_text(t->assigned_agent), pg_text(t->depends_on),
                pg_number(t->attempt), pg_number(t->max_attempts),
                pg_text(t->facts), pg_moment(t->created_at)));
}

/* Of a task whose facts were read. */
static void queue_facts(struct pg *pg, struct arena *a, const struct task *t)
{
    pg_queue(pg, a, SQL_TASK_UPDATE,
             PG(pg_text(t->id), pg_text(t->name), pg_text(t->depends_on),
                pg_number(t->max_attempts), pg_text(t->facts)));
}

static struct str number(struct arena *a, int64_t v)
{
    return arena_number(a, v);
}

static struct str moment(struct arena *a, int64_t t)
{
    return t ? clock_rfc3339(a, t) : STR("");
}

enum { MOVED = 12 };

static void moved(struct arena *a, const struct task *t,
                  struct str *const cell[static MOVED], size_t n)
{
    const struct str hold = vocabulary_task_hold(t->hold)->wire;
    const struct str columns[MOVED] = {
        t->id,
        number(a, t->version),
        vocabulary_task_status(t->status)->wire,
        hold.p ? hold : STR(""),
        moment(a, t->held_at),
        t->plan_id.p ? t->plan_id : STR(""),
        t->assigned_agent.p ? t->assigned_agent : STR(""),
        number(a, t->attempt),
        moment(a, t->started_at),
        moment(a, t->completed_at),
        moment(a, t->runs_until),
        t->time_left ? number(a, t->time_left) : STR("")};
    for (size_t i = 0; i < MOVED; i++)
        cell[i][n] = columns[i];
}

static void queue_moved(struct pg *pg, const struct board *b)
{
    struct str *cell[MOVED];
    struct pg_list args = {0};
    size_t n = 0;
    for (size_t i = 0; i < MOVED; i++)
        cell[i] = arena_many(b->arena, b->tasks_n + 1, struct str);
    for (size_t i = 0; i < b->tasks_n; i++) {
        const struct task *t = &b->tasks[i];
        if (t->fresh)
            queue_new(pg, b->arena, t);
        else if (t->changed)
            moved(b->arena, t, cell, n++);
        if (t->changed && !t->fresh && t->facts.p)
            queue_facts(pg, b->arena, t);
    }
    for (size_t i = 0; i < MOVED; i++)
        pg_add(&args, pg_texts(cell[i], n));
    if (n > 0)
        pg_queue(pg, b->arena, SQL_TASK_MOVE, PG_ALL(&args));
}

void tasks_queue_write(struct pg *pg, const struct board *b)
{
    if (!b->marked) {
        pg_queue(pg, b->arena, SQL_TASK_MARK, PG(pg_text(b->intent->id)));
    }
    plans_queue_write(pg, b);
    queue_moved(pg, b);
    if (b->ended_n > 0)
        suspensions_queue_take_back(pg, b->arena, b->ended, b->ended_n,
                                    "The plan ended before anybody answered.",
                                    b->now);
    if (b->replaced.p)
        suspensions_queue_take_back(pg, b->arena, &b->replaced, 1,
                                    "Superseded by a request of the agent.",
                                    b->now);
    if (b->has_asked)
        suspensions_queue_insert(pg, b->arena, &b->asked);
}
