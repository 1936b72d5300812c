/* Channels: where people are notified of open questions, which recipients a
 * question may name there, and the text of a notice. Pure. */
#ifndef DOMAIN_SENDING_CHANNEL_H
#define DOMAIN_SENDING_CHANNEL_H

#include "domain/question/suspension.h"

#define CHANNELS_MAX 64
#define CHANNEL_NOTIFY_MAX 64 /* entries of an allow-list */
#define CHANNEL_BODY_MAX ((size_t)64 << 10)

struct channel {
    struct str id;
    enum endpoint_kind kind;
    struct str name;      /* the name in channel_hint and notify_to */
    struct str address;   /* mail: addresses, comma-separated; push: the mail
                           * address for push services; else a URL */
    const struct str *notify_to; /* the allow-list: for mail and push, to which
                             no question is sent by name, an address, or
                             "@example.org" for all of a domain; for the
                             others a name, or "*" */
    size_t notify_to_n;
    enum channel_detail detail;
    bool every_question; /* also gets questions that name no channel */
    bool off; /* paused or removed: may be named, and gets nothing */
};

struct record;
extern const struct record channel_record; /* domain/record.h */

/* All channels that are not removed. */
struct channels {
    struct channel v[CHANNELS_MAX];
    size_t n;
};

/* The occasion of a notice. */
enum channel_news { CHANNEL_ASKED, CHANNEL_REMINDED, CHANNEL_ESCALATED,
                    CHANNEL_UNRESPONSIVE, /* a coordinator, no question */
                    CHANNEL_NEWS__MAX };
/* suspension.asked | suspension.reminded | suspension.escalated |
 * coordinator.unresponsive */
const char *channel_news_word(enum channel_news n);

/* One message to be sent. */
struct channel_target {
    const struct channel *channel;
    struct str recipient; /* p NULL: the channel's own address */
};
struct channel_targets {
    struct channel_target v[CHANNELS_MAX];
    size_t n;
    bool instead; /* in place of a named channel or recipient that is gone */
};
/* The channels and recipients of a question with these channel_hint and
 * notify_to (p NULL or empty: not given). The channel of that hint gets a
 * notice, and notify_to does: on that channel where its allow-list has it, else
 * on all channels whose list has it, and as a channel where it is the name of
 * one. Channels that are off are left out. The channels for every question get
 * it where nothing was named, and also, with instead set, where nothing that
 * was named exists: a question always reaches somebody while any channel is
 * there. */
void channel_targets(const struct channels *all, struct str hint,
                     struct str notify_to, struct channel_targets *out);

/* Refuses a question that names a channel that does not exist or a recipient
 * that is on no allow-list, with the field: channel_hint, or
 * retry_policy.escalation_ladder[i].channel_hint / .notify_to. Channels that
 * are off exist. s is the question before it inherits a policy: a default that
 * an admin set is not a mistake of the question. strict: also refuses an
 * unknown channel_hint; OpenIntent's hints are free text, and without any
 * channel there is no list to check notify_to against. ERR_INVALID
 * channel.unknown | channel.not_allowed. */
const struct err *channel_check(struct arena *a, const struct channels *all,
                                const struct suspension *s,
                                bool strict) MUST;

/* May this channel send to this recipient? For mail, who is one address and
 * nothing else. */
bool channel_allows(const struct channel *c, struct str who);
/* The recipient that the ladder names for the first attempt; p NULL: none. */
struct str channel_first(struct arena *a, const struct suspension *s);

/* A question's title outside of the pages: the title, or the head of the
 * question: in place of one that shows arguments too, except with all. */
struct str channel_title(struct arena *a, const struct suspension *s,
                         enum channel_detail detail);
/* The body of a notice, {type, timestamp, data}, within the channel's detail.
 * data always has: suspension_id, intent_id, title (channel_title), severity,
 * agent, attempt, max_attempts, asked_at, expires_at, notify_to, url; summary:
 * also question, on_expiry; all: also explanation, context, choices (their
 * labels), and the members of channel_facts. The moments are RFC 3339 or null;
 * chosen_at is there where it was given. Members that would make it longer
 * than CHANNEL_BODY_MAX are null: the context first, then the explanation,
 * then the calls. */
struct channel_notice {
    enum channel_news news;
    const struct channel *channel;
    const struct suspension *suspension; /* id p NULL: it is not a question */
    struct str notify_to; /* p NULL: no recipient named */
    struct str url;       /* of the question's page, else the intent's */
    struct str chosen_at; /* the page where the recipient chose it; p NULL: an
                           * admin made the channel */
    int64_t now;
};
struct str channel_body(struct arena *a, const struct channel_notice *n);

/* The address of a channel of that kind: mail addresses or a URL. */
const struct err *channel_address(struct arena *a, const char *field,
                                  enum endpoint_kind kind, struct str text,
                                  struct str *out) MUST;
/* An allow-list: for mail addresses and "@example.org", for the others names
 * and "*". */
const struct err *channel_notify_to(struct arena *a, const char *field,
                                    enum endpoint_kind kind,
                                    const struct str *v, size_t n) MUST;

#endif
