/* Memory in arenas: blocks from malloc, handed out by moving a pointer.
 *
 * The only file that calls malloc and free. Never frees a single piece and
 * never returns NULL: a full arena ends the work that runs in it, by longjmp to
 * arena_try, or the process. */
#include "base/arena.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"

#define ALIGN alignof(max_align_t)
#define DIGITS_MAX 24 /* of an int64_t, as text */
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

/* The calls of arena_try that have not returned, innermost first. */
struct trial {
    struct trial *outer;
    jmp_buf back;
};

struct arena {
    size_t used; /* of its own, and of the arenas within it */
    size_t max, ceiling, peak; /* of the outermost one, as is `trial`; max is
                                * the ceiling and the spare */
    struct trial *trial;
    struct arena *root;   /* the outermost one, or itself */
    struct arena *outer;  /* NULL: it is the outermost */
    struct arena *inner;  /* the newest within it */
    struct arena *before; /* the next older one within the same */
    struct block *first;  /* kept over a reset */
    struct block *rest;   /* all others */
    struct block *now;    /* where small pieces come from */
    struct deferred *deferred;
};

/* The arena of the running work: see arena_bill. A process does one piece of
 * work at a time. */
static struct arena *at_work;

/* Ends the tried work, or the process. */
static _Noreturn void arena_give_up(const struct arena *a, const char *why,
                                    size_t n)
{
    if (a && a->root->trial)
        longjmp(a->root->trial->back, 1);
    log_line(LOG_ERR, "arena: %s at a request for %zu bytes", why, n);
    abort();
}

static const char no_memory[] = "the system has no memory";

static struct block *arena_block(const struct arena *a, size_t cap)
{
    struct block *b = malloc(sizeof(struct block) + cap);
    if (!b)
        arena_give_up(a, no_memory, cap);
    b->next = NULL;
    b->n = 0;
    b->cap = cap;
    return b;
}

struct arena *arena_make(size_t max)
{
    struct arena *a = malloc(sizeof(*a));
    if (!a)
        arena_give_up(NULL, no_memory, sizeof(*a));
    /* A multiple of ALIGN, so that rounding up stays within the ceiling. */
    *a = (struct arena){.ceiling = max - max % ALIGN};
    a->max = a->ceiling;
    a->root = a;
    a->first = arena_block(NULL, BLOCK);
    a->now = a->first;
    return a;
}

struct arena *arena_within(struct arena *outer)
{
    struct block *first = arena_block(outer, BLOCK);
    struct arena *a = malloc(sizeof(*a));
    if (!a) {
        free(first);
        arena_give_up(outer, no_memory, sizeof(*a));
    }
    *a = (struct arena){.root = outer->root,
                        .outer = outer,
                        .before = outer->inner,
                        .first = first,
                        .now = first};
    outer->inner = a;
    if (at_work && at_work->root == a->root)
        at_work = a;
    return a;
}

void arena_reset(struct arena *a)
{
    while (a->inner)
        arena_free(a->inner);
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
    if (arena_peak(a) > a->root->peak)
        a->root->peak = arena_peak(a);
    for (struct arena *o = a->outer; o; o = o->outer)
        o->used -= a->used;
    a->used = 0;
    if (!a->outer) {
        a->max = a->ceiling;
        a->peak = 0;
    }
}

void arena_free(struct arena *a)
{
    if (!a)
        return;
    arena_reset(a);
    if (at_work == a)
        at_work = a->outer;
    if (a->outer) {
        struct arena **p = &a->outer->inner;
        while (*p != a)
            p = &(*p)->before;
        *p = a->before;
    }
    free(a->first);
    free(a);
}

/* Counts the bytes in a and in all arenas around it. */
void arena_charge(struct arena *a, size_t n)
{
    struct arena *root = a->root;
    if (n > root->max - root->used)
        arena_give_up(a, "the ceiling is reached", n);
    for (; a; a = a->outer)
        a->used += n;
}

void *arena_alloc(struct arena *a, size_t n)
{
    if (n == 0)
        n = 1;
    if (n > SIZE_MAX - ALIGN)
        arena_give_up(a, "a piece's size overflows", n);
    const size_t size = (n + ALIGN - 1) / ALIGN * ALIGN;
    arena_charge(a, size);
    struct block *b = a->now;
    if (size > b->cap - b->n) {
        /* A large piece gets a block of its own, so that the rest of the
         * current one is not wasted. */
        b = arena_block(a, size > BLOCK / 4 ? size : BLOCK);
        b->next = a->rest;
        a->rest = b;
        if (b->cap == BLOCK)
            a->now = b;
    }
    void *p = b->p + b->n;
    b->n += size;
    return memset(p, 0, size);
}

void *arena_array(struct arena *a, size_t n, size_t size)
{
    if (size && n > SIZE_MAX / size)
        arena_give_up(a, "an array's size overflows", n);
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
        arena_give_up(a, "a text's size overflows", s.n);
    char *p = arena_alloc(a, s.n + 1);
    if (s.n)
        memcpy(p, s.p, s.n);
    return p;
}

struct str arena_joined(struct arena *a, const struct str *parts, size_t n)
{
    size_t size = 0, at = 0;
    for (size_t i = 0; i < n; i++)
        size += parts[i].n;
    char *p = arena_alloc(a, size + 1);
    for (size_t i = 0; i < n; i++) {
        if (parts[i].n > 0)
            memcpy(p + at, parts[i].p, parts[i].n);
        at += parts[i].n;
    }
    return (struct str){p, size};
}

struct str arena_number(struct arena *a, int64_t v)
{
    char digits[DIGITS_MAX];
    const int n = snprintf(digits, sizeof digits, "%" PRId64, v);
    return arena_str(a, (struct str){digits, (size_t)n});
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

size_t arena_peak(const struct arena *a)
{
    const struct arena *root = a->root;
    return root->used > root->peak ? root->used : root->peak;
}

bool arena_offer(struct arena *a, size_t n)
{
    const bool room = n <= a->root->max - a->root->used;
    if (room)
        arena_charge(a, n);
    return room;
}

void arena_bill(size_t n)
{
    if (at_work)
        arena_charge(at_work, n);
}

void arena_no_memory(void)
{
    arena_give_up(at_work, no_memory, 0);
}

/* Ends a trial, with or without success. */
static void arena_settle(struct arena *root, struct trial *outer,
                         struct arena *before)
{
    root->max += ARENA_SPARE;
    root->trial = outer;
    at_work = before;
}

bool arena_try(struct arena *a, void (*work)(void *), void *p)
{
    struct arena *const root = a->root, *const before = at_work;
    struct trial t = {.outer = root->trial};
    if (setjmp(t.back) != 0) {
        arena_settle(root, t.outer, before);
        return false;
    }
    root->trial = &t;
    at_work = a;
    work(p);
    arena_settle(root, t.outer, before);
    return true;
}
