/* The recent use of each caller: a table of atomics in shared memory.
 *
 * A slot belongs to a caller by the hash of its id. Two callers that claim the
 * same slot at the same moment may count to each other once; only a limit
 * depends on it. */
#include "base/shared/quota.h"

#include <stdatomic.h>
#include <sys/mman.h>

#include "base/clock.h"

#define PLACES 4096
#define WAYS 8 /* slots that a caller may have */
#define COUNT_HOLDS (10 * CLOCK_SECOND)
#define HEAVY_HOLDS (10 * CLOCK_SECOND)
#define WORD 64 /* bits */

struct place {
    _Atomic uint64_t who;   /* 0: free */
    /* The time at which the whole burst is available again (GCRA). In the past:
     * the caller has its full burst, and may be forgotten. */
    _Atomic int64_t full_at;
    _Atomic int64_t day, bytes, unsaved;
    _Atomic int64_t open, counted_at; /* questions; 0: never counted */
    _Atomic int64_t heavy_at; /* the last large read; 0: none */
    _Atomic uint64_t heavy[QUOTA_KINDS / WORD];
};

struct quota {
    _Atomic uint64_t seat[QUOTA_SEATS]; /* who has it; 0: free */
    struct place place[PLACES];
};

struct quota *quota_make(void)
{
    /* The kernel gives zeroed pages, and zero is a free slot. */
    struct quota *q = mmap(NULL, sizeof *q, PROT_READ | PROT_WRITE,
                           MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return q == MAP_FAILED ? NULL : q;
}

static struct place *quota_find(struct quota *q, struct str id)
{
    const uint64_t who = str_hash(id);
    struct place *way = &q->place[(who >> 32 ^ who >> 1) % (PLACES / WAYS) *
                                  WAYS];
    struct place *quiet = way;
    for (size_t i = 0; i < WAYS; i++) {
        if (atomic_load(&way[i].who) == who)
            return &way[i];
        if (atomic_load(&way[i].full_at) < atomic_load(&quiet->full_at))
            quiet = &way[i];
    }
    atomic_store(&quiet->who, who);
    atomic_store(&quiet->full_at, 0);
    atomic_store(&quiet->day, 0);
    atomic_store(&quiet->counted_at, 0);
    atomic_store(&quiet->heavy_at, 0);
    return quiet;
}

int64_t quota_request(struct quota *q, struct str id, int64_t rate,
                      int64_t now)
{
    struct place *p = quota_find(q, id);
    const int64_t each = CLOCK_SECOND / rate;
    const int64_t most = now + QUOTA_BURST * CLOCK_SECOND;
    int64_t full_at = atomic_load(&p->full_at), next;
    do {
        next = (full_at > now ? full_at : now) + each;
        if (next > most)
            return (next - most + CLOCK_SECOND - 1) / CLOCK_SECOND;
    } while (!atomic_compare_exchange_weak(&p->full_at, &full_at, next));
    return 0;
}

void quota_charge(struct quota *q, struct str id, int64_t rate, int64_t n,
                  int64_t now)
{
    struct place *p = quota_find(q, id);
    const int64_t burst = QUOTA_BURST * CLOCK_SECOND;
    const int64_t most = now + burst + QUOTA_DEBT * CLOCK_SECOND;
    const int64_t cost = n < rate * QUOTA_BURST ? n * CLOCK_SECOND / rate
                                                : burst;
    int64_t full_at = atomic_load(&p->full_at), next;
    do {
        next = (full_at > now ? full_at : now) + cost;
        if (next > most)
            next = most;
    } while (!atomic_compare_exchange_weak(&p->full_at, &full_at, next));
}

/* The last bit says that it is not a person. */
static uint64_t quota_mark(struct str id, bool person)
{
    return person ? str_hash(id) ^ 1 : str_hash(id);
}

struct quota_seats quota_seats(struct quota *q, struct str id, bool person)
{
    const uint64_t mine = quota_mark(id, person);
    struct quota_seats n = {.own = 0};
    for (size_t i = 0; i < QUOTA_SEATS; i++) {
        const uint64_t who = atomic_load(&q->seat[i]);
        n.own += who == mine;
        n.keys += (int64_t)(who & 1);
    }
    return n;
}

void quota_seat_take(struct quota *q, size_t seat, struct str id, bool person)
{
    if (seat < QUOTA_SEATS)
        atomic_store(&q->seat[seat], quota_mark(id, person));
}

void quota_seat_give(struct quota *q, size_t seat)
{
    if (seat < QUOTA_SEATS)
        atomic_store(&q->seat[seat], 0);
}

void quota_heavy(struct quota *q, struct str id, size_t kind, int64_t now)
{
    struct place *p = quota_find(q, id);
    const bool old = now - atomic_load(&p->heavy_at) > HEAVY_HOLDS;
    for (size_t i = 0; old && i < countof(p->heavy); i++)
        atomic_store(&p->heavy[i], 0);
    atomic_store(&p->heavy_at, now);
    if (kind < QUOTA_KINDS)
        atomic_fetch_or(&p->heavy[kind / WORD], UINT64_C(1) << kind % WORD);
}

bool quota_was_heavy(struct quota *q, struct str id, size_t kind, int64_t now)
{
    struct place *p = quota_find(q, id);
    const int64_t at = atomic_load(&p->heavy_at);
    return at > 0 && now - at <= HEAVY_HOLDS && kind < QUOTA_KINDS &&
           (atomic_load(&p->heavy[kind / WORD]) >> kind % WORD & 1) != 0;
}

bool quota_open(struct quota *q, struct str id, int64_t most, int64_t now)
{
    struct place *p = quota_find(q, id);
    const int64_t at = atomic_load(&p->counted_at);
    return at != 0 && now - at < COUNT_HOLDS &&
           atomic_fetch_add(&p->open, 1) < most;
}

void quota_opened(struct quota *q, struct str id, int64_t n, int64_t now)
{
    struct place *p = quota_find(q, id);
    atomic_store(&p->open, n);
    atomic_store(&p->counted_at, now);
}

/* The first call of a day resets the count. */
static struct place *quota_today(struct quota *q, struct str id, int64_t day)
{
    struct place *p = quota_find(q, id);
    int64_t then = atomic_load(&p->day);
    if (then != day && atomic_compare_exchange_strong(&p->day, &then, day)) {
        atomic_store(&p->bytes, 0);
        atomic_store(&p->unsaved, 0);
    }
    return p;
}

int64_t quota_bytes(struct quota *q, struct str id, int64_t day)
{
    return atomic_load(&quota_today(q, id, day)->bytes);
}

int64_t quota_store(struct quota *q, struct str id, int64_t day, int64_t n)
{
    struct place *p = quota_today(q, id, day);
    atomic_fetch_add(&p->bytes, n);
    if (atomic_fetch_add(&p->unsaved, n) + n < QUOTA_UNSAVED)
        return 0;
    return atomic_exchange(&p->unsaved, 0);
}

void quota_saved(struct quota *q, struct str id, int64_t day, int64_t total)
{
    struct place *p = quota_today(q, id, day);
    atomic_store(&p->bytes, total + atomic_load(&p->unsaved));
}

void quota_unsaved(struct quota *q, struct str id, int64_t day, int64_t n)
{
    atomic_fetch_add(&quota_today(q, id, day)->unsaved, n);
}
