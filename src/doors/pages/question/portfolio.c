/* One portfolio: how far it is, the open questions of its members, and the
 * members, a page at a time. On pages an intent is a task. */
#include "doors/pages/question/question.h"
#include "doors/pages/question/row.h"
#include "doors/pages/shell/badge.h"
#include "doors/pages/shell/list.h"
#include "doors/pages/shell/page.h"
#include "store/plan/portfolios.h"

#define QUESTIONS_SHOWN 20

/* ---- head ------------------------------------------------------------- */

static struct str threshold(struct arena *a, const struct portfolio *p)
{
    struct buf b = buf_make(a, 64);
    if (p->threshold > 0 && p->threshold < 100)
        buf_printf(&b, "at %d %% of its tasks", (int)p->threshold);
    else if (p->threshold)
        buf_put(&b, "with its last task");
    return buf_text(&b);
}

/* "by Ines Roth" ended it. */
static struct str ended_by(struct call *c, const struct portfolio *p)
{
    return p->status_by.p ? arena_join(c->a, STR("by "),
                                       page_badge_name(&c->who, p->status_by))
                          : STR("");
}

static void set_head(struct call *c, const struct page_view *v,
                     struct json *view, const struct portfolio *p)
{
    struct json *o = json_object(c->a);
    const bool active = p->status == PORTFOLIO_ACTIVE;
    json_set_text(o, "id", p->id);
    json_set_text(o, "name", p->name);
    json_set_bool(o, "test", p->test);
    json_set_text(o, "description", p->description);
    json_set_json(o, "state",
                  page_badge(c->a, vocabulary_portfolio_status(p->status)));
    json_set_int(o, "version", p->version);
    json_set_text(o, "created_by", p->created_by);
    page_view_set_time(o, "since", p->created_at);
    page_view_set_time(o, "deadline", p->deadline);
    json_set_bool(o, "over",
                  active && p->deadline && p->deadline <= v->now);
    json_set_bool(o, "active", active);
    json_set_text(o, "threshold", active ? threshold(c->a, p) : STR(""));
    page_view_set_time(o, "ended", active ? 0 : p->status_at);
    json_set_text(o, "ended_by", ended_by(c, p));
    json_set_json(view, "portfolio", o);
}

/* ---- progress --------------------------------------------------------- */

/* The members, and the part of them that is shown. */
struct shown {
    struct portfolio_members members;
    int64_t counts[INTENT_STATUS__MAX];
    enum intent_status only; /* INTENT_STATUS__MAX: any */
    int64_t fit;             /* members with this status */
    size_t from;             /* the first member that may be on this page */
    bool first;              /* it is the first page */
};

static const struct err *read_shown(struct call *c, const struct portfolio *p,
                                    struct shown *s)
{
    const struct str status = page_list_filter(c, "status");
    const struct str after = page_list_filter(c, "after");
    *s = (struct shown){.only = vocabulary_intent_status_of(status),
                        .first = !after.p};
    if (status.p && s->only == INTENT_STATUS__MAX)
        return page_list_bad();
    TRY(portfolios_members(c->pg, c->a, p->id, &c->who, &s->members));
    for (size_t i = 0; i < s->members.n; i++) {
        const enum intent_status of = s->members.graph.v[i].status;
        s->counts[of]++;
        s->fit += s->only == INTENT_STATUS__MAX || of == s->only;
        if (str_eq(s->members.v[i].intent_id, after))
            s->from = i + 1;
    }
    return after.p && s->from == 0 ? page_list_bad() : NULL;
}

static void add_filter(struct call *c, struct json *list, const char *path,
                       const struct shown *s, enum intent_status status)
{
    const struct vocabulary_word *words = vocabulary_intent_status(status);
    const bool all = status == INTENT_STATUS__MAX;
    const struct page_list_chip chip = {
        .url = page_list_url(c, path, "status", words->wire),
        .label = all ? STR("All") : str_of(words->label),
        .count =
            words_count(c->a, all ? (int64_t)s->members.n : s->counts[status]),
        .icon = words->icon,
        .here = s->only == status};
    page_list_chip(list, c->a, &chip);
}

/* The statuses that some member has, as filters. */
static struct json *filters(struct call *c, const char *path,
                            const struct shown *s)
{
    struct json *list = json_array(c->a);
    add_filter(c, list, path, s, INTENT_STATUS__MAX);
    for (unsigned i = 0; i < INTENT_STATUS__MAX; i++) {
        if (s->counts[i] > 0 || s->only == (enum intent_status)i)
            add_filter(c, list, path, s, (enum intent_status)i);
    }
    return list;
}

