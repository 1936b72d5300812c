/* Log lines on standard error.
 *
 * journald reads the <n> priority. A line never has a key, a password, a cookie
 * or an answer; callers name the fields they log. Control characters in values
 * are replaced, so that a value cannot start a new line. */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include "base/str.h"

enum log_level { LOG_ERR = 3, LOG_WARN = 4, LOG_NOTICE = 5, LOG_INFO = 6 };

/* The id of the current request, put into every line until changed; the text
 * has to live that long. STR_NONE for none. */
void log_request(struct str id);
/* The trace that the current request belongs to (W3C Trace Context), as
 * log_request. */
void log_trace(struct str id);
/* From now on each line is a JSON object: time, level, request and trace where
 * there are any, and message or the members of an answer. */
void log_as_json(bool on);
void log_line(enum log_level level, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* A request that was answered. */
struct log_answer {
    const char *route; /* "GET /api/v1/intents/{id}" */
    int status;
    struct str principal; /* "operator:" and an id; "-" for none */
    int64_t database_us, total_us;
    size_t bytes;
};
void log_answer(enum log_level level, const struct log_answer *w);

#endif
