/* The counters of ended questions. */
#include "base/shared/decisions.h"

#include <inttypes.h>
#include <stdatomic.h>

#include "base/clock.h"
#include "base/shared/region.h"

/* The upper limits of the buckets in seconds: what a person takes, from the
 * glance to the week. The last bucket has none. */
static const int64_t limits[] = {10,   30,    60,    300,   900,
                                 3600, 14400, 86400, 604800};
#define BUCKETS (countof(limits) + 1)

static struct {
    _Atomic uint64_t ended[DECISIONS_KINDS][DECISIONS_OUTCOMES];
    _Atomic uint64_t by_time[BUCKETS];
    _Atomic uint64_t seconds;
} *decisions; /* shared; NULL: not made */

bool decisions_make(void)
{
    decisions = region_take(sizeof *decisions);
    return decisions != NULL;
}

void decisions_count(size_t kind, size_t outcome, bool by_person, int64_t us)
{
    const int64_t seconds = us > 0 ? us / CLOCK_SECOND : 0;
    size_t bucket = 0;
    if (!decisions || kind >= DECISIONS_KINDS || outcome >= DECISIONS_OUTCOMES)
        return;
    atomic_fetch_add(&decisions->ended[kind][outcome], 1);
    if (!by_person)
        return;
    while (bucket < countof(limits) && seconds > limits[bucket])
        bucket++;
    atomic_fetch_add(&decisions->by_time[bucket], 1);
    atomic_fetch_add(&decisions->seconds, (uint64_t)seconds);
}

uint64_t decisions_number(size_t kind, size_t outcome)
{
    return decisions && kind < DECISIONS_KINDS && outcome < DECISIONS_OUTCOMES
               ? atomic_load(&decisions->ended[kind][outcome])
               : 0;
}

void decisions_render_times(struct buf *b)
{
    static const char name[] = "sayso_decision_seconds";
    uint64_t total = 0;
    if (!decisions)
        return;
    buf_printf(b,
               "# HELP %s The time from a question to the answer of a "
               "person.\n# TYPE %s histogram\n",
               name, name);
    for (size_t i = 0; i < BUCKETS; i++) {
        total += atomic_load(&decisions->by_time[i]);
        if (i < countof(limits))
            buf_printf(b, "%s_bucket{le=\"%" PRId64 "\"} %" PRIu64 "\n", name,
                       limits[i], total);
        else
            buf_printf(b, "%s_bucket{le=\"+Inf\"} %" PRIu64 "\n", name, total);
    }
    buf_printf(b, "%s_sum %" PRIu64 "\n%s_count %" PRIu64 "\n", name,
               atomic_load(&decisions->seconds), name, total);
}
