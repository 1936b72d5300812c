/* Settings: the log of deliveries, newest first, and sending one again.
 *
 * A delivery may have texts of agents, so all of it is shown as untrusted
 * text. */
#include "base/clock.h"
#include "base/id.h"
#include "doors/pages/settings/page.h"
#include "doors/pages/settings/settings.h"
#include "doors/pages/shell/facts.h"
#include "doors/pages/shell/list.h"
#include "doors/pages/shell/page.h"
#include "store/deliveries.h"
#include "store/endpoints.h"
#include "world/wake.h"

#define LOG "/settings/deliveries"
#define ROWS 50

/* The filters in the address. */
struct wish {
    enum delivery_state state; /* DELIVERY_STATE__MAX: any */
    struct str endpoint;       /* p NULL: any */
    struct delivery after;     /* id p NULL: from the newest */
};

static const struct err *bad_query(void)
{
    return ERROR(ERR_BAD_REQUEST, "request.query",
                 "Invalid link. Open the log again.");
}

static const struct err *read_wish(struct call *c, struct wish *w)
{
    const struct str after = request_query(c->rq, "after");
    const struct str state = request_query(c->rq, "state");
    *w = (struct wish){.state = vocabulary_delivery_state_of(state),
                       .endpoint = request_query(c->rq, "endpoint")};
    if ((state.p && w->state == DELIVERY_STATE__MAX) ||
        (w->endpoint.p && !id_uuid(w->endpoint)) ||
        (after.p && !id_uuid(after)))
        return bad_query();
    if (!after.p)
        return NULL;
    struct delivery_tries tries;
    const struct err *e =
        deliveries_get(c->pg, c->a, after, &w->after, &tries);
    return e && e->kind == ERR_NOT_FOUND ? bad_query() : e;
}

/* ---- rows ----------------------------------------------------------- */

static struct str next_words(const struct delivery *d)
{
    return d->state == DELIVERY_FAILED ? STR("failed") : STR("");
}

/* Adds the members that the row and the page of one share. */
static void set_delivery(struct page_view *v, struct json *o,
                         const struct delivery *d)
{
    struct arena *a = v->a;
    const bool pending = d->state == DELIVERY_PENDING;
    page_view_set_time(o, "at", d->created_at);
    json_set_text(o, "type", d->type);
    json_set_text(o, "question", d->title);
    json_set_text(o, "question_url",
                  page_view_path(a, "/suspensions/", d->suspension_id, ""));
    json_set_text(o, "endpoint", d->endpoint_name);
    json_set_text(o, "endpoint_url",
                  page_view_path(a, LOG "?endpoint=", d->endpoint_id, ""));
    json_set_text(o, "recipient", d->recipient);
    json_set_text(o, "tries", words_count(a, d->tries));
    page_view_set_time(o, "next", pending ? d->next_at : 0);
    json_set_text(o, "next_words", next_words(d));
}

static struct json *deliveries_row(struct page_view *v,
                                   const struct delivery *d)
{
    struct json *o = json_object(v->a);
    const bool sent = d->state == DELIVERY_DELIVERED;
    set_delivery(v, o, d);
    json_set_text(o, "url",
                  page_view_path(v->a, LOG "/", d->id, ""));
    json_set_text(o, "answer", d->answer);
    json_set_bool(o, "is_ok", sent);
    json_set_bool(o, "late", !sent && d->tries > 0);
    return o;
}

/* ---- around the rows ------------------------------------------------ */

static void add_filter(struct json *list, struct call *c, const struct wish *w,
                       enum delivery_state state, struct str count)
{
    const struct vocabulary_word *words = vocabulary_delivery_state(state);
    struct json *o = json_object(c->a);
    json_set_text(o, "url", page_list_url(c, LOG, "state", words->wire));
    json_set_text(o, "label", words->label ? str_of(words->label) : STR("All"));
    json_set_text(o, "count", count);
    json_set_bool(o, "here", w->state == state);
    json_add_json(list, o);
}

