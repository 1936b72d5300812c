/* Settings: the channels to people, the recipients allowed on them, and the
 * part of a question that a notice may have. The address of a Slack channel is
 * a secret, so a saved one is never shown whole. */
#include "domain/sending/channel.h"
#include "domain/sending/endpoint.h"
#include "doors/asking/target.h"
#include "doors/pages/settings/destinations.h"
#include "doors/pages/settings/settings.h"

#define TAIL 4 /* visible characters of a hidden address */

static const struct settings_form_option kinds[] = {
    {"mail", "Mail"}, {"slack", "Slack"}, {"webhook", "Webhook"},
    {"push", "Web Push to installed pages"}};
static const struct settings_form_option details[] = {
    {"title", "Title only"},
    {"summary", "Title, question and timeout"},
    {"all", "All: also amount, target, first arguments, explanation, context "
            "and answers"}};

static const struct settings_form_field channels_fields[] = {
    {.key = "kind", .label = "Kind", .type = "enum", .required = true,
     .fresh = true, SETTINGS_FORM_ALL(options, kinds)},
    {.key = "name", .label = "Name", .type = "string", .required = true,
     .max = 120,
     .help = "Name used in a request's channel hint, such as finance-team"},
    {.key = "address", .label = "Address", .type = "text", .required = true,
     .max = 2000,
     .help = "Mail: one or more addresses, separated by commas. Slack: the "
             "URL of the incoming webhook. Webhook: an https URL. Web Push: a "
             "mail address for the push services"},
    {.key = "notify_to", .label = "Allowed recipients", .type = "text",
     .max = 20000,
     .help = "One per line. Mail and Web Push: an address of a person, or "
             "@example.org for a whole domain. Others: a name, or * for any. "
             "Empty: none"},
    {.key = "detail", .label = "Message content", .type = "enum",
     .required = true, .initial = "title",
     SETTINGS_FORM_ALL(options, details)},
    {.key = "every_question",
     .label = "Default channel: also for requests that name no channel",
     .type = "boolean"},
    {.key = "internal", .label = "Internal address", .type = "boolean",
     .help = "Allows private and loopback addresses"},
};

/* The address; of a Slack channel, whose address is a secret,
 * "https://host/…AbCd". */
static struct str channels_address(struct arena *a, const struct endpoint *e)
{
    const struct str s = e->address;
    const size_t host = str_search(s, STR("://")) + 3;
    if (e->kind != ENDPOINT_SLACK)
        return s;
    return arena_join(a, str_sub(s, 0, str_find(s, '/', host)),
                      STR("/\xE2\x80\xA6"),
                      s.n > TAIL ? str_sub(s, s.n - TAIL, s.n) : STR_NONE);
}

static struct json *channels_values(struct settings_view *v)
{
    const struct endpoint *e = v->thing;
    struct arena *a = v->c->a;
    struct json *o = json_object(a), *kept = json_object(a);
    json_set_text(o, "detail", e->detail);
    json_set_text(o, "name", e->name);
    if (e->kind == ENDPOINT_SLACK) {
        json_set_text(kept, "address",
                      arena_join(a, STR("Leave empty to keep "),
                                 channels_address(a, e)));
        json_set_json(o, "kept", kept);
    } else {
        json_set_text(o, "address", e->address);
    }
    json_set_text(o, "notify_to", settings_page_joined(a, e->notify_to, "\n"));
    json_set_bool(o, "every_question", e->every_question);
    json_set_bool(o, "internal", e->internal);
    return o;
}

/* The lines that are not empty, as a JSON list. One more than the limit is
 * read, so that a longer list is refused rather than cut. */
static const struct err *channels_read_notify_to(struct arena *a,
                                                 enum endpoint_kind of,
                                                 struct str text,
                                                 struct str *out)
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

static const struct err *channels_read(struct arena *a, const struct json *v,
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
    if (of != ENDPOINT_MAIL && of != ENDPOINT_PUSH)
        TRY(target_check(a, "address", e->address, e->internal));
    return channels_read_notify_to(a, of, json_get_text(v, "notify_to"),
                                   &e->notify_to);
}

static void channels_cells(struct arena *a, const struct endpoint *e,
                           struct settings_cell *cells)
{
    const struct str who = settings_page_joined(a, e->notify_to, ", ");
    cells[0].text = e->name;
    cells[0].second = str_of(vocabulary_endpoint_kind(e->kind)->label);
    cells[1].text = channels_address(a, e);
    cells[1].second = e->internal ? STR("internal address") : STR_NONE;
    cells[2].text = who.n ? who : STR("none");
    for (size_t i = 0; i < countof(details); i++) {
        if (str_is(e->detail, details[i].value))
            cells[2].second = str_of(details[i].label);
    }
    if (e->every_question)
        cells[2].second =
            arena_join(a, cells[2].second, STR("; default channel"));
}

static const struct settings_destinations own = {.channels = true,
                                                 .unique = "name",
                                                 .cells = channels_cells,
                                                 .read = channels_read};
static const struct settings_page page = {
    .own = &own,
    .path = "/settings/channels",
    .heading = "Channels",
    .about = "Channels notify people of new requests. A message contains a "
             "link to the request. Nobody can answer in the message itself.",
    .noun = "channel",
    .empty_heading = "No channels yet",
    .empty_sentence = "Create one here. Without a channel, nobody is "
                      "notified, and requests wait in the inbox.",
    .heads = {"Name", "Address", "Allowed recipients", "State",
              "Deliveries"},
    .by = "Name",
    .form_heading = "New channel",
    .form_note = "The secret of a webhook is shown once",
    .form_submit = "Create channel",
    SETTINGS_FORM_ALL(fields, channels_fields),
    .values = channels_values,
    .actions = settings_destinations_actions,
    .actions_n = SETTINGS_DESTINATIONS_ACTIONS,
    .writers = ROLE_ADMIN,
    .save = settings_destinations_save,
    .list = settings_destinations_rows,
    .load = settings_destinations_load,
    .one = settings_destinations_one};

const struct err *settings_channels(struct call *c)
{
    return settings_page_run(c, &page);
}
