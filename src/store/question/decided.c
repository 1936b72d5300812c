/* Lists of decided questions: struct in, struct out. Decides nothing. */
#include "store/question/decided.h"

#include "store/sql.gen.h"

/* One of the outcomes, or all of them. */
static struct pg_value decided_outcomes(struct arena *a, enum outcome only)
{
    struct str *v = arena_many(a, OUTCOME__MAX, struct str);
    size_t n = 0;
    for (enum outcome o = OUTCOME_AUTHORIZED; o < OUTCOME__MAX; o++) {
        if (only == OUTCOME__MAX || o == only)
            v[n++] = vocabulary_outcome(o)->wire;
    }
    return pg_texts(v, n);
}

static struct pg_value decided_doors(struct arena *a, enum via only)
{
    struct str *v = arena_many(a, VIA__MAX, struct str);
    size_t n = 0;
    for (enum via d = VIA_NONE; d < VIA__MAX; d++) {
        if (only == VIA__MAX || d == only)
            v[n++] = vocabulary_key(vocabulary_via(d));
    }
    return pg_texts(v, n);
}

static struct pg_value decided_moment(int64_t t, struct str none)
{
    return t ? pg_moment(t) : pg_text(none);
}

/* ---- the list ------------------------------------------------------- */

const struct err *decided_list(struct pg *pg, struct arena *a,
                               const struct decided_query *w,
                               struct decided_rows *out)
{
    const bool named = w->who.p || w->agent.p;
    const bool any = !named && w->kind == KIND__MAX &&
                     w->outcome == OUTCOME__MAX && w->door == VIA__MAX;
    const struct pg_value all[] = {
        pg_number(w->limit), decided_moment(w->after_at, STR("infinity")),
        pg_text(w->after_at ? w->after_id : STR("")),
        decided_moment(w->from, STR("-infinity")),
        decided_moment(w->until, STR("infinity")),
        /* the statements with filters have these too */
        suspensions_kinds(a, w->kind), decided_outcomes(a, w->outcome),
        decided_doors(a, w->door),
        /* those about a person or an agent also these */
        pg_text(w->who.p ? w->who : w->agent),
        pg_text(w->who.p ? w->agent : STR_NONE), pg_number(DECIDED_LOOK_MAX)};
    const struct pg_args args = {all, any ? 5 : named ? countof(all) : 8};
    struct pg_rows *rows = NULL;
    TRY(suspensions_in_order(pg, a,
                             any        ? SQL_DECIDED_ALL
                             : !named   ? SQL_DECIDED_BY
                             : w->who.p ? SQL_DECIDED_WHO
                                        : SQL_DECIDED_AGENT,
                             &args, &rows));
    *out = (struct decided_rows){.rows = suspensions_rows(a, rows)};
    const size_t n = out->rows.n;
    if (n == 0 || !named || pg_bool(rows, n - 1, pg_columns(rows) - 1))
        return NULL;
    out->further = true;
    out->at = out->rows.v[n - 1].responded_at;
    out->id = out->rows.v[n - 1].id;
    out->rows.n--;
    return NULL;
}

/* ---- counts --------------------------------------------------------- */

/* Runs the statement of the filters. The one without a person or an agent
 * counts all of each axis, and leaves a word of an axis out by itself. */
static const struct err *decided_count_run(struct pg *pg, struct arena *a,
                                           const struct decided_query *w,
                                           struct pg_rows **rows)
{
    const bool named = w->who.p || w->agent.p;
    const struct pg_value from = decided_moment(w->from, STR("-infinity")),
                          until = decided_moment(w->until, STR("infinity"));
    if (named)
        return suspensions_in_order(
            pg, a,
            w->who.p ? SQL_DECIDED_COUNT_WHO : SQL_DECIDED_COUNT_AGENT,
            PG(from, until, suspensions_kinds(a, w->kind),
               decided_outcomes(a, w->outcome), decided_doors(a, w->door),
               pg_text(w->who.p ? w->who : w->agent),
               pg_text(w->who.p ? w->agent : STR_NONE),
               pg_number(DECIDED_LOOK_MAX + 1)),
            rows);
    return suspensions_in_order(
        pg, a, SQL_DECIDED_COUNT_BY,
        PG(from, until, suspensions_kinds(a, KIND__MAX),
           decided_outcomes(a, OUTCOME__MAX), decided_doors(a, VIA__MAX),
           pg_text(w->kind == KIND__MAX ? STR_NONE
                                        : vocabulary_key(kind_words(w->kind))),
           pg_text(vocabulary_outcome(w->outcome)->wire),
           pg_text(w->door == VIA__MAX
                       ? STR_NONE
                       : vocabulary_key(vocabulary_via(w->door)))),
        rows);
}

const struct err *decided_count(struct pg *pg, struct arena *a,
                                const struct decided_query *w,
                                struct decided_counts *out)
{
    struct pg_rows *rows = NULL;
    *out = (struct decided_counts){.part = false};
    TRY(decided_count_run(pg, a, w, &rows));
    for (size_t i = 0; i < pg_count(rows); i++) {
        const struct str axis = pg_str(rows, i, 0), word = pg_str(rows, i, 1);
        const int64_t n = pg_int(rows, i, 2);
        const enum kind k = kind_of(vocabulary_of_key(word));
        const enum outcome o = vocabulary_outcome_of(word);
        const enum via d = vocabulary_via_of(vocabulary_of_key(word));
        if (!axis.p)
            out->part = n > DECIDED_LOOK_MAX;
        else if (str_is(axis, "kind") && k < KIND__MAX)
            out->kinds[k] = n;
        else if (str_is(axis, "outcome") && o < OUTCOME__MAX)
            out->outcomes[o] = n;
        else if (str_is(axis, "door") && d < VIA__MAX)
            out->doors[d] = n;
    }
    return NULL;
}

static int64_t decided_sum(const int64_t *v, size_t n)
{
    int64_t all = 0;
    for (size_t i = 0; i < n; i++)
        all += v[i];
    return all;
}

int64_t decided_of_kind(const struct decided_counts *n, enum kind kind)
{
    return kind < KIND__MAX ? n->kinds[kind]
                            : decided_sum(n->kinds, KIND__MAX);
}

int64_t decided_of_outcome(const struct decided_counts *n,
                           enum outcome outcome)
{
    return outcome < OUTCOME__MAX ? n->outcomes[outcome]
                                  : decided_sum(n->outcomes, OUTCOME__MAX);
}

int64_t decided_of_door(const struct decided_counts *n, enum via door)
{
    return door < VIA__MAX ? n->doors[door] : decided_sum(n->doors, VIA__MAX);
}
