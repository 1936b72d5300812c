/* The changes of a yes, where it allowed something else than was asked for: the
 * difference, and the exact bytes that were approved. */
#include "doors/pages/answer/allowed.h"

#include "doors/pages/answer/amend.h"
#include "doors/pages/kinds/steps.h"
#include "doors/pages/shell/difference.h"
#include "doors/pages/shell/facts.h"

static struct json *difference(struct page_view *v, const struct suspension *s)
{
    struct json *o = answer_amend_difference(v, s);
    json_set_text(o, "hash_short", STR(""));
    return o;
}

/* The bytes that were approved in place of the subject. */
static struct json *facts(struct page_view *v, const struct suspension *s)
{
    const struct page_facts_of of = {
        .id = "allowed",
        .heading = "Approved details",
        .note = STR("Replaces the original request"),
        .folded = true,
        .text = s->approved_subject,
        .sha256 = s->approved_sha256,
        .hash_note = "Exactly these bytes were approved."};
    return s->approved_subject.p ? page_facts(v, &of) : NULL;
}

struct json *answer_allowed(struct page_view *v, const struct suspension *s)
{
    struct json *o = json_object(v->a);
    if (!suspension_modified(s))
        return NULL;
    const struct json *now = kinds_steps_of(v->a, s->approved_subject);
    const struct json *was = kinds_steps_of(v->a, s->subject);
    const bool steps = now && was && s->kind == KIND_PLAN_REVIEW;
    json_set_json(o, "steps",
                  steps ? kinds_steps_approved(v, now, was) : NULL);
    json_set_json(o, "difference", steps ? NULL : difference(v, s));
    json_set_json(o, "table", facts(v, s));
    return o;
}
