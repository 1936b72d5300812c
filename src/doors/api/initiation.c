/* The proof of which person started a task: a ticket that a person's token
 * makes for one agent, and that the agent hands in with its first check. */
#include "base/json/fields.h"
#include "doors/api/api.h"
#include "doors/asking/view.h"
#include "store/permit/initiations.h"

const struct err *api_initiation_make(struct call *c)
{
    struct json *o = json_object(c->a);
    struct str agent = STR_NONE, ticket;
    int64_t expires_at;
    TRY(call_body(c));
    struct fields f = fields(c->a, c->body, STR(""));
    fields_only(&f, "agent");
    fields_need(&f, "agent");
    fields_text(&f, "agent", PRINCIPAL_AGENT_NAME_MAX, &agent);
    if (!f.e && !principal_agent_name(agent))
        fields_wrong(&f, "agent", "field.value",
                     "This is not the name of an agent.");
    TRY(fields_error(&f));
    if (!c->who.person_id.p)
        return ERROR(ERR_FORBIDDEN, "initiation.person",
                     "Only the token of a person starts a task.");
    TRY(initiations_make(c->pg, c->a, c->who.person_id, agent, &ticket,
                         &expires_at));
    json_set_text(o, "initiation", ticket);
    json_set_text(o, "agent", agent);
    view_set_time(c->a, o, "expires_at", expires_at);
    response_json(c->rs, 201, o);
    response_header(c->rs, "Cache-Control", STR("no-store"));
    return NULL;
}
