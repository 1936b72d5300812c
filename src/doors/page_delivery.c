/* Settings: one delivery. What was sent, to the byte, each try and what came
 * of it, the next one, and sending it again. */
#include "base/clock.h"
#include "base/id.h"
#include "doors/page.h"
#include "doors/page_facts.h"
#include "doors/page_settings.h"
#include "store/deliveries.h"
#include "world/wake.h"

static const struct err *load(struct call *c, struct delivery *d,
                              struct delivery_tries *tries)
{
    if (!id_uuid(c->param[0]))
        return ERROR(ERR_NOT_FOUND, "delivery.unknown",
                     "There is no such delivery.");
    return deliveries_get(c->pg, c->a, c->param[0], d, tries);
}

/* "240 ms", "1.2 s" */
static struct str took(struct arena *a, int64_t ms)
{
    struct buf b = buf_make(a, 32);
    if (ms < 1000)
        buf_printf(&b, "%lld ms", (long long)ms);
    else
        buf_printf(&b, "%lld.%lld s", (long long)(ms / 1000),
                   (long long)(ms % 1000 / 100));
    return buf_text(&b);
}

static struct json *tries_of(struct page_view *v,
                             const struct delivery_tries *tries)
{
    struct json *list = json_array(v->a);
    for (size_t i = 0; i < tries->n; i++) {
        const struct delivery_try *t = &tries->v[i];
        struct json *o = json_object(v->a);
        json_set_text(o, "n", words_count(v->a, t->n));
        json_set_json(o, "at", page_view_time(v, t->at));
        json_set_text(o, "took", took(v->a, t->ms));
        struct buf status = buf_make(v->a, 32);
        buf_int(&status, t->status);
        json_set_text(o, "status",
                      t->status ? buf_text(&status) : STR("none"));
        json_set_json(o, "answer", page_view_text(v, t->answer));
        json_add_json(list, o);
    }
    return list;
}

static struct json *state_of(struct arena *a, const struct delivery *d)
{
    static const struct {
        const char *state, *word, *tone, *icon;
    } words[] = {{"delivered", "Delivered", "plain", "check"},
                 {"failed", "Given up", "high", "alert"},
                 {"pending", "Waiting", "plain", "clock"}};
    struct json *o = json_object(a);
    size_t i = 0;
    while (i + 1 < countof(words) && !str_is(d->state, words[i].state))
        i++;
    json_set_text(o, "word", str_of(words[i].word));
    json_set_text(o, "tone", str_of(words[i].tone));
    json_set_text(o, "icon", str_of(words[i].icon));
    return o;
}

/* Is the body itself what goes over the wire? Mail and chat are made of it. */
static bool as_it_is(const struct delivery *d)
{
    return !str_is(d->endpoint_kind, "mail") &&
           !str_is(d->endpoint_kind, "slack");
}

static struct json *sent(struct page_view *v, const struct delivery *d)
{
    struct json *list = json_array(v->a);
    const struct page_facts_of of = {
        .id = "sent",
        .heading = as_it_is(d) ? "What is sent" : "What the message is made of",
        .note = as_it_is(d) ? STR("Exactly the bytes that are signed")
                            : STR("As far as the channel's setting goes"),
        .text = d->body};
    json_add_json(list, page_facts(v, &of));
    return list;
}

static struct json *again(struct call *c, const struct delivery *d)
{
    struct json *o = json_object(c->a);
    const bool pending = str_is(d->state, "pending");
    if (c->who.role != ROLE_ADMIN)
        return NULL;
    json_set_text(o, "url",
                  page_view_path(c->a, "/settings/deliveries/", d->id, ""));
    json_set_text(o, "label", pending ? STR("Send now") : STR("Send again"));
    json_set_text(o, "sentence",
                  as_it_is(d) ? STR("The same bytes under the same number, "
                                    "so a receiver that has it knows it.")
                              : STR("The same message once more."));
    return o;
}

static void set_head(struct page_view *v, struct json *view,
                     const struct delivery *d)
{
    struct arena *a = v->a;
    struct buf event = buf_make(a, 32);
    buf_printf(&event, "#e%lld", (long long)d->event_sequence);
    json_set_json(view, "state", state_of(a, d));
    json_set_text(view, "kind", page_settings_word(d->endpoint_kind));
    json_set_json(view, "type", page_view_text(v, d->type));
    json_set_json(view, "question",
                  page_view_head(v, d->title, PAGE_VIEW_TITLE));
    json_set_text(view, "question_url",
                  page_view_path(a, "/suspensions/", d->suspension_id, ""));
    json_set_text(view, "intent_url",
                  page_view_path(a, "/intents/", d->intent_id, ""));
    json_set_json(view, "endpoint", page_view_text(v, d->endpoint_name));
    json_set_text(view, "endpoint_url", page_settings_log(a, d->endpoint_id));
    json_set_json(view, "recipient", page_view_text(v, d->recipient));
    json_set_json(view, "at", page_view_time(v, d->created_at));
    json_set_text(view, "event_url",
                  page_view_path(a, "/intents/", d->intent_id,
                                 arena_z(a, buf_text(&event))));
    json_set_text(view, "seq", words_count(a, d->event_sequence));
    json_set_text(view, "id", d->id);
}

const struct err *page_delivery(struct call *c)
{
    struct delivery d;
    struct delivery_tries tries;
    struct json *view = json_object(c->a);
    struct page_view v = page_begin(c);
    TRY(load(c, &d, &tries));
    set_head(&v, view, &d);
    json_set_json(view, "next", page_view_time(&v, d.next_at));
    json_set_text(view, "next_words",
                  str_is(d.state, "failed") ? STR("none, it was given up")
                                            : STR("none"));
    json_set_bool(view, "has_tries", tries.n > 0);
    json_set_json(view, "tries", tries_of(&v, &tries));
    json_set_json(view, "facts", sent(&v, &d));
    json_set_json(view, "again", again(c, &d));
    const struct str title = words_plain(c->a, d.type, PAGE_VIEW_TAB);
    return page_render(c, 200, "delivery", arena_z(c->a, title), view);
}

const struct err *page_delivery_again(struct call *c)
{
    struct pairs form;
    struct delivery d;
    struct delivery_tries tries;
    TRY(page_form(c, &form));
    TRY(load(c, &d, &tries));
    TRY(deliveries_again(c->pg, c->a, d.id, clock_now()));
    wake_deliver();
    response_see_other(
        c->rs, page_view_path(c->a, "/settings/deliveries/", d.id, ""));
    return NULL;
}
