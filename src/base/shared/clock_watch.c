/* The watch over the wall clock of this host.
 *
 * The machine's clock and its wall clock are slewed alike, so their distance
 * changes only where somebody sets the wall clock. Small steps are followed. */
#include "base/shared/clock_watch.h"

#include <stdatomic.h>

#include "base/shared/region.h"

#define TRIES 3
#define PREEMPTED (CLOCK_SECOND / 100) /* between two readings of one pair */
#define REPEATED (60 * CLOCK_SECOND)   /* between two lines of the log */

struct watch {
    _Atomic int64_t distance; /* of the two clocks of this host */
    _Atomic int64_t skew, since, found, told; /* told: by clock_mono */
    _Atomic bool jumped;
};

static struct watch *watch; /* shared; NULL: not made */

/* false: this process was not running for too long between the readings. */
static bool watch_distance(int64_t *out)
{
    for (int i = 0; i < TRIES; i++) {
        const int64_t before = clock_boot();
        *out = clock_host() - before;
        if (clock_boot() - before < PREEMPTED)
            return true;
    }
    return false;
}

static bool clock_watch_beyond(int64_t us)
{
    return us > CLOCK_WATCH_MAX || us < -CLOCK_WATCH_MAX;
}

static void clock_watch_hold(int64_t found, bool jumped)
{
    int64_t none = 0;
    const int64_t now = clock_host();
    if (!atomic_compare_exchange_strong(&watch->since, &none, now ? now : 1))
        return;
    atomic_store(&watch->found, found);
    atomic_store(&watch->jumped, jumped);
    atomic_store(&watch->told, 0);
}

bool clock_watch_make(void)
{
    watch = region_take(sizeof *watch);
    if (watch && !region_joined())
        clock_watch_seen();
    return watch != NULL;
}

void clock_watch_seen(void)
{
    int64_t now = 0;
    if (!watch)
        return;
    if (watch_distance(&now))
        atomic_store(&watch->distance, now);
    atomic_store(&watch->since, 0);
}

void clock_watch_database(int64_t before, int64_t there, int64_t after)
{
    int64_t skew = 0;
    if (!watch || !there)
        return;
    if (there < before)
        skew = before - there;
    else if (there > after)
        skew = after - there;
    atomic_store(&watch->skew, skew);
    if (clock_watch_beyond(skew))
        clock_watch_hold(skew, false);
}

bool clock_watch_held(void)
{
    int64_t now = 0;
    if (!watch)
        return false;
    if (watch_distance(&now)) {
        const int64_t jump = now - atomic_exchange(&watch->distance, now);
        if (clock_watch_beyond(jump))
            clock_watch_hold(jump, true);
    }
    return atomic_load(&watch->since) != 0;
}

bool clock_watch_now(int64_t *now)
{
    *now = clock_now();
    return !clock_watch_held();
}

int64_t clock_watch_latest(int64_t now)
{
    if (!watch || atomic_load(&watch->since) == 0)
        return now;
    const int64_t skew = atomic_load(&watch->skew);
    const int64_t jump = atomic_load(&watch->jumped)
                             ? atomic_load(&watch->found)
                             : 0;
    const int64_t behind = skew < jump ? skew : jump;
    return behind < 0 ? now - behind : now;
}

bool clock_watch_tells(void)
{
    int64_t told = watch ? atomic_load(&watch->told) : 0;
    const int64_t now = clock_mono();
    return watch && atomic_load(&watch->since) != 0 &&
           (told == 0 || now - told > REPEATED) &&
           atomic_compare_exchange_strong(&watch->told, &told, now);
}

struct clock_watch clock_watch_read(void)
{
    if (!watch)
        return (struct clock_watch){.since = 0};
    return (struct clock_watch){.skew = atomic_load(&watch->skew),
                                .since = atomic_load(&watch->since),
                                .found = atomic_load(&watch->found),
                                .jumped = atomic_load(&watch->jumped)};
}