static struct json *filters(struct call *c, const struct wish *w,
                            const int64_t counts[static 3])
{
    struct json *list = json_array(c->a);
    add_filter(list, c, w, DELIVERY_STATE__MAX, STR(""));
    for (unsigned i = 0; i < DELIVERY_STATE__MAX; i++) {
        /* The counts are of all endpoints together. */
        const struct str count =
            w->endpoint.p
                ? STR("")
                : settings_page_count(c->a, counts[i], DELIVERIES_COUNT_MAX);
        add_filter(list, c, w, (enum delivery_state)i, count);
    }
    return list;
}

static struct str summary(struct arena *a, const int64_t counts[static 3])
{
    static const char *const words[] = {" delivered, ", " pending, ",
                                        " failed"};
    struct buf b = buf_make(a, 256);
    buf_put(&b, "Last 24 hours: ");
    for (size_t i = 0; i < countof(words); i++) {
        buf_str(&b, settings_page_count(a, counts[i], DELIVERIES_COUNT_MAX));
        buf_put(&b, words[i]);
    }
    return buf_text(&b);
}

/* The endpoint that the list is narrowed to; of a removed one only the
 * deliveries are left. */
static const struct err *only(struct call *c, const struct wish *w,
                              const struct delivery_rows *rows,
                              struct json **out)
{
    struct endpoint e = {.name = STR("a removed endpoint")};
    *out = NULL;
    if (!w->endpoint.p)
        return NULL;
    if (rows->n > 0) {
        e.name = rows->v[0].endpoint_name;
    } else {
        const struct err *gone =
            endpoints_get(c->pg, c->a, w->endpoint, STR_NONE, &e);
        if (gone && gone->kind != ERR_NOT_FOUND)
            return gone;
    }
    *out = json_object(c->a);
    json_set_text(*out, "name", e.name);
    json_set_text(*out, "all_url",
                  page_list_url(c, LOG, "endpoint", STR_NONE));
    return NULL;
}

static struct json *empty(struct arena *a, const struct wish *w)
{
    struct json *o = json_object(a);
    const bool all = w->state == DELIVERY_STATE__MAX && !w->endpoint.p;
    json_set_text(o, "heading",
                  all ? STR("No deliveries yet")
                      : STR("No matches"));
    json_set_text(o, "sentence",
                  all ? STR("Messages to endpoints and channels appear here, "
                            "with every attempt and its response.")
                      : STR("Change the filters to see other deliveries."));
    return o;
}

/* page: the rows that are shown; more: there are older ones. */
static struct json *pager(struct call *c, const struct wish *w,
                          const struct delivery_rows *page, bool more)
{
    const bool first = !w->after.id.p;
    struct buf b = buf_make(c->a, 128);
    buf_put(&b, first ? "The newest " : more ? "Another " : "The last ");
    buf_str(&b, words_count(c->a, (int64_t)page->n));
    const struct page_list_pager of = {
        .path = LOG,
        .first = first,
        .older = more ? page->v[page->n - 1].id : STR_NONE,
        .shown = buf_text(&b)};
    return page_list_pager(c, &of);
}

const struct err *settings_deliveries(struct call *c)
{
    struct wish w;
    struct delivery_rows found;
    int64_t counts[3];
    struct json *view = json_object(c->a), *rows = json_array(c->a);
    struct json *to = NULL;
    struct page_view v = page_begin(c);
    TRY(read_wish(c, &w));
    const struct deliveries_page page = {.state = w.state,
                                         .endpoint = w.endpoint,
                                         .limit = ROWS + 1,
                                         .after_at = w.after.created_at,
                                         .after_id = w.after.id};
    TRY(deliveries_list(c->pg, c->a, &page, &found));
    TRY(deliveries_counts(c->pg, c->a, v.now, counts));
    const bool more = found.n > ROWS;
    found.n = more ? ROWS : found.n;
    for (size_t i = 0; i < found.n; i++)
        json_add_json(rows, deliveries_row(&v, &found.v[i]));
    TRY(only(c, &w, &found, &to));
    settings_page_tabs(c, view, LOG);
    json_set_text(view, "summary", summary(c->a, counts));
    json_set_json(view, "filters", filters(c, &w, counts));
    json_set_json(view, "only", to);
    json_set_json(view, "empty", found.n ? NULL : empty(c->a, &w));
    json_set_json(view, "rows", rows);
    json_set_json(view, "pager", pager(c, &w, &found, more));
    return page_render(c, 200, "deliveries", "Delivery log", view);
}

