/* The empty inbox: the steps to the first request for who decides on a new
 * server, else the answers that the reader gave today. Decides nothing. */
#include "doors/pages/inbox/empty.h"

#include "base/clock_text.h"
#include "doors/pages/shell/view.h"
#include "store/agent/agents.h"
#include "world/template/zone.h"

#define LINE_MAX ((size_t)4 << 10)

/* A line to copy, with the address of this server. */
static void empty_set_line(struct call *c, struct json *o, const char *key,
                           const char *before, const char *after)
{
    json_set_text(o, key,
                  arena_join(c->a, str_of(before), c->serve->conf->public_url,
                             str_of(after)));
}

static struct json *empty_first(struct call *c, const struct agents_first *f)
{
    struct json *o = json_object(c->a);
    const bool admin = c->who.role == ROLE_ADMIN;
    json_set_text(o, "name", c->who.title);
    json_set_bool(o, "admin", admin);
    /* Keys and channels are not an operator's steps. */
    json_set_bool(o, "keys", admin && f->keys);
    json_set_bool(o, "told", admin && f->told);
    empty_set_line(c, o, "curl", "curl ",
                   "/api/v1/suspensions \\\n"
                   "  -H 'X-API-Key: YOUR_KEY' \\\n"
                   "  -H 'Content-Type: application/json' \\\n"
                   "  -d '{\"question\": \"May I say hello?\", "
                   "\"response_type\": \"confirm\"}'");
    empty_set_line(c, o, "claude",
                   "claude mcp add --transport http sayso ",
                   "/mcp \\\n  --header 'Authorization: Bearer YOUR_KEY'");
    empty_set_line(c, o, "codex", "[mcp_servers.sayso]\nurl = \"",
                   "/mcp\"\nbearer_token_env_var = \"SAYSO_AGENT_KEY\"");
    return o;
}

/* When the reader's day began. */
static int64_t empty_today(struct call *c, int64_t now)
{
    const struct str zone = c->who.account.time_zone;
    struct zone_time shown;
    int64_t day = 0;
    zone_at(zone, now, &shown);
    const struct str date = str_head(str_of(shown.text), 10);
    (void)clock_parse(arena_join(c->a, date, STR("T00:00:00Z")), &day);
    return zone_day(zone, day);
}

static struct json *empty_done(struct call *c,
                               const struct agents_answered *n)
{
    struct json *o = json_object(c->a);
    const bool more = n->n > AGENTS_LOOK_MAX;
    page_view_set_count(o, "n",
                        (size_t)(more ? AGENTS_LOOK_MAX : n->n));
    json_set_bool(o, "more", more);
    json_set_int(o, "median", n->median);
    return o;
}

const struct err *inbox_empty(struct call *c, int64_t now, struct json *view)
{
    struct agents_first f;
    struct agents_answered n;
    if (!principal_decides(&c->who))
        return NULL;
    TRY(agents_first(c->pg, c->a, now, &f));
    if (!f.asked) {
        json_set_json(view, "first", empty_first(c, &f));
        return NULL;
    }
    TRY(agents_answered(c->pg, c->a, c->who.name, empty_today(c, now), &n));
    json_set_json(view, "done", empty_done(c, &n));
    return NULL;
}
