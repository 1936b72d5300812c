/* The agents that have asked, by name. */
#include "base/clock.h"
#include "doors/pages/browse/browse.h"
#include "doors/pages/shell/list.h"
#include "doors/pages/shell/page.h"
#include "store/agent/agents.h"

#define DAYS 30
#define NAME_MAX 300 /* characters, of whoever asked */

static struct json *agents_row(struct page_view *v, const struct agent *one)
{
    struct json *o = json_object(v->a);
    const int64_t last =
        one->asked_at > one->ended_at ? one->asked_at : one->ended_at;
    json_set_text(o, "name", one->name);
    json_set_text(o, "letter", str_head(one->name, 1));
    json_set_text(o, "open",
                  one->open
                      ? page_list_count(v->a, one->open, AGENTS_COUNT_MAX)
                      : STR(""));
    json_set_text(o, "ended",
                  page_list_count(v->a, one->ended, AGENTS_COUNT_MAX));
    page_view_set_time(o, "last", last);
    return o;
}

const struct err *browse_agents(struct call *c)
{
    const struct str after = page_list_filter(c, "after");
    struct page_view v = page_begin(c);
    struct json *view = json_object(c->a), *rows = json_array(c->a);
    struct agent_rows found;
    if (str_runes(after) > NAME_MAX)
        return page_list_bad();
    TRY(agents_list(c->pg, c->a, after.p ? after : STR(""),
                    v.now - DAYS * 86400 * CLOCK_SECOND, &found));
    for (size_t i = 0; i < found.n; i++)
        json_add_json(rows, agents_row(&v, &found.v[i]));
    const struct page_list_pager pager = {
        .path = "/agents",
        .first = !after.p,
        .older = found.more ? found.v[found.n - 1].name : STR_NONE,
        .onward = "Next",
        .shown = arena_join(c->a, words_many(c->a, (int64_t)found.n, "agent"),
                            STR(" on this page"))};
    json_set_bool(view, "later", after.p != NULL);
    json_set_json(view, "rows", rows);
    json_set_json(view, "pager", page_list_pager(c, &pager));
    return page_render(c, 200, "browse/agents", "Agents", view);
}
