/* The lists of what was decided: struct in, struct out. Decides nothing. */
#include "store/decided.h"

#include "store/sql.gen.h"

static const char *const outcomes[DECIDED_OUTCOMES] = {
    "authorized", "vetoed",   "changes_requested", "answered", "declined",
    "accepted",   "fallback", "none",              "expired",  "withdrawn"};
static const char *const doors[DECIDED_DOORS] = {"openintent", "native",
                                                 "browser", "clock", "none"};

/* The place of a word, or n. */
static size_t place(const char *const *v, size_t n, struct str word)
{
    size_t i = 0;
    while (i < n && !str_is(word, v[i]))
        i++;
    return i;
}

bool decided_outcome(struct str word)
{
    return place(outcomes, DECIDED_OUTCOMES, word) < DECIDED_OUTCOMES;
}

bool decided_door(struct str word)
{
    return place(doors, DECIDED_DOORS, word) < DECIDED_DOORS;
}

/* One of the words, or all of them. */
static void arg_words(struct pg_args *args, const char *const *v, size_t n,
                      struct str only)
{
    struct str all[countof(outcomes)];
    for (size_t i = 0; i < n; i++)
        all[i] = str_of(v[i]);
    pg_arg_texts(args, only.p ? &only : all, only.p ? 1 : n);
}

static void arg_moment(struct pg_args *args, int64_t t, struct str none)
{
    if (t)
        pg_arg_time(args, t);
    else
        pg_arg(args, none);
}

/* ---- the list ------------------------------------------------------- */

static int statement_of(struct pg_args *args, const struct decided_wish *w)
{
    const bool few = w->kind != KIND__MAX || w->outcome.p || w->door.p;
    pg_arg_int(args, w->limit);
    arg_moment(args, w->after_at, STR("infinity"));
    pg_arg(args, w->after_at ? w->after_id : STR(""));
    arg_moment(args, w->from, STR("-infinity"));
    arg_moment(args, w->until, STR("infinity"));
    if (!few && !w->who.p && !w->agent.p)
        return SQL_DECIDED_ALL;
    suspensions_arg_kinds(args, w->kind);
    arg_words(args, outcomes, countof(outcomes), w->outcome);
    arg_words(args, doors, countof(doors), w->door);
    if (!w->who.p && !w->agent.p)
        return SQL_DECIDED_BY;
    pg_arg(args, w->who.p ? w->who : w->agent);
    pg_arg(args, w->who.p ? w->agent : STR_NONE);
    pg_arg_int(args, DECIDED_LOOK_MAX);
    return w->who.p ? SQL_DECIDED_WHO : SQL_DECIDED_AGENT;
}

const struct err *decided_list(struct pg *pg, struct arena *a,
                               const struct decided_wish *w,
                               struct decided_rows *out)
{
    struct pg_args args = pg_args(a);
    struct pg_rows *rows = NULL;
    const int statement = statement_of(&args, w);
    TRY(suspensions_in_order(pg, a, statement, &args, &rows));
    *out = (struct decided_rows){.rows = suspensions_rows(a, rows)};
    const size_t n = out->rows.n;
    if (n == 0 || statement == SQL_DECIDED_ALL || statement == SQL_DECIDED_BY ||
        pg_bool(rows, n - 1, SUSPENSIONS_COLUMNS))
        return NULL;
    out->further = true;
    out->at = out->rows.v[n - 1].responded_at;
    out->id = out->rows.v[n - 1].id;
    out->rows.n--;
    return NULL;
}

/* ---- counts --------------------------------------------------------- */

static int count_statement(struct pg_args *args, const struct decided_wish *w)
{
    const bool few = w->who.p || w->agent.p;
    arg_moment(args, w->from, STR("-infinity"));
    arg_moment(args, w->until, STR("infinity"));
    suspensions_arg_kinds(args, few ? w->kind : KIND__MAX);
    arg_words(args, outcomes, countof(outcomes), few ? w->outcome : STR_NONE);
    arg_words(args, doors, countof(doors), few ? w->door : STR_NONE);
    if (!few) {
        pg_arg(args, w->kind == KIND__MAX ? STR_NONE
                                             : str_of(kind_key(w->kind)));
        pg_arg(args, w->outcome);
        pg_arg(args, w->door);
        return SQL_DECIDED_COUNT_BY;
    }
    pg_arg(args, w->who.p ? w->who : w->agent);
    pg_arg(args, w->who.p ? w->agent : STR_NONE);
    pg_arg_int(args, DECIDED_LOOK_MAX + 1);
    return w->who.p ? SQL_DECIDED_COUNT_WHO : SQL_DECIDED_COUNT_AGENT;
}

/* Where the count of a word stands; NULL for one that is not known. */
static int64_t *count_of(struct decided_counts *n, struct str axis,
                         struct str word)
{
    const enum kind k = kind_of_key(word);
    const size_t o = place(outcomes, DECIDED_OUTCOMES, word);
    const size_t d = place(doors, DECIDED_DOORS, word);
    if (str_is(axis, "kind"))
        return k < KIND__MAX ? &n->kinds[k] : NULL;
    if (str_is(axis, "outcome"))
        return o < DECIDED_OUTCOMES ? &n->outcomes[o] : NULL;
    return d < DECIDED_DOORS ? &n->doors[d] : NULL;
}

const struct err *decided_count(struct pg *pg, struct arena *a,
                                const struct decided_wish *w,
                                struct decided_counts *out)
{
    struct pg_args args = pg_args(a);
    struct pg_rows *rows = NULL;
    *out = (struct decided_counts){.part = false};
    const int statement = count_statement(&args, w);
    TRY(suspensions_in_order(pg, a, statement, &args, &rows));
    for (size_t i = 0; i < pg_count(rows); i++) {
        const struct str axis = pg_str(rows, i, 0);
        int64_t *n = count_of(out, axis, pg_str(rows, i, 1));
        if (!axis.p)
            out->part = pg_int(rows, i, 2) > DECIDED_LOOK_MAX;
        else if (n)
            *n = pg_int(rows, i, 2);
    }
    return NULL;
}

static int64_t sum(const int64_t *v, size_t n)
{
    int64_t all = 0;
    for (size_t i = 0; i < n; i++)
        all += v[i];
    return all;
}

int64_t decided_of_kind(const struct decided_counts *n, enum kind kind)
{
    return kind < KIND__MAX ? n->kinds[kind] : sum(n->kinds, KIND__MAX);
}

int64_t decided_of_outcome(const struct decided_counts *n, struct str word)
{
    const size_t i = place(outcomes, DECIDED_OUTCOMES, word);
    return i < DECIDED_OUTCOMES ? n->outcomes[i]
                                : sum(n->outcomes, DECIDED_OUTCOMES);
}

int64_t decided_of_door(const struct decided_counts *n, struct str word)
{
    const size_t i = place(doors, DECIDED_DOORS, word);
    return i < DECIDED_DOORS ? n->doors[i] : sum(n->doors, DECIDED_DOORS);
}
