/* An approval: its calls, their input, and the claims. */
#include "doors/pages/kinds/kinds.h"

#include "domain/kind/subject.h"
#include "domain/permit/tool_call.h"
#include "domain/question/risk.h"
#include "doors/pages/kinds/parts.h"

#define CALLS_MAX 100 /* with a table of their own */

/* ---- calls ------------------------------------------------------------ */

/* Can the head of a call show the whole value? */
static bool approval_is_head(const struct json *value)
{
    const struct str s = json_text(value);
    return s.n > 0 && str_runes(s) <= PAGE_VIEW_TITLE &&
           str_find(s, '\n', 0) == s.n;
}

/* A table for each call: its tool and its target (`shared` where it names
 * none) stand in the heading where they fit there, its parts and the other
 * arguments by their names follow. Where the call has other members, all
 * follow by their paths, so that none is taken for an argument. */
static void approval_add_calls(struct kinds_card *c, struct json *list,
                               const struct json *calls, struct str shared)
{
    for (size_t i = 0; i < json_count(calls); i++) {
        const struct json *call = json_at(calls, i);
        const struct json *args = json_get(call, "args");
        const struct json *target = json_get(call, "target");
        const struct str own = kinds_card_text(c, target);
        if (i >= CALLS_MAX) {
            c->v->cut += (int64_t)subject_values(call);
            continue;
        }
        struct json *rest = json_copy(c->v->a, call);
        if (approval_is_head(json_get(call, "tool")))
            json_unset(rest, STR("tool"));
        if (approval_is_head(target))
            json_unset(rest, STR("target"));
        const struct tool_action action =
            tool_action(c->v->a, json_get_text(call, "tool"), args);
        const bool only = json_is(args, JSON_OBJECT) && json_count(rest) == 1;
        const struct json *parts = kinds_parts(c, &action);
        if (parts) {
            args = action.rest;
            json_set_json(rest, "args", args);
        }
        const struct kinds_card_table t = {
            .of = {.n = i + 1,
                   .heading = "",
                   .tool = json_get_text(call, "tool"),
                   .target = target ? own : shared},
            .parts = parts,
            .value = only ? args : rest,
            .always = true};
        kinds_card_add_table(c, list, &t);
    }
}

/* Are the calls the command, the change or the like of a coding agent? That is
 * read before the reason. */
static bool approval_leads(const struct suspension *s,
                           const struct json *tables)
{
    return s->origin == ORIGIN_TOOL_CALL && json_count(tables) == 1 &&
           json_count(json_get(json_at(tables, 0), "parts")) > 0;
}

/* The input that the agent shows, and the amount that it withholds. */
static void approval_add_input(struct kinds_card *c, struct json *list)
{
    const struct json *input = kinds_card_take(c, "safe_input");
    const struct json *omitted = json_get(input, "omitted_count");
    struct json *shown = json_copy(c->v->a, input);
    struct str note = STR("");
    if (!json_is(input, JSON_OBJECT))
        return;
    if (json_is(omitted, JSON_INT)) {
        json_unset(shown, STR("omitted_count"));
        note = arena_join(c->v->a, STR("The agent reports that it left out "),
                          words_many(c->v->a, json_int(omitted), "value"),
                          STR("."));
    }
    const struct json *fields = json_get(shown, "fields");
    const bool only = json_count(shown) == 1 && json_is(fields, JSON_OBJECT);
    const struct kinds_card_table t = {
        .of = {.heading = "Input", .note = note},
        .value = only ? fields : shown,
        .always = true};
    kinds_card_add_table(c, list, &t);
}

/* ---- facts and claims ----------------------------------------------- */

/* Is the value the tool of the only call, or one of its arguments? Then it
 * stands there. */
static bool approval_repeats(const struct json *calls,
                             const struct json *value)
{
    const struct json *call = json_at(calls, 0);
    bool same = json_equal(value, json_get(call, "tool"));
    if (json_count(calls) != 1 || !value)
        return false;
    for (struct json_iter i = json_iter(json_get(call, "args"));
         json_next(&i);)
        same = same || json_equal(value, i.value);
    return same;
}

/* The request's target, where the heading of its only call has room for it; p
 * NULL: it stands elsewhere. Of several calls nobody said which are on it. */
static struct str approval_shared(const struct json *calls,
                                  const struct json *target)
{
    const bool lone = json_count(calls) == 1 &&
                      !json_has(json_at(calls, 0), "target") &&
                      !approval_repeats(calls, target);
    return lone && approval_is_head(target) ? json_text(target) : STR_NONE;
}

/* Does the heading of a call have the target already? */
static bool approval_heads(const struct json *calls, const struct json *target)
{
    for (size_t i = 0; i < json_count(calls) && i < CALLS_MAX; i++) {
        if (approval_is_head(target) &&
            json_equal(target, json_get(json_at(calls, i), "target")))
            return true;
    }
    return false;
}

/* Is the action the tool of a call, as in payments.refund_create of the
 * provider payments? */
