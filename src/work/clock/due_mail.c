/* Part of the clock: mail to people about requests.
 *
 * The place among the events, the time of the next digest and the messages
 * change in one transaction, so a process that is killed neither loses nor
 * repeats one. */
#include "work/clock/due_mail.h"

#include "base/clock.h"
#include "base/id.h"
#include "domain/sending/digest.h"
#include "store/person/person_mails.h"
#include "store/sending/person_pushes.h"
#include "store/question/inbox.h"
#include "store/sending/endpoints.h"
#include "store/sql.gen.h"
#include "world/template/zone.h"
#include "world/wake.h"

#define HOUR (INT64_C(3600) * CLOCK_SECOND)
#define DAY (24 * HOUR)
#define SOON                                                                  \
    (2 * CLOCK_SECOND) /* before a digest is tried again it is written        \
                        * anew */
#define OLD (3 * CLOCK_SECOND)

/* ---- times ----------------------------------------------------------- */

/* The time that the person's clock shows. */
static int64_t due_mail_shown(struct arena *a, struct str zone, int64_t t)
{
    struct zone_time at;
    int64_t shown = t;
    zone_at(zone, t, &at);
    (void)clock_parse(arena_join(a, str_of(at.text), STR("Z")), &shown);
    return shown;
}

/* The moment of what the clock shows, after `after`. */
static int64_t due_mail_moment(struct str zone, int64_t shown, int64_t after)
{
    const int64_t t = zone_moment(zone, shown);
    return t > after ? t : zone_moment(zone, shown + DAY);
}

/* The end of the quiet hours that t is in; 0: it is in none. */
static int64_t due_mail_quiet(struct arena *a, const struct person_mail *m,
                              int64_t t)
{
    const int64_t end =
        person_mail_quiet(m, due_mail_shown(a, m->time_zone, t));
    return end ? due_mail_moment(m->time_zone, end, t) : 0;
}

/* When the first or the next digest is due, of one that was due or chosen at
 * `from`; 0 for mails at once. Never in the quiet hours. */
static int64_t due_mail_next(struct arena *a, const struct person_mail *m,
                      int64_t from)
{
    int64_t t = from + m->every_hours * HOUR;
    if (m->every_hours == 0)
        return 0;
    if (m->every_hours == PERSON_MAIL_DAILY)
        t = due_mail_moment(
            m->time_zone,
            person_mail_daily(m, due_mail_shown(a, m->time_zone, from)), from);
    const int64_t end = due_mail_quiet(a, m, t);
    return end ? end : t;
}

/* ---- digests --------------------------------------------------------- */

/* Adds what waits in one view of the person's inbox. */
static const struct err *due_mail_add(const struct work *clock,
                                      const struct person_mail *m,
                                      const struct inbox_query *query,
                                      struct digest *d,
                                      struct suspension *rows)
{
    struct suspension_rows found;
    struct inbox_counts counts;
    TRY(inbox_list(clock->pg, clock->arena, query, &found));
    TRY(inbox_count(clock->pg, clock->arena, query, &counts));
    for (size_t i = 0; i < found.n && d->n < DIGEST_ROWS; i++) {
        if (person_mail_wants(m, found.v[i].severity))
            rows[d->n++] = found.v[i];
    }
    for (enum kind k = KIND_NONE; k < KIND__MAX; k++) {
        for (enum severity s = SEVERITY_UNSAID; s < SEVERITY__MAX; s++) {
            const int64_t n = counts.cell[k][s];
            if (!person_mail_wants(m, s))
                continue;
            d->over = d->over || n > INBOX_COUNT_MAX;
            d->waiting += n > INBOX_COUNT_MAX ? INBOX_COUNT_MAX : n;
        }
    }
    return NULL;
}

