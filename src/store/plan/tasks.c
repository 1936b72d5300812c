/* Tasks in the database, with the plans of their intent. Decides nothing. */
#include "store/plan/tasks.h"

#include "store/plan/plans.h"
#include "store/question/suspensions.h"
#include "store/rows.h"

#define TASKS_MOVED 12 /* columns of SQL_TASK_MOVE */

/* ---- reading ---------------------------------------------------------- */

const struct err *tasks_get(struct pg *pg, struct arena *a, struct str id,
                            struct task *out)
{
    return rows_by_id(pg, a, SQL_TASK_GET, id, &task_record, out);
}

const struct err *tasks_list(struct pg *pg, struct arena *a,
                             const struct tasks_page *page,
                             struct task_rows *out)
{
    return rows_list(pg, a, SQL_TASK_LIST,
                     PG(pg_text(page->intent_id),
                        pg_text(vocabulary_task_status(page->status)->wire),
                        pg_number(page->limit), pg_number(page->offset)),
                     &task_record, &out->v, &out->n);
}

const struct err *tasks_stuck(struct pg *pg, struct arena *a,
                              struct str intent_id, struct task_rows *out)
{
    return rows_list(pg, a, SQL_TASK_STUCK, PG(pg_text(intent_id)),
                     &task_record, &out->v, &out->n);
}

const struct err *tasks_with_plans(struct pg *pg, struct arena *a,
                                   struct intent *i, struct intent_plans **out)
{
    struct intent_plans *all = arena_new(a, struct intent_plans);
    const struct pg_args *id = PG(pg_text(i->id));
    struct pg_rows *rows[4] = {NULL};
    *all = (struct intent_plans){
        .arena = a, .intent = i, .marked = i->containers & INTENT_HAS_TASKS};
    pg_queue(pg, a, SQL_TASK_OF_INTENT, id);
    pg_queue(pg, a, SQL_PLAN_OF_INTENT, id);
    pg_queue(pg, a, SQL_PLAN_CHECKPOINTS, id);
    pg_queue(pg, a, SQL_SUSPENSION_BESIDE, id);
    TRY(pg_run(pg, a, rows));
    all->tasks = rows_all(a, &task_record, rows[0]);
    all->tasks_n = pg_count(rows[0]);
    all->plans = rows_all(a, &plan_record, rows[1]);
    all->plans_n = pg_count(rows[1]);
    all->checkpoints_n = pg_count(rows[2]);
    all->checkpoints = arena_many(a, all->checkpoints_n + PLAN_CHECKPOINTS_MAX,
                                  struct checkpoint);
    for (size_t k = 0; k < all->checkpoints_n; k++)
        rows_read(&checkpoint_record, rows[2], k, &all->checkpoints[k]);
    all->side_questions = pg_int(rows[3], 0, 0);
    *out = all;
    return NULL;
}

/* ---- writing ---------------------------------------------------------- */

/* The columns IN_PART of one of the tasks that have moved; "": NULL. */
static void tasks_put_moved(struct arena *a, const struct task *t,
                            struct str *const cell[static TASKS_MOVED],
                            size_t n)
{
    size_t column = 0;
    cell[column++][n] = t->id;
    for (size_t i = 0; i < task_record.n; i++) {
        const struct record_field *f = &task_record.fields[i];
        if (!(f->in & IN_PART) || column == TASKS_MOVED)
            continue;
        const struct str text = record_text(a, f, t);
        cell[column++][n] = text.p ? text : STR("");
    }
}

void tasks_queue_write(struct pg *pg, const struct intent_plans *all)
{
    struct str *cell[TASKS_MOVED];
    struct pg_list args = {0};
    size_t n = 0;
    if (!all->marked)
        pg_queue(pg, all->arena, SQL_TASK_MARK, PG(pg_text(all->intent->id)));
    plans_queue_write(pg, all);
    for (size_t i = 0; i < TASKS_MOVED; i++)
        cell[i] = arena_many(all->arena, all->tasks_n + 1, struct str);
    for (size_t i = 0; i < all->tasks_n; i++) {
        const struct task *t = &all->tasks[i];
        if (t->fresh)
            rows_queue(pg, all->arena, SQL_TASK_INSERT, NULL, &task_record,
                       IN_INSERT, t);
        else if (t->changed)
            tasks_put_moved(all->arena, t, cell, n++);
        if (t->changed && !t->fresh && t->facts.p)
            rows_queue(pg, all->arena, SQL_TASK_UPDATE, PG(pg_text(t->id)),
                       &task_record, IN_UPDATE, t);
    }
    for (size_t i = 0; i < TASKS_MOVED; i++)
        pg_add(&args, pg_texts(cell[i], n));
    if (n > 0)
        pg_queue(pg, all->arena, SQL_TASK_MOVE, PG_ALL(&args));
    if (all->ended_n > 0)
        suspensions_queue_take_back(pg, all->arena, all->ended, all->ended_n,
                                    INTENT_PLANS_ENDED, all->now);
    if (all->replaced.p)
        suspensions_queue_take_back(pg, all->arena, &all->replaced, 1,
                                    INTENT_PLANS_REPLACED, all->now);
    if (all->has_asked)
        suspensions_queue_insert(pg, all->arena, &all->asked);
}
