/* The browser and the operating system of a User-Agent header, in words that a
 * person knows: "Firefox", "Android". */
#ifndef WORLD_WEB_USER_AGENT_H
#define WORLD_WEB_USER_AGENT_H

#include "base/str.h"

struct user_agent {
    struct str browser, os; /* p NULL: not known */
};
/* Both are words of this file, whatever else the header says. */
struct user_agent user_agent_read(struct str header);

#endif
