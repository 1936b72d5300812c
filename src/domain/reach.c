/* The intents that an agent may reach. Pure: the caller looks the ties up. */
#include "domain/reach.h"

static const char *const words[REACH__MAX] = {[REACH_OWN] = "own",
                                              [REACH_ALL] = "all"};

enum reach reach_of(struct str word)
{
    enum reach r = REACH_OWN;
    while (r < REACH__MAX && !str_is(word, words[r]))
        r++;
    return r;
}

const char *reach_word(enum reach reach)
{
    return reach < REACH__MAX ? words[reach] : "unknown";
}

bool reach_choose(struct str word, const struct str *names, size_t n,
                  enum reach *out)
{
    enum reach least = n > 0 ? REACH_OWN : REACH_ALL;
    for (size_t i = 0; i < n; i++) {
        if (str_is(names[i], "*"))
            least = REACH_ALL;
    }
    *out = word.p ? reach_of(word) : least;
    return *out != REACH__MAX && *out >= least;
}

static bool apart(const struct principal *p)
{
    return p->role == ROLE_AGENT && p->reach != REACH_ALL;
}

struct str reach_agent(const struct principal *p)
{
    return apart(p) ? p->agent : STR_NONE;
}

bool reach_may(const struct principal *p, struct reach_tie tie,
               enum reach_act act)
{
    return !apart(p) || tie.own || (act == REACH_READ && tie.kin);
}
