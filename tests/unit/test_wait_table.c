/* Held requests and their ends; and refusals that come too often. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "process/wait/wait_slow.h"
#include "process/wait/wait_table.h"

#define A "00000000-0000-7000-8000-00000000000a"
#define B "00000000-0000-7000-8000-00000000000b"

static struct arena *arena;
static struct wait_table *t;
static int gone[WAIT_TABLE_MAX + 1]; /* how often each was let go */
static int people[WAIT_TABLE_MAX + 1];

static void let_go(void *context, void *who)
{
    (void)context;
    gone[(int *)who - people]++;
}

static const struct wait_table_fn go = {.fn = let_go};

static void setup(void)
{
    arena = arena_make(ARENA_PROCESS_MAX);
    t = wait_table_make(arena);
}

static void teardown(void)
{
    arena_free(arena);
}

TestSuite(wait_table, .init = setup, .fini = teardown);

static struct wait_table_ask version(const char *intent, int64_t since)
{
    return (struct wait_table_ask){.intent_id = str_of(intent),
                                   .since = since,
                                   .until = 1000,
                                   .cap = 1000};
}

static struct wait_table_ask end_of(const char *intent, const char *id)
{
    return (struct wait_table_ask){.intent_id = str_of(intent),
                                   .suspension_id = str_of(id),
                                   .until = 1000,
                                   .cap = 1000};
}

static int hold(int who, struct wait_table_ask ask)
{
    return wait_table_add(t, &ask, &people[who]);
}

static void change(const char *intent, int64_t to, const char *decided)
{
    struct wake_note note = {.version = to};
    memcpy(note.intent_id, intent, strlen(intent));
    memcpy(note.decided, decided, strlen(decided));
    wait_table_changed(t, &note, &go);
}

static bool happened(struct wait_table_ask ask)
{
    return wait_table_happened(t, &ask);
}

Test(wait_table, a_greater_version_lets_go)
{
    cr_assert(hold(1, version(A, 5)) >= 0);
    change(A, 4, "");
    change(A, 5, "");
    change(B, 6, "");
    cr_assert(eq(int, gone[1], 0));
    change(A, 6, "");
    cr_assert(eq(int, gone[1], 1));
    change(A, 7, "");
    cr_assert(eq(int, gone[1], 1), "once");
    cr_assert(eq(sz, wait_table_count(t), 0));
}

Test(wait_table, an_end_lets_go)
{
    hold(1, end_of(A, "s1"));
    hold(2, end_of(A, "s2"));
    change(A, 99, "");
    change(B, 99, "s1");
    change(A, 99, "s11");
    cr_assert(gone[1] == 0 && gone[2] == 0);
    change(A, 100, "s1");
    cr_assert(gone[1] == 1 && gone[2] == 0);
}

Test(wait_table, all_who_wait_for_it)
{
    for (int i = 0; i < 300; i++)
        hold(i, end_of(A, "s1"));
    wait_table_remove(t, 7);
    change(A, 2, "s1");
    for (int i = 0; i < 300; i++)
        cr_assert(eq(int, gone[i], i != 7), "%d", i);
}

Test(wait_table, what_happened_before_is_remembered)
{
    cr_assert(eq(int, happened(version(A, 0)), false));
    change(A, 7, "s1");
    cr_assert(happened(version(A, 6)));
    cr_assert(eq(int, happened(version(A, 7)), false));
    cr_assert(eq(int, happened(version(B, 0)), false));
    cr_assert(happened(end_of(A, "s1")));
    cr_assert(eq(int, happened(end_of(A, "s2")), false));
    cr_assert(eq(int, happened(end_of(B, "s1")), false));
}

Test(wait_table, it_is_remembered_for_as_many_as_there_is_room)
{
    change(A, 7, "s1");
    for (int i = 1; i < WAIT_TABLE_RECENT; i++)
        change(B, i, "");
    cr_assert(happened(end_of(A, "s1")));
    change(B, 9999, "");
    cr_assert(eq(int, happened(end_of(A, "s1")), false));
}

Test(wait_table, a_note_of_no_intent_is_none)
{
    hold(1, (struct wait_table_ask){.until = 9, .cap = 9});
    change("", 5, "s1");
    cr_assert(eq(int, gone[1], 0));
    const struct wait_table_ask none = {.since = 0};
    cr_assert(eq(int, happened(none), false));
}

