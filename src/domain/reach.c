/* The access of agents to intents. Pure: the database finds the ties. */
#include "domain/reach.h"

#include "base/buf.h"
#include "base/json.h"

static const char *const words[REACH__MAX] = {[REACH_OWN] = "own",
                                              [REACH_ALL] = "all"};

static const char *const access_words[ACCESS__MAX] = {
    [ACCESS_READ] = "read", [ACCESS_WRITE] = "write", [ACCESS_ADMIN] = "admin"};

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

enum access reach_access_of(struct str word)
{
    for (enum access i = ACCESS_READ; i < ACCESS__MAX; i++) {
        if (str_is(word, access_words[i]))
            return i;
    }
    return ACCESS_NONE;
}

const char *reach_access_word(enum access access)
{
    return access < ACCESS__MAX ? access_words[access] : NULL;
}

bool reach_own(const struct principal *p)
{
    return p->role == ROLE_AGENT && p->reach != REACH_ALL;
}

bool reach_all(const struct principal *p, struct str maker, struct str owner,
               bool closed)
{
    if (p->role != ROLE_AGENT)
        return true;
    return reach_own(p) ? str_eq(maker, p->agent) ||
                              (owner.p && str_eq(owner, p->agent))
                        : !closed;
}

struct str reach_reader(struct arena *a, const struct principal *p)
{
    struct buf b = buf_make(a, p->agent.n + 2);
    if (p->role != ROLE_AGENT)
        return STR_NONE;
    if (!reach_own(p))
        buf_char(&b, '/');
    buf_str(&b, p->agent);
    return buf_text(&b);
}

const struct err *reach_check(struct arena *a, enum access has,
                              enum access needs)
{
    if (has == ACCESS_NONE)
        return ERROR(ERR_NOT_FOUND, "intent.unknown",
                     "There is no intent with this id.");
    if (has >= needs)
        return NULL;
    struct json *more = json_object(a);
    json_set_text(more, "permission", str_of(access_words[has]));
    json_set_text(more, "required_permission", str_of(access_words[needs]));
    return err_more(a,
                    err_at(a, ERR_FORBIDDEN, "access.denied", STR(""),
                           "This needs %s access to the intent. The agent has "
                           "%s access.",
                           access_words[needs], access_words[has]),
                    more);
}
