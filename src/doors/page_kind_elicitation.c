/* A question for something that the agent does not know: what it asks for, in
 * its words. The fields are those of page_fields.h. Never loads, never
 * decides. */
#include "doors/page_kind.h"
#include "doors/page_kind_card.h"

struct json *page_kind_elicitation(struct page_view *v,
                                   const struct page_kind_of *of)
{
    if (of->s->kind != KIND_ELICITATION)
        return NULL;
    struct page_kind_card c = page_kind_card(v, of->s->subject);
    struct json *o = json_object(v->a);
    json_set_json(o, "agent", page_view_text(v, of->s->asked_by));
    page_kind_card_set_text(&c, o, "prompt", "prompt");
    page_kind_card_set_rest(&c, o);
    json_set_bool(o, "is_told", json_count(c.subject) > 0);
    return o;
}
