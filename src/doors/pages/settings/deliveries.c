/* Settings: the log of deliveries, newest first, and sending one again.
 *
 * A delivery may have texts of agents, so all of it is shown as untrusted
 * text. */
#include "base/clock.h"
#include "base/id.h"
#include "doors/pages/settings/destinations.h"
#include "doors/pages/settings/settings.h"
#include "doors/pages/shell/facts.h"
#include "doors/pages/shell/list.h"
#include "store/sending/deliveries.h"
#include "store/sending/endpoints.h"
#include "world/wake.h"

#define PATH "/settings/deliveries"
#define ROWS 50

/* Sets the members that a row and the page of one share. */
static void deliveries_set(struct json *o, const struct delivery *d)
{
    page_view_set_time(o, "at", d->created_at);
    json_set_text(o, "question", d->title);
    json_set_text(o, "suspension_id", d->suspension_id);
    json_set_text(o, "endpoint", d->endpoint_name);
    json_set_text(o, "endpoint_id", d->endpoint_id);
    json_set_text(o, "id", d->id);
    json_set_text(o, "recipient", d->recipient);
    json_set_bool(o, "failed", d->state == DELIVERY_FAILED);
}

/* ---- the list ------------------------------------------------------- */

/* The filters in the address. */
static const struct err *deliveries_read(struct call *c,
                                         struct deliveries_page *page)
{
    const struct err *bad = ERROR(ERR_BAD_REQUEST, "request.query",
                                  "Invalid link. Open the log again.");
    const struct str after = request_query(c->rq, "after");
    const struct str state = request_query(c->rq, "state");
    struct delivery last;
    struct delivery_tries tries;
    *page = (struct deliveries_page){
        .state = vocabulary_delivery_state_of(state),
        .endpoint = request_query(c->rq, "endpoint"),
        .limit = ROWS + 1};
    if ((state.p && page->state == DELIVERY_STATE__MAX) ||
        (page->endpoint.p && !id_uuid(page->endpoint)) ||
        (after.p && !id_uuid(after)))
        return bad;
    if (!after.p)
        return NULL;
    const struct err *e = deliveries_get(c->pg, c->a, after, &last, &tries);
    if (e)
        return e->kind == ERR_NOT_FOUND ? bad : e;
    page->after_at = last.created_at;
    page->after_id = last.id;
    return NULL;
}

static struct json *deliveries_row(struct arena *a, const struct delivery *d)
{
    struct json *o = json_object(a);
    const bool sent = d->state == DELIVERY_DELIVERED;
    deliveries_set(o, d);
    json_set_text(o, "type", d->type);
    json_set_text(o, "event", settings_destinations_event(d->type));
    json_set_int(o, "tries", d->tries);
    page_view_set_time(o, "next",
                       d->state == DELIVERY_PENDING ? d->next_at : 0);
    json_set_text(o, "answer", d->answer);
    json_set_bool(o, "is_ok", sent);
    json_set_bool(o, "late", !sent && d->tries > 0);
    return o;
}

/* A link for all states, and one for each. The counts are those of all
 * endpoints together, so a list of one endpoint has none. */
static struct json *deliveries_filters(struct call *c,
                                       const struct deliveries_page *page,
                                       const int64_t counts[static 3])
{
    struct json *list = json_array(c->a);
    for (unsigned i = 0; i <= DELIVERY_STATE__MAX; i++) {
        const enum delivery_state state =
            i == 0 ? DELIVERY_STATE__MAX : (enum delivery_state)(i - 1);
        const struct vocabulary_word *words = vocabulary_delivery_state(state);
        struct json *o = json_object(c->a);
        json_set_text(o, "url", page_list_url(c, PATH, "state", words->wire));
        json_set_text(o, "label",
                      i == 0 ? STR("All") : str_of(words->label));
        json_set_text(o, "count",
                      i == 0 || page->endpoint.p
                          ? STR("")
                          : settings_page_count(c->a, counts[state],
                                                DELIVERIES_COUNT_MAX));
        json_set_bool(o, "here", page->state == state);
        json_add_json(list, o);
    }
    return list;
}

/* `only`: the endpoint that the list is narrowed to. The deliveries of a
 * removed one have its name. */
static const struct err *deliveries_only(struct settings_view *v,
                                         const struct deliveries_page *page,
                                         const struct delivery_rows *rows)
{
    struct call *c = v->c;
    struct endpoint e = {.name = STR("a removed endpoint")};
    struct json *o = json_object(c->a);
    json_set_json(v->view, "only", NULL);
    if (!page->endpoint.p)
        return NULL;
    if (rows->n > 0) {
        e.name = rows->v[0].endpoint_name;
    } else {
        const struct err *gone =
            endpoints_get(c->pg, c->a, page->endpoint, STR_NONE, &e);
        if (gone && gone->kind != ERR_NOT_FOUND)
            return gone;
    }
    json_set_text(o, "name", e.name);
    json_set_text(o, "all_url", page_list_url(c, PATH, "endpoint", STR_NONE));
    json_set_json(v->view, "only", o);
    return NULL;
}

