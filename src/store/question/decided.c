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

static struct pg_value decided_vias(struct arena *a, enum via only)
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

const struct err *decided_prepare(struct pg *pg, struct arena *a,
                                  struct decided_query *w)
{
    struct search_query *q = &w->search;
    *q = (struct search_query){
        .priced = w->priced, .unit = w->unit, .over = w->over};
    if (w->kind < KIND__MAX)
        search_add_mark(a, q, SEARCH_KIND,
                        vocabulary_key(kind_words(w->kind)));
    if (w->outcome < OUTCOME__MAX)
        search_add_mark(a, q, SEARCH_OUTCOME,
                        vocabulary_outcome(w->outcome)->wire);
    if (w->via < VIA__MAX)
        search_add_mark(a, q, SEARCH_VIA,
                        vocabulary_key(vocabulary_via(w->via)));
    if (w->severity < SEVERITY__MAX)
        search_add_mark(a, q, SEARCH_RISK,
                        vocabulary_key(vocabulary_severity(w->severity)));
    if (w->agent.p)
        search_add_mark(a, q, SEARCH_AGENT, w->agent);
    if (w->tool.p)
        search_add_mark(a, q, SEARCH_TOOL, w->tool);
    const size_t who = q->n;
    if (w->who.p)
        search_add_who(a, q, w->who);
    const size_t words = q->n;
    if (w->words.p)
        search_type(a, q, w->words);
    TRY(searches_people(pg, a, q));
    for (size_t i = who; i < words; i++)
        w->people = w->people || q->terms[i].n > 1;
    return NULL;
}

/* The earlier of the end of the range and the row to continue after. */
static void decided_arg_before(struct pg_list *args,
                               const struct decided_query *w)
{
    const bool until =
        w->until && (!w->after_at || w->until <= w->after_at);
    pg_add(args, decided_moment(until ? w->until : w->after_at,
                                STR("infinity")));
    pg_add(args, pg_text(until || !w->after_at ? STR("") : w->after_id));
}

static const struct err *decided_rows_of(struct pg *pg, struct arena *a,
                                         int64_t limit,
                                         struct decided_rows *out)
{
    struct pg_rows *r = NULL;
    const size_t n = (size_t)limit < out->n ? (size_t)limit : out->n;
    struct str *ids = arena_many(a, n + 1, struct str);
    for (size_t i = 0; i < n; i++)
        ids[i] = out->v[i].id;
    TRY(pg_query(pg, a, SQL_SEARCH_ROWS, PG(pg_texts(ids, n)), &r));
    out->rows = suspensions_rows(a, r);
    return NULL;
}

const struct err *decided_list(struct pg *pg, struct arena *a,
                               const struct decided_query *w,
                               struct decided_rows *out)
{
    struct pg_list args = {.n = 0};
    struct pg_rows *r = NULL;
    searches_args(&args, a, &w->search);
    pg_add(&args, pg_text(w->priced ? decimal_text(a, w->over) : STR_NONE));
    pg_add(&args, pg_text(w->unit));
    decided_arg_before(&args, w);
    pg_add(&args, decided_moment(w->from, STR("-infinity")));
    pg_add(&args, pg_number(w->found));
    pg_add(&args, pg_number(SEARCHES_LOOKS));
    TRY(pg_query(pg, a, SQL_SEARCH_ENDED, PG_ALL(&args), &r));
    *out = (struct decided_rows){.n = pg_count(r)};
    out->v = arena_many(a, out->n + 1, struct decided_found);
    for (size_t i = 0; i < out->n; i++) {
        out->v[i] = (struct decided_found){
            pg_str(r, i, 0), pg_int(r, i, 1),
            vocabulary_outcome_of(pg_str(r, i, 3))};
    }
    out->further = out->n > 0 && !pg_bool(r, out->n - 1, 2);
    if (out->further) {
        out->n--;
        out->at = out->v[out->n].at;
        out->id = out->v[out->n].id;
    }
    return decided_rows_of(pg, a, w->limit, out);
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
               decided_outcomes(a, w->outcome), decided_vias(a, w->via),
               pg_text(w->who.p ? w->who : w->agent),
               pg_text(w->who.p ? w->agent : STR_NONE),
               pg_number(DECIDED_LOOK_MAX + 1)),
            rows);
    return suspensions_in_order(
        pg, a, SQL_DECIDED_COUNT_BY,
        PG(from, until, suspensions_kinds(a, KIND__MAX),
           decided_outcomes(a, OUTCOME__MAX), decided_vias(a, VIA__MAX),
           pg_text(w->kind == KIND__MAX ? STR_NONE
                                        : vocabulary_key(kind_words(w->kind))),
           pg_text(vocabulary_outcome(w->outcome)->wire),
           pg_text(w->via == VIA__MAX
                       ? STR_NONE
                       : vocabulary_key(vocabulary_via(w->via)))),
        rows);
}

const struct err *decided_count(struct pg *pg, struct arena *a,
                                const struct decided_query *w,
                                struct decided_counts *out)
{
    struct pg_rows *rows = NULL;
    *out = (struct decided_counts){.none = w->words.p || w->tool.p ||
                                           w->priced || w->people ||
                                           w->severity < SEVERITY__MAX};
    if (out->none)
        return NULL;
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
            out->vias[d] = n;
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

int64_t decided_of_via(const struct decided_counts *n, enum via via)
{
    return via < VIA__MAX ? n->vias[via] : decided_sum(n->vias, VIA__MAX);
}
