/* Settings: the gateways that use permits. An admin registers and removes them,
 * an auditor reads. A gateway comes with a key, which is shown once. */
#include "base/log.h"
#include "domain/intent/person.h"
#include "domain/permit/permit.h"
#include "doors/pages/access/access.h"
#include "doors/pages/settings/confirm.h"
#include "doors/pages/settings/page.h"
#include "doors/pages/settings/secret.h"
#include "doors/pages/settings/table.h"
#include "doors/pages/shell/page.h"
#include "store/keys.h"
#include "store/resources.h"

#define PATH "/settings/resources"

static const struct settings_form_field fields[] = {
    {.key = "identifier", .label = "Address", .type = "string",
     .format = "uri", .required = true, .max = PERMIT_RESOURCE_MAX,
     .help = "Of the gateway, such as https://tools.example.com/mcp. An "
             "address in the list gets one more key"},
    {.key = "name", .label = "Name", .type = "string", .required = true,
     .max = PERSON_NAME_MAX, .help = "Display name"},
    {.key = "bearer", .label = "Accept tokens that are bound to no key",
     .type = "boolean",
     .help = "For agents that cannot sign their requests (DPoP)"},
};
static const struct settings_table_words words = {
    .path = PATH,
    .title = "Resources",
    .heading = "Resources",
    .about = "A resource is a gateway that runs tools. It checks each call "
             "with Sayso, which compares it with the permit and counts the "
             "use.",
    .empty_heading = "No resources",
    .empty_sentence = "Agents report the uses of their permits themselves.",
    .heads = {"Name", "Address", "Tokens", "Added", "State"},
    .acts = "Remove"};

/* ---- showing -------------------------------------------------------- */

static struct settings_form form_of(struct arena *a, const struct pairs *typed)
{
    return (struct settings_form){.fields = fields,
                                  .fields_n = countof(fields),
                                  .values = json_object(a),
                                  .typed = typed};
}

static void add_row(struct settings_table *t, const struct resource *r)
{
    static const struct vocabulary_word removed = {
        .label = "Removed", .tone = "plain", .icon = "cross"};
    struct arena *a = t->c->a;
    struct buf about = buf_make(a, 1024);
    buf_put(&about, "Remove ");
    buf_str(&about, words_name(a, r->name));
    settings_table_row(t);
    settings_table_text(t, r->name, STR_NONE, STR(""));
    settings_table_text(t, r->identifier, STR_NONE, STR(""));
    settings_table_text(t,
                        r->require_dpop ? STR("Bound to a key")
                                        : STR("Also unbound"),
                        STR_NONE, STR(""));
    settings_table_day(t, r->created_at, "", STR_NONE);
    settings_table_state(t,
                         r->removed_at ? &removed : &settings_page_active);
    if (t->c->who.role == ROLE_ADMIN && !r->removed_at)
        settings_table_act(
            t, &(struct settings_table_act){
                   .label = "Remove",
                   .about = buf_text(&about),
                   .url = page_view_path(a, PATH "?do=remove&key=", r->id,
                                         "")});
}

/* *out is NULL where nothing is asked. */
static const struct err *sure(struct call *c, struct page_view *v,
                              const struct resource_rows *found,
                              struct json **out)
{
    const struct str key = request_query(c->rq, "key");
    *out = NULL;
    if (!request_query(c->rq, "do").p)
        return NULL;
    for (size_t i = 0; i < found->n; i++) {
        if (str_eq(found->v[i].id, key) && !found->v[i].removed_at)
            *out = settings_confirm(
                v, &(struct settings_confirm){
                       .verb = "Remove the resource",
                       .name = found->v[i].name,
                       .sentence = "Its keys end now, and permits for it can "
                                   "no longer be used.",
                       .none = "Nothing is removed yet.",
                       .act = "remove resource",
                       .what = "remove",
                       .url = STR(PATH),
                       .back = STR(PATH),
                       .key = key});
    }
    return *out ? NULL
                : ERROR(ERR_NOT_FOUND, "resource.gone",
                        "There is no resource with this id.");
}

