/* Lists of open questions: struct in, struct out. Decides nothing. */
#include "store/question/inbox.h"

#include "store/question/searches.h"
#include "store/sql.gen.h"

#define FOREVER STR("infinity")
#define NEVER STR("-infinity")
#define WHOSE_MAX (PERSON_GROUPS_MAX + 3)

/* ---- audience -------------------------------------------------------- */

/* The words of the column audience for a reader in a view. */
static struct pg_value inbox_whose(struct arena *a, const struct principal *p,
                                   enum inbox_view view)
{
    struct str *v = arena_many(a, WHOSE_MAX, struct str);
    struct str rest = p->groups;
    size_t n = 0;
    if (p->role == ROLE_USER) {
        v[n++] = arena_join(a, STR("i:"), p->name);
        return pg_texts(v, n);
    }
    if (!principal_decides(p) && view != INBOX_ALL)
        return pg_texts(v, n);
    if (view == INBOX_MAY)
        v[n++] = STR("o");
    if (view == INBOX_MAY || view == INBOX_MINE) {
        v[n++] = arena_join(a, STR("i:"), p->name);
        v[n++] = arena_join(a, STR("n:"), p->name);
    }
    while (rest.p && n < WHOSE_MAX && view != INBOX_MINE) {
        const struct str group = str_cut(&rest, ' ');
        if (group.n > 0)
            v[n++] = arena_join(a, STR("g:"), group);
    }
    return pg_texts(v, n);
}

enum inbox_view inbox_first(const struct principal *reader)
{
    return principal_decides(reader) || reader->role == ROLE_USER ? INBOX_MAY
                                                                  : INBOX_ALL;
}

/* The audiences of what the reader may not answer, and that of what only the
 * reader may not. *cut: there are more. */
static const struct err *inbox_others(struct pg *pg, struct arena *a,
                                      const struct principal *p,
                                      struct pg_value *out, bool *cut)
{
    struct pg_rows *rows = NULL;
    TRY(pg_query(
        pg, a, SQL_INBOX_AUDIENCES,
        PG(inbox_whose(a, p, INBOX_MAY), pg_number(INBOX_OTHERS_MAX + 1)),
        &rows));
    struct str *v = arena_many(a, INBOX_OTHERS_MAX + 1, struct str);
    size_t n = 0;
    for (size_t i = 0; i < pg_count(rows) && n < INBOX_OTHERS_MAX; i++)
        v[n++] = pg_str(rows, i, 0);
    *cut = pg_count(rows) > INBOX_OTHERS_MAX;
    v[n++] = arena_join(a, STR("x:"), p->name);
    *out = pg_texts(v, n);
    return NULL;
}

/* Without any limit to the reader's own? Never for a user. */
static bool inbox_is_all(const struct inbox_query *w)
{
    return w->view == INBOX_ALL && w->reader->role != ROLE_USER;
}

/* *cut: some of the audiences are left out. */
static const struct err *inbox_arg_whose(struct pg *pg, struct pg_list *args,
                                         struct arena *a,
                                         const struct inbox_query *w,
                                         bool *cut)
{
    const bool others = w->view == INBOX_OTHERS;
    struct pg_value whose = inbox_is_all(w)
                                ? pg_text(STR_NONE)
                                : inbox_whose(a, w->reader, w->view);
    *cut = false;
    if (others)
        TRY(inbox_others(pg, a, w->reader, &whose, cut));
    pg_add(args, whose);
    /* A search reads each question once, whatever lists it stands in. */
    pg_add(args, pg_text(others && w->words.p ? STR("") : w->reader->name));
    return NULL;
}

/* ---- filters -------------------------------------------------------- */

/* The column inbox_rank is descending: the gravest has the lowest value. */
static int64_t inbox_rank(enum severity severity)
{
    return SEVERITY_CRITICAL - severity;
}

/* A question without a severity is sorted as medium (inbox_ranked in the
 * database). */
static int64_t inbox_class_of(int64_t r)
{
    return r == SEVERITY_CRITICAL - SEVERITY_UNSAID
               ? SEVERITY_CRITICAL - SEVERITY_MEDIUM
               : r;
}

