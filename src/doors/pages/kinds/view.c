/* The part of a view that depends on the kind. Never loads, never decides. */
#include "doors/pages/kinds/kinds.h"

struct json *kinds_view(struct page_view *v, const struct kinds_of *of)
{
    struct json *o = json_object(v->a);
    if (of->s->kind == KIND_NONE)
        return NULL;
    json_set_json(o, "plan", kinds_plan(v, of));
    json_set_json(o, "elicitation", kinds_elicitation(v, of));
    json_set_json(o, "credential", kinds_credential(v, of));
    json_set_json(o, "handoff", kinds_handoff(v, of));
    json_set_json(o, "approval", kinds_approval(v, of));
    json_set_json(o, "permission", kinds_permission(v, of));
    json_set_json(o, "cost", kinds_cost(v, of));
    return o;
}
