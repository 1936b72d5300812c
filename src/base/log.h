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
void log_line(enum log_level level, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#endif
