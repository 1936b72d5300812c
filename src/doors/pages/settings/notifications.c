/* Settings: how a person is told of new requests. Notifications of a browser
 * are a matter of that browser alone, which keeps them; the script shows and
 * changes them. Mail is the person's choice, and goes through a channel of an
 * admin for mail that allows their address. */
#include "base/clock.h"
#include "doors/asking/target.h"
#include "doors/pages/settings/page.h"
#include "doors/pages/settings/settings.h"
#include "store/person/people.h"
#include "notify/web_push.h"
#include "store/person/person_mails.h"
#include "store/sending/person_pushes.h"
#include "store/sending/endpoints.h"

#define OFF "off"
#define HOURS_MAX 2 /* digits */

static const struct settings_form_option whens[] = {
    {OFF, "No mail"},
    {"0", "Each request at once"},
    {"1", "A digest every hour"},
    {"2", "A digest every 2 hours"},
    {"4", "A digest every 4 hours"},
    {"8", "A digest every 8 hours"},
    {"24", "A digest once a day"},
};
static const struct settings_form_option risks[] = {
    {"low", "All"},
    {"medium", "Medium and above"},
    {"high", "High and above"},
    {"critical", "Critical"},
};
static const struct settings_form_option whose[] = {
    {"all", "All that I can answer"},
    {"narrow", "Only for me or my groups"},
};
static const struct settings_form_field mail_fields[] = {
    {.key = "when",
     .label = "Mail",
     .type = "enum",
     .required = true,
     .help = "A digest lists what still waits when it is sent. None is sent "
             "when nothing does",
     SETTINGS_FORM_ALL(options, whens)},
    {.key = "daily_at",
     .label = "Time of a daily digest",
     .type = "string",
     .max = 5,
     .help = "Such as 08:30"},
    {.key = "least",
     .label = "Risk of these requests",
     .type = "enum",
     .required = true,
     .help = "A request without a risk counts as medium",
     SETTINGS_FORM_ALL(options, risks)},
    {.key = "whose",
     .label = "These requests",
     .type = "enum",
     .required = true,
     SETTINGS_FORM_ALL(options, whose)},
    {.key = "quiet_from",
     .label = "Quiet from",
     .type = "string",
     .max = 5,
     .help = "Such as 19:00. What is asked in quiet hours comes in a digest "
             "at their end. Empty: there are none"},
    {.key = "quiet_until",
     .label = "Quiet until",
     .type = "string",
     .max = 5,
     .help = "Such as 07:30"},
    {.key = "time_zone",
     .label = "Time zone",
     .type = "string",
     .max = PERSON_ZONE_MAX,
     .help = "Such as Europe/Berlin. Also of the times on all pages. Empty: "
             "UTC"},
};

static struct json *notifications_values(struct settings_view *v)
{
    const struct person_mail *m = v->of->own;
    struct arena *a = v->c->a;
    struct json *o = json_object(a);
    const bool quiet = m->quiet_from != m->quiet_until;
    json_set_text(o, "when",
                  m->person_id.p ? arena_number(a, m->every_hours) : STR(OFF));
    json_set_text(
        o, "least",
        vocabulary_severity(m->person_id.p ? m->least : SEVERITY_HIGH)->wire);
    json_set_text(o, "whose", m->mine ? STR("narrow") : STR("all"));
    json_set_text(o, "daily_at",
                  m->every_hours == PERSON_MAIL_DAILY
                      ? person_mail_clock(a, m->daily_at)
                      : STR(""));
    json_set_text(o, "quiet_from",
                  quiet ? person_mail_clock(a, m->quiet_from) : STR(""));
    json_set_text(o, "quiet_until",
                  quiet ? person_mail_clock(a, m->quiet_until) : STR(""));
    json_set_text_given(o, "time_zone", v->c->who.account.time_zone);
    return o;
}

/* ---- reading --------------------------------------------------------- */

/* A typed time of the day; needed false: it may be empty. */
static const struct err *notifications_time(struct arena *a,
                                            const struct json *values,
                                            const char *key, bool needed,
                                            int64_t *out)
{
    const struct str typed = str_trim(json_get_text(values, key));
    if (!needed && typed.n == 0)
        return NULL;
    return person_mail_minutes(typed, out)
               ? NULL
               : err_at(a, ERR_INVALID, "field.value", str_of(key),
                        "Enter a time, as in 08:30.");
}

static const struct err *notifications_read(struct arena *a,
                                            const struct json *values,
                                            struct person_mail *m)
{
    const struct str when = json_get_text(values, "when");
    const bool quiet = str_trim(json_get_text(values, "quiet_from")).n > 0 ||
                       str_trim(json_get_text(values, "quiet_until")).n > 0;
    m->least = vocabulary_severity_of(json_get_text(values, "least"));
    m->mine = str_is(json_get_text(values, "whose"), "narrow");
    for (size_t i = 0; i < when.n && i < HOURS_MAX; i++)
        m->every_hours = m->every_hours * 10 + when.p[i] - '0';
    TRY(notifications_time(a, values, "daily_at",
                           m->every_hours == PERSON_MAIL_DAILY, &m->daily_at));
    TRY(notifications_time(a, values, "quiet_from", quiet, &m->quiet_from));
    TRY(notifications_time(a, values, "quiet_until", quiet, &m->quiet_until));
    if (quiet && m->quiet_from == m->quiet_until)
        return err_at(a, ERR_INVALID, "field.value", STR("quiet_until"),
                      "Quiet hours end at another time than they begin.");
    return NULL;
}