/* ---- one delivery --------------------------------------------------- */

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
        page_view_set_time(o, "at", t->at);
        json_set_text(o, "took", took(v->a, t->ms));
        struct buf status = buf_make(v->a, 32);
        buf_int(&status, t->status);
        json_set_text(o, "status",
                      t->status ? buf_text(&status) : STR("none"));
        json_set_text(o, "answer", t->answer);
        json_add_json(list, o);
    }
    return list;
}

/* Is the body sent as it is? Mail and chat messages are made from it. */
static bool as_it_is(const struct delivery *d)
{
    return d->endpoint_kind != ENDPOINT_MAIL &&
           d->endpoint_kind != ENDPOINT_SLACK;
}

static struct json *sent(struct page_view *v, const struct delivery *d)
{
    struct json *list = json_array(v->a);
    const struct page_facts_of of = {
        .id = "sent",
        .heading = as_it_is(d) ? "Payload" : "Message data",
        .note = as_it_is(d) ? STR("Exactly the bytes that are signed")
                            : STR("As the channel's message content allows"),
        .text = d->body};
    json_add_json(list, page_facts(v, &of));
    return list;
}

static struct json *again(struct call *c, const struct delivery *d)
{
    struct json *o = json_object(c->a);
    const bool pending = d->state == DELIVERY_PENDING;
    if (c->who.role != ROLE_ADMIN)
        return NULL;
    json_set_text(o, "url",
                  page_view_path(c->a, "/settings/deliveries/", d->id, ""));
    json_set_text(o, "label", pending ? STR("Send now") : STR("Send again"));
    json_set_text(o, "sentence",
                  as_it_is(d) ? STR("Sends the same payload with the same "
                                    "delivery ID. A receiver can recognize "
                                    "the repetition.")
                              : STR("Sends the same message again."));
    return o;
}

static void set_head(struct page_view *v, struct json *view,
                     const struct delivery *d)
{
    struct arena *a = v->a;
    struct buf event = buf_make(a, 32);
    buf_printf(&event, "#e%lld", (long long)d->event_sequence);
    json_set_json(view, "state",
                  page_badge(a, vocabulary_delivery_state(d->state)));
    json_set_text(view, "kind",
                  str_of(vocabulary_endpoint_kind(d->endpoint_kind)->label));
    json_set_text(view, "type", d->type);
    json_set_text(view, "question", d->title);
    json_set_text(view, "question_url",
                  page_view_path(a, "/suspensions/", d->suspension_id, ""));
    if (d->intent_id.p)
        json_set_text(view, "intent_url",
                      page_view_path(a, "/intents/", d->intent_id, ""));
    json_set_text(view, "endpoint", d->endpoint_name);
    json_set_text(view, "endpoint_url",
                  page_view_path(a, LOG "?endpoint=", d->endpoint_id, ""));
    json_set_text(view, "recipient", d->recipient);
    json_set_text(view, "address", d->address);
    page_view_set_time(view, "at", d->created_at);
    json_set_text(view, "event_url",
                  page_view_path(a, "/intents/", d->intent_id,
                                 arena_z(a, buf_text(&event))));
    json_set_text(view, "seq", words_count(a, d->event_sequence));
    json_set_text(view, "id", d->id);
}

const struct err *settings_deliveries_one(struct call *c)
{
    struct delivery d;
    struct delivery_tries tries;
    struct json *view = json_object(c->a);
    struct page_view v = page_begin(c);
    TRY(load(c, &d, &tries));
    set_head(&v, view, &d);
    page_view_set_time(view, "next", d.next_at);
    json_set_text(view, "next_words",
                  d.state == DELIVERY_FAILED ? STR("none, the delivery failed")
                                            : STR("none"));
    json_set_json(view, "tries", tries_of(&v, &tries));
    json_set_json(view, "facts", sent(&v, &d));
    json_set_json(view, "again", again(c, &d));
    const struct str title = words_plain(c->a, d.type, PAGE_VIEW_TAB);
    return page_render(c, 200, "delivery", arena_z(c->a, title), view);
}

const struct err *settings_deliveries_again(struct call *c)
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
