/* The readers of pages: a table of atomics in shared memory.
 *
 * A page's slots follow from the hash of its id, so two pages may share slots;
 * each entry says whose page it is. A torn entry names nobody who exists. */
#include "base/shared/presence.h"

#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>

#define PLACES 8192
#define HEX 16 /* digits of half a UUID */

struct place {
    _Atomic uint64_t page;   /* 0: free */
    _Atomic uint64_t who[2]; /* the halves of a UUID */
    _Atomic int64_t since, seen;
};
struct presence {
    struct place place[PLACES];
};

struct uuid {
    uint64_t half[2];
};

struct presence *presence_make(void)
{
    /* The kernel gives zeroed pages, and zero is a free slot. */
    struct presence *p = mmap(NULL, sizeof *p, PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

/* false: it is no UUID. */
static bool presence_read(struct str text, struct uuid *out)
{
    size_t n = 0;
    *out = (struct uuid){{0, 0}};
    for (size_t i = 0; i < text.n; i++) {
        const char c = text.p[i];
        const int digit = c >= '0' && c <= '9'   ? c - '0'
                          : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                                 : -1;
        if (c == '-')
            continue;
        if (digit < 0 || n == 2 * HEX)
            return false;
        out->half[n / HEX] = out->half[n / HEX] << 4 | (uint64_t)digit;
        n++;
    }
    return n == 2 * HEX;
}

static struct str presence_text(struct arena *a, const struct uuid *u)
{
    char text[40];
    const int n =
        snprintf(text, sizeof text, "%08llx-%04llx-%04llx-%04llx-%012llx",
                 (unsigned long long)(u->half[0] >> 32),
                 (unsigned long long)(u->half[0] >> 16 & 0xFFFF),
                 (unsigned long long)(u->half[0] & 0xFFFF),
                 (unsigned long long)(u->half[1] >> 48),
                 (unsigned long long)(u->half[1] & 0xFFFFFFFFFFFF));
    return arena_str(a, (struct str){text, (size_t)n});
}

static uint64_t presence_hash(struct str page)
{
    const uint64_t h = str_hash(page);
    return h ? h : 1;
}

static struct place *presence_ways(struct presence *p, uint64_t page)
{
    return &p->place[(page >> 32 ^ page >> 1) % (PLACES / PRESENCE_MAX) *
                     PRESENCE_MAX];
}

/* Does the slot say that this person has this page open? */
static bool presence_is(struct place *at, uint64_t page,
                        const struct uuid *who)
{
    return atomic_load(&at->page) == page &&
           atomic_load(&at->who[0]) == who->half[0] &&
           atomic_load(&at->who[1]) == who->half[1];
}

void presence_see(struct presence *p, struct str page, struct str person,
                  int64_t now)
{
    const uint64_t hash = presence_hash(page);
    struct place *way = presence_ways(p, hash), *oldest = way;
    struct uuid who;
    if (!presence_read(person, &who))
        return;
    for (size_t i = 0; i < PRESENCE_MAX; i++) {
        if (presence_is(&way[i], hash, &who)) {
            if (now - atomic_load(&way[i].seen) > PRESENCE_LIFE)
                atomic_store(&way[i].since, now);
            atomic_store(&way[i].seen, now);
            return;
        }
        if (atomic_load(&way[i].seen) < atomic_load(&oldest->seen))
            oldest = &way[i];
    }
    atomic_store(&oldest->page, 0);
    atomic_store(&oldest->who[0], who.half[0]);
    atomic_store(&oldest->who[1], who.half[1]);
    atomic_store(&oldest->since, now);
    atomic_store(&oldest->seen, now);
    atomic_store(&oldest->page, hash);
}

size_t presence_others(struct arena *a, struct presence *p, struct str page,
                       struct str person, int64_t now,
                       struct presence_reader *out)
{
    const uint64_t hash = presence_hash(page);
    struct place *way = presence_ways(p, hash);
    struct uuid own = {{0, 0}};
    size_t n = 0;
    (void)presence_read(person, &own);
    for (size_t i = 0; i < PRESENCE_MAX; i++) {
        const struct uuid who = {
            {atomic_load(&way[i].who[0]), atomic_load(&way[i].who[1])}};
        if (atomic_load(&way[i].page) == hash &&
            now - atomic_load(&way[i].seen) <= PRESENCE_LIFE &&
            (who.half[0] != own.half[0] || who.half[1] != own.half[1]))
            out[n++] =
                (struct presence_reader){.person = presence_text(a, &who),
                                         .since = atomic_load(&way[i].since)};
    }
    return n;
}
