/* The one door to cracklib: is a password one of those that are tried first?
 *
 * Never keeps or logs one. */
#ifndef WORLD_GUESSABLE_H
#define WORLD_GUESSABLE_H

#include "base/err.h"

/* A longer one stands on no list of common ones, and random ones of that
 * length look like a pattern too often. */
#define GUESSABLE_LENGTH 20 /* bytes */

/* ERR_INVALID password.common for a common word, with figures before or behind
 * it or without, and for a pattern; ERR_BUSY password.list where the list is
 * not there (the package cracklib-runtime). */
const struct err *guessable_refuse(struct arena *a, struct str password) MUST;
/* Is the list there? */
bool guessable_ready(struct arena *a);

#endif
