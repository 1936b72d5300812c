/* The one door to cracklib. */
#include "world/guessable.h"

#include <stddef.h> /* needed by crack.h, which does not include it */
#include <unistd.h>

#include <crack.h>

#include "base/buf.h"
#include "base/log.h"

#define WORD_MIN 6 /* cracklib calls all shorter passwords bad */
#define PATH_MAX_BYTES 512

/* cracklib has no constant for the path. */
bool guessable_ready(struct arena *a)
{
    static const char *const ends[] = {".pwd", ".pwi", ".hwm"};
    bool there = true;
    for (size_t i = 0; i < countof(ends); i++) {
        there =
            there &&
            access(arena_z(a, arena_join(a, str_of(GetDefaultCracklibDict()),
                                         str_of(ends[i]))),
                   R_OK) == 0;
    }
    return there;
}

static bool guessable_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (unsigned char)c >= 0x80;
}

static bool guessable_listed(struct arena *a, struct str s)
{
    return FascistCheckUser(arena_z(a, s), GetDefaultCracklibDict(), "",
                            NULL) != NULL;
}

const struct err *guessable_refuse(struct arena *a, struct str password)
{
    /* Without the figures and signs around it. */
    struct str word = password;
    while (word.n > 0 && !guessable_letter(word.p[word.n - 1]))
        word.n--;
    while (word.n > 0 && !guessable_letter(word.p[0]))
        word = str_sub(word, 1, word.n);
    if (password.n >= GUESSABLE_LENGTH)
        return NULL;
    if (!guessable_ready(a)) {
        log_line(LOG_ERR, "passwords: the list of common passwords, %s, cannot "
                          "be read; the package cracklib-runtime has it",
                 GetDefaultCracklibDict());
        return ERROR(ERR_BUSY, "password.list",
                     "The list of common passwords is missing on this server; "
                     "see its log. A password of 20 or more characters is "
                     "accepted without it.");
    }
    if (!guessable_listed(a, password) &&
        (word.n < WORD_MIN || !guessable_listed(a, word)))
        return NULL;
    return err_at(a, ERR_INVALID, "password.common", STR("password"),
                  "This password is too common: a known word or a pattern. Use "
                  "several unrelated words.");
}
