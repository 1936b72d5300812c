/* Memory with a life: blocks from malloc, handed out by moving a pointer.
 *
 * The only file that calls malloc and free. Never gives a single piece back
 * and never returns NULL: an arena that is full ends the process. */
#include "base/arena.h"

#include <stdalign.h>
#include <stdlib.h>

#include "base/log.h"

#define ALIGN alignof(max_align_t)
#define BLOCK ((size_t)256 << 10)

struct block {
    struct block *next;
    size_t n, cap;
    alignas(max_align_t) char p[];
};

struct deferred {
    struct deferred *next;
    void (*fn)(void *);
    void *p;
};

struct arena {
    size_t max, used;
    struct block *first; /* kept over a reset */
    struct block *rest;  /* all others */
    struct block *now;   /* where small pieces come from */
    struct deferred *deferred;
};

static _Noreturn void die(const char *why, size_t n)
{
    log_line(LOG_ERR, "arena: %s at a request for %zu bytes", why, n);
    abort();
}

static struct block *block_make(size_t cap)
{
    struct block *b = malloc(sizeof(struct block) + cap);
    if (!b)
        die("the system has no memory", cap);
    b->next = NULL;
    b->n = 0;
    b->cap = cap;
    return b;
}

struct arena *arena_make(size_t max)
{
    struct arena *a = malloc(sizeof(*a));
    if (!a)
        die("the system has no memory", sizeof(*a));
    /* A multiple of ALIGN, so that rounding up never passes the ceiling. */
    *a = (struct arena){.max = max - max % ALIGN};
    a->first = block_make(BLOCK);
    a->now = a->first;
    return a;
}

void arena_reset(struct arena *a)
{
    while (a->deferred) {
        const struct deferred *d = a->deferred;
        a->deferred = d->next;
        d->fn(d->p);
    }
    while (a->rest) {
        struct block *b = a->rest;
        a->rest = b->next;
        free(b);
    }
    a->first->n = 0;
    a->now = a->first;
    a->used = 0;
}

void arena_free(struct arena *a)
{
    if (!a)
        return;
    arena_reset(a);
    free(a->first);
    free(a);
}

/* A block with room for size bytes. A large piece gets its own, so that the
 * rest of the present block is not wasted. */
static struct block *block_for(struct arena *a, size_t size)
{
    if (size <= a->now->cap - a->now->n)
        return a->now;
    struct block *b = block_make(size > BLOCK / 4 ? size : BLOCK);
    b->next = a->rest;
    a->rest = b;
    if (b->cap == BLOCK)
        a->now = b;
    return b;
}

void *arena_alloc(struct arena *a, size_t n)
{
    if (n == 0)
        n = 1;
    if (n > a->max - a->used)
        die("the ceiling is reached", n);
    const size_t size = (n + ALIGN - 1) / ALIGN * ALIGN;
    struct block *b = block_for(a, size);
    void *p = b->p + b->n;
    b->n += size;
    a->used += size;
    return memset(p, 0, size);
}

void *arena_array(struct arena *a, size_t n, size_t size)
{
    if (size && n > SIZE_MAX / size)
        die("an array's size overflows", n);
    return arena_alloc(a, n * size);
}

struct str arena_str(struct arena *a, struct str s)
{
    if (!s.p)
        return STR_NONE;
    return (struct str){arena_z(a, s), s.n};
}

const char *arena_z(struct arena *a, struct str s)
{
    if (s.n == SIZE_MAX)
        die("a text's size overflows", s.n);
    char *p = arena_alloc(a, s.n + 1);
    if (s.n)
        memcpy(p, s.p, s.n);
    return p;
}

void arena_defer(struct arena *a, void (*fn)(void *), void *p)
{
    struct deferred *d = arena_new(a, struct deferred);
    *d = (struct deferred){.next = a->deferred, .fn = fn, .p = p};
    a->deferred = d;
}

size_t arena_used(const struct arena *a)
{
    return a->used;
}
