/* Table of held requests: slots of fixed number, found by their intent, and a
 * ring of the last changes.
 *
 * Called by process/wait/wait.c alone. All data are arguments. */
#include "process/wait/wait_table.h"

#define BUCKETS 16384 /* a power of two */
#define NONE (-1)

struct slot {
    void *who; /* NULL: free */
    char intent_id[40];
    char suspension_id[72];
    int64_t since;
    int next, before; /* in the bucket; of a free one: the next free */
    int bucket;       /* NONE: only the deadline ends it */
};

struct wait_table {
    struct slot slot[WAIT_TABLE_MAX];
    /* Apart from the slots, because all of them are scanned often. */
    int64_t until[WAIT_TABLE_MAX], cap[WAIT_TABLE_MAX];
    int bucket[BUCKETS];
    int spare;        /* the first free one; NONE: none */
    size_t used, held;
    struct wake_note recent[WAIT_TABLE_RECENT];
    uint64_t hash[WAIT_TABLE_RECENT]; /* of each one's intent; 0: none */
    size_t next;
};

struct wait_table *wait_table_make(struct arena *process)
{
    struct wait_table *t = arena_new(process, struct wait_table);
    t->spare = NONE;
    for (size_t i = 0; i < BUCKETS; i++)
        t->bucket[i] = NONE;
    return t;
}

static int wait_table_bucket(struct str intent_id)
{
    const uint64_t h = str_hash(intent_id);
    return (int)((h >> 32 ^ h >> 1) % BUCKETS);
}

/* ---- slots ---------------------------------------------------------- */

int wait_table_add(struct wait_table *t, const struct wait_table_ask *ask,
                   void *who)
{
    struct slot new = {.who = who, .since = ask->since, .bucket = NONE};
    if (!str_copy(new.intent_id, sizeof new.intent_id, ask->intent_id) ||
        !str_copy(new.suspension_id, sizeof new.suspension_id,
                  ask->suspension_id))
        return NONE;
    int at = t->spare;
    if (at != NONE)
        t->spare = t->slot[at].next;
    else if (t->used < WAIT_TABLE_MAX)
        at = (int)t->used++;
    else
        return NONE;
    struct slot *s = &t->slot[at];
    *s = new;
    t->until[at] = ask->until;
    t->cap[at] = ask->cap;
    t->held++;
    if (ask->intent_id.n > 0) {
        s->bucket = wait_table_bucket(ask->intent_id);
        int *head = &t->bucket[s->bucket];
        s->before = NONE;
        s->next = *head;
        if (*head != NONE)
            t->slot[*head].before = at;
        *head = at;
    }
    return at;
}

void wait_table_remove(struct wait_table *t, int slot)
{
    if (slot < 0 || !t->slot[slot].who)
        return;
    struct slot *s = &t->slot[slot];
    if (s->bucket != NONE) {
        if (s->before != NONE)
            t->slot[s->before].next = s->next;
        else
            t->bucket[s->bucket] = s->next;
        if (s->next != NONE)
            t->slot[s->next].before = s->before;
    }
    s->who = NULL;
    t->until[slot] = t->cap[slot] = INT64_MAX;
    s->next = t->spare;
    t->spare = slot;
    t->held--;
}

static void wait_table_let_go(struct wait_table *t, int slot,
                              const struct wait_table_fn *go)
{
    void *who = t->slot[slot].who;
    wait_table_remove(t, slot);
    go->fn(go->context, who);
}

size_t wait_table_count(const struct wait_table *t)
{
    return t->held;
}

/* ---- changes -------------------------------------------------------- */

static bool wait_table_ends(const struct wake_note *note, struct str intent_id,
                            struct str suspension_id, int64_t since)
{
    if (!str_is(intent_id, note->intent_id))
        return false;
    return suspension_id.n > 0 ? str_is(suspension_id, note->decided)
                               : note->version > since;
}

bool wait_table_happened(const struct wait_table *t,
                         const struct wait_table_ask *ask)
{
    const uint64_t h = str_hash(ask->intent_id);
    for (size_t i = 0; i < WAIT_TABLE_RECENT; i++)
        if (t->hash[i] == h && wait_table_ends(&t->recent[i], ask->intent_id,
                                               ask->suspension_id, ask->since))
            return true;
    return false;
}

void wait_table_changed(struct wait_table *t, const struct wake_note *note,
                        const struct wait_table_fn *go)
{
    const struct str id = str_of(note->intent_id);
    if (id.n == 0)
        return;
    t->recent[t->next] = *note;
    t->hash[t->next] = str_hash(str_of(note->intent_id));
    t->next = (t->next + 1) % WAIT_TABLE_RECENT;
    for (int i = t->bucket[wait_table_bucket(id)], next; i != NONE; i = next) {
        const struct slot *s = &t->slot[i];
        next = s->next;
        if (wait_table_ends(note, str_of(s->intent_id),
                            str_of(s->suspension_id), s->since))
            wait_table_let_go(t, i, go);
    }
}

void wait_table_due(struct wait_table *t, int64_t now, int64_t mono,
                    const struct wait_table_fn *go)
{
    for (size_t i = 0; i < t->used; i++)
        if ((t->until[i] <= now || t->cap[i] <= mono) && t->slot[i].who)
            wait_table_let_go(t, (int)i, go);
}

bool wait_table_within(size_t i, size_t part)
{
    return i * 619 % 1000 < part; /* neighbours are far apart */
}

void wait_table_part(struct wait_table *t, size_t part,
                     const struct wait_table_fn *go)
{
    for (size_t i = 0; i < t->used; i++)
        if (t->slot[i].who && wait_table_within(i, part))
            wait_table_let_go(t, (int)i, go);
}
