/* What a yes allowed, where that is not what was asked for: the difference, and
 * the exact bytes that count instead. */
#include "doors/page_allowed.h"

#include "doors/page_amend.h"
#include "doors/page_difference.h"
#include "doors/page_facts.h"
#include "doors/page_steps.h"

static struct json *difference(struct page_view *v, const struct suspension *s)
{
    struct json *o = page_amend_difference(v, s);
    json_set_text(o, "hash_short", STR(""));
    return o;
}

/* The bytes that were approved in place of the subject. */
static struct json *facts(struct page_view *v, const struct suspension *s)
{
    const struct page_facts_of of = {
        .id = "allowed",
        .heading = "Approved",
        .note = STR("What counts instead"),
        .folded = true,
        .text = s->approved_subject,
        .sha256 = s->approved_sha256,
        .hash_note = "Exactly these bytes were approved."};
    return s->approved_subject.p ? page_facts(v, &of) : NULL;
}

struct json *page_allowed(struct page_view *v, const struct suspension *s)
{
    struct json *o = json_object(v->a);
    if (!suspension_modified(s))
        return NULL;
    const struct json *now = page_steps_of(v->a, s->approved_subject);
    const struct json *was = page_steps_of(v->a, s->subject);
    const bool steps = now && was && s->kind == KIND_PLAN_REVIEW;
    json_set_json(o, "steps", steps ? page_steps_approved(v, now, was) : NULL);
    json_set_json(o, "difference", steps ? NULL : difference(v, s));
    json_set_json(o, "table", facts(v, s));
    return o;
}