/* The ranks of one severity (SEVERITY__MAX: any), from a class on. */
static struct pg_value inbox_ranks(struct arena *a, enum severity only,
                                   int64_t from)
{
    static const char digits[] = "01234";
    struct str *v = arena_many(a, SEVERITY__MAX, struct str);
    size_t n = 0;
    for (int64_t r = 0; r < SEVERITY__MAX; r++) {
        if (inbox_class_of(r) >= from &&
            (only == SEVERITY__MAX || r == SEVERITY_CRITICAL - only))
            v[n++] = (struct str){digits + r, 1};
    }
    return pg_texts(v, n);
}

static struct pg_value inbox_by(int64_t due)
{
    return due ? pg_moment(due) : pg_text(FOREVER);
}

/* The statement for each combination of filters. */
struct narrowed {
    int all, whose, agent, agent_whose, words;
};

/* The terms of the words. */
static const struct err *inbox_search(struct pg *pg, struct arena *a,
                                      const struct inbox_query *w,
                                      struct search_query *out)
{
    *out = (struct search_query){.n = 0};
    search_type(a, out, w->words);
    return searches_people(pg, a, out);
}

/* Adds the statement's further arguments. *statement: its number; *cut as of
 * inbox_arg_whose. */
static const struct err *
inbox_narrow(struct pg *pg, struct pg_list *args, struct arena *a,
             const struct inbox_query *w, const struct narrowed *n,
             int64_t words_max, int *statement, bool *cut)
{
    const bool all = inbox_is_all(w);
    *cut = false;
    if (w->words.p || !all)
        TRY(inbox_arg_whose(pg, args, a, w, cut));
    if (w->words.p || w->agent.p)
        pg_add(args, pg_text(w->agent));
    if (w->words.p) {
        struct search_query search;
        TRY(inbox_search(pg, a, w, &search));
        searches_args(args, a, &search);
        pg_add(args, pg_number(words_max));
        pg_add(args, pg_number(SEARCHES_LOOKS));
        *statement = n->words;
        return NULL;
    }
    *statement = w->agent.p ? (all ? n->agent : n->agent_whose)
                            : (all ? n->all : n->whose);
    return NULL;
}

/* A search has an index without an order. */
static const struct err *inbox_run(struct pg *pg, struct arena *a,
                                   int statement, const struct pg_args *args,
                                   struct pg_rows **out)
{
    const bool search = statement == SQL_INBOX_WORDS ||
                        statement == SQL_INBOX_COUNT_WORDS;
    return search ? pg_query(pg, a, statement, args, out)
                  : suspensions_in_order(pg, a, statement, args, out);
}

/* ---- the list ------------------------------------------------------- */

static void inbox_arg_after(struct pg_list *args, const struct inbox_query *w)
{
    const struct suspension *s = w->after;
    pg_add(args, pg_flag(w->by_deadline));
    if (!s) {
        pg_add(args, pg_text(STR_NONE));
        pg_add(args, pg_text(NEVER));
        pg_add(args, pg_text(NEVER));
        pg_add(args, pg_text(STR("")));
        return;
    }
    pg_add(args, pg_number(inbox_class_of(inbox_rank(s->severity))));
    pg_add(args, inbox_by(s->expires_at));
    pg_add(args, pg_moment(s->suspended_at));
    pg_add(args, pg_text(s->id));
}

const struct err *inbox_list(struct pg *pg, struct arena *a,
                             const struct inbox_query *w,
                             struct suspension_rows *out)
{
    static const struct narrowed lists = {SQL_INBOX_ALL, SQL_INBOX_FOR,
                                          SQL_INBOX_AGENT, SQL_INBOX_AGENT_FOR,
                                          SQL_INBOX_WORDS};
    struct pg_list args = {0};
    struct pg_rows *rows = NULL;
    const int64_t from = w->after && !w->by_deadline
                             ? inbox_class_of(inbox_rank(w->after->severity))
                             : 0;
    pg_add(&args, suspensions_kinds(a, w->kind));
    pg_add(&args, inbox_ranks(a, w->severity, from));
    pg_add(&args, inbox_by(w->due));
    pg_add(&args, pg_number(w->limit));
    inbox_arg_after(&args, w);
    int statement;
    bool cut;
    TRY(inbox_narrow(pg, &args, a, w, &lists, INBOX_WORDS_MAX, &statement,
                     &cut));
    TRY(inbox_run(pg, a, statement, PG_ALL(&args), &rows));
    *out = suspensions_rows(a, rows);
    return NULL;
}

/* ---- counts --------------------------------------------------------- */

