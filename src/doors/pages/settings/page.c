/* The parts that the settings pages share: their tabs, cells, counts, and the
 * actions on the page of one thing. */
#include "doors/pages/settings/page.h"

#include "doors/pages/settings/settings.h"

#define JOINED_MAX ((size_t)16 << 10)

enum {
    OVERSEERS = ROLE_ADMIN | ROLE_AUDITOR,
    READERS = OVERSEERS | ROLE_OPERATOR,
    PERSONS = READERS | ROLE_USER
};

const struct vocabulary_word settings_page_active = {
    .label = "Active", .tone = "plain", .icon = "check"};

void settings_page_tabs(const struct call *c, struct json *view,
                        const char *path)
{
    static const struct {
        const char *url, *label;
        unsigned who;
    } tabs[] = {{"/settings/profile", "Profile", PERSONS},
                {"/settings/tokens", "Tokens", PERSONS},
                {"/settings/sessions", "Sessions", READERS},
                {"/settings/people", "People", OVERSEERS},
                {"/settings/groups", "Groups", OVERSEERS},
                {"/settings/keys", "Keys", OVERSEERS},
                {"/settings/rules", "Rules", OVERSEERS},
                {"/settings/permits", "Permits", PERSONS},
                {"/settings/resources", "Resources", OVERSEERS},
                {"/settings/endpoints", "Endpoints", OVERSEERS},
                {"/settings/channels", "Channels", OVERSEERS},
                {"/settings/deliveries", "Delivery log", OVERSEERS}};
    struct json *list = json_array(c->a);
    for (size_t i = 0; i < countof(tabs); i++) {
        struct json *o = json_object(c->a);
        if ((tabs[i].who & (unsigned)c->who.role) == 0)
            continue;
        json_set_text(o, "url", str_of(tabs[i].url));
        json_set_text(o, "label", str_of(tabs[i].label));
        json_set_bool(o, "here", str_is(str_of(path), tabs[i].url));
        json_add_json(list, o);
    }
    json_set_json(view, "tabs", list);
}

void settings_page_cell(struct page_view *v, struct json *cells,
                        struct str text, struct str second)
{
    struct json *o = json_object(v->a);
    json_set_text(o, "head", STR(""));
    json_set_text(o, "url", STR(""));
    json_set_text(o, "text", text);
    json_set_text(o, "second", second);
    json_add_json(cells, o);
}

struct str settings_page_joined(struct arena *a, struct str list,
                                const char *sep)
{
    struct json *parsed = NULL;
    struct buf b = buf_make(a, JOINED_MAX);
    if (!list.p || json_parse(a, list, &parsed))
        return STR("");
    for (size_t i = 0; i < json_count(parsed); i++) {
        buf_put(&b, i ? sep : "");
        buf_str(&b, json_text(json_at(parsed, i)));
    }
    return b.n ? buf_text(&b) : STR("");
}

struct str settings_page_count(struct arena *a, int64_t n, int64_t max)
{
    return arena_join(a, str_of(n > max ? "more than " : ""),
                      words_count(a, n > max ? max : n));
}

void settings_page_act(struct arena *a, struct json *acts,
                       const struct settings_page_act *act)
{
    struct json *o = json_object(a);
    json_set_text(o, "do", str_of(act->name));
    json_set_text(o, "heading", str_of(act->heading));
    json_set_text(o, "sentence", str_of(act->sentence));
    json_set_text(o, "label", str_of(act->label));
    json_add_json(acts, o);
}

const struct err *settings_page(struct call *c)
{
    response_see_other(c->rs, STR("/settings/profile"));
    return NULL;
}