/* The body of a digest of what waits now; p NULL: nothing does. */
static const struct err *due_mail_digest(const struct work *clock,
                                         const struct person_mail *m,
                                         const struct channel *channel,
                                         struct str *out)
{
    struct suspension *rows =
        arena_many(clock->arena, DIGEST_ROWS, struct suspension);
    const struct principal reader = {.role = m->role,
                                     .person = true,
                                     .id = m->person_id,
                                     .person_id = m->person_id,
                                     .name = m->email,
                                     .groups = m->groups};
    struct inbox_query query = {
        .reader = &reader,
        .view = m->mine && m->role != ROLE_USER ? INBOX_MINE : INBOX_MAY,
        .kind = KIND__MAX,
        .severity = SEVERITY__MAX,
        .limit = DIGEST_ROWS};
    struct digest d = {.v = rows,
                       .detail = channel->detail,
                       .time_zone = m->time_zone,
                       .url = clock->conf->public_url,
                       .now = clock->now};
    *out = STR_NONE;
    TRY(due_mail_add(clock, m, &query, &d, rows));
    if (query.view == INBOX_MINE) {
        query.view = INBOX_GROUPS;
        TRY(due_mail_add(clock, m, &query, &d, rows));
    }
    /* One may have been answered between the list and the count. */
    if (d.waiting < (int64_t)d.n)
        d.waiting = (int64_t)d.n;
    if (d.n > 0)
        *out = digest_body(clock->arena, &d);
    return NULL;
}

static const struct err *
due_mail_digest_one(const struct work *clock, const struct channels *channels,
                    const struct person_mails_digest *one)
{
    struct person_mail m = one->mail;
    const struct channel *channel =
        person_mail_channel(channels, ENDPOINT_MAIL, m.email);
    const int64_t end = due_mail_quiet(clock->arena, &m, clock->now);
    struct str body = STR_NONE;
    const bool begins = m.next_at == 0;
    m.next_at = end ? end : due_mail_next(clock->arena, &m, clock->now);
    if (channel && !end && !begins && !one->waits)
        TRY(due_mail_digest(clock, &m, channel, &body));
    if (body.p) {
        m.digest_id = id_new(clock->arena);
        person_mails_queue(
            clock->pg, clock->arena,
            &(struct person_mails_message){.id = m.digest_id,
                                           .endpoint_id = channel->id,
                                           .recipient = m.email,
                                           .type = digest_type,
                                           .body = body,
                                           .now = clock->now});
    }
    person_mails_queue_keep(clock->pg, clock->arena, &m);
    return pg_run(clock->pg, clock->arena, NULL);
}

static const struct err *due_mail_digests(const struct work *clock,
                                          const struct channels *channels,
                                          bool *more)
{
    struct person_mails_digests due;
    TRY(person_mails_due(clock->pg, clock->arena, clock->now, &due));
    for (size_t i = 0; i < due.n; i++)
        TRY(due_mail_digest_one(clock, channels, &due.v[i]));
    *more = *more || due.n > 0;
    return NULL;
}

/* A digest that could not be sent has what waits when it is. */
static const struct err *due_mail_again(const struct work *clock,
                                        const struct channels *channels)
{
    struct person_mails_digests old;
    TRY(person_mails_again(clock->pg, clock->arena, clock->now,
                           clock->now + SOON, clock->now - OLD, &old));
    for (size_t i = 0; i < old.n; i++) {
        const struct person_mail *m = &old.v[i].mail;
        const struct channel *channel =
            person_mail_channel(channels, ENDPOINT_MAIL, m->email);
        struct str body = STR_NONE;
        if (channel)
            TRY(due_mail_digest(clock, m, channel, &body));
        person_mails_queue_anew(clock->pg, clock->arena, m->digest_id, body,
                                clock->now);
        TRY(pg_run(clock->pg, clock->arena, NULL));
    }
    return NULL;
}

/* ---- at once --------------------------------------------------------- */

static const struct suspension *
due_mail_find(const struct suspension_rows *rows, struct str id)
{
    for (size_t i = 0; i < rows->n; i++) {
        if (str_eq(rows->v[i].id, id))
            return &rows->v[i];
    }
    return NULL;
}

