/* The access of agents to intents. Pure: the database finds the ties. */
#include "domain/intent/reach.h"

#include "base/json/json.h"

bool reach_choose(struct str word, const struct str *names, size_t n,
                  enum reach *out)
{
    enum reach least = n > 0 ? REACH_OWN : REACH_ALL;
    for (size_t i = 0; i < n; i++) {
        if (str_is(names[i], "*"))
            least = REACH_ALL;
    }
    *out = word.p ? vocabulary_reach_of(word) : least;
    return *out != REACH__MAX && *out >= least;
}

enum access reach_access_of(struct str word)
{
    const enum access access = vocabulary_access_of(word);
    return access == ACCESS__MAX ? ACCESS_NONE : access;
}

bool reach_own(const struct principal *p)
{
    return p->role == ROLE_AGENT && p->reach != REACH_ALL;
}

bool reach_sort(const struct principal *p, bool test)
{
    return p->role != ROLE_AGENT || p->test == test;
}

const struct err *reach_check_sort(const struct principal *p, bool test)
{
    return reach_sort(p, test) ? NULL
                               : ERROR(ERR_NOT_FOUND, "intent.unknown",
                                       "There is no intent with this id.");
}

bool reach_all(const struct principal *p, const struct intent *i)
{
    if (p->role != ROLE_AGENT)
        return true;
    if (!reach_sort(p, i->test))
        return false;
    return reach_own(p) ? str_eq(i->created_by, p->agent) ||
                              (i->owner.p && str_eq(i->owner, p->agent))
                        : !i->closed;
}

static struct str reach_as(struct arena *a, const struct principal *p,
                           bool all)
{
    if (p->role != ROLE_AGENT)
        return STR_NONE;
    return arena_join(a, p->test ? STR(REACH_TEST) : STR_NONE,
                      all ? STR("/") : STR_NONE, p->agent);
}

struct str reach_reader(struct arena *a, const struct principal *p)
{
    return reach_as(a, p, !reach_own(p));
}

struct str reach_name(struct arena *a, const struct principal *p)
{
    return reach_as(a, p, false);
}

struct reach_parts reach_parts(struct str reader)
{
    struct reach_parts r = {.agent = reader};
    r.test = str_starts(r.agent, STR(REACH_TEST));
    if (r.test)
        r.agent = str_sub(r.agent, sizeof REACH_TEST - 1, r.agent.n);
    r.all = r.agent.n > 0 && r.agent.p[0] == '/';
    if (r.all)
        r.agent = str_sub(r.agent, 1, r.agent.n);
    return r;
}

const struct err *reach_joins(struct arena *a, bool test, bool other,
                              const char *at)
{
    if (test == other)
        return NULL;
    return err_at(
        a, ERR_INVALID, "test.apart", str_of(at),
        test ? "This is a test. Tests and real work cannot be combined."
             : "This is real work. Tests and real work cannot be combined.");
}

const struct err *reach_check(struct arena *a, enum access has,
                              enum access needs)
{
    if (has == ACCESS_NONE)
        return ERROR(ERR_NOT_FOUND, "intent.unknown",
                     "There is no intent with this id.");
    if (has >= needs)
        return NULL;
    const struct str mine = vocabulary_access(has)->wire,
                     needed = vocabulary_access(needs)->wire;
    struct json *more = json_object(a);
    json_set_text(more, "permission", mine);
    json_set_text(more, "required_permission", needed);
    return err_more(a,
                    err_at(a, ERR_FORBIDDEN, "access.denied", STR(""),
                           "This needs %s access to the intent. The agent has "
                           "%s access.",
                           needed.p, mine.p),
                    more);
}
