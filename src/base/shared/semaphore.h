/* A few places shared by the processes of one pool, so that only a few of them
 * do the same costly work at once.
 *
 * A place is a byte of an unnamed file, and its holder has a record lock on it
 * (fcntl(2)): the kernel frees the place when the holder ends in any way. A
 * process that has a place may take it again. */
#ifndef BASE_SHARED_SEMAPHORE_H
#define BASE_SHARED_SEMAPHORE_H

#include "base/str.h"

#define SEMAPHORE_MAX 8 /* places */

/* Makes the places, before the fork. false with errno set. Without this call
 * (in the commands) every place is free. */
bool semaphore_make(void);
/* Takes one of the places first..last; returns it, or -1: none is free. */
int semaphore_take(int first, int last);
/* The same, with retries until one is free or us microseconds are over. */
int semaphore_wait(int first, int last, int64_t us);
/* Frees a place; -1: does nothing. */
void semaphore_give(int place);

#endif
