/* The number of reads, streams and refusals that each caller holds, in a table
 * of fixed size.
 *
 * Called by process/wait/wait.c alone. An entry lives as long as one of its
 * counts is above zero. */
#include "process/wait/wait_share.h"

#define BUCKETS 8192 /* a power of two */
#define NONE (-1)

struct wait_shares {
    struct wait_share_limits limits;
    struct wait_share v[WAIT_SHARES_MAX];
    int bucket[BUCKETS];
    int spare; /* the first free one; NONE: none */
    size_t used;
    size_t keys[WAIT_SHARE__MAX];  /* held by all keys */
    size_t total[WAIT_SHARE__MAX]; /* and by people */
};

struct wait_shares *wait_share_make(struct arena *process,
                                    const struct wait_share_limits *limits)
{
    struct wait_shares *all = arena_new(process, struct wait_shares);
    all->limits = *limits;
    all->spare = NONE;
    for (size_t i = 0; i < BUCKETS; i++)
        all->bucket[i] = NONE;
    return all;
}

static int wait_share_bucket(struct str id)
{
    const uint64_t h = str_hash(id);
    return (int)((h >> 32 ^ h >> 1) % BUCKETS);
}

static struct wait_share *wait_share_find(struct wait_shares *all,
                                          struct str id, bool person)
{
    for (int i = all->bucket[wait_share_bucket(id)]; i != NONE;
         i = all->v[i].next) {
        struct wait_share *s = &all->v[i];
        if (s->person == person && str_is(id, s->id))
            return s;
    }
    return NULL;
}

struct wait_share *wait_share_take(struct wait_shares *all, struct str id,
                                   bool person, enum wait_share_what what)
{
    if (id.n == 0 || id.n > WAIT_SHARE_ID_MAX ||
        (!person && all->keys[what] >= all->limits.keys[what]))
        return NULL;
    struct wait_share *s = wait_share_find(all, id, person);
    if (s && s->held[what] >= all->limits.each[what])
        return NULL;
    if (!s) {
        int at = all->spare;
        if (at != NONE)
            all->spare = all->v[at].next;
        else if (all->used < WAIT_SHARES_MAX)
            at = (int)all->used++;
        else
            return NULL;
        s = &all->v[at];
        *s = (struct wait_share){.person = person,
                                 .bucket = wait_share_bucket(id)};
        memcpy(s->id, id.p, id.n);
        s->next = all->bucket[s->bucket];
        all->bucket[s->bucket] = at;
    }
    s->held[what]++;
    all->total[what]++;
    all->keys[what] += !person;
    return s;
}

void wait_share_give(struct wait_shares *all, struct wait_share *s,
                     enum wait_share_what what)
{
    size_t left = 0;
    s->held[what]--;
    all->total[what]--;
    all->keys[what] -= !s->person;
    for (size_t i = 0; i < WAIT_SHARE__MAX; i++)
        left += s->held[i];
    if (left == 0) {
        const int at = (int)(s - all->v);
        int *link = &all->bucket[s->bucket];
        while (*link != at)
            link = &all->v[*link].next;
        *link = s->next;
        s->next = all->spare;
        all->spare = at;
    }
}

size_t wait_share_total(const struct wait_shares *all,
                        enum wait_share_what what)
{
    return all->total[what];
}
