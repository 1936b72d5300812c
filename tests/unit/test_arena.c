/* Arenas: alignment, zeroing, the order of deferred calls, the ceiling. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <signal.h>
#include <stdalign.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"

static struct arena *arena;

static void setup(void)
{
    arena = arena_make((size_t)8 << 20);
}

static void teardown(void)
{
    arena_free(arena);
}

TestSuite(arena, .init = setup, .fini = teardown);

static bool all_zero(const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (p[i])
            return false;
    return true;
}

Test(arena, pieces_are_aligned_zeroed_and_apart)
{
    static const size_t sizes[] = {
        0, 1, 2, 15, 16, 17, 1000, 65535, 65536, 65537, 262144, 300000, 3, 1,
    };
    char *pieces[countof(sizes)];
    for (size_t i = 0; i < countof(sizes); i++) {
        char *p = arena_alloc(arena, sizes[i]);
        cr_assert(eq(sz, (uintptr_t)p % alignof(max_align_t), 0), "%zu", i);
        cr_assert(all_zero(p, sizes[i]), "row %zu", i);
        memset(p, (int)i + 1, sizes[i]);
        pieces[i] = p;
    }
    for (size_t i = 0; i < countof(sizes); i++)
        for (size_t j = 0; j < sizes[i]; j++)
            if (pieces[i][j] != (char)(i + 1))
                cr_fatal("piece %zu is overwritten at %zu", i, j);
}

Test(arena, memory_is_zero_again_after_a_reset)
{
    for (int round = 0; round < 3; round++) {
        char *p = arena_alloc(arena, 100000);
        cr_expect(all_zero(p, 100000), "round %d", round);
        memset(p, 0xFF, 100000);
        cr_expect(ge(sz, arena_used(arena), 100000));
        arena_reset(arena);
        cr_expect(eq(sz, arena_used(arena), 0));
    }
}

Test(arena, many_small_pieces)
{
    uint64_t **all = arena_many(arena, 100000, uint64_t *);
    for (size_t i = 0; i < 100000; i++) {
        all[i] = arena_new(arena, uint64_t);
        *all[i] = i;
    }
    for (size_t i = 0; i < 100000; i++)
        if (*all[i] != i)
            cr_fatal("piece %zu is overwritten", i);
}

Test(arena, texts)
{
    const struct str s = arena_str(arena, STR("hello world"));
    cr_expect(str_is(s, "hello world"));
    cr_expect(eq(chr, s.p[s.n], '\0'));
    const struct str part = arena_str(arena, str_sub(s, 0, 5));
    cr_expect(eq(chr, part.p[5], '\0'));
    cr_expect(eq(str, (char *)arena_z(arena, part), "hello"));
    cr_expect(eq(str, (char *)arena_z(arena, STR_NONE), ""));
    cr_expect(eq(ptr, (void *)arena_str(arena, STR_NONE).p, NULL));
    cr_expect(arena_str(arena, STR("")).p != NULL);
}

static char order[8];
static size_t ordered;

static void note(void *p)
{
    order[ordered++] = *(const char *)p;
}

/* The data of a deferred call still exists, and the call may defer more. */
static void note_and_defer(void *p)
{
    note(p);
    arena_defer(arena, note, "z");
}

Test(arena, deferred_calls_run_once_newest_first)
{
    arena_defer(arena, note, "a");
    arena_defer(arena, note, "b");
    arena_defer(arena, note, (char *)arena_z(arena, STR("c")));
    cr_expect(eq(sz, ordered, 0));
    arena_reset(arena);
    cr_expect(eq(str, order, "cba"));
    arena_reset(arena);
    cr_expect(eq(sz, ordered, 3));
}

Test(arena, deferred_calls_run_at_free)
{
    struct arena *a = arena_make(1000);
    arena_defer(a, note, "a");
    arena_defer(a, note, "b");
    arena_free(a);
    cr_expect(eq(str, order, "ba"));
    arena_free(NULL);
}

Test(arena, a_deferred_call_may_defer)
{
    arena_defer(arena, note, "a");
    arena_defer(arena, note_and_defer, "b");
    arena_reset(arena);
    cr_expect(eq(str, order, "bza"));
}

struct demand {
    size_t max, n, times, size;
};

static void demand(const struct demand *d)
{
    struct arena *a = arena_make(d->max);
    for (size_t i = 0; i < d->times; i++) {
        if (d->size)
            arena_array(a, d->n, d->size);
        else
            arena_alloc(a, d->n);
    }
    arena_free(a);
    _exit(0);
}

/* Runs a demand in a child; its status, and what it said in said. */
static int outcome(const struct demand *d, char *said, size_t size)
{
    int fds[2];
    cr_assert(eq(int, pipe(fds), 0));
    const pid_t pid = fork();
    cr_assert(pid >= 0);
    if (pid == 0) {
        dup2(fds[1], STDERR_FILENO);
        demand(d);
    }
    close(fds[1]);
    size_t n = 0;
    ssize_t got;
    while (n + 1 < size && (got = read(fds[0], said + n, size - n - 1)) > 0)
        n += (size_t)got;
    said[n] = '\0';
    close(fds[0]);
    int status = 0;
    cr_assert(eq(int, waitpid(pid, &status, 0), pid));
    return status;
}

