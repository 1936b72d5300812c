/* Access control lists of OpenIntent. The calls that would change one answer
 * 501 (unsupported.c); reading tells which agents the server lets in. */
#include "base/clock.h"
#include "base/clock_text.h"
#include "doors/openintent/openintent.h"
#include "store/leases.h"

/* Reach knows one measure: an agent that is tied to an intent may use it in
 * every way (domain/reach.h). */
#define PERMISSION STR("admin")

static struct json *entry(struct arena *a, struct str agent, int64_t until)
{
    struct json *o = json_object(a);
    json_set_text(o, "id", agent);
    json_set_text(o, "principal_id", agent);
    json_set_text(o, "principal_type", STR("agent"));
    json_set_text(o, "permission", PERMISSION);
    json_set_text_or_null(o, "expires_at", clock_naive(a, until));
    return o;
}

const struct err *openintent_access_read(struct call *c)
{
    struct json *o = json_object(c->a), *list = json_array(c->a);
    struct reach_rows rows;
    struct intent i;
    TRY(call_intent(c, c->param[0], REACH_USE, &i));
    TRY(leases_reach(c->pg, c->a, i.id, clock_now(), &rows));
    for (size_t n = 0; n < rows.n; n++)
        json_add_json(list, entry(c->a, rows.v[n].agent_id, rows.v[n].until));
    json_set_text(o, "intent_id", i.id);
    json_set_text(o, "default_policy", STR("open"));
    json_set_json(o, "entries", list);
    response_json(c->rs, 200, o);
    return NULL;
}
