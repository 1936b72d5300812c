/* Settings: the endpoints of agents, to which answers are pushed. */
#include "domain/sending/endpoint.h"
#include "doors/asking/target.h"
#include "doors/pages/settings/destinations.h"
#include "doors/pages/settings/settings.h"

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

static const struct settings_form_field endpoints_fields[] = {
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
     SETTINGS_FORM_ALL(options, events), .help = "All if none is selected"},
    {.key = "internal", .label = "Internal address", .type = "boolean",
     .help = "Allows private and loopback addresses"},
    {.key = "prefix", .label = "For callbacks", .type = "boolean",
     .help = "Receives only answers to requests that name an address below "
             "this one. The address ends with a slash"},
};

static struct json *endpoints_values(struct settings_view *v)
{
    const struct endpoint *e = v->thing;
    struct json *o = json_object(v->c->a);
    json_set_text(o, "name", e->name);
    json_set_text(o, "url", e->address);
    json_set_read(v->c->a, o, "event_types", e->event_types);
    json_set_bool(o, "internal", e->internal);
    json_set_bool(o, "prefix", e->prefix);
    return o;
}

static const struct err *endpoints_read(struct arena *a, const struct json *v,
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

struct str settings_destinations_event(struct str type)
{
    static const struct settings_form_option notices[] = {
        {"suspension.asked", "New request"},
        {"suspension.reminded", "Reminder"},
        {"suspension.escalated", "Escalated"},
        {"coordinator.unresponsive", "Coordinator does not respond"},
        {"digest", "Digest"},
        {"endpoint_test", "Test message"}};
    for (size_t i = 0; i < countof(events) + countof(notices); i++) {
        const struct settings_form_option *o =
            i < countof(events) ? &events[i] : &notices[i - countof(events)];
        if (str_is(type, o->value))
            return str_of(o->label);
    }
    return type;
}

/* The chosen outcomes in words; an unknown outcome as it is. */
static struct str endpoints_outcomes(struct arena *a, struct str list)
{
    struct buf b = buf_make(a, 4096);
    struct json *chosen = NULL;
    if (json_parse(a, list, &chosen))
        return STR("");
    for (size_t i = 0; i < json_count(chosen); i++) {
        buf_put(&b, i ? "; " : "");
        buf_str(&b, settings_destinations_event(
                        json_text(json_at(chosen, i))));
    }
    return b.n ? buf_text(&b) : STR("All");
}

static void endpoints_cells(struct arena *a, const struct endpoint *e,
                            struct settings_cell *cells)
{
    cells[0].text = e->name;
    cells[1].text = e->address;
    cells[1].second = e->prefix     ? STR("for callbacks")
                      : e->internal ? STR("internal address")
                                    : STR_NONE;
    cells[0].second = e->agent.p ? e->agent : STR("all agents");
    cells[2].text = endpoints_outcomes(a, e->event_types);
}

static const struct settings_destinations own = {.channels = false,
                                                 .unique = "url",
                                                 .cells = endpoints_cells,
                                                 .read = endpoints_read};
static const struct settings_page page = {
    .own = &own,
    .path = "/settings/endpoints",
    .heading = "Endpoints",
    .about = "Endpoints receive the outcome of requests, so that an agent's "
             "platform can start the agent again with the answer.",
    .noun = "endpoint",
    .empty_heading = "No endpoints yet",
    .empty_sentence = "Create one here or with an agent's key via the API. "
                      "Without an endpoint, agents wait for the answer "
                      "themselves.",
    .heads = {"Name, agent", "Address", "Outcomes", "State", "Deliveries"},
    .by = "Name, agent",
    .form_heading = "New endpoint",
    .form_note = "The secret is shown once",
    .form_submit = "Create endpoint",
    SETTINGS_FORM_ALL(fields, endpoints_fields),
    .values = endpoints_values,
    .actions = settings_destinations_actions,
    .actions_n = SETTINGS_DESTINATIONS_ACTIONS,
    .writers = ROLE_ADMIN,
    .save = settings_destinations_save,
    .list = settings_destinations_rows,
    .load = settings_destinations_load,
    .one = settings_destinations_one};

const struct err *settings_endpoints(struct call *c)
{
    return settings_page_run(c, &page);
}
