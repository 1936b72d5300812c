/* The tools of the MCP door that clients call by themselves, before another
 * tool runs: the contract of hooks, for those that cannot post one. */
#include "base/json/fields.h"
#include "doors/hooks/hooks.h"
#include "doors/mcp/mcp.h"

static const struct err *hook_decide(struct mcp *m, struct hooks_call *h,
                                     int64_t seconds)
{
    struct verdict v;
    bool held;
    TRY(hooks_decide(h, seconds, &v, &held));
    if (!held)
        mcp_answer_text(m, hooks_output(h, &v));
    return NULL;
}

const struct err *mcp_hook_permission(struct mcp *m, const struct json *args)
{
    struct hooks_call h = {
        .c = m->c, .form = HOOKS_PROMPT, .token = m->token};
    struct fields f = fields(m->c->a, args, STR(""));
    const struct json *input = NULL;
    int64_t seconds = mcp_hold(m);
    struct str tool, id;
    fields_need(&f, "tool_name");
    fields_text(&f, "tool_name", REQUEST_BODY_MAX, &tool);
    fields_text(&f, "tool_use_id", REQUEST_BODY_MAX, &id);
    fields_need(&f, "input");
    fields_json(&f, "input", JSON_OBJECT, &input);
    fields_int(&f, "hold_seconds", 0, HOOKS_HOLD_MAX, &seconds);
    TRY(fields_error(&f));
    hooks_set_names(&h, tool, id, STR_NONE);
    h.input = json_raw_member(m->c->a, m->text, STR("input"));
    return hook_decide(m, &h, seconds);
}

const struct err *mcp_hook_event(struct mcp *m, const struct json *args)
{
    /* Codex names itself in every request, and nowhere else: a hook's event
     * has no member for the client. */
    const bool codex = str_starts(request_header(m->c->rq, "User-Agent"),
                                  STR("codex-mcp-client/"));
    struct hooks_call h = {.c = m->c, .token = m->token, .bare = codex};
    struct fields f = fields(m->c->a, args, STR(""));
    int64_t seconds = mcp_hold(m);
    fields_int(&f, "hold_seconds", 0, HOOKS_HOLD_MAX, &seconds);
    TRY(fields_error(&f));
    TRY(hooks_read(&h, args, m->text));
    return hook_decide(m, &h, seconds);
}
