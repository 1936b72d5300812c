/* The newest history of the database: one number that all processes of a pool
 * compare and raise. */
#include "base/shared/timeline.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "base/shared/region.h"

#define FILE_BYTES 64

/* The parts of a place and their bits, from the highest on: 63 in all. */
#define CLUSTER_MAX INT64_C(0xFFF)
#define RESTORE_MAX INT64_C(0x3FFFFFFF)
#define NUMBER_MAX INT64_C(0x1FFFFF)
#define CLUSTER_SHIFT 51
#define RESTORE_SHIFT 21

static struct {
    _Atomic uint64_t newest, refusals;
} *timeline; /* shared; NULL: not made */

static uint64_t timeline_saved; /* in the file */

static uint64_t timeline_cut(int64_t n, int64_t max)
{
    return (uint64_t)(n < 0 ? 0 : n > max ? max : n);
}

static timeline_at timeline_join(int64_t folded, int64_t restore, int64_t line)
{
    return line <= 0 ? 0
                     : (uint64_t)(folded & CLUSTER_MAX) << CLUSTER_SHIFT |
                           timeline_cut(restore, RESTORE_MAX) << RESTORE_SHIFT |
                           timeline_cut(line, NUMBER_MAX);
}

timeline_at timeline_make_at(int64_t cluster, int64_t restore,
                             int64_t timeline_id)
{
    const uint64_t id = (uint64_t)cluster;
    const uint64_t folded = id ^ id >> 16 ^ id >> 32 ^ id >> 48;
    return timeline_join((int64_t)(folded & CLUSTER_MAX), restore, timeline_id);
}

int64_t timeline_number(timeline_at at)
{
    return (int64_t)at & NUMBER_MAX;
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

/* One number, as older releases wrote it: 15 bits of the same fold of the
 * cluster, 16 of the restore and 32 of the timeline. */
static timeline_at timeline_read_old(int64_t n)
{
    return timeline_join(n >> 48, n >> 32 & 0xFFFF, n & 0xFFFFFFFF);
}

/* 0: it is none. */
static timeline_at timeline_read(struct str text)
{
    int64_t cluster = 0, restore = 0, line = 0, old = 0;
    if (str_int(text, 1, INT64_MAX, &old))
        return timeline_read_old(old);
    return str_int(str_cut(&text, ' '), 0, CLUSTER_MAX, &cluster) &&
                   str_int(str_cut(&text, ' '), 0, RESTORE_MAX, &restore) &&
                   str_int(text, 1, NUMBER_MAX, &line)
               ? timeline_join(cluster, restore, line)
               : 0;
}

void timeline_load(const char *path)
{
    char text[FILE_BYTES] = "";
    FILE *f = fopen(path, "re");
    const size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    if (f)
        (void)fclose(f);
    const struct str line = str_trim((struct str){text, n});
    const timeline_at at = timeline_read(line);
    /* The form of older releases is written anew. */
    timeline_saved = str_search(line, STR(" ")) < line.n ? at : 0;
    (void)timeline_saw(at);
}

/* "CLUSTER RESTORE TIMELINE" */
static bool timeline_write(FILE *f, timeline_at at)
{
    return fprintf(f, "%" PRId64 " %" PRId64 " %" PRId64 "\n",
                   (int64_t)(at >> CLUSTER_SHIFT),
                   (int64_t)(at >> RESTORE_SHIFT) & RESTORE_MAX,
                   timeline_number(at)) > 0;
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
    bool fine = timeline_write(f, newest) && fflush(f) == 0 &&
                fsync(fileno(f)) == 0;
    fine = fclose(f) == 0 && fine && rename(next, path) == 0;
    if (fine)
        timeline_saved = newest;
    return fine;
}
