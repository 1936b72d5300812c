/* Refusals that come too often, by kind, in a table of fixed size. */
#include "process/wait/wait_slow.h"

#define WAYS 8 /* slots that a kind may have */

struct kind {
    uint64_t kind;
    int64_t free_at; /* the time at which the next one may be answered */
};

struct wait_slow {
    struct kind kind[WAIT_SLOW_KINDS];
};

struct wait_slow *wait_slow_make(struct arena *process)
{
    return arena_new(process, struct wait_slow);
}

int64_t wait_slow_when(struct wait_slow *s, uint64_t kind, int64_t now)
{
    struct kind *way = &s->kind[kind % (WAIT_SLOW_KINDS / WAYS) * WAYS];
    struct kind *k = way;
    for (size_t i = 0; i < WAYS && k->kind != kind; i++)
        if (way[i].kind == kind || way[i].free_at < k->free_at)
            k = &way[i];
    if (k->kind != kind)
        *k = (struct kind){.kind = kind};
    int64_t when = k->free_at > now ? k->free_at : now;
    if (when > now + WAIT_SLOW_LONGEST)
        when = now + WAIT_SLOW_LONGEST;
    k->free_at = when + WAIT_SLOW_PAUSE;
    return when;
}
