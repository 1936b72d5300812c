/* Errors are values: NULL is success, anything else is a const struct err *.
 *
 * code is stable API text ("suspension.already_decided"); say is one sentence
 * for the person or the agent, with the next step. Internal causes go to the
 * log, never into an error. world/web/response.c alone turns a kind into a
 * status. */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include "base/arena.h"

enum err_kind {
    ERR_BAD_REQUEST,     /* 400: cannot be read */
    ERR_UNAUTHENTICATED, /* 401 */
    ERR_FORBIDDEN,       /* 403 */
    ERR_NOT_FOUND,       /* 404 */
    ERR_METHOD,          /* 405 */
    ERR_CONFLICT,        /* 409 */
    ERR_LEASE,           /* 409: a lease is in the way */
    ERR_TOO_LARGE,       /* 413 */
    ERR_PRECONDITION,    /* 428: the version that was read is missing */
    ERR_MEDIA_TYPE,      /* 415 */
    ERR_INVALID,         /* 422: read, but not acceptable */
    ERR_RATE,            /* 429 */
    ERR_INTERNAL,        /* 500: a defect of the server */
    ERR_UNSUPPORTED,     /* 501: not with this web server */
    ERR_BUSY,            /* 503: try again, Retry-After */
    ERR_MEMORY,          /* 503: over the memory budget of a request */
    ERR_AGAIN,           /* internal only: run the call again */
    ERR__MAX
};

struct json; /* base/json/json.h */

struct err {
    enum err_kind kind;
    const char *code;
    struct str say;
    /* The place in the input, e.g. "choices[2].value" or "byte 17"; or
     * empty. */
    struct str at;
    /* The sentence about the value at this place without its subject, e.g. "is
     * needed"; or NULL. */
    const char *predicate;
    /* Seconds until a retry; 0: the default of the kind. */
    int64_t retry;
    /* Further members of the response body, a JSON object; or NULL. */
    const struct json *more;
};

#define MUST __attribute__((warn_unused_result))

/* Return early when a call failed. */
#define TRY(call)                                                              \
    do {                                                                       \
        const struct err *try_err_ = (call);                                   \
        if (try_err_)                                                          \
            return try_err_;                                                   \
    } while (0)

/* An error that needs no memory: ERROR(ERR_NOT_FOUND, "intent.unknown",
 * "There is no such intent."). It lives as long as the program. */
#define ERROR(kind_, code_, say_)                                              \
    __extension__({                                                            \
        static const struct err error_ = {.kind = (kind_),                     \
                                          .code = (code_),                     \
                                          .say = {(say_), sizeof(say_) - 1}};  \
        &error_;                                                               \
    })

/* Has e, or NULL, this code? Codes that callers compare have a name in the
 * header of the file that returns them, such as event_log_full, and err_is
 * compares the address, not the text. */
bool err_is(const struct err *e, const char *code);
/* An error whose sentence or place is made at run time; lives in a. */
const struct err *err_at(struct arena *a, enum err_kind kind, const char *code,
                         struct str at, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
/* instead where e is ERR_NOT_FOUND; else e, which may be NULL. */
const struct err *err_not_found_as(const struct err *e,
                                   const struct err *instead);
/* A copy of e with more set. */
const struct err *err_more(struct arena *a, const struct err *e,
                           const struct json *more);
/* A copy of e with the time of a retry. */
const struct err *err_retry(struct arena *a, const struct err *e,
                            int64_t seconds);

#endif