static const struct err *resources_show(struct call *c, int status,
                                        const struct settings_form *s)
{
    struct settings_table t = settings_table(c, &words);
    struct json *asked = NULL;
    struct resource_rows found;
    TRY(resources_list(c->pg, c->a, &found));
    TRY(sure(c, &t.v, &found, &asked));
    for (size_t i = 0; i < found.n; i++)
        add_row(&t, &found.v[i]);
    json_set_json(t.view, "confirm", asked);
    if (c->who.role == ROLE_ADMIN)
        settings_form_view(&t.v, t.view, s,
                           &(struct settings_form_words){
                               .heading = "New resource",
                               .note = "Its key is shown once, after this",
                               .submit = "Add resource",
                               .url = STR(PATH)});
    return settings_table_show(
        &t, status, words_many(c->a, (int64_t)found.n, "resource"));
}

const struct err *access_resources(struct call *c)
{
    const struct settings_form s = form_of(c->a, NULL);
    return resources_show(c, 200, &s);
}

/* ---- changing ------------------------------------------------------- */

/* The resource of the form: a new one, or the one with that address. */
static const struct err *judge(struct call *c, const struct json *v,
                               struct resource *r)
{
    *r = (struct resource){
        .identifier = str_trim(json_get_text(v, "identifier")),
        .require_dpop = !json_bool(json_get(v, "bearer"))};
    if (!permit_resource_ok(r->identifier))
        return err_at(c->a, ERR_INVALID, "field.value", STR("identifier"),
                      "This is no absolute address without a query and a "
                      "fragment.");
    TRY(person_key_label(c->a, "name", ROLE_RESOURCE,
                         json_get_text(v, "name"), &r->name));
    const struct err *e = resources_insert(c->pg, c->a, r);
    return e && e->kind == ERR_CONFLICT
               ? resources_get(c->pg, c->a, r->identifier, r)
               : e;
}

static const struct err *add(struct call *c, const struct pairs *typed)
{
    struct settings_form s = form_of(c->a, typed);
    struct resource r;
    struct str text;
    const struct json *values = settings_form_read(c->a, &s);
    if (values)
        TRY(settings_form_wrong(c->a, &s, judge(c, values, &r)));
    if (s.errors)
        return resources_show(c, 422, &s);
    struct keys_fresh fresh = {.key = {.role = ROLE_RESOURCE,
                                       .reach = REACH_ALL,
                                       .label = r.name,
                                       .resource_id = r.id}};
    TRY(keys_make(c->pg, c->a, &fresh, &text));
    log_line(LOG_NOTICE,
             "settings by=%.*s did=resource.add resource=%.*s key=%.*s",
             STR_FMT(c->who.name), STR_FMT(r.id), STR_FMT(fresh.key.id));
    return settings_secret_keep(
        c, &(struct settings_secret){
               .what = "The key",
               .sentence = "The gateway sends it to Sayso. Sayso stores only "
                           "a digest of it. If you lose it, revoke it under "
                           "Keys, and add the resource once more for another.",
               .name = r.name,
               .secret = text,
               .back = STR(PATH)});
}

const struct err *access_resources_post(struct call *c)
{
    struct pairs typed;
    TRY(page_form(c, &typed));
    const struct str key = pairs_get(typed, "key");
    if (str_is(pairs_get(typed, "do"), "save"))
        return add(c, &typed);
    if (!str_is(pairs_get(typed, "do"), "remove"))
        return ERROR(ERR_BAD_REQUEST, "request.form",
                     "This form is not valid. Reload the page.");
    TRY(resources_remove(c->pg, c->a, key));
    log_line(LOG_NOTICE, "settings by=%.*s did=resource.remove resource=%.*s",
             STR_FMT(c->who.name), STR_FMT(key));
    response_see_other(c->rs, STR(PATH));
    return NULL;
}
