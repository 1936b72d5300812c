/* How grave a question is: the words, their order, and what follows from them
 * everywhere. What a severity asks of a kind's facts is kind.h's. */
#ifndef DOMAIN_SEVERITY_H
#define DOMAIN_SEVERITY_H

#include "base/str.h"

/* Those that an agent may say, as fields_word takes them. */
#define SEVERITY_WORDS "low medium high critical"

enum severity {
    SEVERITY_UNSAID,
    SEVERITY_LOW,
    SEVERITY_MEDIUM,
    SEVERITY_HIGH,
    SEVERITY_CRITICAL,
    SEVERITY__MAX
};

/* The severity of a word on the wire; SEVERITY_UNSAID for p NULL and for any
 * that is not one of SEVERITY_WORDS. */
enum severity severity_of(struct str word);
/* The word on the wire, and as people read it; "none" and "Not said". */
const char *severity_word(enum severity s);
const char *severity_label(enum severity s);
/* High or critical: more is asked for. */
bool severity_grave(struct str word);

#endif
