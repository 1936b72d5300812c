/* Decided questions, newest first, by day, narrowed by filters in the address
 * and by words. */
#include "doors/pages/inbox/amount.h"
#include "doors/pages/inbox/decided_days.h"
#include "doors/pages/inbox/decided_filters.h"
#include "doors/pages/inbox/found.h"
#include "doors/pages/inbox/inbox.h"
#include "doors/pages/kinds/kinds.h"
#include "doors/pages/question/decision.h"
#include "doors/pages/question/head.h"
#include "doors/pages/shell/badge.h"
#include "doors/pages/shell/list.h"
#include "doors/pages/shell/page.h"
#include "store/question/inbox.h"

#define FACTS_MAX ((size_t)16 << 10) /* bytes of facts that are parsed */

/* ---- rows ------------------------------------------------------------ */

/* The name of the person, where it is that of one; else as it is recorded. */
static struct str decided_who(struct call *c, const struct suspension *s,
                              const struct searches_names *persons)
{
    for (size_t i = 0; i < persons->n; i++) {
        if (!s->responded_by_claimed.p && s->state == SUSPENSION_RESOLVED &&
            str_eq(persons->v[i].name, s->responded_by))
            return persons->v[i].said;
    }
    return page_badge_who(c->a, s, &c->who);
}

/* The comment, or what was answered in words; else what the agent said. */
static struct str decided_line(struct arena *a, const struct suspension *s)
{
    const bool words = s->reason.n > 0 || suspension_worded(s);
    return !words && s->explanation.p ? s->explanation
                                      : question_decision_line(a, s);
}

/* `figure` and `tool`: the amount that was approved, else the one that was
 * asked for, and what was called first. */
static void decided_set_facts(struct page_view *v, struct json *o,
                              const struct suspension *s)
{
    const struct json *facts =
        s->subject.n > FACTS_MAX || s->approved_subject.n > FACTS_MAX
            ? NULL
            : suspension_final(v->a, s);
    const struct amount m = amount_of(s->kind, facts);
    inbox_amount_set(v->a, o, &m);
    json_set_text(o, "tool",
                  json_get_text(json_at(json_get(facts, "calls"), 0), "tool"));
}

static struct json *decided_row(struct call *c, struct page_view *v,
                                const struct suspension *s,
                                const struct searches_names *persons)
{
    struct json *o = json_object(v->a), *head = question_head_brief(v, s);
    if (s->outcome == OUTCOME_AUTHORIZED && suspension_modified(s) &&
        !page_badge_once(s))
        json_set_text(json_get(head, "outcome"), "word",
                      STR("Approved, edited"));
    json_set_json(o, "suspension", head);
    json_set_text(o, "reason",
                  words_line(v->a, decided_line(v->a, s), PAGE_VIEW_ROW));
    json_set_text(o, "who", decided_who(c, s, persons));
    json_set_bool(o, "nobody",
                  s->state == SUSPENSION_EXPIRED || !s->responded_by.p);
    json_set_text(o, "via",
                  str_of(vocabulary_via(s->responded_via)->past));
    decided_set_facts(v, o, s);
    inbox_found_set(v, o);
    return o;
}

static struct json *decided_rows(struct call *c, const struct decided_rows *d,
                                 const struct searches_names *persons,
                                 struct str words)
{
    struct page_view v = page_begin(c);
    struct json *rows = json_array(c->a);
    inbox_found_begin(&v, words);
    for (size_t i = 0; i < d->rows.n && i < PAGE_LIST_ROWS; i++) {
        struct page_list_row one;
        page_list_row_begin(&one, c, &v);
        const struct json *row =
            decided_row(&one.call, &one.view, &d->rows.v[i], persons);
        json_add_json(rows, page_list_row_end(&one, row));
    }
    return rows;
}

/* The words that rows have in a member, each once, to choose from. */
static struct json *decided_words(struct call *c, struct json *rows,
                                  const char *in, const char *member)
{
    struct json *list = json_array(c->a);
    for (size_t i = 0; i < json_count(rows); i++) {
        const struct json *row = json_at(rows, i);
        const struct str word =
            json_get_text(in ? json_get(row, in) : row, member);
        size_t k = 0;
        while (k < json_count(list) &&
               !str_eq(json_get_text(json_at(list, k), "value"), word))
            k++;
        if (word.n == 0 || k < json_count(list))
            continue;
        struct json *o = json_object(c->a);
        json_set_text(o, "value", word);
        json_add_json(list, o);
    }
    return list;
}

