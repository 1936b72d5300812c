/* A credential that the agent lacks: whose, of what class, for what, and the
 * address where a person sets it up. No secret is asked for or shown. Never
 * loads, never decides; doors/asking/probe.h finds out whether it is there. */
#include "doors/page_kind.h"
#include "doors/page_kind_card.h"
#include "doors/page_refs.h"

/* The address in parts, so that the host stands out. ask.c lets none pass but
 * our own and https of a host on the list; an address that does not show where
 * it leads is text. */
static struct json *settings(struct page_view *v, struct str url)
{
    struct json *o = json_object(v->a);
    struct page_refs_url parts = {.host = STR_NONE};
    const bool link = page_refs_url(url, "https://", &parts) ||
                      page_refs_url(url, "http://", &parts);
    if (!url.p)
        return NULL;
    json_set_text_or_null(o, "href", link ? url : STR_NONE);
    json_set_text(o, "before", link ? parts.before : STR(""));
    json_set_text(o, "host", link ? parts.host : STR(""));
    json_set_text(o, "after", link ? parts.after : STR(""));
    json_set_json(o, "text", page_view_text(v, url));
    return o;
}

/* Who checks it, and whether that is done: an answer that it is there counts
 * only once the probe has found it. */
static void set_check(struct page_kind_card *c, struct json *o,
                      const struct suspension *s)
{
    const bool probe = json_get_text(c->subject, "probe").n > 0;
    const bool will = probe && s->state == SUSPENSION_PENDING;
    const bool was = probe && str_is(s->outcome, "answered");
    page_kind_card_set_text(c, o, "probe", "probe");
    json_set_bool(o, "will_check", will);
    json_set_bool(o, "was_checked", was);
    json_set_bool(o, "not_checked", !will && !was);
}

struct json *page_kind_credential(struct page_view *v,
                                  const struct page_kind_of *of)
{
    if (of->s->kind != KIND_CREDENTIAL_NEEDED)
        return NULL;
    struct page_kind_card c = page_kind_card(v, of->s->subject);
    struct json *o = json_object(v->a);
    const struct str draft = page_kind_card_take_text(&c, "draft_ref");
    json_set_json(o, "agent", page_view_text(v, of->s->asked_by));
    page_kind_card_set_text(&c, o, "provider", "provider");
    page_kind_card_set_text(&c, o, "class", "credential_class");
    page_kind_card_set_list(&c, o, "scopes", "scopes");
    json_set_json(o, "settings",
                  settings(v, page_kind_card_take_text(&c, "settings_url")));
    json_set_json(o, "draft",
                  draft.n ? page_refs_one(v, STR_NONE, STR_NONE, draft)
                          : NULL);
    json_set_text(o, "intent_url",
                  page_view_path(v->a, "/intents/", of->s->intent_id, ""));
    set_check(&c, o, of->s);
    json_set_bool(o, "is_open", of->s->state == SUSPENSION_PENDING);
    page_kind_card_set_rest(&c, o);
    return o;
}
