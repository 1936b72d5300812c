/* The part of a view that depends on the kind. Never loads, never decides. */
#include "doors/pages/kinds/kinds.h"

struct json *kinds_view(struct page_view *v, const struct kinds_of *of)
{
    static struct json *(*const views[KIND__MAX])(struct page_view *,
                                                  const struct kinds_of *) = {
        [KIND_APPROVAL] = kinds_approval,
        [KIND_PERMISSION] = kinds_permission,
        [KIND_PLAN_REVIEW] = kinds_plan,
        [KIND_CREDENTIAL_NEEDED] = kinds_credential,
        [KIND_COST_CONFIRMATION] = kinds_cost,
        [KIND_HANDOFF_ACCEPTANCE] = kinds_handoff};
    struct json *o = json_object(v->a);
    if (of->s->kind == KIND_NONE)
        return NULL;
    for (enum kind k = KIND_NONE + 1; k < KIND__MAX; k++) {
        struct json *view = NULL;
        if (k == of->s->kind)
            view = views[k] ? views[k](v, of) : kinds_simple(v, of);
        json_set_json(o, kind_words(k)->wire.p, view);
    }
    return o;
}