static bool approval_is_tool(struct arena *a, const struct json *calls,
                             const struct json *action,
                             const struct json *provider)
{
    const struct str name =
        arena_join(a, json_text(provider), STR("."), json_text(action));
    for (size_t i = 0; i < json_count(calls) && i < CALLS_MAX; i++) {
        if (json_text(provider).n > 0 && json_text(action).n > 0 &&
            str_eq(name, json_get_text(json_at(calls, i), "tool")))
            return true;
    }
    return false;
}

/* `final`: of what the agent says cannot be undone, {words} of what follows,
 * where they are short; NULL for all other. */
static struct json *approval_final(struct page_view *v,
                                   const struct suspension *s)
{
    const struct str words =
        json_get_text(suspension_subject(v->a, s), "consequence");
    const bool own = str_eq(words, tool_call_consequence(STR_NONE));
    struct json *o = json_object(v->a);
    json_set_text(o, "words",
                  own || str_runes(words) > PAGE_VIEW_TITLE ? STR_NONE
                                                            : words);
    return risk_irreversible(v->a, s) ? o : NULL;
}

static struct json *approval_claims(struct kinds_card *c,
                                    const struct suspension *s)
{
    /* The agent did not have to state one for the risk that it gave. */
    const bool raised =
        s->severity >= SEVERITY_HIGH && s->severity_said < SEVERITY_HIGH;
    struct json *list = json_array(c->v->a);
    const struct json *back = kinds_card_take(c, "reversible");
    const struct json *scope = kinds_card_take(c, "scope_summary");
    const struct json *then = kinds_card_take(c, "consequence");
    /* Of a tool call the scope is the server's, and the consequence too where
     * the agent states none: they say nothing. */
    if (s->origin == ORIGIN_TOOL_CALL) {
        if (!str_eq(json_text(then), tool_call_consequence(STR_NONE)))
            kinds_card_add_claim(c, list, "Consequence",
                                 kinds_card_text(c, then));
        return list;
    }
    kinds_card_add_claim(c, list, "Reversible",
                         !json_is(back, JSON_BOOL) ? STR_NONE
                         : json_bool(back)         ? STR("Yes")
                                                   : STR("No"));
    kinds_card_add_claim(c, list, "Scope", kinds_card_text(c, scope));
    const struct str stated = kinds_card_text(c, then);
    kinds_card_add_claim(c, list, "Consequence",
                         raised && !stated.p ? STR("No consequence stated")
                                             : stated);
    return list;
}

struct json *kinds_approval(struct page_view *v, const struct kinds_of *of)
{
    struct kinds_card c = kinds_card(v, of->s);
    const struct json *calls = kinds_card_take(&c, "calls");
    struct json *o = json_object(v->a), *facts = json_array(v->a);
    struct json *tables = json_array(v->a), *called = json_object(v->a);
    struct json *call_tables = json_array(v->a);
    const size_t n = json_count(calls);
    page_view_set_count(o, "calls", n);
    page_view_set_count(o, "calls_shown", n > CALLS_MAX ? CALLS_MAX : 0);
    json_set_bool(o, "is_single", n == 1);
    const struct json *action = kinds_card_take(&c, "action.name");
    const struct json *provider = kinds_card_take(&c, "action.provider");
    const struct json *target = kinds_card_take(&c, "target");
    const struct str shared = approval_shared(calls, target);
    const bool is_tool = approval_is_tool(v->a, calls, action, provider);
    if (!is_tool && !approval_repeats(calls, action))
        kinds_card_add_fact(&c, facts, "Action", action);
    if (!is_tool && (provider || !approval_repeats(calls, action)))
        kinds_card_add_fact(&c, facts, "Provider", provider);
    if (!shared.p && !approval_repeats(calls, target) &&
        !approval_heads(calls, target))
        kinds_card_add_fact(&c, facts, "Target", target);
    json_set_json(o, "facts", facts);
    json_set_json(o, "final", approval_final(v, of->s));
    json_set_json(o, "claims", approval_claims(&c, of->s));
    approval_add_calls(&c, call_tables, calls, shared);
    json_set_json(called, "tables", call_tables);
    const bool leads = approval_leads(of->s, call_tables);
    json_set_json(o, "first", leads ? called : NULL);
    json_set_json(o, "called", leads ? NULL : called);
    approval_add_input(&c, tables);
    const struct kinds_card_table limits = {
        .of = {.heading = "Limits", .note = STR("Proposed by the agent")},
        .value = kinds_card_take(&c, "constraints")};
    const struct kinds_card_table details = {
        .of = {.heading = "Requested authorization"},
        .value = kinds_card_take(&c, "authorization_details")};
    if (limits.value)
        kinds_card_add_table(&c, tables, &limits);
    if (details.value)
        kinds_card_add_table(&c, tables, &details);
    kinds_card_add_rest(&c, tables);
    json_set_json(o, "tables", tables);
    json_set_bool(o, "has_action",
                  !leads || json_count(facts) + json_count(tables) > 0);
    return o;
}
