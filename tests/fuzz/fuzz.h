/* Shared by the fuzz targets. */
#ifndef SAYSO_FUZZ_H
#define SAYSO_FUZZ_H

#include <stdlib.h>

#include "base/arena.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the process where something does not hold. */
static inline void must(bool ok)
{
    if (!ok)
        abort();
}

/* The empty arena of the next input. All inputs share it, as the requests of a
 * worker do: to make a new one takes longer than most inputs. */
static inline struct arena *fuzz_arena(void)
{
    static struct arena *a;
    if (!a)
        a = arena_make(ARENA_REQUEST_MAX);
    arena_reset(a);
    return a;
}

#endif
