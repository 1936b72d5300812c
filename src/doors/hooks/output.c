/* The answers to hooks, each in the form of its client. */
#include "doors/hooks/hooks.h"

/* The word of the decision: those of a tool rule, and one more. */
const char *hooks_word(const struct hooks_call *h, enum verdict_way way)
{
    const bool early = way == VERDICT_WAIT && h->form == HOOKS_PRE_TOOL;
    if (early && h->late == HOOKS_LATE_DEFER)
        return "defer";
    if (early && h->late == HOOKS_LATE_ASK)
        return vocabulary_tool_effect(TOOL_ASK)->wire.p;
    return vocabulary_tool_effect(way == VERDICT_ALLOW ? TOOL_ALLOW
                                                       : TOOL_DENY)
        ->wire.p;
}

/* Codex knows no word for a yes: it calls the hook failed, and goes on because
 * failed hooks do not stop it. An empty object is a hook without objection. */
static struct json *output_pre_tool(const struct hooks_call *h,
                                    const struct verdict *v)
{
    struct arena *a = h->c->a;
    struct json *o = json_object(a), *all = json_object(a);
    if (h->bare && v->way == VERDICT_ALLOW)
        return all;
    json_set_text(o, "hookEventName", STR("PreToolUse"));
    json_set_text(o, "permissionDecision", str_of(hooks_word(h, v->way)));
    json_set_text(o, "permissionDecisionReason", v->text);
    if (h->updated)
        json_set_json(o, "updatedInput", h->updated);
    json_set_json(all, "hookSpecificOutput", o);
    return all;
}

static struct json *output_behavior(const struct hooks_call *h,
                                    const struct verdict *v)
{
    struct json *o = json_object(h->c->a);
    json_set_text(o, "behavior", str_of(hooks_word(h, v->way)));
    if (v->way != VERDICT_ALLOW)
        json_set_text(o, "message", v->text);
    if (h->updated)
        json_set_json(o, "updatedInput", h->updated);
    return o;
}

static struct json *output_permission(const struct hooks_call *h,
                                      const struct verdict *v)
{
    struct arena *a = h->c->a;
    struct json *o = json_object(a), *all = json_object(a);
    json_set_text(o, "hookEventName", STR("PermissionRequest"));
    json_set_json(o, "decision", output_behavior(h, v));
    json_set_json(all, "hookSpecificOutput", o);
    return all;
}

static struct json *output_gemini(const struct hooks_call *h,
                                  const struct verdict *v)
{
    struct json *o = json_object(h->c->a);
    json_set_text(o, "decision", str_of(hooks_word(h, v->way)));
    json_set_text(o, "reason", v->text);
    if (h->updated) {
        struct json *more = json_object(h->c->a);
        json_set_json(more, "tool_input", h->updated);
        json_set_json(o, "hookSpecificOutput", more);
    }
    return o;
}

static struct json *output_cursor(const struct hooks_call *h,
                                  const struct verdict *v)
{
    struct json *o = json_object(h->c->a);
    json_set_text(o, "permission", str_of(hooks_word(h, v->way)));
    json_set_text(o, "user_message", v->text);
    json_set_text(o, "agent_message", v->text);
    return o;
}

struct json *hooks_output(const struct hooks_call *h, const struct verdict *v)
{
    static struct json *(*const forms[HOOKS_FORM__MAX])(
        const struct hooks_call *h,
        const struct verdict *v) = {[HOOKS_PRE_TOOL] = output_pre_tool,
                                    [HOOKS_PERMISSION] = output_permission,
                                    [HOOKS_PROMPT] = output_behavior,
                                    [HOOKS_GEMINI] = output_gemini,
                                    [HOOKS_CURSOR] = output_cursor};
    return forms[h->form](h, v);
}
