/* A question as a row of the inbox, and groups of similar rows. */
#include "doors/pages/inbox/row.h"

#include "base/clock.h"
#include "domain/question/retry.h"
#include "doors/pages/kinds/kinds.h"
#include "doors/pages/question/head.h"
#include "doors/pages/shell/list.h"

#define FIGURE_MAX ((size_t)16 << 10) /* bytes of facts that are parsed */
#define UNIT_MAX 12                   /* characters */
#define NAME_MAX 80
#define HOUR (INT64_C(3600) * CLOCK_SECOND)

/* ---- the figure ----------------------------------------------------- */

static const struct json *row_facts(struct arena *a,
                                    const struct suspension *s)
{
    return s->subject.n > FIGURE_MAX ? NULL : suspension_subject(a, s);
}

static struct json *row_figure(struct page_view *v, struct str value,
                               struct str unit)
{
    struct json *o = json_object(v->a);
    json_set_text(o, "value", value);
    json_set_text(o, "unit", words_cut(v->a, unit, UNIT_MAX));
    return o;
}

static struct json *row_counted(struct page_view *v, const struct json *list,
                                const char *one, const char *many)
{
    const size_t n = json_count(list);
    return n == 0 ? NULL
                  : row_figure(v, words_count(v->a, (int64_t)n),
                               str_of(n == 1 ? one : many));
}

static struct json *row_limit(struct page_view *v, const struct json *cost)
{
    const struct json *amount = json_get(cost, "amount");
    char text[JSON_DOUBLE_TEXT];
    if (json_is(amount, JSON_INT))
        return row_figure(v, words_count(v->a, json_int(amount)),
                          json_get_text(cost, "unit"));
    if (!json_is(amount, JSON_DOUBLE))
        return NULL;
    const size_t n = json_double_text(json_double(amount), text);
    return row_figure(v, arena_str(v->a, (struct str){text, n}),
                      json_get_text(cost, "unit"));
}

/* The value at a path of the facts, or NULL. */
static const struct json *
row_fact(struct page_view *v, const struct suspension *s, const char *path)
{
    const struct json *at = row_facts(v->a, s);
    for (struct str rest = str_of(path); rest.p;)
        at = json_get_str(at, str_cut(&rest, '.'));
    return at;
}

/* The most important figure of its kind, or NULL. */
static struct json *row_figure_of(struct page_view *v,
                                  const struct suspension *s)
{
    const struct kind_rule *rule = kind_rule(s->kind);
    const char *one = rule ? rule->figure.one : NULL;
    const char *many = rule ? rule->figure.many : NULL;
    int64_t seconds;
    switch (rule ? rule->figure.type : KIND_FIGURE_NONE) {
    case KIND_FIGURE_LIST:
        return row_counted(v, row_fact(v, s, rule->figure.path), one, many);
    case KIND_FIGURE_FIELDS:
        if (s->form.n > FIGURE_MAX)
            return NULL;
        return row_counted(v, json_read(v->a, s->form), one, many);
    case KIND_FIGURE_AMOUNT:
        return row_limit(v, row_fact(v, s, rule->figure.path));
    case KIND_FIGURE_SECONDS:
        seconds = json_int(row_fact(v, s, rule->figure.path));
        if (seconds <= 0 || seconds > SUSPENSION_TIMEOUT_MAX)
            return NULL;
        return row_figure(v, words_span(v->a, seconds * CLOCK_SECOND),
                          STR("requested"));
    case KIND_FIGURE_NONE:
    default:
        return NULL;
    }
}

/* ---- the row -------------------------------------------------------- */

struct json *inbox_row_short(struct page_view *v, const struct suspension *s)
{
    struct json *o = json_object(v->a);
    /* The explanation, else a question under a title. */
    const struct str words = s->explanation.p ? s->explanation
                             : s->title.p     ? s->question
                                              : STR_NONE;
    const bool same =
        str_eq(str_trim(words), str_trim(question_head_title(s)));
    json_set_json(o, "suspension", question_head_brief(v, s));
    json_set_text(o, "pick",
                  arena_join(v->a, s->id, STR(":"), s->subject_sha256));
    json_set_text(o, "reason",
                  words_line(v->a, same ? STR_NONE : words, PAGE_VIEW_ROW));
    json_set_json(o, "figure", row_figure_of(v, s));
    return o;
}

struct json *inbox_row(struct page_view *v, const struct suspension *s)
{
    struct json *o = inbox_row_short(v, s);
    const struct str named =
        words_plain(v->a, question_head_title(s), PAGE_VIEW_TAB);
    json_set_text(o, "named", words_name(v->a, named));
    json_set_json(o, "deadline", question_head_deadline(v, s));
    return o;
}

/* ---- groups --------------------------------------------------------- */

enum inbox_row_group inbox_row_group_of(struct str word)
{
    static const char *const words[] = {"like", "agent", "deadline"};
    if (!word.p)
        return INBOX_ROW_NONE;
    for (unsigned i = 0; i < countof(words); i++) {
        if (str_is(word, words[i]))
            return (enum inbox_row_group)(i + 1);
    }
    return INBOX_ROW_GROUP__MAX;
}

/* The title with every number replaced by one sign: repeated questions differ
 * in their numbers. */
