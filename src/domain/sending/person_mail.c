/* Mail to a person about requests: the choices, and the times of the day. */
#include "domain/sending/person_mail.h"

#include "base/clock.h"

#define MINUTE (60 * CLOCK_SECOND)
#define HOUR (60 * MINUTE)
#define DAY (PERSON_MAIL_DAY * MINUTE)

/* IN_PART: what the clock keeps. */
static const struct record_field person_mail_fields[] = {
    {RECORD_TEXT(person_mail, person_id, IN_TABLE), .column = "principal_id"},
    {RECORD_WORD(person_mail, least, IN_TABLE | IN_UPDATE,
                 vocabulary_severity_all)},
    {RECORD_FLAG(person_mail, mine, IN_TABLE | IN_UPDATE)},
    {RECORD_NUMBER(person_mail, every_hours, IN_TABLE | IN_UPDATE)},
    {RECORD_NUMBER(person_mail, daily_at, IN_TABLE | IN_UPDATE)},
    {RECORD_NUMBER(person_mail, quiet_from, IN_TABLE | IN_UPDATE)},
    {RECORD_NUMBER(person_mail, quiet_until, IN_TABLE | IN_UPDATE)},
    {RECORD_TIME(person_mail, since, IN_TABLE | IN_UPDATE)},
    {RECORD_TIME(person_mail, next_at, IN_TABLE | IN_UPDATE | IN_PART)},
    {RECORD_TIME(person_mail, hour_at, IN_ROW | IN_PART)},
    {RECORD_NUMBER(person_mail, in_hour, IN_ROW | IN_PART)},
    {RECORD_TEXT(person_mail, digest_id, IN_ROW | IN_PART)},
    {RECORD_TEXT(person_mail, email, IN_JOIN)},
    {RECORD_OWN(person_mail, role, IN_JOIN, role_column, role_take)},
    {RECORD_TEXT(person_mail, groups, IN_JOIN)},
    {RECORD_TEXT(person_mail, time_zone, IN_JOIN)},
};
const struct record person_mail_record =
    RECORD(person_mail, "choice of mail", "person_mail");

bool person_mail_wants(const struct person_mail *m, enum severity severity)
{
    return (severity == SEVERITY_UNSAID ? SEVERITY_MEDIUM : severity) >=
           m->least;
}

bool person_mail_room(struct person_mail *m, int64_t now)
{
    if (m->hour_at == 0 || now < m->hour_at || now - m->hour_at >= HOUR) {
        m->hour_at = now;
        m->in_hour = 0;
    }
    if (m->in_hour >= PERSON_MAIL_HOUR_MAX)
        return false;
    m->in_hour++;
    return true;
}

const struct channel *person_mail_channel(const struct channels *all,
                                          enum endpoint_kind kind,
                                          struct str address)
{
    for (size_t i = 0; i < all->n; i++) {
        const struct channel *c = &all->v[i];
        if (c->kind == kind && !c->off && channel_allows(c, address))
            return c;
    }
    return NULL;
}

/* ---- the time of the day --------------------------------------------- */

/* The next time from `shown` on when the clock shows these minutes. */
static int64_t person_mail_next(int64_t shown, int64_t minutes)
{
    const int64_t at = shown - shown % DAY + minutes * MINUTE;
    return at > shown ? at : at + DAY;
}

int64_t person_mail_quiet(const struct person_mail *m, int64_t shown)
{
    const int64_t from = m->quiet_from, until = m->quiet_until;
    const int64_t now = shown % DAY / MINUTE;
    const bool quiet =
        from < until ? now >= from && now < until : now >= from || now < until;
    return from != until && quiet ? person_mail_next(shown, until) : 0;
}

int64_t person_mail_daily(const struct person_mail *m, int64_t shown)
{
    return person_mail_next(shown, m->daily_at);
}

struct str person_mail_clock(struct arena *a, int64_t minutes)
{
    const char text[] = {
        (char)('0' + minutes / 600), (char)('0' + minutes / 60 % 10), ':',
        (char)('0' + minutes % 60 / 10), (char)('0' + minutes % 10)};
    return arena_str(a, (struct str){text, sizeof text});
}

/* A number of one or two digits below a limit. */
static bool person_mail_digits(struct str s, int64_t below, int64_t *out)
{
    *out = 0;
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] < '0' || s.p[i] > '9')
            return false;
        *out = *out * 10 + s.p[i] - '0';
    }
    return s.n > 0 && s.n <= 2 && *out < below;
}

bool person_mail_minutes(struct str typed, int64_t *out)
{
    struct str rest = str_trim(typed);
    const struct str hours = str_cut(&rest, ':');
    int64_t h = 0, m = 0;
    if (!person_mail_digits(hours, 24, &h) || rest.n != 2 ||
        !person_mail_digits(rest, 60, &m))
        return false;
    *out = h * 60 + m;
    return true;
}
