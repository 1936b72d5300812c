/* The lists of endpoints and of channels, creating one, and the page of one.
 *
 * An admin creates and changes, an auditor reads. A secret is shown on a page
 * of its own until it is stored, and never again. */
#include "doors/pages/settings/destinations.h"

#include <stdlib.h>
#include <strings.h>

#include "base/clock.h"
#include "base/crypt.h"
#include "base/id.h"
#include "domain/sending/endpoint.h"
#include "doors/asking/target.h"
#include "notify/web_push.h"
#include "world/wake.h"

#define SEEN 16 /* characters that identify a secret */

struct str settings_destinations_waiting(struct arena *a,
                                         const struct endpoint *e)
{
    if (e->waiting == 0)
        return STR("none pending");
    return arena_join(
        a, settings_page_count(a, e->waiting, ENDPOINTS_WAITING_MAX),
        STR(" pending"));
}

const struct vocabulary_word *
settings_destinations_state(const struct endpoint *e)
{
    static const struct vocabulary_word
        paused = {.label = "Paused", .tone = "plain", .icon = "minus"},
        failing = {.label = "Failing", .tone = "high", .icon = "alert"},
        gone = {.label = "Disabled (410)", .tone = "high", .icon = "alert"};
    return e->gone_at         ? &gone
           : e->paused_at     ? &paused
           : e->failing_since ? &failing
                              : &settings_page_active;
}

struct str settings_destinations_failing(const struct page_view *v,
                                         const struct endpoint *e)
{
    struct arena *a = v->a;
    if (e->gone_at || e->paused_at || !e->failing_since)
        return STR_NONE;
    return arena_join(
        a, STR("since "), page_view_when(v, e->failing_since),
        e->delivered_at ? STR("; last success ") : STR(""),
        e->delivered_at ? page_view_when(v, e->delivered_at) : STR(""));
}

/* The log of its deliveries. */
static struct str destinations_log(struct arena *a, struct str id)
{
    return page_view_path(a, "/settings/deliveries?endpoint=", id, "");
}

/* ---- the list ------------------------------------------------------- */

static int destinations_by_name(const void *a, const void *b)
{
    const struct str x = ((const struct endpoint *)a)->name;
    const struct str y = ((const struct endpoint *)b)->name;
    const int order = strncasecmp(x.p, y.p, x.n < y.n ? x.n : y.n);
    return order ? order : (x.n > y.n) - (x.n < y.n);
}

const struct err *settings_destinations_rows(struct settings_view *v)
{
    const struct settings_destinations *kind = v->of->own;
    struct call *c = v->c;
    struct arena *a = c->a;
    struct endpoint_rows found;
    TRY(endpoints_list(c->pg, a, kind->channels, STR_NONE, &found));
    qsort(found.v, found.n, sizeof *found.v, destinations_by_name);
    for (size_t i = 0; i < found.n; i++) {
        const struct endpoint *e = &found.v[i];
        const struct str waiting = settings_destinations_waiting(a, e);
        struct settings_cell cells[SETTINGS_PAGE_COLUMNS] = {
            [3] = {.state = settings_destinations_state(e),
                   .second = settings_destinations_failing(&v->page, e)},
            [4] = {.text = waiting,
                   .url = destinations_log(a, e->id),
                   .label = arena_join(
                       a, waiting, STR(", the log of "),
                       words_plain(a, e->name, PAGE_VIEW_ROW))}};
        kind->cells(a, e, cells);
        if (c->who.role == ROLE_ADMIN)
            cells[0].url =
                arena_join(a, v->url, page_view_path(a, "/", e->id, ""));
        settings_page_row(v, &(struct settings_row){.cells = cells});
    }
    if (found.n == 0)
        v->summary = STR("");
    return NULL;
}

/* ---- creating and changing ------------------------------------------ */