Test(wait_table, time_lets_go_by_either_clock)
{
    struct wait_table_ask ask = version(A, 5);
    ask.until = 100;
    hold(1, ask);
    ask.until = 900;
    ask.cap = 50;
    hold(2, ask);
    wait_table_due(t, 99, 49, &go);
    cr_assert(gone[1] == 0 && gone[2] == 0);
    wait_table_due(t, 100, 0, &go);
    cr_assert(gone[1] == 1 && gone[2] == 0);
    wait_table_due(t, 0, 50, &go);
    cr_assert(gone[1] == 1 && gone[2] == 1);
}

Test(wait_table, the_last_moment_lets_all_go)
{
    struct wait_table_ask for_ever = version(A, 5);
    for_ever.until = for_ever.cap = INT64_MAX;
    hold(1, for_ever);
    wait_table_remove(t, hold(2, for_ever));
    wait_table_due(t, INT64_MAX - 1, INT64_MAX - 1, &go);
    cr_assert(eq(int, gone[1], 0));
    wait_table_due(t, INT64_MAX, INT64_MAX, &go);
    cr_assert(gone[1] == 1 && gone[2] == 0);
}

Test(wait_table, it_has_a_ceiling_and_room_again_after_it)
{
    for (int i = 0; i < WAIT_TABLE_MAX; i++)
        cr_assert(eq(int, hold(i, version(i % 2 ? A : B, 5)), i));
    cr_assert(eq(int, hold(WAIT_TABLE_MAX, version(A, 5)), -1));
    wait_table_remove(t, 77);
    wait_table_remove(t, 77);
    wait_table_remove(t, -1);
    cr_assert(eq(sz, wait_table_count(t), WAIT_TABLE_MAX - 1));
    cr_assert(eq(int, hold(77, version(A, 5)), 77));
    change(A, 6, "");
    cr_assert(eq(sz, wait_table_count(t), WAIT_TABLE_MAX / 2));
    change(B, 6, "");
    cr_assert(eq(sz, wait_table_count(t), 0));
    for (int i = 0; i < WAIT_TABLE_MAX; i++)
        cr_assert(eq(int, gone[i], 1), "%d", i);
}

Test(wait_table, ids_that_are_too_long_are_not_held)
{
    char id[100] = {0};
    memset(id, 'x', 80);
    cr_assert(eq(int, hold(1, version(id, 5)), -1));
    cr_assert(eq(int, hold(1, end_of(A, id)), -1));
    cr_assert(eq(sz, wait_table_count(t), 0));
}

/* ---- refusals ------------------------------------------------------- */

Test(wait_slow, the_first_passes_and_the_others_wait)
{
    struct arena *a = arena_make(ARENA_PROCESS_MAX);
    struct wait_slow *s = wait_slow_make(a);
    const int64_t now = 1000 * CLOCK_SECOND;
    cr_assert(eq(i64, wait_slow_when(s, 1, now), now));
    cr_assert(eq(i64, wait_slow_when(s, 1, now), now + WAIT_SLOW_PAUSE));
    cr_assert(eq(i64, wait_slow_when(s, 1, now), now + 2 * WAIT_SLOW_PAUSE));
    cr_assert(eq(i64, wait_slow_when(s, 2, now), now), "another kind");
    const int64_t later = now + 3 * WAIT_SLOW_PAUSE;
    cr_assert(eq(i64, wait_slow_when(s, 1, later), later));
    arena_free(a);
}

Test(wait_slow, nobody_waits_for_ever)
{
    struct arena *a = arena_make(ARENA_PROCESS_MAX);
    struct wait_slow *s = wait_slow_make(a);
    for (int i = 0; i < 100; i++)
        cr_assert(wait_slow_when(s, 1, 5) <= 5 + WAIT_SLOW_LONGEST);
    arena_free(a);
}

Test(wait_slow, the_quietest_is_forgotten)
{
    struct arena *a = arena_make(ARENA_PROCESS_MAX);
    struct wait_slow *s = wait_slow_make(a);
    cr_assert(eq(i64, wait_slow_when(s, 1, 100), 100));
    for (uint64_t kind = 2; kind < 100000; kind++)
        cr_assert(eq(i64, wait_slow_when(s, kind, 100), 100));
    cr_assert(eq(i64, wait_slow_when(s, 1, 100), 100));
    arena_free(a);
}

Test(wait_table, a_stop_lets_go_part_by_part)
{
    size_t before = 0;
    for (int i = 0; i < 2000; i++)
        hold(i, version(A, 5));
    for (size_t part = 0; part <= 1000; part += 100) {
        wait_table_part(t, part, &go);
        const size_t ended = 2000 - wait_table_count(t);
        cr_assert(eq(sz, ended, 2 * part), "as many of the others each time");
        cr_assert(part == 0 || ended > before);
        before = ended;
    }
    for (int i = 0; i < 2000; i++)
        cr_assert(eq(int, gone[i], 1));
}
