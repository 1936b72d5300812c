/* Settings: the channels to people, the recipients allowed on them, and the
 * part of a question that a notice may have. The address of a Slack channel is
 * a secret, so a saved one is never shown whole. */
#include "domain/sending/channel.h"
#include "domain/sending/endpoint.h"
#include "doors/asking/target.h"
#include "doors/pages/settings/destinations.h"
#include "doors/pages/settings/page.h"
#include "doors/pages/settings/settings.h"
#include "doors/pages/shell/page.h"

#define TAIL 4 /* visible characters of a hidden address */

static const struct settings_form_option kinds[] = {
    {"mail", "Mail"}, {"slack", "Slack"}, {"webhook", "Webhook"}};
static const struct settings_form_option details[] = {
    {"title", "Title only"},
    {"summary", "Title, question and timeout"},
    {"all", "All: also explanation, context and answers"}};

static const struct settings_form_field fields[] = {
    {.key = "kind", .label = "Kind", .type = "enum", .required = true,
     .fresh = true, .options = kinds, .options_n = countof(kinds)},
    {.key = "name", .label = "Name", .type = "string", .required = true,
     .max = 120,
     .help = "Name used in a request's channel hint, such as finance-team"},
    {.key = "address", .label = "Address", .type = "text", .required = true,
     .max = 2000,
     .help = "Mail: one or more addresses, separated by commas. Slack: the "
             "URL of the incoming webhook. Webhook: an https URL"},
    {.key = "notify_to", .label = "Allowed recipients", .type = "text",
     .max = 20000,
     .help = "One per line. Mail: an address, or @example.org for a whole "
             "domain. Others: a name, or * for any. Empty: none"},
    {.key = "detail", .label = "Message content", .type = "enum",
     .required = true, .options = details, .options_n = countof(details)},
    {.key = "every_question",
     .label = "Default channel: also for requests that name no channel",
     .type = "boolean", .help = ""},
    {.key = "internal", .label = "Internal address", .type = "boolean",
     .help = "Allows private and loopback addresses"},
};

static bool hides(const struct endpoint *e)
{
    return e->kind == ENDPOINT_SLACK;
}

/* "https://host/…AbCd" */
static struct str hidden(struct arena *a, struct str address)
{
    struct buf b = buf_make(a, 4096);
    const size_t host = str_search(address, STR("://")) + 3;
    buf_str(&b, str_sub(address, 0, str_find(address, '/', host)));
    buf_put(&b, "/\xE2\x80\xA6");
    if (address.n > TAIL)
        buf_str(&b, str_sub(address, address.n - TAIL, address.n));
    return buf_text(&b);
}

static struct json *kept(struct arena *a, const struct endpoint *e)
{
    struct json *o = json_object(a);
    json_set_text(
        o, "address",
        arena_join(a, STR("Leave empty to keep "), hidden(a, e->address)));
    return o;
}

static struct json *values(struct arena *a, const struct endpoint *e)
{
    struct json *o = json_object(a);
    json_set_text(o, "detail", e ? e->detail : STR("title"));
    if (!e)
        return o;
    json_set_text(o, "name", e->name);
    if (hides(e))
        json_set_json(o, "kept", kept(a, e));
    else
        json_set_text(o, "address", e->address);
    json_set_text(o, "notify_to", settings_page_joined(a, e->notify_to, "\n"));
    json_set_bool(o, "every_question", e->every_question);
    json_set_bool(o, "internal", e->internal);
    return o;
}

/* The lines that are not empty, as a JSON list. One more than the limit is
 * read, so that a longer list is refused rather than cut. */
static const struct err *read_notify_to(struct arena *a, enum endpoint_kind of,
                                        struct str text, struct str *out)
{
    struct str v[CHANNEL_NOTIFY_MAX + 1];
    struct json *list = json_array(a);
    size_t n = 0;
    while (text.p && n < countof(v)) {
        const struct str one = str_trim(str_cut(&text, '\n'));
        if (one.n == 0)
            continue;
        v[n++] = one;
        json_add_text(list, one);
    }
    TRY(channel_notify_to(a, "notify_to", of, v, n));
    *out = json_dump(a, list, SIZE_MAX / 2);
    return NULL;
}

static const struct err *read(struct arena *a, const struct json *v,
                              struct endpoint *e)
{
    const struct str word = json_get_text(v, "kind");
    const struct str address = str_trim(json_get_text(v, "address"));
    const enum endpoint_kind of =
        word.p ? vocabulary_endpoint_kind_of(word) : e->kind;
    e->kind = of;
    e->name = str_trim(json_get_text(v, "name"));
    e->detail = json_get_text(v, "detail");
    e->every_question = json_bool(json_get(v, "every_question"));
    e->internal = json_bool(json_get(v, "internal"));
    TRY(endpoint_name(a, "name", e->name));
    TRY(channel_address(a, "address", of, address.n ? address : e->address,
                        &e->address));
    if (of != ENDPOINT_MAIL)
        TRY(target_check(a, "address", e->address, e->internal));
    return read_notify_to(a, of, json_get_text(v, "notify_to"),
                          &e->notify_to);
}

static void cells(struct page_view *v, const struct endpoint *e,
                  struct json *out)
{
    struct str detail = STR("");
    const struct str who = settings_page_joined(v->a, e->notify_to, ", ");
    for (size_t i = 0; i < countof(details); i++) {
        if (str_is(e->detail, details[i].value))
            detail = str_of(details[i].label);
    }
    settings_page_cell(v, out, e->name,
                       str_of(vocabulary_endpoint_kind(e->kind)->label));
    settings_page_cell(v, out,
                       hides(e) ? hidden(v->a, e->address) : e->address,
                       e->internal ? STR("internal address") : STR_NONE);
    settings_page_cell(v, out, who.n ? who : STR("none"), STR_NONE);
    settings_page_cell(v, out, detail,
                       e->every_question
                           ? STR("default channel")
                           : STR_NONE);
}

static const struct settings_destinations_kind kind = {
    .channels = true,
    .path = "/settings/channels",
    .noun = "channel",
    .heading = "Channels",
    .about = "Channels notify people of new requests. A message contains a "
             "link to the request. Nobody can answer in the message itself.",
    .empty_heading = "No channels yet",
    .empty_sentence = "Create a channel below. Without one, nobody is "
                      "notified, and requests wait in the inbox.",
    .form_heading = "New channel",
    .form_note = "The secret of a webhook is shown once after you save",
    .submit = "Create channel",
    .unique = "name",
    .heads = {"Name", "Address", "Allowed recipients", "Message content"},
    .fields = fields,
    .fields_n = countof(fields),
    .cells = cells,
    .values = values,
    .read = read,
};

const struct err *settings_channels(struct call *c)
{
    return settings_destinations_list(c, &kind);
}

const struct err *settings_channels_post(struct call *c)
{
    return settings_destinations_make(c, &kind);
}

const struct err *settings_channels_one(struct call *c)
{
    return settings_destinations_one(c, &kind);
}

const struct err *settings_channels_act(struct call *c)
{
    return settings_destinations_act(c, &kind);
}