/* ---- the page ---------------------------------------------------------- */

/* `open`: what is open and has the words; null for none, or without words. */
static const struct err *decided_set_open(struct call *c, struct json *view,
                                          const struct decided_query *w)
{
    json_set_json(view, "open", NULL);
    if (!w->words.p)
        return NULL;
    struct inbox_counts counts;
    const struct inbox_query query = {.reader = &c->who,
                                     .view = INBOX_ALL,
                                     .kind = KIND__MAX,
                                     .severity = SEVERITY__MAX,
                                     .words = w->words,
                                     .limit = 1};
    int64_t n = 0;
    TRY(inbox_count(c->pg, c->a, &query, &counts));
    for (unsigned k = 0; k < KIND__MAX; k++) {
        for (unsigned s = 0; s < SEVERITY__MAX; s++)
            n += counts.cell[k][s];
    }
    if (n == 0)
        return NULL;
    struct buf url = buf_make(c->a, PAGE_LIST_WORDS * 12 + 64);
    buf_put(&url, "/inbox?view=all&q=");
    buf_escape(&url, w->words);
    struct json *o = json_object(c->a);
    json_set_text(o, "url", buf_text(&url));
    json_set_text(o, "n", page_list_open(c->a, n));
    json_set_json(view, "open", o);
    return NULL;
}

/* The people first who answered what is on the page. */
static const struct err *decided_lists(struct call *c,
                                       const struct decided_rows *d,
                                       struct searches_page *out)
{
    struct str *here = arena_many(c->a, d->rows.n + 1, struct str);
    size_t n = 0;
    for (size_t i = 0; i < d->rows.n; i++) {
        if (d->rows.v[i].responded_by.p)
            here[n++] = d->rows.v[i].responded_by;
    }
    return searches_page(c->pg, c->a, here, n, out);
}

/* `found`: how many there are, on the first page; "" where it is not known. */
static struct str decided_found(struct call *c, const struct decided_rows *d,
                                const struct decided_query *w)
{
    const int64_t n = (int64_t)d->n;
    if (w->after_at || (d->further && n <= DECIDED_COUNT_MAX))
        return STR("");
    return page_list_count(c->a, n, DECIDED_COUNT_MAX);
}

const struct err *inbox_decided(struct call *c)
{
    struct json *view = json_object(c->a);
    struct inbox_decided_filters t;
    struct decided_rows d;
    TRY(inbox_decided_filters_read(c, &t));
    TRY(decided_list(c->pg, c->a, &t.query, &d));
    TRY(decided_count(c->pg, c->a, &t.query, &t.counts));
    TRY(decided_lists(c, &d, &t.lists));
    struct json *filters = inbox_decided_filters_view(c, &t);
    TRY(decided_set_open(c, view, &t.query));
    struct json *rows = decided_rows(c, &d, &t.lists.persons, t.query.words);
    const bool more = d.rows.n > PAGE_LIST_ROWS, first = !t.query.after_at;
    const size_t n = json_count(rows);
    const struct page_list_pager pager = {
        .path = "/decided",
        .first = first,
        .older = more        ? d.rows.v[n - 1].id
                 : d.further ? d.id
                             : STR_NONE,
        .shown = d.further && !more
                     ? STR("Only 30,000 requests were searched. There may be "
                           "older matches.")
                     : arena_join(c->a,
                                  page_list_part(first, more || d.further),
                                  words_many(c->a, (int64_t)n, "request"))};
    json_set_text(view, "found", decided_found(c, &d, &t.query));
    json_set_text(view, "words",
                  t.query.words.p ? t.query.words : STR(""));
    json_set_text(view, "words_url",
                  page_list_url(c, "/decided", "q", STR_NONE));
    json_set_json(filters, "tools", decided_words(c, rows, NULL, "tool"));
    json_set_json(filters, "units", decided_words(c, rows, "figure", "unit"));
    for (size_t i = 0; i < json_count(rows); i++)
        json_unset(json_at(rows, i), STR("tool"));
    json_set_json(view, "filters", filters);
    json_set_bool(view, "narrowed", inbox_decided_filters_any(&t) || !first);
    json_set_bool(view, "further", d.further);
    page_view_set_time(view, "filling", t.lists.filling);
    json_set_json(view, "days", inbox_decided_days(c, &d, &t.query, rows));
    json_set_json(view, "pager", page_list_pager(c, &pager));
    return page_render(c, 200, "decided", "History", view);
}