const struct err *settings_destinations_save(struct settings_view *v,
                                             const struct json *values)
{
    const struct settings_destinations *kind = v->of->own;
    const struct endpoint *old = v->thing;
    struct call *c = v->c;
    struct endpoint e = {.kind = ENDPOINT_AGENT,
                         .event_types = STR("[]"),
                         .notify_to = STR("[]"),
                         .detail = STR("title")};
    if (old)
        e = *old;
    TRY(kind->read(c->a, values, &e));
    if (!old) {
        e.id = id_new(c->a);
        e.created_at = clock_now();
        e.created_by = c->who.name;
        if (e.kind == ENDPOINT_AGENT || e.kind == ENDPOINT_WEBHOOK)
            e.secret = endpoint_secret(c->a);
        v->once = (struct settings_secret){
            .what = "Secret",
            .sentence = "Receivers use it to verify each delivery.",
            .name = e.name,
            .secret = e.secret};
        /* The private key is for nobody to see. */
        if (e.kind == ENDPOINT_PUSH)
            e.secret = web_push_key(c->a);
    }
    const struct err *wrong = old ? endpoints_update(c->pg, c->a, &e)
                                  : endpoints_insert(c->pg, c->a, &e);
    return err_is(wrong, endpoints_taken)
               ? err_at(c->a, wrong->kind, wrong->code, str_of(kind->unique),
                        "%.*s", STR_FMT(wrong->say))
               : wrong;
}

/* ---- the page of one ------------------------------------------------ */

/* An existing one of this list. */
const struct err *settings_destinations_load(struct settings_view *v)
{
    const struct settings_destinations *kind = v->of->own;
    const struct err *unknown =
        ERROR(ERR_NOT_FOUND, "endpoint.unknown",
              "There is no such entry. It may have been removed.");
    struct call *c = v->c;
    struct endpoint *e = arena_new(c->a, struct endpoint);
    if (!id_uuid(c->param[0]))
        return unknown;
    TRY(endpoints_get(c->pg, c->a, c->param[0], STR_NONE, e));
    v->thing = e;
    v->name = e->name;
    return (e->kind == ENDPOINT_AGENT) == kind->channels ? unknown : NULL;
}

/* A form names the secret that it would replace, so that posting it again
 * cannot replace the new one. */
static struct str destinations_seen(struct arena *a, const struct endpoint *e)
{
    return e->secret.p
               ? str_sub(crypt_sha256_b64(
                             a, arena_join(a, STR("secret seen "), e->secret)),
                         0, SEEN)
               : STR("");
}

/* The effect of removing it. */
static struct str destinations_removal(struct arena *a,
                                       const struct endpoint *e)
{
    return arena_join(
        a,
        e->waiting ? settings_page_count(a, e->waiting, ENDPOINTS_WAITING_MAX)
                   : STR("No"),
        e->waiting == 0   ? STR(" deliveries are pending.")
        : e->waiting == 1 ? STR(" pending delivery fails.")
                          : STR(" pending deliveries fail."),
        e->kind == ENDPOINT_AGENT
            ? STR(" Answers are no longer sent there.")
            : STR(" Nobody is notified there from now on."),
        STR(" The delivery log is kept."));
}

/* ---- actions -------------------------------------------------------- */

static const struct err *destinations_pause(struct settings_view *v)
{
    const bool stop = str_is(v->what, "pause");
    TRY(endpoints_pause(v->c->pg, v->c->a, stop, clock_now(), v->thing));
    if (!stop)
        wake_deliver(); /* for the deliveries that waited */
    return NULL;
}

/* Where one waits already, the log shows it. */
static const struct err *destinations_test(struct settings_view *v)
{
    const struct endpoint *e = v->thing;
    struct endpoints_test sent;
    const struct err *refused = target_test(v->c, e, &sent);
    if (refused && refused->kind != ERR_CONFLICT)
        return refused;
    wake_deliver();
    v->next = destinations_log(v->c->a, e->id);
    return NULL;
}

static const struct err *destinations_rotate(struct settings_view *v)
{
    struct call *c = v->c;
    struct endpoint *e = v->thing;
    if (!e->secret.p)
        return ERROR(ERR_INVALID, "endpoint.secret",
                     "This channel has no secret.");
    if (!str_eq(pairs_get(v->typed, "seen"), destinations_seen(c->a, e)))
        return settings_form_wrong(
            c->a, &v->form,
            ERROR(ERR_CONFLICT, "endpoint.secret",
                  "The secret was changed after you opened this page. "
                  "Nothing was changed now."));
    e->secret = endpoint_secret(c->a);
    v->once = (struct settings_secret){
        .what = "Secret",
        .sentence = "The old one stays valid for 24 hours.",
        .name = e->name,
        .secret = e->secret};
    return endpoints_rotate(c->pg, c->a, e->id, e->secret, clock_now());
}

