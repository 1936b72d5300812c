/* Addresses of OpenIntent's SDK that are not a part of Sayso: 501, because 404
 * would say that there is no such vault. */
#include "doors/call/route.h"
#include "doors/openintent/openintent.h"

/* The first part of an address that matches counts. */
static const struct {
    const char *part, *rfc, *say;
} unsupported[] = {
    {"federation", "0022", "Sayso serves one organization."},
    {"/identity", "0018",
     "Sayso does not register the signing keys of agents."},
    {"/memory", "0015", "Sayso does not keep the memory of agents."},
    {"/grants", "0014", "Sayso does not grant tools or keep credentials."},
    {"/vaults", "0014", "Sayso does not grant tools or keep credentials."},
    {"/credentials", "0014",
     "Sayso does not grant tools or keep credentials."},
    {"/invocations", "0014", "Sayso does not call tools."},
    {"/tools/", "0014", "Sayso does not call tools."},
    {"/agents", "0016",
     "Sayso does not keep a register of agents. A key names the agents that "
     "it "
     "speaks for."},
    {"/triggers", "0017", "Sayso does not start work on a schedule."},
    {"/channels", "0021", "Sayso does not carry messages between agents."},
    {"/v1/instances", NULL,
     "Sayso does not issue credentials here. An admin creates a key for each "
     "agent and registers its endpoint."},
    {"/checkpoints", "0019", "Sayso does not sign checkpoints yet."},
    {"/verify/", "0019", "Sayso does not sign checkpoints yet."},
};

const struct err *openintent_unsupported(struct call *c)
{
    const struct str pattern = str_of(c->route->pattern);
    struct json *o = json_object(c->a);
    size_t i = 0;
    while (i + 1 < countof(unsupported) &&
           str_search(pattern, str_of(unsupported[i].part)) == pattern.n)
        i++;
    json_set_text(o, "detail", str_of(unsupported[i].say));
    json_set_text(o, "message", str_of(unsupported[i].say));
    json_set_text(o, "code", STR("feature.unsupported"));
    if (unsupported[i].rfc)
        json_set_text(o, "rfc", str_of(unsupported[i].rfc));
    response_json(c->rs, 501, o);
    return NULL;
}
