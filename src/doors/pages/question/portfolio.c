/* One portfolio: how far it is, the open questions of its members, and the
 * members, a page at a time. On pages an intent is a task. */
#include "base/clock.h"
#include "doors/pages/question/question.h"
#include "doors/pages/question/row.h"
#include "doors/pages/shell/badge.h"
#include "doors/pages/shell/list.h"
#include "doors/pages/shell/page.h"
#include "store/plan/portfolios.h"

#define SOON (90 * 86400 * CLOCK_SECOND) /* the time left is said in days */
#define QUESTIONS_SHOWN 20

/* ---- head ------------------------------------------------------------- */

static void portfolio_set_head(struct call *c, const struct page_view *v,
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
    json_set_bool(o, "soon", active && p->deadline - v->now < SOON);
    page_view_set_count(o, "threshold", active ? (size_t)p->threshold : 0);
    json_set_bool(o, "whole", p->threshold == 100);
    page_view_set_time(o, "ended", active ? 0 : p->status_at);
    json_set_text(o, "ended_by",
                  p->status_by.p ? page_badge_name(&c->who, p->status_by)
                                 : STR_NONE);
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

static const struct err *portfolio_read_shown(struct call *c,
                                              const struct portfolio *p,
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

static void portfolio_add_filter(struct call *c, struct json *list,
                                 const char *path, const struct shown *s,
                                 enum intent_status status)
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

/* ---- questions -------------------------------------------------------- */

static const struct err *
portfolio_set_questions(struct call *c, struct page_view *v, struct json *view,
                        const struct portfolio *p, const struct shown *s)
{
    struct json *list = json_array(c->a);
    struct portfolios_questions q;
    TRY(portfolios_questions(c->pg, c->a, p->id, QUESTIONS_SHOWN, &q));
    for (size_t i = 0; i < q.rows.n; i++) {
        struct page_list_row row;
        page_list_row_begin(&row, c, v);
        struct json *o = question_row(&row.call, &row.view, &q.rows.v[i]);
        const struct str about = q.rows.v[i].intent_id;
        size_t k = 0;
        while (k < s->members.n && !str_eq(s->members.v[k].intent_id, about))
            k++;
        if (k < s->members.n) { /* else it has just left */
            struct json *task = json_object(row.call.a);
            json_set_text(task, "id", about);
            json_set_text(task, "title", s->members.graph.v[k].title);
            json_set_json(o, "task", task);
        }
        json_add_json(list, page_list_row_end(&row, o));
    }
    json_set_bool(view, "all_open", true);
    json_set_json(view, "questions", list);
    page_view_set_count(view, "questions_all",
                        q.found > (int64_t)q.rows.n ? (size_t)q.found : 0);
    return NULL;
}

/* ---- members ---------------------------------------------------------- */

static void portfolio_set_members(struct call *c, struct json *view,
                                  const char *path, const struct shown *s)
{
    struct json *list = json_array(c->a);
    int64_t before = 0;
    struct str last = STR_NONE;
    for (size_t i = 0; i < s->members.n; i++) {
        const struct portfolio_member *m = &s->members.v[i];
        const struct graph_node *task = &s->members.graph.v[i];
        if (s->only != INTENT_STATUS__MAX && task->status != s->only)
            continue;
        before += i < s->from;
        if (i < s->from || json_count(list) >= PAGE_LIST_ROWS)
            continue;
        const struct question_row_link link = {
            .relation = str_of(vocabulary_member_role(m->role)->label),
            .path = "/intents/",
            .id = m->intent_id,
            .title = task->title,
            .state = vocabulary_intent_status(task->status)};
        json_add_json(list, question_row_link(c->a, &link));
        last = m->intent_id;
    }
    const size_t n = json_count(list);
    const struct page_list_pager pager = {
        .path = path,
        .first = s->first,
        .older = before + (int64_t)n < s->fit ? last : STR_NONE,
        .onward = "Next",
        .shown =
            n ? arena_join(c->a, STR("Tasks "), words_count(c->a, before + 1),
                           STR(" to "), words_count(c->a, before + (int64_t)n),
                           STR(" of "), words_count(c->a, s->fit))
              : STR("No more tasks")};
    json_set_json(view, "members", list);
    json_set_json(view, "pager", page_list_pager(c, &pager));
}

const struct err *question_portfolio(struct call *c)
{
    struct page_view v = page_begin(c);
    struct json *view = json_object(c->a), *filters = json_array(c->a);
    struct portfolio p;
    struct shown s;
    TRY(portfolios_get(c->pg, c->a, c->param[0], &c->who, &p));
    const char *path =
        arena_z(c->a, page_view_path(c->a, "/portfolios/", p.id, ""));
    TRY(portfolio_read_shown(c, &p, &s));
    portfolio_set_head(c, &v, view, &p);
    json_set_int(view, "completed", s.counts[INTENT_COMPLETED]);
    json_set_int(view, "all", (int64_t)s.members.n);
    /* The statuses that some member has. */
    portfolio_add_filter(c, filters, path, &s, INTENT_STATUS__MAX);
    for (unsigned i = 0; i < INTENT_STATUS__MAX; i++) {
        if (s.counts[i] > 0 || s.only == (enum intent_status)i)
            portfolio_add_filter(c, filters, path, &s, (enum intent_status)i);
    }
    json_set_json(view, "filters", filters);
    TRY(portfolio_set_questions(c, &v, view, &p, &s));
    portfolio_set_members(c, view, path, &s);
    return page_render(
        c, 200, "portfolio",
        arena_z(c->a, words_plain(c->a, p.name, PAGE_VIEW_TAB)), view);
}
