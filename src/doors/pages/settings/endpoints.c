/* Settings: the endpoints of agents, to which answers are pushed. */
#include "domain/sending/endpoint.h"
#include "doors/asking/target.h"
#include "doors/pages/settings/destinations.h"
#include "doors/pages/settings/page.h"
#include "doors/pages/settings/settings.h"
#include "doors/pages/shell/page.h"

static const struct settings_form_option events[] = {
    {"intent_authorized", "Approved"},
    {"intent_vetoed", "Rejected"},
    {"intent_changes_requested", "Changes requested"},
    {"intent_resumed", "Answered, agent continues"},
    {"intent_suspension_expired", "Expired"},
    {"intent_suspension_cancelled", "Withdrawn"},
    {"permit_revoked", "Permit revoked"},
    {"event", "Subscribed events only"},
};

static const struct settings_form_field fields[] = {
    {.key = "name", .label = "Name", .type = "string", .required = true,
     .max = 120, .help = "Display name"},
    {.key = "url", .label = "Address", .type = "string", .format = "uri",
     .required = true, .max = 2000,
     .help = "An https URL, or http to this machine. Sayso posts each outcome "
             "there, signed"},
    {.key = "agent", .label = "Agent", .type = "string", .fresh = true,
     .max = 120,
     .help = "Only outcomes of this agent's requests. Empty: all agents"},
    {.key = "event_types", .label = "Outcomes", .type = "multi",
     .options = events, .options_n = countof(events),
     .help = "All if none is selected"},
    {.key = "internal", .label = "Internal address", .type = "boolean",
     .help = "Allows private and loopback addresses"},
    {.key = "prefix", .label = "For callbacks", .type = "boolean",
     .help = "Receives only answers to requests that name an address below "
             "this one. The address ends with a slash"},
};

static struct json *values(struct arena *a, const struct endpoint *e)
{
    struct json *o = json_object(a);
    if (!e)
        return o;
    json_set_text(o, "name", e->name);
    json_set_text(o, "url", e->address);
    json_set_read(a, o, "event_types", e->event_types);
    json_set_bool(o, "internal", e->internal);
    json_set_bool(o, "prefix", e->prefix);
    return o;
}

static const struct err *read(struct arena *a, const struct json *v,
                              struct endpoint *e)
{
    const struct str agent = str_trim(json_get_text(v, "agent"));
    e->name = str_trim(json_get_text(v, "name"));
    e->address = str_trim(json_get_text(v, "url"));
    e->agent = agent.n ? agent : e->agent;
    e->internal = json_bool(json_get(v, "internal"));
    e->prefix = json_bool(json_get(v, "prefix"));
    TRY(endpoint_name(a, "name", e->name));
    TRY(target_check(a, "url", e->address, e->internal));
    TRY(e->prefix ? endpoint_prefix(a, "url", e->address) : NULL);
    if (agent.n && !principal_agent_name(agent))
        return err_at(a, ERR_INVALID, "field.value", STR("agent"),
                      "This is not a valid agent name.");
    return endpoint_types(a, "event_types", json_get(v, "event_types"),
                          &e->event_types);
}

/* The chosen outcomes in words; an unknown outcome as it is. */
static struct str outcomes(struct arena *a, struct str list)
{
    struct buf b = buf_make(a, 4096);
    struct json *chosen = NULL;
    if (json_parse(a, list, &chosen))
        return STR("");
    for (size_t i = 0; i < json_count(chosen); i++) {
        struct str word = json_text(json_at(chosen, i));
        for (size_t k = 0; k < countof(events); k++) {
            if (str_is(word, events[k].value))
                word = str_of(events[k].label);
        }
        buf_put(&b, i ? "; " : "");
        buf_str(&b, word);
    }
    return b.n ? buf_text(&b) : STR("All");
}

static void cells(struct page_view *v, const struct endpoint *e,
                  struct json *out)
{
    settings_page_cell(v, out, e->name, STR_NONE);
    settings_page_cell(v, out, e->address,
                       e->prefix     ? STR("for callbacks")
                       : e->internal ? STR("internal address")
                                     : STR_NONE);
    settings_page_cell(v, out, e->agent.p ? e->agent : STR("all agents"),
                       STR_NONE);
    settings_page_cell(v, out, outcomes(v->a, e->event_types), STR_NONE);
}

static const struct settings_destinations_kind kind = {
    .channels = false,
    .path = "/settings/endpoints",
    .noun = "endpoint",
    .heading = "Endpoints",
    .about = "Endpoints receive the outcome of requests, so that an agent's "
             "platform can start the agent again with the answer.",
    .empty_heading = "No endpoints yet",
    .empty_sentence = "Create an endpoint below or with an agent's key via "
                      "the API. Without one, agents wait for the answer "
                      "themselves.",
    .form_heading = "New endpoint",
    .form_note = "The secret is shown once after you save",
    .submit = "Create endpoint",
    .unique = "url",
    .heads = {"Name", "Address", "Agent", "Outcomes"},
    .fields = fields,
    .fields_n = countof(fields),
    .cells = cells,
    .values = values,
    .read = read,
};

const struct err *settings_endpoints(struct call *c)
{
    return settings_destinations_list(c, &kind);
}

const struct err *settings_endpoints_post(struct call *c)
{
    return settings_destinations_make(c, &kind);
}

const struct err *settings_endpoints_one(struct call *c)
{
    return settings_destinations_one(c, &kind);
}

const struct err *settings_endpoints_act(struct call *c)
{
    return settings_destinations_act(c, &kind);
}