static const struct err *destinations_remove(struct settings_view *v)
{
    const struct endpoint *e = v->thing;
    v->next = str_of(v->of->path);
    return endpoints_remove(v->c->pg, v->c->a, e->id, clock_now());
}

enum { RESUME, REVIVE, PAUSE_AGENT, PAUSE_CHANNEL, TEST, ROTATE, REMOVE };
const struct settings_action
    settings_destinations_actions[SETTINGS_DESTINATIONS_ACTIONS] = {
        [RESUME] = {.what = "resume",
                    .heading = "Paused",
                    .about = "Nothing is sent. Pending deliveries are sent "
                             "after you resume. They fail after seven days.",
                    .label = "Resume",
                    .run = destinations_pause},
        [REVIVE] = {.what = "resume",
                    .heading = "Disabled (410)",
                    .about = "The address responded with 410. Pending "
                             "deliveries failed, and no new ones are created. "
                             "Resume when the address works again. Then new "
                             "deliveries are sent, and failed ones have "
                             "\"Send again\" in the delivery log.",
                    .label = "Resume",
                    .run = destinations_pause},
        [PAUSE_AGENT] = {.what = "pause",
                         .heading = "Pause",
                         .about = "Deliveries stay pending for up to seven "
                                  "days, until you resume.",
                         .label = "Pause",
                         .run = destinations_pause},
        [PAUSE_CHANNEL] = {.what = "pause",
                           .heading = "Pause",
                           .about = "Nobody is notified here until you resume. "
                                    "Pending messages are sent then, within "
                                    "seven days.",
                           .label = "Pause",
                           .run = destinations_pause},
        [TEST] = {.what = "test",
                  .heading = "Test message",
                  .about = "Sends a message that says it is a test. The "
                           "delivery log shows the response.",
                  .label = "Send a test message",
                  .run = destinations_test},
        [ROTATE] = {.what = "rotate",
                    .heading = "New secret",
                    .about = "The old secret stays valid for 24 hours. Secrets "
                             "before the old one end immediately.",
                    .label = "Create new secret",
                    .run = destinations_rotate},
        [REMOVE] = {.what = "remove",
                    .heading = "Remove",
                    .label = "Remove",
                    .warns = true,
                    .verb = "Remove",
                    .none = "Not removed yet.",
                    .act = "Remove",
                    .run = destinations_remove}};

const struct err *settings_destinations_one(struct settings_view *v)
{
    const struct settings_action *acts = settings_destinations_actions;
    const struct endpoint *e = v->thing;
    struct arena *a = v->c->a;
    struct json *o = json_object(a);
    json_set_text(o, "made_by", e->created_by);
    json_set_text(o, "log_url", destinations_log(a, e->id));
    json_set_text(o, "waiting", settings_destinations_waiting(a, e));
    json_set_text(o, "failing", settings_destinations_failing(&v->page, e));
    json_set_text(o, "seen", destinations_seen(a, e));
    json_set_json(v->view, "endpoint", o);
    json_set_json(v->view, "account", NULL);
    json_set_json(v->view, "state",
                  page_badge(a, settings_destinations_state(e)));
    json_set_text(v->view, "kind",
                  str_of(vocabulary_endpoint_kind(e->kind)->label));
    page_view_set_time(v->view, "since", e->created_at);
    settings_page_act(v,
                      e->gone_at                  ? &acts[REVIVE]
                      : e->paused_at              ? &acts[RESUME]
                      : e->kind == ENDPOINT_AGENT ? &acts[PAUSE_AGENT]
                                                  : &acts[PAUSE_CHANNEL],
                      STR_NONE);
    if (!e->prefix && e->kind != ENDPOINT_PUSH)
        settings_page_act(v, &acts[TEST], STR_NONE);
    if (e->secret.p && e->kind != ENDPOINT_PUSH)
        settings_page_act(v, &acts[ROTATE], STR_NONE);
    settings_page_act(v, &acts[REMOVE], destinations_removal(a, e));
    return NULL;
}
