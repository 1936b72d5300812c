/* Passwords that are tried first are known, and what people should take is
 * not. */
#include "suite.h"

#include <stddef.h>

#include <crack.h>

#include "world/guessable.h"

/* In place of cracklib's own, so that the list can be missing. */
static const char *dictionary = "/var/cache/cracklib/cracklib_dict";

const char *GetDefaultCracklibDict(void)
{
    return dictionary;
}

SUITE(guessable);

Test(guessable, common_ones)
{
    static const char *const list[] = {
        "password",  "password1",  "Passw0rd",  "Password123!", "12345678",
        "qwertyuiop", "qwerty123", "letmein1",  "sunshine",     "trustno1",
        "iloveyou",  "11111111",   "abc12345",  "Berlin2025!",  "football99",
        "2024-welcome", "drowssap"};
    cr_assert(guessable_ready(a));
    for (size_t i = 0; i < countof(list); i++) {
        const struct err *e = guessable_refuse(a, str_of(list[i]));
        cr_expect(e && e->kind == ERR_INVALID &&
                      str_is(str_of(e->code), "password.common"),
                  "%s", list[i]);
    }
}

Test(guessable, without_the_list_only_a_long_one_is_taken)
{
    dictionary = "/nowhere";
    cr_expect(!guessable_ready(a));
    const struct err *e = guessable_refuse(a, STR("vT9z-TsdCN_pfG"));
    cr_expect(e && e->kind == ERR_BUSY &&
              str_is(str_of(e->code), "password.list"));
    cr_expect(!guessable_refuse(a, STR("vT9z-TsdCN_pfGvT9z-T")));
}

Test(guessable, others)
{
    static const char *const list[] = {
        "long enough", "another correct horse", "leaves in a moment",
        "vT9z-TsdCN_pfG", "Zürich im März ohne Schnee",
        "94fa6456-6b63-4676-9614-decdbb6e4510"};
    for (size_t i = 0; i < countof(list); i++)
        cr_expect(!guessable_refuse(a, str_of(list[i])), "%s", list[i]);
}
