/* The one door to libcurl: many transfers at once, HTTPS and SMTP.
 *
 * Never follows a redirect, never uses a proxy, keeps no cookie, allows only
 * https, smtp and smtps, and http to this machine, and connects to no private
 * address unless a transfer may: checked after the name was resolved, on the
 * address itself. Every answer has a ceiling and every transfer a deadline. */
#ifndef WORLD_OUTBOUND_H
#define WORLD_OUTBOUND_H

#include "base/arena.h"

#define OUTBOUND_AT_ONCE 64 /* transfers */
#define OUTBOUND_TIME (INT64_C(15) * 1000000) /* of a transfer, us */
#define OUTBOUND_HEADERS_MAX 8
#define OUTBOUND_RECIPIENTS_MAX 16
#define OUTBOUND_ANSWER_MAX 500 /* bytes of the answer's body that are kept */

/* The settings of all transfers. */
struct outbound_settings {
    struct str ca_file;                         /* p NULL: the system's */
    struct str smtp_url, smtp_user, smtp_password; /* p NULL: none */
};

struct outbound_request {
    struct str url;    /* https; http to a loopback address, where internal;
                        * of mail: p NULL */
    struct str body;   /* or the whole message with its headers */
    struct str header[OUTBOUND_HEADERS_MAX]; /* "Name: value" */
    size_t headers;
    struct str from, to[OUTBOUND_RECIPIENTS_MAX]; /* of mail */
    size_t recipients;
    bool internal; /* a private address is allowed */
    bool whole;    /* the whole answer is wanted, as bytes */
    int64_t time;  /* limit, us; 0: OUTBOUND_TIME */
};

struct outbound_result {
    int status;              /* of HTTP, or the last of SMTP; 0: none */
    struct str said;         /* the error, or the head of the answer; text in
                              * UTF-8 */
    struct str body;         /* where it is wanted: the whole answer, for the
                              * time of the call of done */
    int64_t retry_after;     /* seconds; 0: not given */
    int64_t ms;
    bool late; /* there was no answer in time */
};

struct outbound;

/* NULL and a log line on an error. */
struct outbound *outbound_make(struct arena *process,
                               const struct outbound_settings *settings);
void outbound_close(struct outbound *o);
/* Starts a transfer; own comes back with its result. Texts need to live only
 * for the call. false: it was not started, because OUTBOUND_AT_ONCE are running
 * or there is no mail server. */
bool outbound_send(struct outbound *o, const struct outbound_request *rq,
                   void *own);
/* Works for at most us microseconds, or until fd can be read, calling done for
 * each transfer that ended. Returns the number still running. */
size_t outbound_work(struct outbound *o, int64_t us, int fd,
                     void (*done)(void *context, void *own,
                                  const struct outbound_result *r),
                     void *context);

/* One call of a command of the program, which waits for the answer: a GET, or
 * with a body a POST, over http or https. The server itself makes none. */
#define OUTBOUND_CALL_MAX ((size_t)1 << 20) /* of an answer */
struct outbound_call {
    struct str url;
    struct str body; /* p NULL: a GET */
    struct str header[OUTBOUND_HEADERS_MAX]; /* "Name: value" */
    size_t headers;
    int64_t time;       /* limit, us */
    struct str ca_file; /* p NULL: the system's */
    const volatile int *stop; /* not 0: it ends soon, without an answer; NULL:
                               * nothing ends it */
};
struct outbound_answer {
    int status;          /* 0: there is no answer */
    struct str body;     /* or the error, in words */
    int64_t retry_after; /* seconds; 0: not given */
};
/* The texts are in a. An answer longer than OUTBOUND_CALL_MAX is none. */
void outbound_call(struct arena *a, const struct outbound_call *call,
                   struct outbound_answer *out);

#endif
