/* Hosts that do not answer in time, in a table of fixed size. */
#include "process/deliver_hosts.h"

struct host {
    char place[DELIVER_HOSTS_PLACE];
    int64_t pause, until; /* pause 0: free */
};

struct deliver_hosts {
    struct host v[DELIVER_HOSTS_MAX];
};

struct deliver_hosts *deliver_hosts_make(struct arena *process)
{
    return arena_new(process, struct deliver_hosts);
}

static struct str deliver_hosts_place(const struct host *h)
{
    return (struct str){h->place, sizeof h->place};
}

static struct host *deliver_hosts_find(struct deliver_hosts *h,
                                       struct str place)
{
    for (size_t i = 0; i < DELIVER_HOSTS_MAX; i++)
        if (h->v[i].pause > 0 && str_eq(deliver_hosts_place(&h->v[i]), place))
            return &h->v[i];
    return NULL;
}

/* A clock that was set back does not extend a pause. */
static bool deliver_hosts_is_away(const struct host *h, int64_t now)
{
    return h->until > now && h->until - now <= DELIVER_HOSTS_LONGEST;
}

void deliver_hosts_ended(struct deliver_hosts *h, struct str place,
                         bool in_time, int64_t now)
{
    if (place.n != DELIVER_HOSTS_PLACE)
        return;
    struct host *one = deliver_hosts_find(h, place);
    if (in_time && one)
        *one = (struct host){.pause = 0};
    if (in_time || (one && deliver_hosts_is_away(one, now)))
        return;
    if (!one) {
        one = &h->v[0];
        for (size_t i = 1; i < DELIVER_HOSTS_MAX; i++)
            if (h->v[i].until < one->until)
                one = &h->v[i];
        *one = (struct host){.pause = 0};
        memcpy(one->place, place.p, sizeof one->place);
    }
    one->pause = one->pause ? one->pause * 2 : DELIVER_HOSTS_FIRST;
    if (one->pause > DELIVER_HOSTS_LONGEST)
        one->pause = DELIVER_HOSTS_LONGEST;
    one->until = now + one->pause;
}

size_t deliver_hosts_away(const struct deliver_hosts *h, int64_t now,
                          struct str out[static DELIVER_HOSTS_MAX])
{
    size_t n = 0;
    for (size_t i = 0; i < DELIVER_HOSTS_MAX; i++)
        if (h->v[i].pause > 0 && deliver_hosts_is_away(&h->v[i], now))
            out[n++] = deliver_hosts_place(&h->v[i]);
    return n;
}
