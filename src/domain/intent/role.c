/* The roles of people and keys, and their words. Pure. */
#include "domain/intent/role.h"

static const struct {
    const char *word;
    enum role role;
} roles[] = {{"agent", ROLE_AGENT},
             {"operator", ROLE_OPERATOR},
             {"admin", ROLE_ADMIN},
             {"auditor", ROLE_AUDITOR},
             {"clock", ROLE_CLOCK},
             {"user", ROLE_USER},
             {"resource", ROLE_RESOURCE}};

enum role role_of(struct str word)
{
    for (size_t i = 0; i < countof(roles); i++) {
        if (str_is(word, roles[i].word))
            return roles[i].role;
    }
    return ROLE_NONE;
}

const char *role_word(enum role role)
{
    for (size_t i = 0; i < countof(roles); i++) {
        if (roles[i].role == role)
            return roles[i].word;
    }
    return "nobody";
}

struct str role_column(struct arena *a, const void *at)
{
    (void)a;
    return str_of(role_word(*(const enum role *)at));
}

void role_take(void *at, struct str text)
{
    *(enum role *)at = role_of(text);
}
