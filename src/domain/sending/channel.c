/* Channels: where people are notified of open questions.
 *
 * Called when a question is asked, when a reminder is due, and by the store
 * when it writes notices. Pure; sends nothing, and a notice never has more of a
 * question than the channel's setting allows. */
#include "domain/sending/channel.h"

#include "base/clock_text.h"
#include "domain/kind/label.h"
#include "domain/permit/tool_title.h"
#include "domain/sending/channel_facts.h"
#include "domain/sending/endpoint.h"

#define HEAD 200      /* characters of a title */
#define WHO_MAX 254   /* bytes of a notify_to */

/* Without notify_to. */
static const struct record_field channel_fields[] = {
    {RECORD_TEXT(channel, id, IN_ROW)},
    {RECORD_WORD(channel, kind, IN_ROW, vocabulary_endpoint_kind_all)},
    {RECORD_TEXT(channel, name, IN_ROW)},
    {RECORD_TEXT(channel, address, IN_ROW)},
    {RECORD_WORD(channel, detail, IN_ROW, vocabulary_channel_detail_all)},
    {RECORD_FLAG(channel, every_question, IN_ROW)},
    {RECORD_FLAG(channel, off, IN_JOIN)},
};
const struct record channel_record = RECORD(channel, "channel", "endpoint");

/* ---- words ---------------------------------------------------------- */

static const char *const news_words[CHANNEL_NEWS__MAX] = {
    [CHANNEL_ASKED] = "suspension.asked",
    [CHANNEL_REMINDED] = "suspension.reminded",
    [CHANNEL_ESCALATED] = "suspension.escalated",
    [CHANNEL_UNRESPONSIVE] = "coordinator.unresponsive"};

const char *channel_news_word(enum channel_news n)
{
    return n < CHANNEL_NEWS__MAX ? news_words[n] : "?";
}

/* ---- recipients ------------------------------------------------------ */

static bool channel_same_mail(struct str a, struct str b)
{
    return a.n == b.n && (a.n == 0 || str_search_nocase(a, b) == 0);
}

bool channel_allows(const struct channel *c, struct str who)
{
    const bool mail = c->kind == ENDPOINT_MAIL || c->kind == ENDPOINT_PUSH;
    if (who.n == 0 || who.n > WHO_MAX || (mail && !endpoint_mail(who)))
        return false;
    const struct str domain = str_sub(who, str_find(who, '@', 0), who.n);
    for (size_t i = 0; i < c->notify_to_n; i++) {
        const struct str entry = c->notify_to[i];
        if (mail ? channel_same_mail(entry, who) ||
                       channel_same_mail(entry, domain)
                 : str_is(entry, "*") || str_eq(entry, who))
            return true;
    }
    return false;
}

static const struct channel *channel_find(const struct channels *all,
                                          struct str name)
{
    for (size_t i = 0; name.n > 0 && i < all->n; i++) {
        if (str_eq(all->v[i].name, name) && all->v[i].kind != ENDPOINT_PUSH)
            return &all->v[i];
    }
    return NULL;
}

static const struct channel *channel_in_use(const struct channels *all,
                                            struct str name)
{
    const struct channel *c = channel_find(all, name);
    return c && !c->off ? c : NULL;
}

static void channel_add(struct channel_targets *out, const struct channel *c,
                        struct str recipient)
{
    if (out->n < CHANNELS_MAX)
        out->v[out->n++] =
            (struct channel_target){.channel = c, .recipient = recipient};
}

