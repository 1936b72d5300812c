/* The newest history of the database: one number that all processes of a pool
 * compare and raise. */
#include "base/shared/timeline.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>

#include "base/shared/region.h"

#define FILE_BYTES 32
#define CLUSTER_SHIFT 48 /* 15 bits of the cluster, 16 of the restore */
#define RESTORE_SHIFT 32

static struct {
    _Atomic uint64_t newest, refusals;
} *timeline; /* shared; NULL: not made */

static uint64_t timeline_saved; /* in the file */

timeline_at timeline_make_at(int64_t cluster, int64_t restore,
                             int64_t timeline_id)
{
    const uint64_t id = (uint64_t)cluster;
    const uint64_t folded = (id ^ id >> 16 ^ id >> 32 ^ id >> 48) & 0x7FFF;
    return timeline_id <= 0
               ? 0
               : folded << CLUSTER_SHIFT |
                     ((uint64_t)restore & 0xFFFF) << RESTORE_SHIFT |
                     ((uint64_t)timeline_id & 0xFFFFFFFF);
}

int64_t timeline_number(timeline_at at)
{
    return (int64_t)(at & 0xFFFFFFFF);
}

bool timeline_share(void)
{
    timeline = region_take(sizeof *timeline);
    return timeline != NULL;
}

static bool timeline_before(timeline_at at, timeline_at newest)
{
    return at >> CLUSTER_SHIFT == newest >> CLUSTER_SHIFT && at < newest;
}

bool timeline_behind(timeline_at at)
{
    return timeline && at > 0 &&
           timeline_before(at, atomic_load(&timeline->newest));
}

bool timeline_saw(timeline_at at)
{
    if (!timeline || at == 0)
        return true;
    uint64_t newest = atomic_load(&timeline->newest);
    do {
        if (timeline_before(at, newest)) {
            atomic_fetch_add(&timeline->refusals, 1);
            return false;
        }
    } while (at != newest &&
             !atomic_compare_exchange_weak(&timeline->newest, &newest, at));
    return true;
}

timeline_at timeline_newest(void)
{
    return timeline ? atomic_load(&timeline->newest) : 0;
}

uint64_t timeline_refusals(void)
{
    return timeline ? atomic_load(&timeline->refusals) : 0;
}

void timeline_load(const char *path)
{
    char text[FILE_BYTES] = "";
    FILE *f = fopen(path, "re");
    const size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    int64_t at = 0;
    if (f)
        (void)fclose(f);
    if (str_int(str_trim((struct str){text, n}), 0, INT64_MAX, &at)) {
        timeline_saved = (uint64_t)at;
        (void)timeline_saw((uint64_t)at);
    }
}

bool timeline_save(const char *path)
{
    const uint64_t newest = timeline_newest();
    char next[4096];
    if (newest == timeline_saved)
        return true;
    const int n = snprintf(next, sizeof next, "%s.new", path);
    FILE *f = n > 0 && (size_t)n < sizeof next ? fopen(next, "we") : NULL;
    if (!f)
        return false;
    bool fine = fprintf(f, "%" PRIu64 "\n", newest) > 0;
    fine = fclose(f) == 0 && fine && rename(next, path) == 0;
    if (fine)
        timeline_saved = newest;
    return fine;
}