static void row_put_shape(struct buf *b, struct str title)
{
    bool number = false;
    for (size_t i = 0; i < title.n; i++) {
        const char c = title.p[i];
        const bool digit = c >= '0' && c <= '9';
        if (!digit && !(number && (c == '.' || c == ',' || c == '-')))
            buf_char(b, c);
        else if (!number)
            buf_char(b, '#');
        number = digit || (number && (c == '.' || c == ',' || c == '-'));
    }
}

static struct str row_deadline_name(const struct page_view *v,
                                    const struct suspension *s)
{
    const int64_t left = s->expires_at - v->now;
    if (!s->expires_at)
        return STR("No deadline");
    if (left < HOUR)
        return STR("Within an hour");
    if (left < 4 * HOUR)
        return STR("Within four hours");
    return left < 24 * HOUR ? STR("Within a day") : STR("Later");
}

/* A group: its name, and the key that its rows share. */
struct row_group {
    struct str key, name;
    struct json *rows;
    const struct suspension *first;
};

static struct row_group row_group_of(struct page_view *v,
                                     const struct suspension *s,
                                     enum inbox_row_group by)
{
    struct row_group g = {.rows = json_array(v->a), .first = s};
    const struct str title = question_head_title(s);
    struct buf b = buf_make(v->a, title.n + 1024);
    if (by == INBOX_ROW_AGENT) {
        g.key = g.name = s->asked_by;
        return g;
    }
    if (by != INBOX_ROW_LIKE) {
        g.key = g.name =
            by == INBOX_ROW_DEADLINE ? row_deadline_name(v, s) : STR("");
        return g;
    }
    /* Alike: of the same agent and kind, with the same action, else with the
     * same shape of the title. */
    struct arena *own = arena_within(v->a);
    const struct json *action = json_get(row_facts(own, s), "action");
    const struct str name = arena_str(v->a, json_get_text(action, "name"));
    arena_free(own);
    buf_str(&b, s->asked_by);
    buf_char(&b, '\n');
    buf_int(&b, s->kind);
    buf_char(&b, '\n');
    if (name.n > 0 && name.n < 512)
        buf_str(&b, name);
    else
        row_put_shape(&b, title);
    g.key = buf_text(&b);
    g.name = name.n > 0 ? name : title;
    return g;
}

static void row_add_group(struct page_view *v, struct json *list,
                          const struct row_group *g, enum inbox_row_group by,
                          bool odd)
{
    struct json *o = json_object(v->a), *heading = json_object(v->a);
    if (json_count(g->rows) == 0)
        return;
    const struct str name = odd ? STR("Other requests") : g->name;
    json_set_text(heading, "name", words_cut(v->a, name, NAME_MAX));
    json_set_text(heading, "named",
                  words_name(v->a, words_plain(v->a, name, NAME_MAX)));
    json_set_text(heading, "why",
                  odd                    ? STR("no similar ones on this page")
                  : by == INBOX_ROW_LIKE ? g->first->asked_by
                                         : STR_NONE);
    json_set_json(o, "heading", by == INBOX_ROW_NONE ? NULL : heading);
    json_set_json(o, "rows", g->rows);
    json_add_json(list, o);
}

/* Was it ticked when its reader left the list for the page that confirms? The
 * address has the ids of those, with a dot between two. */
static bool row_is_picked(struct call *c, struct str id)
{
    struct str rest = request_query(c->rq, "picked");
    while (rest.p) {
        if (str_eq(str_cut(&rest, '.'), id))
            return true;
    }
    return false;
}

/* A row of the list, with a link to the list of its agent alone. */
static struct json *row_listed(struct call *c, struct page_view *v,
                               const struct suspension *s)
{
    struct page_list_row row;
    struct str to;
    page_list_row_begin(&row, c, v);
    struct json *o = inbox_row(&row.view, s);
    /* The effect of silence so far: the time of a step has passed, and another
     * recipient was notified. */
    const bool escalated = retry_escalated(row.call.a, s, &to);
    json_set_bool(o, "picked", row_is_picked(c, s->id));
    json_set_bool(o, "overdue", s->attempt > 1);
    json_set_text(o, "escalated",
                  !escalated                ? STR("")
                  : str_eq(to, c->who.name) ? STR("Escalated to you")
                                            : STR("Escalated"));
    const bool there = page_list_filter(c, "agent").p;
    json_set_text(o, "agent_url",
                  there ? STR("")
                        : page_list_url(c, "/inbox", "agent", s->asked_by));
    return page_list_row_end(&row, o);
}

struct json *inbox_row_groups(struct call *c, struct page_view *v,
                              struct suspension_rows rows,
                              enum inbox_row_group by)
{
    struct json *list = json_array(v->a);
    struct row_group *g = arena_many(v->a, rows.n + 1, struct row_group);
    struct row_group odd = {.rows = json_array(v->a)};
    size_t n = 0;
    for (size_t i = 0; i < rows.n; i++) {
        const struct row_group own = row_group_of(v, &rows.v[i], by);
        size_t k = 0;
        while (k < n && !str_eq(g[k].key, own.key))
            k++;
        if (k == n)
            g[n++] = own;
        json_add_json(g[k].rows, row_listed(c, v, &rows.v[i]));
    }
    for (size_t k = 0; k < n && by == INBOX_ROW_LIKE; k++) {
        if (json_count(g[k].rows) > 1)
            continue;
        json_add_json(odd.rows, json_at(g[k].rows, 0));
        json_drop(g[k].rows, 0);
    }
    row_add_group(v, list, &odd, by, true);
    for (size_t k = 0; k < n; k++)
        row_add_group(v, list, &g[k], by, false);
    return list;
}