void channel_targets(const struct channels *all, struct str hint,
                     struct str notify_to, struct channel_targets *out)
{
    const struct channel *hinted = channel_in_use(all, hint);
    const struct channel *named = channel_in_use(all, notify_to);
    const bool there = hinted && !named && channel_allows(hinted, notify_to);
    const bool anywhere = notify_to.n > 0 && !named && !there;
    out->n = 0;
    for (size_t i = 0; i < all->n; i++) {
        const struct channel *c = &all->v[i];
        const bool here = anywhere && !c->off && c->kind != ENDPOINT_PUSH &&
                          channel_allows(c, notify_to);
        if (c == hinted || c == named || here)
            channel_add(out, c,
                        here || (there && c == hinted) ? notify_to : STR_NONE);
    }
    if (out->n > 0) {
        out->instead = false;
        return;
    }
    out->instead = hint.n > 0 || notify_to.n > 0;
    for (size_t i = 0; i < all->n; i++) {
        if (all->v[i].every_question && !all->v[i].off &&
            all->v[i].kind != ENDPOINT_PUSH)
            channel_add(out, &all->v[i], STR_NONE);
    }
}

/* ---- checking ------------------------------------------------------- */

struct check {
    struct arena *arena;
    const struct channels *all;
    bool strict;
};

static const struct err *channel_check_hint(const struct check *k,
                                            struct str path, struct str hint)
{
    if (!k->strict || hint.n == 0 || channel_find(k->all, hint))
        return NULL;
    return err_at(k->arena, ERR_INVALID, "channel.unknown",
                  fields_path(k->arena, path, "channel_hint"),
                  "There is no channel with this name.");
}

static const struct err *channel_check_who(const struct check *k,
                                           struct str path, struct str who)
{
    const bool listed = k->strict || k->all->n > 0;
    bool allowed = !listed || who.n == 0 || channel_find(k->all, who);
    for (size_t i = 0; i < k->all->n && !allowed; i++)
        allowed = channel_allows(&k->all->v[i], who);
    if (allowed)
        return NULL;
    return err_at(k->arena, ERR_INVALID, "channel.not_allowed",
                  fields_path(k->arena, path, "notify_to"),
                  "The recipient is not on a channel's allow-list, and is not "
                  "the name of a channel.");
}

const struct err *channel_check(struct arena *a, const struct channels *all,
                                const struct suspension *s, bool strict)
{
    const struct check k = {.arena = a, .all = all, .strict = strict};
    const struct json *steps =
        json_get(json_read(a, s->retry_policy), "escalation_ladder");
    TRY(channel_check_hint(&k, STR(""), s->channel_hint));
    for (size_t i = 0; i < json_count(steps); i++) {
        const struct json *step = json_at(steps, i);
        const struct str at =
            fields_element(a, STR("retry_policy.escalation_ladder"), i);
        TRY(channel_check_hint(&k, at, json_get_text(step, "channel_hint")));
        TRY(channel_check_who(&k, at, json_get_text(step, "notify_to")));
    }
    return NULL;
}

struct str channel_first(struct arena *a, const struct suspension *s)
{
    const struct json *steps =
        json_get(json_read(a, s->retry_policy), "escalation_ladder");
    for (size_t i = 0; i < json_count(steps); i++) {
        const struct json *step = json_at(steps, i);
        const struct str who = json_get_text(step, "notify_to");
        if (json_int(json_get(step, "attempt")) == 1 && who.n > 0)
            return who;
    }
    return STR_NONE;
}

/* ---- notices --------------------------------------------------------- */

static void channel_set_time(struct arena *a, struct json *o, const char *key,
                             int64_t t)
{
    json_set_text_or_null(o, key, t ? clock_rfc3339(a, t) : STR_NONE);
}

struct str channel_title(struct arena *a, const struct suspension *s,
                         enum channel_detail detail)
{
    const bool hide =
        detail != CHANNEL_ALL && s->question.n > 0 &&
        tool_title_of(a, s, suspension_subject(a, s));
    return s->title.n && !hide ? s->title : str_head(s->question, HEAD);
}