/* One mail, or a digest later. */
static void due_mail_one(const struct work *clock,
                         const struct channel *channel,
                         const struct suspension *s, struct person_mail *m)
{
    struct arena *a = clock->arena;
    const int64_t end = due_mail_quiet(a, m, clock->now);
    if (end || !person_mail_room(m, clock->now)) {
        if (m->next_at == 0)
            m->next_at = end ? end : m->hour_at + HOUR;
        return;
    }
    const struct channel_notice notice = {
        .news = CHANNEL_ASKED,
        .channel = channel,
        .suspension = s,
        .notify_to = m->email,
        .url = conf_address(a, clock->conf, "/suspensions/", s->id),
        .chosen_at =
            conf_address(a, clock->conf, "/settings/notifications", STR("")),
        .now = clock->now};
    person_mails_queue(clock->pg, a,
                       &(struct person_mails_message){
                           .id = id_new(a),
                           .endpoint_id = channel->id,
                           .recipient = m->email,
                           .suspension_id = s->id,
                           .sequence = s->asked_sequence,
                           .type = channel_news_word(CHANNEL_ASKED),
                           .body = channel_body(a, &notice),
                           .now = clock->now});
}

/* The questions of one person, which are together in the list. */
static const struct err *due_mail_person(const struct work *clock,
                                         const struct channels *channels,
                                         const struct suspension_rows *asked,
                                         const struct person_mails_one *v,
                                         size_t n)
{
    struct person_mail m = v[0].mail;
    const struct channel *channel =
        person_mail_channel(channels, ENDPOINT_MAIL, m.email);
    for (size_t i = 0; i < n && channel; i++) {
        const struct suspension *s = due_mail_find(asked, v[i].suspension_id);
        if (s && person_mail_wants(&m, s->severity))
            due_mail_one(clock, channel, s, &m);
    }
    person_mails_queue_keep(clock->pg, clock->arena, &m);
    return pg_run(clock->pg, clock->arena, NULL);
}

/* To browsers that nobody has to have open. */
static const struct err *due_mail_push(const struct work *clock,
                                       const struct suspension_rows *asked)
{
    struct str *ids = arena_many(clock->arena, asked->n, struct str);
    for (size_t i = 0; i < asked->n; i++)
        ids[i] = asked->v[i].id;
    return person_pushes_queue(clock->pg, clock->arena, ids, asked->n,
                               clock->now);
}

static const struct err *due_mail_at_once(const struct work *clock,
                                          const struct channels *channels,
                                          bool wanted, bool *more)
{
    struct suspension_rows asked;
    struct person_mails_ones ones = {.n = 0};
    TRY(person_mails_asked(clock->pg, clock->arena, wanted, &asked, more));
    if (asked.n > 0)
        TRY(person_mails_people(clock->pg, clock->arena, &asked, &ones));
    if (asked.n > 0)
        TRY(due_mail_push(clock, &asked));
    for (size_t i = 0, n; i < ones.n; i += n) {
        for (n = 1; i + n < ones.n; n++) {
            if (!str_eq(ones.v[i].mail.person_id,
                        ones.v[i + n].mail.person_id))
                break;
        }
        TRY(due_mail_person(clock, channels, &asked, ones.v + i, n));
    }
    return NULL;
}

const struct err *due_mail_run(const struct work *clock, bool *more)
{
    struct person_mails_work todo;
    struct channels *channels = arena_new(clock->arena, struct channels);
    bool begun = false;
    *more = false;
    TRY(person_mails_look(clock->pg, clock->arena, clock->now,
                          clock->now + SOON, &todo));
    /* Events are read where somebody wants it, and the place is forgotten
     * where nobody does any more. */
    const bool read = todo.wanted ? todo.news || !todo.placed : todo.placed;
    if (!todo.digests && !todo.again && !read)
        return NULL;
    TRY(person_mails_begin(clock->pg, clock->arena, &begun));
    if (!begun)
        return NULL;
    TRY(endpoints_channels(clock->pg, clock->arena, channels));
    if (read)
        TRY(due_mail_at_once(clock, channels, todo.wanted, more));
    TRY(due_mail_again(clock, channels));
    TRY(due_mail_digests(clock, channels, more));
    TRY(pg_query(clock->pg, clock->arena, SQL_COMMIT, NULL, NULL));
    wake_deliver();
    return NULL;
}
