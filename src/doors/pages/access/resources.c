/* Settings: the gateways that use permits. An admin registers and removes them,
 * an auditor reads. A gateway comes with a key, which is shown once. */
#include "domain/intent/person.h"
#include "domain/permit/permit.h"
#include "doors/pages/access/access.h"
#include "doors/pages/settings/page.h"
#include "store/permit/resources.h"
#include "store/person/keys.h"

static const struct settings_form_field resources_fields[] = {
    {.key = "identifier", .label = "Address", .type = "string",
     .format = "uri", .required = true, .max = PERMIT_RESOURCE_MAX,
     .help = "Of the gateway, such as https://tools.example.com/mcp. An "
             "address in the list gets one more key"},
    {.key = "name", .label = "Name", .type = "string", .required = true,
     .max = PERSON_NAME_MAX, .help = "Display name"},
    {.key = "bearer", .label = "Accept tokens that are not bound to a key",
     .type = "boolean",
     .help = "For agents that cannot sign their requests (DPoP)"},
};

static const struct err *resources_rows(struct settings_view *v)
{
    static const struct vocabulary_word removed = {
        .label = "Removed", .tone = "plain", .icon = "cross"};
    struct call *c = v->c;
    struct resource_rows found;
    TRY(resources_list(c->pg, c->a, &found));
    for (size_t i = 0; i < found.n; i++) {
        const struct resource *r = &found.v[i];
        const struct settings_cell cells[SETTINGS_PAGE_COLUMNS] = {
            {.text = r->name},
            {.text = r->identifier},
            {.text = r->require_dpop ? STR("Bound to a key")
                                     : STR("Also unbound")},
            {.day = r->created_at},
            {.state = r->removed_at ? &removed : &settings_page_active}};
        settings_page_row(
            v, &(struct settings_row){
                   .cells = cells,
                   .id = r->removed_at ? STR_NONE : r->id,
                   .name = r->name});
    }
    return NULL;
}

/* Adds a resource, or one more key of the one with that address. */
static const struct err *resources_save(struct settings_view *v,
                                        const struct json *values)
{
    struct call *c = v->c;
    struct resource r = {
        .identifier = str_trim(json_get_text(values, "identifier")),
        .require_dpop = !json_bool(json_get(values, "bearer"))};
    if (!permit_resource_ok(r.identifier))
        return err_at(c->a, ERR_INVALID, "field.value", STR("identifier"),
                      "Enter an absolute URL without query or fragment.");
    TRY(person_key_label(c->a, "name", ROLE_RESOURCE,
                         json_get_text(values, "name"), &r.name));
    const struct err *taken = resources_insert(c->pg, c->a, &r);
    if (taken && taken->kind != ERR_CONFLICT)
        return taken;
    if (taken)
        TRY(resources_get(c->pg, c->a, r.identifier, &r));
    struct keys_fresh fresh = {.key = {.role = ROLE_RESOURCE,
                                       .reach = REACH_ALL,
                                       .label = r.name,
                                       .resource_id = r.id}};
    v->once = (struct settings_secret){
        .what = "The key",
        .sentence = "The gateway sends it to Sayso. Sayso stores only a "
                    "digest of it. If you lose it, revoke it under API keys, "
                    "and add the resource again to get a new one.",
        .name = r.name};
    TRY(keys_make(c->pg, c->a, &fresh, &v->once.secret));
    SETTINGS_PAGE_LOG(c, "resource.add resource=%.*s key=%.*s",
                      STR_FMT(r.id), STR_FMT(fresh.key.id));
    return NULL;
}

static const struct err *resources_end(struct settings_view *v)
{
    struct call *c = v->c;
    TRY(resources_remove(c->pg, c->a, v->key));
    SETTINGS_PAGE_LOG(c, "resource.remove resource=%.*s", STR_FMT(v->key));
    return NULL;
}

static const struct settings_action remove_resource = {
    .what = "remove",
    .label = "Remove",
    .verb = "Remove the resource",
    .sentence = "Its keys end now, and permits for it can no longer be used.",
    .none = "Nothing is removed yet.",
    .act = "Remove the resource",
    .run = resources_end};
static const struct settings_page page = {
    .path = "/settings/resources",
    .heading = "Resources",
    .about = "A resource is a gateway that runs tools. It checks each call "
             "with Sayso, which compares it with the permit and counts the "
             "use.",
    .empty_heading = "No resources",
    .empty_sentence = "Agents report the uses of their permits themselves.",
    .noun = "resource",
    .gone = {.kind = ERR_NOT_FOUND,
             .code = "resource.gone",
             .say = WIRE("There is no resource with this id.")},
    .heads = {"Name", "Address", "Tokens", "Added", "State"},
    .by = "Added",
    .falls = true,
    .row = &remove_resource,
    .actions = &remove_resource,
    .actions_n = 1,
    .writers = ROLE_ADMIN,
    .form_heading = "New resource",
    .form_note = "Its key is shown once",
    .form_submit = "Add resource",
    SETTINGS_FORM_ALL(fields, resources_fields),
    .save = resources_save,
    .list = resources_rows};

const struct err *access_resources(struct call *c)
{
    return settings_page_run(c, &page);
}
