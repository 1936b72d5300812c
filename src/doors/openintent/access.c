/* Access control lists of OpenIntent. The calls that would close an intent
 * answer 501 (unsupported.c); reading tells the truth. */
#include "doors/openintent/openintent.h"

const struct err *openintent_access_read(struct call *c)
{
    struct json *o = json_object(c->a);
    struct intent i;
    TRY(call_intent(c, c->param[0], REACH_USE, &i));
    json_set_text(o, "intent_id", i.id);
    json_set_text(o, "default_policy", STR("open"));
    json_set_json(o, "entries", json_array(c->a));
    response_json(c->rs, 200, o);
    return NULL;
}