static void channel_set_title(struct arena *a, struct json *o,
                              const struct channel_notice *n)
{
    const struct suspension *s = n->suspension;
    const int64_t most =
        json_int(json_get(json_read(a, s->retry_policy), "max_attempts"));
    json_set_text_or_null(o, "suspension_id", s->id);
    json_set_text(o, "intent_id", s->intent_id);
    json_set_text(o, "title", channel_title(a, s, n->channel->detail));
    json_set_text_or_null(o, "severity",
                          vocabulary_severity(s->severity)->wire);
    json_set_text(o, "agent", s->asked_by);
    json_set_int(o, "attempt", s->attempt > 0 ? s->attempt : 1);
    json_set_int(o, "max_attempts", most > 0 ? most : 1);
    channel_set_time(a, o, "asked_at", s->suspended_at);
    channel_set_time(a, o, "expires_at", s->expires_at);
    json_set_text_or_null(o, "notify_to", n->notify_to);
    json_set_text(o, "url", n->url);
    json_set_text_given(o, "chosen_at", n->chosen_at);
    if (s->test)
        json_set_bool(o, "test", true);
}

struct str channel_body(struct arena *a, const struct channel_notice *n)
{
    static const char *const too_long[] = {"context", "explanation", "calls"};
    const struct suspension *s = n->suspension;
    const struct str type = str_of(channel_news_word(n->news));
    struct json *o = json_object(a), *data = json_object(a);
    channel_set_title(a, data, n);
    if (n->channel->detail != CHANNEL_TITLE) {
        json_set_text(data, "question", s->question);
        if (s->id.p)
            json_set_text(data, "on_expiry", suspension_on_expiry(a, s));
    }
    if (n->channel->detail == CHANNEL_ALL) {
        const struct json *choices = suspension_choices(a, s);
        struct json *labels = json_array(a);
        for (size_t i = 0; i < json_count(choices); i++)
            json_add_text(labels, label_line(a, json_at(choices, i)));
        json_set_text_or_null(data, "explanation", s->explanation);
        json_set_json(data, "context", json_read(a, s->context));
        json_set_json(data, "choices", labels);
        channel_facts(a, data, s);
    }
    json_set_text(o, "type", type);
    json_set_text(o, "timestamp", clock_rfc3339(a, n->now));
    json_set_json(o, "data", data);
    struct str text = json_dump(a, o, CHANNEL_BODY_MAX);
    for (size_t i = 0; !text.p && i < countof(too_long); i++) {
        json_set_json(data, too_long[i], NULL);
        text = json_dump(a, o, CHANNEL_BODY_MAX);
    }
    return text;
}

/* ---- reading settings ------------------------------------------------ */

const struct err *channel_address(struct arena *a, const char *field,
                                  enum endpoint_kind kind, struct str text,
                                  struct str *out)
{
    struct endpoint_host host;
    if (kind == ENDPOINT_MAIL)
        return endpoint_mails(a, field, text, out);
    *out = str_trim(text);
    if (kind == ENDPOINT_PUSH)
        return endpoint_mail(*out)
                   ? NULL
                   : err_at(a, ERR_INVALID, "endpoint.mail", str_of(field),
                            "This has to be one mail address.");
    return endpoint_url(a, field, *out, &host);
}

const struct err *channel_notify_to(struct arena *a, const char *field,
                                    enum endpoint_kind kind,
                                    const struct str *v, size_t n)
{
    const bool people = kind == ENDPOINT_MAIL || kind == ENDPOINT_PUSH;
    if (n > CHANNEL_NOTIFY_MAX)
        return err_at(a, ERR_INVALID, "field.too_many", str_of(field),
                      "The list may have at most %d entries.",
                      CHANNEL_NOTIFY_MAX);
    for (size_t i = 0; i < n; i++) {
        const bool domain = v[i].n > 0 && v[i].p[0] == '@';
        if (!people  ? endpoint_line(v[i], ENDPOINT_NAME_MAX)
            : domain ? endpoint_host_name(str_sub(v[i], 1, v[i].n))
                     : endpoint_mail(v[i]))
            continue;
        return err_at(a, ERR_INVALID, "endpoint.notify_to",
                      fields_element(a, str_of(field), i), "%s",
                      people ? "An entry has to be a mail address, or @ and a "
                               "domain."
                             : "An entry has to be a name on one line, or *.");
    }
    return NULL;
}
