/* The page of an agent: how its requests ended in the last days, those that are
 * open, the newest that ended, and those on the target of a request from which
 * the reader came. */
#include "base/clock.h"
#include "doors/asking/question.h"
#include "doors/pages/browse/browse.h"
#include "doors/pages/question/row.h"
#include "doors/pages/shell/badge.h"
#include "doors/pages/shell/list.h"
#include "doors/pages/shell/page.h"
#include "store/agent/agents.h"

#define DAYS 30
#define ROWS 10  /* of each list */
#define TARGET_ROWS 5
#define TARGET_MAX 2000 /* bytes of a target that is searched for */
#define NAME_MAX 300 /* characters, of whoever asked */

/* ---- figures ---------------------------------------------------------- */

static void agent_add_figure(struct json *list, struct arena *a,
                             const char *label, struct str value,
                             struct str second)
{
    struct json *o = json_object(a);
    json_set_text(o, "label", str_of(label));
    json_set_text(o, "value", value);
    json_set_text(o, "second", second);
    json_add_json(list, o);
}

/* Those that are there; approved, rejected and expired always. */
static struct json *agent_figures(struct arena *a,
                                  const struct agents_figures *f)
{
    static const enum outcome shown[] = {
        OUTCOME_AUTHORIZED, OUTCOME_VETOED,   OUTCOME_CHANGES_REQUESTED,
        OUTCOME_ANSWERED,   OUTCOME_ACCEPTED, OUTCOME_DECLINED,
        OUTCOME_EXPIRED,    OUTCOME_WITHDRAWN, OUTCOME_NONE};
    struct json *list = json_array(a);
    agent_add_figure(
        list, a, "Asked",
        page_list_count(a, f->ended + f->open, AGENTS_LOOK_MAX),
        f->open > 0 ? arena_join(a,
                                 page_list_count(a, f->open, AGENTS_COUNT_MAX),
                                 STR(" open"))
                    : STR(""));
    for (size_t i = 0; i < countof(shown); i++) {
        const enum outcome o = shown[i];
        const int64_t n = f->endings[o] +
                          (o == OUTCOME_ANSWERED ? f->endings[OUTCOME_FALLBACK]
                                                 : 0);
        const bool always = o == OUTCOME_AUTHORIZED || o == OUTCOME_VETOED ||
                            o == OUTCOME_EXPIRED;
        const bool changed = o == OUTCOME_AUTHORIZED && f->changed > 0;
        if (n > 0 || always)
            agent_add_figure(
                list, a, vocabulary_outcome(o)->label, words_count(a, n),
                changed ? arena_join(a, words_count(a, f->changed),
                                     STR(" with changes"))
                        : STR(""));
    }
    agent_add_figure(list, a, "Median wait",
                     f->median > 0 ? words_span(a, f->median) : STR("none"),
                     STR("for an answer"));
    return list;
}

/* ---- lists ------------------------------------------------------------ */

static void agent_add_row(struct call *c, struct page_view *v,
                          struct json *list, const struct suspension *s)
{
    struct page_list_row row;
    page_list_row_begin(&row, c, v);
    const struct json *o = question_row(&row.call, &row.view, s);
    json_add_json(list, page_list_row_end(&row, o));
}

static struct str agent_target(struct arena *a, const struct suspension *s)
{
    return str_trim(json_get_text(suspension_subject(a, s), "target"));
}

/* `target` and `same`: what was asked on the target of the question that the
 * address names. */
static const struct err *agent_set_same(struct call *c, struct page_view *v,
                                        struct str name, struct json *view)
{
    const struct str id = page_list_filter(c, "question");
    struct json *list = json_array(c->a);
    struct suspension s;
    struct suspension_rows rows;
    json_set_text(view, "target", STR(""));
    json_set_json(view, "same", list);
    if (!id.p)
        return NULL;
    TRY(question_get(c, id, &s));
    const struct str target = agent_target(c->a, &s);
    if (target.n == 0 || target.n > TARGET_MAX || !str_eq(s.asked_by, name))
        return NULL;
    struct json *text = json_object(c->a);
    json_set_text(text, "t", target);
    TRY(agents_on_target(c->pg, c->a, &s,
                         json_dump(c->a, json_get(text, "t"), TARGET_MAX * 6),
                         &rows));
    json_set_text(view, "target", target);
    for (size_t i = 0; i < rows.n && json_count(list) < TARGET_ROWS; i++) {
        if (str_eq(agent_target(c->a, &rows.v[i]), target))
            agent_add_row(c, v, list, &rows.v[i]);
    }
    return NULL;
}

const struct err *browse_agent(struct call *c)
{
    const struct str name = page_list_filter(c, "name");
    struct page_view v = page_begin(c);
    struct json *view = json_object(c->a);
    struct json *open = json_array(c->a), *ended = json_array(c->a);
    struct agents_figures f;
    struct suspension_rows rows;
    if (!name.p || str_runes(name) > NAME_MAX)
        return page_list_bad();
    TRY(agents_newest(c->pg, c->a, name, ROWS, &rows));
    if (rows.n == 0)
        return ERROR(ERR_NOT_FOUND, "agent.unknown",
                     "No agent with this name has asked.");
    TRY(agents_figures(c->pg, c->a, name,
                       v.now - DAYS * 86400 * CLOCK_SECOND, &f));
    for (size_t i = 0; i < rows.n; i++)
        agent_add_row(c, &v,
                      rows.v[i].state == SUSPENSION_PENDING ? open : ended,
                      &rows.v[i]);
    json_set_text(view, "name", name);
    json_set_bool(view, "of_agent", true);
    json_set_bool(view, "all_open", true); /* that have no outcome */
    json_set_text(view, "letter", str_head(name, 1));
    json_set_json(view, "figures", agent_figures(c->a, &f));
    json_set_bool(view, "more", f.more);
    json_set_text(view, "open_count",
                  page_list_count(c->a, f.open, AGENTS_COUNT_MAX));
    json_set_bool(view, "open_more", f.open > ROWS);
    json_set_json(view, "open", open);
    json_set_json(view, "ended", ended);
    TRY(agent_set_same(c, &v, name, view));
    return page_render(
        c, 200, "browse/agent",
        arena_z(c->a, words_name(c->a, words_plain(c->a, name,
                                                   PAGE_VIEW_TAB))),
        view);
}
