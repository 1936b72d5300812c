/* How grave a question is. */
#include "domain/severity.h"

#include <assert.h>

static const struct {
    const char *word, *label;
} table[] = {[SEVERITY_UNSAID] = {"none", "Not said"},
             [SEVERITY_LOW] = {"low", "Low"},
             [SEVERITY_MEDIUM] = {"medium", "Medium"},
             [SEVERITY_HIGH] = {"high", "High"},
             [SEVERITY_CRITICAL] = {"critical", "Critical"}};
static_assert(countof(table) == SEVERITY__MAX, "a row each");

enum severity severity_of(struct str word)
{
    unsigned s = SEVERITY_CRITICAL;
    while (s > SEVERITY_UNSAID && !str_is(word, table[s].word))
        s--;
    return (enum severity)s;
}

const char *severity_word(enum severity s)
{
    return table[s].word;
}

const char *severity_label(enum severity s)
{
    return table[s].label;
}

bool severity_grave(struct str word)
{
    return severity_of(word) >= SEVERITY_HIGH;
}
