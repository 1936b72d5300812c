/* Places that the processes of one pool take in turn, so that no more than a
 * few of them do the same costly thing at once.
 *
 * A place is a byte of a nameless file, and who has it holds a record lock on
 * it (fcntl(2)): the kernel frees the place when its holder ends, however that
 * happens. A process that has a place may take it again. */
#ifndef BASE_TURNS_H
#define BASE_TURNS_H

#include "base/str.h"

#define TURNS_MAX 8 /* places */

/* Makes the places, before the fork. false with errno set. Where it was never
 * called (the commands), every place is free. */
bool turns_make(void);
/* Takes one of the places first..last; that place, or -1: none is free. */
int turns_take(int first, int last);
/* The same, looking again until one is free or us microseconds are over. */
int turns_wait(int first, int last, int64_t us);
/* Gives a place back; -1: nothing. */
void turns_give(int place);

#endif