/* The zone belongs to the person, as on the page of the profile. */
static const struct err *
notifications_zone(struct call *c, const struct json *values, struct str *out)
{
    struct person p = c->who.account;
    TRY(settings_profile_zone(c, json_get_text(values, "time_zone"), out));
    if (str_eq(p.time_zone, *out))
        return NULL;
    p.time_zone = *out;
    return people_profile(c->pg, c->a, &p);
}

static const struct err *notifications_save(struct settings_view *v,
                                            const struct json *values)
{
    struct call *c = v->c;
    const int64_t now = clock_now();
    struct person_mail m = {.person_id = c->who.id, .since = now};
    const bool off = str_is(json_get_text(values, "when"), OFF);
    v->next = v->url;
    if (!off)
        TRY(notifications_read(c->a, values, &m));
    TRY(notifications_zone(c, values, &m.time_zone));
    TRY(off ? person_mails_delete(c->pg, c->a, c->who.id)
            : person_mails_put(c->pg, c->a, &m));
    SETTINGS_PAGE_LOG(c, "notifications.change when=%.*s least=%s mine=%d",
                      STR_FMT(json_get_text(values, "when")),
                      off ? "-" : vocabulary_severity(m.least)->label, m.mine);
    return NULL;
}

/* ---- Web Push -------------------------------------------------------- */

/* The script subscribes the browser, and says where it can be reached. */
static const struct err *notifications_push(struct settings_view *v)
{
    struct call *c = v->c;
    struct channels *channels = arena_new(c->a, struct channels);
    const struct str least = pairs_get(v->typed, "least");
    struct endpoint_host host;
    TRY(endpoints_channels(c->pg, c->a, channels));
    const struct channel *through =
        person_mail_channel(channels, ENDPOINT_PUSH, c->who.name);
    const struct person_push p = {
        .person_id = c->who.id,
        .cookie = c->cookie,
        .endpoint_id = through ? through->id : STR_NONE,
        .address = pairs_get(v->typed, "address"),
        .least = vocabulary_severity_of(least),
        .mine = pairs_get(v->typed, "mine").p != NULL,
        .now = clock_now()};
    struct endpoint e = {.internal = false};
    if (through)
        TRY(endpoints_get(c->pg, c->a, through->id, STR_NONE, &e));
    if (!through || p.least < SEVERITY_LOW || p.least >= SEVERITY__MAX)
        return settings_page_bad();
    TRY(endpoint_url(c->a, "address", p.address, &host));
    TRY(target_check(c->a, "address", p.address, e.internal));
    TRY(person_pushes_insert(c->pg, c->a, &p));
    SETTINGS_PAGE_LOG(c, "notifications.push host=%.*s", STR_FMT(host.name));
    return NULL;
}

static const struct err *notifications_unpush(struct settings_view *v)
{
    return person_pushes_delete(v->c->pg, v->c->a, v->c->who.id,
                                pairs_get(v->typed, "address"));
}

static const struct settings_action actions[] = {
    {.what = "push", .run = notifications_push},
    {.what = "unpush", .run = notifications_unpush}};

/* ---- the page -------------------------------------------------------- */

static const struct err *notifications_view(struct settings_view *v)
{
    struct call *c = v->c;
    struct channels *channels = arena_new(c->a, struct channels);
    const struct person_mail *m = v->of->own;
    struct json *mail = json_object(c->a);
    TRY(endpoints_channels(c->pg, c->a, channels));
    const struct channel *through =
        person_mail_channel(channels, ENDPOINT_MAIL, c->who.name);
    json_set_text(mail, "address", c->who.name);
    json_set_text(mail, "channel", through ? through->name : STR(""));
    json_set_bool(mail, "shows_title",
                  through && through->detail == CHANNEL_TITLE);
    page_view_set_time(mail, "next", m->next_at);
    json_set_json(v->view, "mail", mail);
    /* The public key with which the browser subscribes; "": there is no Web
     * Push for this person. */
    const struct channel *push =
        person_mail_channel(channels, ENDPOINT_PUSH, c->who.name);
    struct endpoint e = {.secret = STR_NONE};
    if (push)
        TRY(endpoints_get(c->pg, c->a, push->id, STR_NONE, &e));
    const struct str key =
        e.secret.p ? web_push_public(c->a, e.secret) : STR_NONE;
    json_set_text(v->view, "push_key", key.p ? key : STR(""));
    /* A user may not learn of the questions of others, and has no stream. */
    json_set_bool(v->view, "streams", principal_decides(&c->who));
    json_set_bool(v->view, "answers", c->who.role != ROLE_AUDITOR);
    return NULL;
}

static const struct settings_page page = {
    .path = "/settings/notifications",
    .heading = "Notifications",
    .writers = ROLE_ADMIN | ROLE_OPERATOR | ROLE_USER,
    .template = "notifications",
    .form_heading = "Mail",
    .form_note = "Also while no page of Sayso is open",
    .form_submit = "Save",
    SETTINGS_FORM_ALL(fields, mail_fields),
    SETTINGS_FORM_ALL(actions, actions),
    .values = notifications_values,
    .save = notifications_save,
    .list = notifications_view};

const struct err *settings_notifications(struct call *c)
{
    struct settings_page *own = arena_new(c->a, struct settings_page);
    struct person_mail *m = arena_new(c->a, struct person_mail);
    bool found = false;
    TRY(person_mails_get(c->pg, c->a, c->who.id, m, &found));
    *own = page;
    own->own = m;
    return settings_page_run(c, own);
}
