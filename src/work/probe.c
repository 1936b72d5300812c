/* Checking whether a credential is set up. Decides nothing, and never sees the
 * secret. */
#include "work/probe.h"

#include "base/clock_text.h"
#include "base/id.h"
#include "notify/webhook.h"
#include "store/sending/endpoints.h"

const char probe_not_found[] = "credential.not_found";
const char probe_unchecked[] = "credential.unchecked";

static struct str probe_of(struct arena *a, const struct suspension *s)
{
    return s->kind == KIND_CREDENTIAL_NEEDED
               ? json_get_text(suspension_subject(a, s), "probe")
               : STR_NONE;
}

bool probe_wanted(const struct work *w, const struct suspension *s,
                  const struct answer *answer)
{
    const struct responder_case rule = suspension_case(s);
    const struct json *choice = NULL;
    if (s->state != SUSPENSION_PENDING || !probe_of(w->arena, s).p ||
        responder_check(w->arena, &rule, w->who) ||
        resolve_check(w->arena, s, answer, &choice))
        return false;
    return choice && effect_of_choice(choice) == EFFECT_ANSWER;
}

const struct err *probe_check(struct arena *a, const struct channels *all,
                              const struct suspension *s)
{
    const struct str name = probe_of(a, s);
    for (size_t i = 0; name.p && i < all->n; i++) {
        const struct channel *c = &all->v[i];
        if (c->kind == ENDPOINT_WEBHOOK && !c->off && str_eq(c->name, name))
            return NULL;
    }
    return !name.p ? NULL
                   : err_at(a, ERR_INVALID, kind_facts, STR("subject.probe"),
                            "There is no active webhook channel of this name.");
}

/* ---- asking --------------------------------------------------------- */

enum found { FOUND_UNSAID, FOUND_NOT, FOUND_THERE };

struct heard {
    struct arena *a;
    bool done;
    enum found found;
};

/* A receiver that accepts every request says nothing about the credential. */
static void probe_hear(void *context, void *own,
                       const struct outbound_result *r)
{
    struct heard *h = context;
    struct json *said = NULL;
    if (own != h)
        return;
    h->done = true;
    h->found = r->status == 404 ? FOUND_NOT : FOUND_UNSAID;
    if (r->status < 200 || r->status > 299 || json_parse(h->a, r->said, &said))
        return;
    const struct json *found = json_get(said, "found");
    if (json_is(found, JSON_BOOL))
        h->found = json_bool(found) ? FOUND_THERE : FOUND_NOT;
}

static struct str probe_body(const struct work *w, const struct suspension *s)
{
    static const char *const members[] = {"provider", "credential_class",
                                          "scopes"};
    const struct json *subject = suspension_subject(w->arena, s);
    struct json *o = json_object(w->arena), *data = json_object(w->arena);
    for (size_t i = 0; i < countof(members); i++)
        json_set_json(data, members[i], json_get(subject, members[i]));
    json_set_text(data, "suspension_id", s->id);
    json_set_text(data, "intent_id", s->intent_id);
    json_set_text_or_null(data, "initiated_by", s->initiated_by);
    json_set_text(o, "type", STR("credential.check"));
    json_set_text(o, "timestamp", clock_rfc3339(w->arena, clock_now()));
    json_set_json(o, "data", data);
    return json_dump(w->arena, o, CHANNEL_BODY_MAX);
}

static const struct endpoint *probe_channel(const struct endpoint_rows *rows,
                                            struct str name)
{
    for (size_t i = 0; i < rows->n; i++) {
        const struct endpoint *e = &rows->v[i];
        if (e->kind == ENDPOINT_WEBHOOK && str_eq(e->name, name) &&
            !e->paused_at && !e->gone_at)
            return e;
    }
    return NULL;
}

static const struct err *probe_failed(const struct work *w, const char *why)
{
    return err_at(w->arena, ERR_CONFLICT, probe_unchecked, STR(""),
                  "Sayso could not verify the setup: %s. The request stays "
                  "open.",
                  why);
}

/* Waits for the one answer; the request has its own deadline. */
static enum found probe_send(struct arena *a, struct outbound *out,
                             struct outbound_request *rq)
{
    struct heard h = {.a = a, .found = FOUND_UNSAID};
    const int64_t end = clock_mono() + 2 * PROBE_TIME;
    rq->time = PROBE_TIME;
    if (!outbound_send(out, rq, &h))
        return FOUND_UNSAID;
    while (!h.done && clock_mono() < end)
        outbound_work(out, PROBE_TIME, -1, probe_hear, &h);
    return h.found;
}

const struct err *probe_credential(const struct work *w,
                                   const struct suspension *s)
{
    const struct str name = probe_of(w->arena, s);
    struct endpoint_rows rows;
    struct outbound_request rq;
    TRY(endpoints_list(w->pg, w->arena, true, STR_NONE, &rows));
    const struct endpoint *e = probe_channel(&rows, name);
    if (!e || !w->outbound)
        return probe_failed(w, "its channel is not active");
    const struct webhook check = {.id = id_new(w->arena),
                                  .url = e->address,
                                  .body = probe_body(w, s),
                                  .secret = e->secret,
                                  .internal = e->internal,
                                  .now = clock_now()};
    if (!check.body.p || !webhook_signed(w->arena, &check, &rq))
        return probe_failed(w, "the check could not be sent");
    switch (probe_send(w->arena, w->outbound, &rq)) {
    case FOUND_THERE:
        return NULL;
    case FOUND_NOT:
        return ERROR(ERR_CONFLICT, probe_not_found,
                     "It is not set up yet. The request stays open.");
    case FOUND_UNSAID:
    default:
        return probe_failed(w, "its channel gave no valid response");
    }
}
