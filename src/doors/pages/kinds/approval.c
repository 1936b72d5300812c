/* An approval: its calls, their input, and the claims. */
#include "doors/pages/kinds/kinds.h"

#include "domain/kind/subject.h"
#include "doors/pages/kinds/card.h"
#include "doors/pages/kinds/risk_note.h"

#define CALLS_MAX 100 /* with a table of their own */

/* ---- calls ------------------------------------------------------------ */

/* Can the head of a call show the whole value? */
static bool is_head(const struct json *value)
{
    const struct str s = json_text(value);
    return s.n > 0 && str_runes(s) <= PAGE_VIEW_TITLE &&
           str_find(s, '\n', 0) == s.n;
}

/* The arguments by their names; where the call has other members, all by their
 * paths, so that none is taken for an argument. */
static const struct json *values(struct arena *a, const struct json *call)
{
    const struct json *args = json_get(call, "args");
    struct json *rest = json_copy(a, call);
    if (is_head(json_get(call, "tool")))
        json_unset(rest, STR("tool"));
    if (is_head(json_get(call, "target")))
        json_unset(rest, STR("target"));
    return json_is(args, JSON_OBJECT) && json_count(rest) == 1 ? args : rest;
}

static void add_call(struct kinds_card *c, struct json *list,
                     const struct json *call, size_t i)
{
    const struct json *target = json_get(call, "target");
    const struct kinds_card_table t = {
        .n = i + 1,
        .heading = "",
        .tool = json_get_text(call, "tool"),
        .target = kinds_card_text(c, target),
        .value = values(c->v->a, call),
        .always = true};
    kinds_card_add_table(c, list, &t);
}

static void add_calls(struct kinds_card *c, struct json *list,
                      const struct json *calls)
{
    for (size_t i = 0; i < json_count(calls); i++) {
        if (i < CALLS_MAX)
            add_call(c, list, json_at(calls, i), i);
        else
            c->v->cut += (int64_t)subject_values(json_at(calls, i));
    }
}

static struct str calls_note(struct kinds_card *c, size_t n)
{
    struct buf b = buf_make(c->v->a, 512);
    if (n == 0)
        return STR("");
    if (n == 1)
        return STR("One call. An approval covers exactly these values.");
    buf_put(&b, "One decision for all ");
    buf_str(&b, words_many(c->v->a, (int64_t)n, "call"));
    buf_put(&b, ". An approval covers exactly these values.");
    if (n > CALLS_MAX)
        buf_printf(&b, " The first %d are shown here, all of them below.",
                   CALLS_MAX);
    return buf_text(&b);
}

/* The input that the agent shows, and the amount that it withholds. */
static void add_input(struct kinds_card *c, struct json *list)
{
    const struct json *input = kinds_card_take(c, "safe_input");
    const struct json *omitted = json_get(input, "omitted_count");
    struct json *shown = json_copy(c->v->a, input);
    struct buf note = buf_make(c->v->a, 256);
    if (!json_is(input, JSON_OBJECT))
        return;
    if (json_is(omitted, JSON_INT)) {
        json_unset(shown, STR("omitted_count"));
        buf_put(&note, "The agent reports that it left out ");
        buf_str(&note, words_many(c->v->a, json_int(omitted), "value"));
        buf_char(&note, '.');
    }
    const struct json *fields = json_get(shown, "fields");
    const bool only = json_count(shown) == 1 && json_is(fields, JSON_OBJECT);
    const struct kinds_card_table t = {.heading = "Input",
                                       .note =
                                           note.n ? buf_text(&note) : STR(""),
                                       .value = only ? fields : shown,
                                       .always = true};
    kinds_card_add_table(c, list, &t);
}

static struct json *tables(struct kinds_card *c, const struct json *calls)
{
    struct json *list = json_array(c->v->a);
    add_calls(c, list, calls);
    add_input(c, list);
    const struct kinds_card_table limits = {
        .heading = "Limits",
        .note = STR("Proposed by the agent"),
        .value = kinds_card_take(c, "constraints")};
    const struct kinds_card_table details = {
        .heading = "Requested authorization",
        .value = kinds_card_take(c, "authorization_details")};
    if (limits.value)
        kinds_card_add_table(c, list, &limits);
    if (details.value)
        kinds_card_add_table(c, list, &details);
    return list;
}

/* ---- facts and claims ----------------------------------------------- */

static struct json *facts(struct kinds_card *c)
{
    struct json *list = json_array(c->v->a);
    kinds_card_add_fact(c, list, "Action", kinds_card_take(c, "action.name"));
    kinds_card_add_fact(c, list, "Provider",
                        kinds_card_take(c, "action.provider"));
    kinds_card_add_fact(c, list, "Target", kinds_card_take(c, "target"));
    return list;
}

/* unstated: show that no consequence was stated? */
static struct json *claims(struct kinds_card *c, bool unstated)
{
    struct json *list = json_array(c->v->a);
    const struct json *back = kinds_card_take(c, "reversible");
    const struct json *scope = kinds_card_take(c, "scope_summary");
    const struct json *then = kinds_card_take(c, "consequence");
    kinds_card_add_claim(c, list, "Reversible",
                         !json_is(back, JSON_BOOL) ? STR_NONE
                         : json_bool(back)         ? STR("Yes")
                                                   : STR("No"),
                         STR_NONE);
    kinds_card_add_claim(c, list, "Scope", kinds_card_text(c, scope),
                         STR_NONE);
    const struct str stated = kinds_card_text(c, then);
    kinds_card_add_claim(
        c, list, "Consequence",
        unstated && !stated.p ? STR(KINDS_RISK_NOTE_NONE) : stated, STR_NONE);
    return list;
}

struct json *kinds_approval(struct page_view *v, const struct kinds_of *of)
{
    struct kinds_card c = kinds_card(v, of->s->subject);
    const struct json *calls = kinds_card_take(&c, "calls");
    struct json *o = json_object(v->a);
    json_set_text(o, "calls_note", calls_note(&c, json_count(calls)));
    json_set_json(o, "facts", facts(&c));
    json_set_json(o, "claims", claims(&c, kinds_risk_note_unstated(of->s)));
    struct json *list = tables(&c, calls);
    kinds_card_add_rest(&c, list);
    json_set_json(o, "tables", list);
    return o;
}
