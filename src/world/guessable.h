/* The one door to cracklib: is a password a common one?
 *
 * Never keeps or logs one. */
#ifndef WORLD_GUESSABLE_H
#define WORLD_GUESSABLE_H

#include "base/err.h"

/* Longer passwords are not checked: no list of common ones has them, and random
 * ones of that length look like a pattern too often. */
#define GUESSABLE_LENGTH 20 /* bytes */

/* ERR_INVALID password.common for a common word, also with figures before or
 * after it, and for a pattern; ERR_BUSY password.list where the list is missing
 * (the package cracklib-runtime). */
const struct err *guessable_refuse(struct arena *a, struct str password) MUST;
/* Is the list there? */
bool guessable_ready(struct arena *a);

#endif
