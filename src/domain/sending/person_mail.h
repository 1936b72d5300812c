/* Mail to a person about requests, as they chose it: which ones, at once or as
 * a digest, and the hours without any. Pure; a moment of the day is in minutes
 * and by the person's own clock, and the caller converts. */
#ifndef DOMAIN_SENDING_PERSON_MAIL_H
#define DOMAIN_SENDING_PERSON_MAIL_H

#include "domain/intent/role.h"
#include "domain/record.h"
#include "domain/sending/channel.h"

#define PERSON_MAIL_DAY (24 * 60) /* minutes */
#define PERSON_MAIL_DAILY 24      /* of every_hours: once a day, at daily_at */
#define PERSON_MAIL_HOUR_MAX                                                  \
    20 /* mails at once in an hour; more requests                             \
        * come in a digest at its end */

struct person_mail {
    struct str person_id;
    enum severity least; /* a request without a severity counts as medium */
    bool mine;           /* only what names the person or a group of theirs */
    int64_t every_hours; /* between two digests; 0: each request at once */
    int64_t daily_at;    /* minutes; with PERSON_MAIL_DAILY */
    int64_t quiet_from, quiet_until; /* minutes; equal: none are quiet */
    int64_t since;            /* requests before it are in digests alone */
    int64_t next_at; /* of the next digest; 0: none is due, or the clock has not
                      * said yet */
    int64_t hour_at, in_hour; /* so many were sent at once since hour_at */
    struct str digest_id;     /* the newest digest, a delivery; p NULL: none */
    /* Of the person, where they are read with it. */
    struct str email, groups, time_zone;
    enum role role;
};
extern const struct record person_mail_record; /* domain/record.h */

/* Does a request of this severity count? */
bool person_mail_wants(const struct person_mail *m, enum severity severity);
/* May one more mail be sent at once? Then it counts. */
bool person_mail_room(struct person_mail *m, int64_t now);

/* The channel that sends to the person with this address: of that kind (mail or
 * push), in use, and its allow-list has it; the first by name. NULL: none
 * may. */
const struct channel *person_mail_channel(const struct channels *all,
                                          enum endpoint_kind kind,
                                          struct str address);

/* `shown`: what the person's clock shows, as the moment in microseconds when
 * a clock in UTC shows the same. */

/* When the quiet hours end that `shown` is in, as shown; 0: it is in none. */
int64_t person_mail_quiet(const struct person_mail *m, int64_t shown);
/* The next time after `shown` when it is daily_at, as shown. */
int64_t person_mail_daily(const struct person_mail *m, int64_t shown);

/* "21:30" of minutes, and back: hours and minutes, with a leading zero or
 * without. false: it is no time of the day. */
struct str person_mail_clock(struct arena *a, int64_t minutes);
bool person_mail_minutes(struct str typed, int64_t *out);

#endif