/* ---- questions -------------------------------------------------------- */

/* {id, title} of the task that a question is about. */
static struct json *task_of(struct arena *a, const struct shown *s,
                            struct str intent_id)
{
    for (size_t i = 0; i < s->members.n; i++) {
        if (!str_eq(s->members.v[i].intent_id, intent_id))
            continue;
        struct json *o = json_object(a);
        json_set_text(o, "id", intent_id);
        json_set_text(o, "title", s->members.graph.v[i].title);
        return o;
    }
    return NULL; /* it has just left */
}

static const struct err *set_questions(struct call *c, struct page_view *v,
                                       struct json *view,
                                       const struct portfolio *p,
                                       const struct shown *s)
{
    struct json *list = json_array(c->a);
    struct portfolios_questions q;
    TRY(portfolios_questions(c->pg, c->a, p->id, QUESTIONS_SHOWN, &q));
    for (size_t i = 0; i < q.rows.n; i++) {
        struct page_list_row row;
        page_list_row_begin(&row, c, v);
        struct json *o = question_row(&row.call, &row.view, &q.rows.v[i]);
        json_set_json(o, "task",
                      task_of(row.call.a, s, q.rows.v[i].intent_id));
        json_add_json(list, page_list_row_end(&row, o));
    }
    json_set_json(view, "questions", list);
    page_view_set_count(view, "questions_all",
                        q.found > (int64_t)q.rows.n ? (size_t)q.found : 0);
    return NULL;
}

/* ---- members ---------------------------------------------------------- */

static struct json *member(struct arena *a, const struct shown *s, size_t i)
{
    const struct portfolio_member *m = &s->members.v[i];
    const struct graph_node *n = &s->members.graph.v[i];
    const struct question_row_link link = {
        .relation = str_of(vocabulary_member_role(m->role)->label),
        .path = "/intents/",
        .id = m->intent_id,
        .title = n->title,
        .state = vocabulary_intent_status(n->status)};
    return question_row_link(a, &link);
}

/* "Tasks 51 to 100 of 1,000" */
static struct str part(struct arena *a, const struct shown *s, int64_t before,
                       size_t n)
{
    return arena_join(a, STR("Tasks "), words_count(a, before + 1),
                      STR(" to "), words_count(a, before + (int64_t)n),
                      STR(" of "), words_count(a, s->fit));
}

static void set_members(struct call *c, struct json *view, const char *path,
                        const struct shown *s)
{
    struct json *list = json_array(c->a);
    int64_t before = 0;
    struct str last = STR_NONE;
    for (size_t i = 0; i < s->members.n; i++) {
        if (s->only != INTENT_STATUS__MAX &&
            s->members.graph.v[i].status != s->only)
            continue;
        if (i < s->from) {
            before++;
        } else if (json_count(list) < PAGE_LIST_ROWS) {
            json_add_json(list, member(c->a, s, i));
            last = s->members.v[i].intent_id;
        }
    }
    const size_t n = json_count(list);
    const struct page_list_pager pager = {
        .path = path,
        .first = s->first,
        .older = before + (int64_t)n < s->fit ? last : STR_NONE,
        .onward = "Next",
        .shown = n ? part(c->a, s, before, n) : STR("No more tasks")};
    json_set_json(view, "members", list);
    json_set_json(view, "pager", page_list_pager(c, &pager));
}

const struct err *question_portfolio(struct call *c)
{
    struct page_view v = page_begin(c);
    struct json *view = json_object(c->a);
    struct portfolio p;
    struct shown s;
    TRY(portfolios_get(c->pg, c->a, c->param[0], &c->who, &p));
    const char *path =
        arena_z(c->a, page_view_path(c->a, "/portfolios/", p.id, ""));
    TRY(read_shown(c, &p, &s));
    set_head(c, &v, view, &p);
    json_set_int(view, "completed", s.counts[INTENT_COMPLETED]);
    json_set_int(view, "all", (int64_t)s.members.n);
    json_set_json(view, "filters", filters(c, path, &s));
    TRY(set_questions(c, &v, view, &p, &s));
    set_members(c, view, path, &s);
    return page_render(
        c, 200, "portfolio",
        arena_z(c->a, words_plain(c->a, p.name, PAGE_VIEW_TAB)), view);
}
