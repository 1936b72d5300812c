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

static int decided_statement_of(struct pg_list *args, struct arena *a,
                                const struct decided_wish *w)
{
    const bool few = w->kind != KIND__MAX || w->outcome != OUTCOME__MAX ||
                     w->door != VIA__MAX;
    pg_add(args, pg_number(w->limit));
    pg_add(args, decided_moment(w->after_at, STR("infinity")));
    pg_add(args, pg_text(w->after_at ? w->after_id : STR("")));
    pg_add(args, decided_moment(w->from, STR("-infinity")));
    pg_add(args, decided_moment(w->until, STR("infinity")));
    if (!few && !w->who.p && !w->agent.p)
        return SQL_DECIDED_ALL;
    pg_add(args, suspensions_kinds(a, w->kind));
    pg_add(args, decided_outcomes(a, w->outcome));
    pg_add(args, decided_doors(a, w->door));
    if (!w->who.p && !w->agent.p)
        return SQL_DECIDED_BY;
    pg_add(args, pg_text(w->who.p ? w->who : w->agent));
    pg_add(args, pg_text(w->who.p ? w->agent : STR_NONE));
    pg_add(args, pg_number(DECIDED_LOOK_MAX));
    return w->who.p ? SQL_DECIDED_WHO : SQL_DECIDED_AGENT;
}

const struct err *decided_list(struct pg *pg, struct arena *a,
                               const struct decided_wish *w,
                               struct decided_rows *out)
{
    struct pg_list args = {0};
    struct pg_rows *rows = NULL;
    const int statement = decided_statement_of(&args, a, w);
    TRY(suspensions_in_order(pg, a, statement, PG_ALL(&args), &rows));
    *out = (struct decided_rows){.rows = suspensions_rows(a, rows)};
    const size_t n = out->rows.n;
    if (n == 0 || statement == SQL_DECIDED_ALL || statement == SQL_DECIDED_BY ||
        pg_bool(rows, n - 1, pg_columns(rows) - 1))
        return NULL;
    out->further = true;
    out->at = out->rows.v[n - 1].responded_at;
    out->id = out->rows.v[n - 1].id;
    out->rows.n--;
    return NULL;
}

/* ---- counts --------------------------------------------------------- */

static int decided_count_statement(struct pg_list *args, struct arena *a,
                                   const struct decided_wish *w)
{
    const bool few = w->who.p || w->agent.p;
    pg_add(args, decided_moment(w->from, STR("-infinity")));
    pg_add(args, decided_moment(w->until, STR("infinity")));
    pg_add(args, suspensions_kinds(a, few ? w->kind : KIND__MAX));
    pg_add(args, decided_outcomes(a, few ? w->outcome : OUTCOME__MAX));
    pg_add(args, decided_doors(a, few ? w->door : VIA__MAX));
    if (!few) {
        pg_add(args, pg_text(w->kind == KIND__MAX
                                 ? STR_NONE
                                 : vocabulary_key(kind_words(w->kind))));
        pg_add(args, pg_text(vocabulary_outcome(w->outcome)->wire));
        pg_add(args, pg_text(w->door == VIA__MAX
                                 ? STR_NONE
                                 : vocabulary_key(vocabulary_via(w->door))));
        return SQL_DECIDED_COUNT_BY;
    }
    pg_add(args, pg_text(w->who.p ? w->who : w->agent));
    pg_add(args, pg_text(w->who.p ? w->agent : STR_NONE));
    pg_add(args, pg_number(DECIDED_LOOK_MAX + 1));
    return w->who.p ? SQL_DECIDED_COUNT_WHO : SQL_DECIDED_COUNT_AGENT;
}

/* The counter of a word; NULL for an unknown one. */
static int64_t *decided_count_of(struct decided_counts *n, struct str axis,
                                 struct str word)
{
    const enum kind k = kind_of(vocabulary_of_key(word));
    const enum outcome o = vocabulary_outcome_of(word);
    const enum via d = vocabulary_via_of(vocabulary_of_key(word));
    if (str_is(axis, "kind"))
        return k < KIND__MAX ? &n->kinds[k] : NULL;
    if (str_is(axis, "outcome"))
        return o < OUTCOME__MAX ? &n->outcomes[o] : NULL;
    return d < VIA__MAX ? &n->doors[d] : NULL;
}

const struct err *decided_count(struct pg *pg, struct arena *a,
                                const struct decided_wish *w,
                                struct decided_counts *out)
{
    struct pg_list args = {0};
    struct pg_rows *rows = NULL;
    *out = (struct decided_counts){.part = false};
    const int statement = decided_count_statement(&args, a, w);
    TRY(suspensions_in_order(pg, a, statement, PG_ALL(&args), &rows));
    for (size_t i = 0; i < pg_count(rows); i++) {
        const struct str axis = pg_str(rows, i, 0);
        int64_t *n = decided_count_of(out, axis, pg_str(rows, i, 1));
        if (!axis.p)
            out->part = pg_int(rows, i, 2) > DECIDED_LOOK_MAX;
        else if (n)
            *n = pg_int(rows, i, 2);
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
