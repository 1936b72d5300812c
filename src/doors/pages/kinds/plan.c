/* A plan to review: its steps, its scope, and the earlier plan that was sent
 * back. Never loads, never decides. */
#include "doors/pages/kinds/card.h"
#include "doors/pages/kinds/kinds.h"
#include "doors/pages/kinds/steps.h"
#include "doors/pages/shell/badge.h"
#include "doors/pages/shell/difference.h"
#include "doors/pages/shell/refs.h"

/* The decision on the plan that this one replaces, and its reason. */
static struct json *plan_before(struct page_view *v, const struct kinds_of *of)
{
    const struct suspension *s = of->before;
    struct json *o = json_object(v->a);
    if (!s)
        return NULL;
    json_set_int(o, "revision", of->revision - 1);
    json_set_json(o, "outcome", page_badge_outcome(v, s));
    json_set_text(o, "who", page_badge_who(v->a, s, of->reader));
    page_view_set_time(o, "at", s->responded_at);
    json_set_text(o, "door",
                  str_of(vocabulary_via(s->responded_via)->past));
    json_set_text(o, "words", s->reason);
    json_set_text(o, "suspension_id", s->id);
    json_set_text(o, "intent_id", s->intent_id);
    return o;
}

/* A subject without the parts that have their own comparison, and without the
 * plan's number. */
static struct json *plan_without_steps(struct arena *a, const struct json *of)
{
    struct json *subject = json_copy(a, of);
    struct json *plan = json_get(subject, "plan");
    if (!json_is(subject, JSON_OBJECT))
        return json_object(a);
    if (json_is(plan, JSON_OBJECT)) {
        json_unset(plan, STR("steps"));
        json_unset(plan, STR("version"));
    }
    return subject;
}

/* A plan may have a wider scope with the same steps. The earlier one is in its
 * final form: an approval may have edited it. */
static struct json *plan_besides(struct page_view *v,
                                 const struct kinds_of *of)
{
    if (!of->before)
        return NULL;
    struct json *o = page_difference(
        v, plan_without_steps(v->a, suspension_final(v->a, of->before)),
        plan_without_steps(v->a, suspension_subject(v->a, of->s)), NULL);
    const bool approved = of->before->approved_subject.p != NULL;
    json_set_text(o, "was_head",
                  arena_join(v->a, STR("Revision "),
                             words_count(v->a, of->revision - 1),
                             approved ? STR(", as approved") : STR("")));
    json_set_text(o, "now_head", STR("Now"));
    return o;
}

struct json *kinds_plan(struct page_view *v, const struct kinds_of *of)
{
    struct kinds_card c = kinds_card(v, of->s);
    struct json *o = json_object(v->a);
    const struct json *steps = kinds_card_take_list(&c, "plan.steps");
    const struct str ref = kinds_card_take_text(&c, "plan_ref");
    const struct json *old =
        of->before ? kinds_steps_of(suspension_final(v->a, of->before)) : NULL;
    json_set_json(o, "before", plan_before(v, of));
    json_set_json(o, "besides", plan_besides(v, of));
    json_set_json(o, "steps", kinds_steps(v, steps, old));
    kinds_card_set_text(&c, o, "scope", "plan.scope");
    kinds_card_set_list(&c, o, "outputs", "plan.expected_outputs");
    kinds_card_set_text(&c, o, "risk", "plan.risk_summary");
    kinds_card_set_text(&c, o, "cost", "plan.cost_summary");
    kinds_card_set_text(&c, o, "version", "plan.version");
    kinds_card_set_rest(&c, o);
    json_set_json(o, "saved",
                  ref.n ? page_refs_one(v, STR_NONE, STR_NONE, ref) : NULL);
    return o;
}