Test(arena, the_ceiling_ends_the_process_and_nothing_below_does)
{
    static const struct {
        struct demand d;
        bool dies;
    } rows[] = {
        {{.max = 4096, .n = 4096, .times = 1}, false},
        {{.max = 4096, .n = 4097, .times = 1}, true},
        {{.max = 4096, .n = 1024, .times = 4}, false},
        {{.max = 4096, .n = 1024, .times = 5}, true},
        {{.max = 4096, .n = 1, .times = 256}, false},
        {{.max = 4096, .n = 1, .times = 257}, true},
        {{.max = 4096, .n = 0, .times = 257}, true},
        {{.max = 2 << 20, .n = 1 << 20, .times = 2}, false},
        {{.max = 2 << 20, .n = 1 << 20, .times = 3}, true},
        {{.max = 4090, .n = 4080, .times = 1}, false},
        {{.max = 4090, .n = 4081, .times = 2}, true},
        {{.max = 0, .n = 1, .times = 1}, true},
        {{.max = 4096, .n = SIZE_MAX, .times = 1}, true},
        {{.max = 4096, .n = SIZE_MAX - 8, .times = 1}, true},
        {{.max = SIZE_MAX, .n = SIZE_MAX / 2 + 2, .times = 1, .size = 2},
         true},
        {{.max = 4096, .n = 1024, .times = 1, .size = 4}, false},
        {{.max = 4096, .n = 1025, .times = 1, .size = 4}, true},
        {{.max = 4096, .n = SIZE_MAX / 4 + 2, .times = 1, .size = 4}, true},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        char said[4096];
        const int status = outcome(&rows[i].d, said, sizeof(said));
        if (rows[i].dies) {
            const int sig = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
            cr_expect(eq(int, sig, SIGABRT), "row %zu: %d", i, status);
            cr_expect(strstr(said, "arena: ") != NULL, "row %zu: %s", i, said);
        } else {
            cr_expect(eq(int, status, 0), "row %zu: %s", i, said);
        }
    }
}

Test(arena, a_reset_gives_the_ceiling_back)
{
    struct arena *a = arena_make(4096);
    for (int i = 0; i < 100; i++) {
        arena_alloc(a, 4096);
        arena_reset(a);
    }
    arena_free(a);
}

/* ---- the budget of a request ----------------------------------------- */

static void take_all(void *p)
{
    struct arena *a = p;
    arena_defer(a, note, "x");
    for (;;)
        arena_alloc(a, 1000);
}

static void take_little(void *p)
{
    arena_alloc(p, 1000);
}

Test(arena, work_over_the_ceiling_is_left_and_the_process_lives)
{
    struct arena *a = arena_make(100000);
    for (int i = 0; i < 3; i++) {
        ordered = 0;
        cr_expect(arena_try(a, take_little, a));
        cr_expect(not(arena_try(a, take_all, a)));
        cr_expect(eq(sz, ordered, 0)); /* at the reset */
        arena_alloc(a, ARENA_SPARE); /* room to tell */
        arena_reset(a);
        cr_expect(eq(sz, ordered, 1));
    }
    arena_free(a);
}

static void try_within(void *p)
{
    struct arena *a = p;
    struct arena *inner = arena_within(a);
    cr_expect(not(arena_try(inner, take_all, inner)));
    take_all(a);
}

Test(arena, a_trial_within_a_trial)
{
    struct arena *a = arena_make(100000);
    cr_expect(not(arena_try(a, try_within, a)));
    arena_free(a);
}

Test(arena, what_is_within_counts_until_its_reset)
{
    struct arena *a = arena_make(100000);
    struct arena *in = arena_within(a), *deep = arena_within(in);
    arena_alloc(a, 1600);
    arena_alloc(in, 3200);
    arena_alloc(deep, 6400);
    cr_expect(eq(sz, arena_used(a), 11200));
    cr_expect(eq(sz, arena_used(in), 9600));
    arena_reset(deep);
    cr_expect(eq(sz, arena_used(a), 4800));
    arena_free(in); /* and what is within it */
    cr_expect(eq(sz, arena_used(a), 1600));
    cr_expect(eq(sz, arena_peak(a), 11200));
    in = arena_within(a);
    arena_defer(in, note, "i");
    arena_defer(a, note, "a");
    ordered = 0;
    arena_free(a);
    cr_expect(eq(str, order, "ia"));
}

Test(arena, a_charge_counts_like_an_allocation)
{
    struct arena *a = arena_make(100000);
    arena_charge(a, 60000);
    cr_expect(eq(sz, arena_used(a), 60000));
    cr_expect(not(arena_offer(a, 40001)));
    cr_expect(arena_offer(a, 40000));
    cr_expect(not(arena_try(a, take_little, a)));
    arena_reset(a);
    cr_expect(eq(sz, arena_used(a), 0));
    arena_free(a);
}

static void bill_each(void *p)
{
    struct arena *a = p, *in = arena_within(a);
    arena_bill(100);
    cr_expect(eq(sz, arena_used(in), 100));
    arena_free(in);
    arena_bill(200);
}

Test(arena, a_bill_goes_to_the_work_that_runs)
{
    struct arena *a = arena_make(100000);
    arena_bill(1);
    cr_expect(arena_try(a, bill_each, a));
    arena_bill(1);
    cr_expect(eq(sz, arena_used(a), 200));
    arena_free(a);
}