static const struct err *deliveries_rows(struct settings_view *v)
{
    struct call *c = v->c;
    struct arena *a = c->a;
    struct deliveries_page query;
    struct delivery_rows found;
    struct json *day = json_object(a);
    int64_t n[DELIVERY_STATE__MAX];
    TRY(deliveries_read(c, &query));
    TRY(deliveries_list(c->pg, a, &query, &found));
    TRY(deliveries_counts(c->pg, a, v->page.now, n));
    const bool more = found.n > ROWS;
    found.n = more ? ROWS : found.n;
    for (size_t i = 0; i < found.n; i++)
        json_add_json(v->rows, deliveries_row(a, &found.v[i]));
    for (enum delivery_state s = 0; s < DELIVERY_STATE__MAX; s++)
        json_set_text(day, vocabulary_delivery_state(s)->wire.p,
                      settings_page_count(a, n[s], DELIVERIES_COUNT_MAX));
    const bool first = !query.after_id.p;
    const struct page_list_pager pager = {
        .path = PATH,
        .first = first,
        .older = more ? found.v[found.n - 1].id : STR_NONE,
        .shown = arena_join(a, page_list_part(first, more),
                            words_count(a, (int64_t)found.n))};
    json_set_json(v->view, "rows", v->rows);
    json_set_json(v->view, "day", day);
    json_set_json(v->view, "filters", deliveries_filters(c, &query, n));
    json_set_bool(v->view, "all",
                  query.state == DELIVERY_STATE__MAX && !query.endpoint.p);
    json_set_json(v->view, "pager", page_list_pager(c, &pager));
    return deliveries_only(v, &query, &found);
}

/* ---- one delivery --------------------------------------------------- */

struct deliveries_shown {
    struct delivery one;
    struct delivery_tries tries;
};

static const struct err *deliveries_load(struct settings_view *v)
{
    struct call *c = v->c;
    struct deliveries_shown *d = arena_new(c->a, struct deliveries_shown);
    if (!id_uuid(c->param[0]))
        return ERROR(ERR_NOT_FOUND, "delivery.unknown",
                     "There is no such delivery.");
    TRY(deliveries_get(c->pg, c->a, c->param[0], &d->one, &d->tries));
    v->thing = d;
    v->name = settings_destinations_event(d->one.type);
    return NULL;
}

static struct json *deliveries_tries(struct arena *a,
                                     const struct delivery_tries *tries)
{
    struct json *list = json_array(a);
    for (size_t i = 0; i < tries->n; i++) {
        const struct delivery_try *t = &tries->v[i];
        struct json *o = json_object(a);
        /* "240 ms", "1.2 s" */
        const struct str took =
            t->ms < 1000
                ? arena_join(a, arena_number(a, t->ms), STR(" ms"))
                : arena_join(a, arena_number(a, t->ms / 1000), STR("."),
                             arena_number(a, t->ms % 1000 / 100), STR(" s"));
        json_set_int(o, "n", t->n);
        page_view_set_time(o, "at", t->at);
        json_set_text(o, "took", took);
        page_view_set_count(o, "status", (size_t)t->status);
        json_set_text(o, "answer", t->answer);
        json_add_json(list, o);
    }
    return list;
}

static const struct err *deliveries_one(struct settings_view *v)
{
    const struct deliveries_shown *shown = v->thing;
    const struct delivery *d = &shown->one;
    struct arena *a = v->c->a;
    struct json *view = v->view, *facts = json_array(a);
    /* Mail and chat messages are made from the body. */
    const bool as_it_is = d->endpoint_kind != ENDPOINT_MAIL &&
                          d->endpoint_kind != ENDPOINT_SLACK;
    const struct page_facts_of sent = {
        .id = "sent",
        .heading = as_it_is ? "Payload" : "Message data",
        .note = as_it_is ? STR("Exactly the bytes that are signed")
                         : STR("As the channel's message content allows"),
        .text = d->body};
    deliveries_set(view, d);
    json_set_json(view, "state",
                  page_badge(a, vocabulary_delivery_state(d->state)));
    json_set_text(view, "kind",
                  str_of(vocabulary_endpoint_kind(d->endpoint_kind)->label));
    json_set_text(view, "type", d->type);
    json_set_text(view, "intent_id", d->intent_id);
    json_set_int(view, "seq", d->event_sequence);
    json_set_text(view, "address", d->address);
    page_view_set_time(view, "next", d->next_at);
    json_set_json(view, "tries", deliveries_tries(a, &shown->tries));
    json_add_json(facts, page_facts(&v->page, &sent));
    json_set_json(view, "facts", facts);
    json_set_bool(view, "may_send", v->c->who.role == ROLE_ADMIN);
    json_set_bool(view, "pending", d->state == DELIVERY_PENDING);
    json_set_bool(view, "signed", as_it_is);
    return NULL;
}

static const struct err *deliveries_send(struct settings_view *v)
{
    const struct deliveries_shown *shown = v->thing;
    TRY(deliveries_again(v->c->pg, v->c->a, shown->one.id, clock_now()));
    wake_deliver();
    return NULL;
}

/* Of the same endpoint, however many there are. */
static const struct err *deliveries_send_all(struct settings_view *v)
{
    const struct deliveries_shown *shown = v->thing;
    const struct deliveries_failed which = {.endpoint =
                                                shown->one.endpoint_id};
    int64_t n = 0;
    TRY(deliveries_failed_again(v->c->pg, v->c->a, &which, clock_now(), &n));
    SETTINGS_PAGE_LOG(v->c, "delivery.again endpoint=%.*s n=%lld",
                      STR_FMT(which.endpoint), (long long)n);
    wake_deliver();
    v->next = arena_join(v->c->a, STR(PATH "?endpoint="), which.endpoint);
    return NULL;
}

static const struct settings_action again[] = {
    {.what = "again", .run = deliveries_send},
    {.what = "again_all", .run = deliveries_send_all}};
static const struct settings_page page = {.path = PATH,
                                          .heading = "Delivery log",
                                          .actions = again,
                                          .actions_n = countof(again),
                                          .writers = ROLE_ADMIN,
                                          .template = "deliveries",
                                          .one_template = "delivery",
                                          .list = deliveries_rows,
                                          .load = deliveries_load,
                                          .one = deliveries_one};

const struct err *settings_deliveries(struct call *c)
{
    return settings_page_run(c, &page);
}
