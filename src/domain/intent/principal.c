/* The caller of a request, and the rights of a role. Looks nobody up. */
#include "domain/intent/principal.h"

#include <assert.h>

#include "base/text.h"

bool principal_agent_name(struct str name)
{
    if (name.n == 0 || !str_utf8(name) ||
        str_runes(name) > PRINCIPAL_AGENT_NAME_MAX || str_is(name, "*") ||
        str_is(name, "clock") || str_is(name, "sayso"))
        return false;
    for (size_t at = 0; at < name.n;) {
        const uint32_t rune = str_rune(name, &at);
        /* White space beyond ASCII and Latin-1, by Unicode's list. */
        const bool space = rune == 0x1680 ||
                           (rune >= 0x2000 && rune <= 0x200a) ||
                           rune == 0x2028 || rune == 0x2029 ||
                           rune == 0x202f || rune == 0x205f || rune == 0x3000;
        /* A slash would end a path segment in clients that do not escape. */
        if (rune <= ' ' || rune == '/' || (rune >= 0x7f && rune <= 0xa0) ||
            space || text_hidden(rune))
            return false;
    }
    return true;
}

bool principal_agent_name_new(struct str name)
{
    static_assert(TEXT_NAME_MAX == PRINCIPAL_AGENT_NAME_MAX, "one limit");
    return principal_agent_name(name) && str_find(name, '@', 0) >= name.n &&
           text_name(name) && !text_looks(name, "clock") &&
           !text_looks(name, "sayso") &&
           !text_looks(name, PRINCIPAL_TRIAL_AGENT);
}

const struct err *principal_speak(const struct str *names, size_t n,
                                  struct str asked, struct str label,
                                  struct str *out)
{
    bool any = false;
    for (size_t i = 0; i < n; i++)
        any = any || str_is(names[i], "*");
    if (!asked.p && n > 0 && !str_is(names[0], "*")) {
        *out = names[0];
        return NULL;
    }
    if (!asked.p) {
        *out = principal_agent_name_new(label) ? label : STR("agent");
        return NULL;
    }
    for (size_t i = 0; i < n && !any; i++) {
        if (str_eq(names[i], asked)) {
            *out = names[i];
            return NULL;
        }
    }
    if (any && !principal_agent_name_new(asked))
        return ERROR(ERR_FORBIDDEN, "agent.not_named",
                     "X-Agent-ID is not a valid agent name: 1 to 120 "
                     "characters without spaces, \"/\" and \"@\", and not one "
                     "of the server's own names.");
    if (!any)
        return ERROR(ERR_FORBIDDEN, "agent.not_named",
                     "This key may not act as the agent named in X-Agent-ID.");
    *out = asked;
    return NULL;
}

const struct err *principal_check_sort(const struct principal *p,
                                       struct str taken, bool any)
{
    if (any && str_listed(taken, p->agent))
        return ERROR(ERR_FORBIDDEN, "agent.not_named",
                     "This agent name belongs to a key of the other sort, "
                     "test or real. This key may not use it.");
    if (!any && p->test && taken.n > 0)
        return ERROR(ERR_UNAUTHENTICATED, "key.test",
                     "This is a test key, and a real key has the same agent "
                     "name. Create a test key with an agent name of its own.");
    return NULL;
}

struct str principal_actor(const struct principal *p)
{
    if (p->role == ROLE_AGENT)
        return p->agent;
    return p->actor.p ? p->actor : p->name;
}

struct str principal_agent_key(const struct principal *p)
{
    return p->role == ROLE_AGENT ? p->id : STR_NONE;
}

struct str principal_key_actor(struct arena *a, struct str label)
{
    const bool agent =
        principal_agent_name(label) && str_find(label, '@', 0) == label.n;
    return agent ? arena_join(a, label, STR(" (key)")) : label;
}

bool principal_decides(const struct principal *p)
{
    return p->role == ROLE_OPERATOR || p->role == ROLE_ADMIN;
}

bool principal_in_group(const struct principal *p, struct str name)
{
    return str_listed(p->groups, name);
}

/* ---- the terms of questions ------------------------------------------- */

bool principal_by(struct str word, struct decider *out)
{
    struct str group = word;
    const struct str mode = str_cut(&group, ':');
    *out = (struct decider){.who = DECIDER_ANY};
    if (word.n == 0)
        return true;
    switch (vocabulary_responder_mode_of(mode)) {
    case RESPONDER_OPERATORS:
        out->who = DECIDER_OPERATORS;
        return !group.p;
    case RESPONDER_INITIATOR:
        out->who = DECIDER_INITIATOR;
        return !group.p;
    case RESPONDER_GROUP:
        *out = (struct decider){.who = DECIDER_GROUP, .group = group};
        return person_group_name(group);
    case RESPONDER_NAMED:
    case RESPONDER_AGENT:
    case RESPONDER_MODE__MAX:
    default:
        return false;
    }
}

struct str principal_by_text(struct arena *a, const struct decider *by)
{
    static const enum responder_mode modes[] = {
        [DECIDER_OPERATORS] = RESPONDER_OPERATORS,
        [DECIDER_GROUP] = RESPONDER_GROUP,
        [DECIDER_INITIATOR] = RESPONDER_INITIATOR};
    if (by->who == DECIDER_ANY)
        return STR_NONE;
    const struct str mode = vocabulary_responder_mode(modes[by->who])->wire;
    return by->who == DECIDER_GROUP ? arena_join(a, mode, STR(":"), by->group)
                                    : mode;
}

struct str principal_by_column(struct arena *a, const void *at)
{
    return principal_by_text(a, at);
}

void principal_by_take(void *at, struct str text)
{
    (void)principal_by(text, at);
}

struct terms principal_terms(struct str floor, struct str by)
{
    struct terms t = {.floor = vocabulary_severity_of(floor)};
    (void)principal_by(by, &t.by);
    return t;
}

void principal_terms_add(struct terms *t, const struct terms *more)
{
    if (more->floor > t->floor)
        t->floor = more->floor;
    if (t->by.who == DECIDER_ANY)
        t->by = more->by;
}

bool principal_by_join(struct decider *by, const struct decider *other)
{
    const bool first = by->who == DECIDER_ANY ||
                       (by->who == DECIDER_OPERATORS &&
                        other->who == DECIDER_GROUP);
    if (first) {
        *by = *other;
        return true;
    }
    return other->who == DECIDER_ANY ||
           (other->who == DECIDER_OPERATORS && by->who == DECIDER_GROUP) ||
           (by->who == other->who && str_eq(by->group, other->group));
}