const struct err *inbox_count(struct pg *pg, struct arena *a,
                              const struct inbox_query *w,
                              struct inbox_counts *out)
{
    static const struct narrowed counts = {
        SQL_INBOX_COUNT_ALL, SQL_INBOX_COUNT_FOR, SQL_INBOX_COUNT_AGENT,
        SQL_INBOX_COUNT_AGENT_FOR, SQL_INBOX_COUNT_WORDS};
    struct pg_list args = {0};
    struct pg_rows *rows = NULL;
    int statement;
    *out = (struct inbox_counts){.looked = 0};
    pg_add(&args, suspensions_kinds(a, KIND__MAX));
    pg_add(&args, inbox_ranks(a, SEVERITY__MAX, 0));
    pg_add(&args, inbox_by(w->due));
    TRY(inbox_narrow(pg, &args, a, w, &counts, INBOX_WORDS_MAX + 1, &statement,
                     &out->cut));
    TRY(inbox_run(pg, a, statement, PG_ALL(&args), &rows));
    for (size_t i = 0; i < pg_count(rows); i++) {
        const struct str word = pg_str(rows, i, 0);
        const enum kind k = kind_of(vocabulary_of_key(word));
        const int64_t r = pg_int(rows, i, 1);
        if (!word.p)
            out->looked = pg_int(rows, i, 2);
        else if (k < KIND__MAX && r >= 0 && r < SEVERITY__MAX)
            out->cell[k][SEVERITY_CRITICAL - r] = pg_int(rows, i, 2);
    }
    return NULL;
}

const struct err *inbox_badges(struct pg *pg, struct arena *a,
                               const struct principal *reader,
                               int64_t out[static INBOX_VIEW__MAX])
{
    struct pg_rows *rows = NULL;
    TRY(suspensions_in_order(pg, a, SQL_INBOX_BADGES,
                             PG(pg_text(reader->name),
                                inbox_whose(a, reader, INBOX_MAY),
                                inbox_whose(a, reader, INBOX_MINE),
                                inbox_whose(a, reader, INBOX_GROUPS)),
                             &rows));
    for (int v = 0; v < INBOX_OTHERS; v++)
        out[v] = pg_int(rows, 0, v);
    out[INBOX_OTHERS] =
        out[INBOX_ALL] > INBOX_COUNT_MAX ? 0 : out[INBOX_ALL] - out[INBOX_MAY];
    return NULL;
}

/* ---- one question --------------------------------------------------- */

int64_t inbox_counted(const struct inbox_counts *n, enum kind kind,
                      enum severity severity)
{
    int64_t all = 0;
    for (unsigned k = 0; k < KIND__MAX; k++) {
        for (unsigned s = 0; s < SEVERITY__MAX; s++) {
            if ((kind == KIND__MAX || k == kind) &&
                (severity == SEVERITY__MAX || s == severity))
                all += n->cell[k][s];
        }
    }
    return all > INBOX_COUNT_MAX ? INBOX_COUNT_MAX + 1 : all;
}

const struct err *inbox_place(struct pg *pg, struct arena *a,
                              const struct principal *reader,
                              enum inbox_view view,
                              const struct suspension *s,
                              struct inbox_place *out)
{
    const struct inbox_query behind = {.reader = reader,
                                      .view = view,
                                      .kind = KIND__MAX,
                                      .severity = SEVERITY__MAX,
                                      .limit = 1,
                                      .after = s};
    struct pg_list args = {0};
    struct suspension_rows next;
    struct pg_rows *rows = NULL;
    pg_add(&args, suspensions_kinds(a, KIND__MAX));
    pg_add(&args, pg_number(inbox_class_of(inbox_rank(s->severity))));
    pg_add(&args, inbox_by(s->expires_at));
    pg_add(&args, pg_moment(s->suspended_at));
    pg_add(&args, pg_text(s->id));
    pg_add(&args, pg_number(INBOX_COUNT_MAX + 1));
    if (!inbox_is_all(&behind)) {
        bool cut;
        TRY(inbox_arg_whose(pg, &args, a, &behind, &cut));
    }
    TRY(suspensions_in_order(
        pg, a, inbox_is_all(&behind) ? SQL_PLACE_ALL : SQL_PLACE_FOR,
        PG_ALL(&args), &rows));
    *out = (struct inbox_place){.before = pg_int(rows, 0, 0),
                                .previous = pg_str(rows, 0, 1)};
    TRY(inbox_list(pg, a, &behind, &next));
    out->next = next.n > 0 ? next.v[0].id : STR_NONE;
    return NULL;
}
