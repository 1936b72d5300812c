/* Trying a password: the delay after failures, the number of tries at once, and
 * the line in the log about each try.
 *
 * Failures are counted for the browser, where its person has signed in from it
 * before, and else for the account and the network together, so that nobody can
 * lock another person out. */
#ifndef DOORS_CALL_SIGN_IN_H
#define DOORS_CALL_SIGN_IN_H

#include "doors/call/call.h"

enum sign_in_result {
    SIGN_IN_OK,
    SIGN_IN_WRONG, /* also an unknown person, or a disabled one */
    SIGN_IN_SOON,  /* too many failures just now: nothing was tried */
    SIGN_IN_BUSY,  /* too many sign-ins at this moment: nothing was tried */
};
struct sign_in {
    struct str email; /* as it was typed */
    const char *at;   /* "login", "profile" or "tokens": the page */
    /* The result. */
    enum sign_in_result result;
    int64_t wait;  /* SOON: seconds until the next try counts */
    struct str id; /* OK: of the person */
    struct str tried; /* OK: the hash that the password has (people_still) */
};
/* Tries the password, counts a failure and writes the log line. */
const struct err *sign_in_try(struct call *c, struct str password,
                              struct sign_in *s) MUST;
/* After OK: a session, with its cookie and the browser's. */
const struct err *sign_in_enter(struct call *c, const struct sign_in *s) MUST;
/* The hash of a new password. ERR_BUSY password.busy. */
const struct err *sign_in_hash(struct call *c, struct str password,
                               struct str *hash) MUST;

#endif
