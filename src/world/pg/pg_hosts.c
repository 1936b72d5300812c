/* The hosts of a connection string, in the order in which they are tried. */
#include "world/pg/pg_hosts.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <string.h>

#define LATE_MAX 2 /* doublings of the slice */

static size_t pg_hosts_items(struct str list)
{
    size_t n = 1;
    for (size_t i = 0; i < list.n; i++)
        n += list.p[i] == ',';
    return n;
}

/* The next item of a list; NULL: an empty one. */
static const char *pg_hosts_item(struct arena *a, struct str *rest)
{
    const struct str s = str_trim(str_cut(rest, ','));
    return s.n > 0 ? arena_z(a, s) : NULL;
}

static enum pg_hosts_wanted pg_hosts_wanted_by(struct str attrs, size_t n)
{
    if (str_is(attrs, "read-write") || str_is(attrs, "primary"))
        return PG_HOSTS_WRITER;
    if (str_is(attrs, "read-only") || str_is(attrs, "standby"))
        return PG_HOSTS_READER;
    return attrs.n == 0 && n > 1 ? PG_HOSTS_WRITER : PG_HOSTS_ANY;
}

bool pg_hosts_looked_up(const struct pg_hosts_name *name)
{
    struct in6_addr address;
    const char *host = name->host;
    return !name->hostaddr && host && host[0] != '/' && host[0] != '@' &&
           inet_pton(AF_INET, host, &address) != 1 &&
           inet_pton(AF_INET6, host, &address) != 1;
}

bool pg_hosts_read(struct arena *a, const struct pg_hosts_text *text,
                   struct pg_hosts *h)
{
    struct str host = text->host, addr = text->hostaddr, port = text->port;
    const bool hosts = host.n > 0, addrs = addr.n > 0;
    const size_t n = pg_hosts_items(addrs ? addr : host),
                 ports = pg_hosts_items(port);
    *h = (struct pg_hosts){.n = n,
                           .wanted = pg_hosts_wanted_by(text->attrs, n)};
    if (n > PG_HOSTS_MAX || (hosts && addrs && pg_hosts_items(host) != n) ||
        (ports != 1 && ports != n))
        return false;
    const char *same =
        ports == 1 && port.n > 0 ? pg_hosts_item(a, &port) : NULL;
    for (size_t i = 0; i < n; i++) {
        struct pg_hosts_name *name = &h->names[i];
        *name = (struct pg_hosts_name){.port = same};
        if (hosts)
            name->host = pg_hosts_item(a, &host);
        if (addrs)
            name->hostaddr = pg_hosts_item(a, &addr);
        if (ports > 1)
            name->port = pg_hosts_item(a, &port);
        h->places[h->places_n++] = (struct pg_hosts_place){.name = i};
    }
    return true;
}

static bool pg_hosts_among(const struct pg_hosts_place *place,
                           const struct pg_hosts_place *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (place->name == v[i].name &&
            strcmp(place->address, v[i].address) == 0)
            return true;
    return false;
}

void pg_hosts_found(struct pg_hosts *h, const struct pg_hosts_place *found,
                    size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < h->places_n; i++)
        if (pg_hosts_among(&h->places[i], found, n))
            h->places[kept++] = h->places[i];
    for (size_t i = 0; i < n && kept < PG_HOSTS_MAX; i++)
        if (!pg_hosts_among(&found[i], h->places, kept))
            h->places[kept++] = found[i];
    h->places_n = kept;
}

/* Keeps the known places of a name. */
static size_t pg_hosts_keep(const struct pg_hosts *h, size_t name,
                            struct pg_hosts_place *out, size_t n)
{
    const size_t before = n;
    for (size_t i = 0; i < h->places_n && n < PG_HOSTS_MAX; i++)
        if (h->places[i].name == name)
            out[n++] = h->places[i];
    if (n == before && n < PG_HOSTS_MAX)
        out[n++] = (struct pg_hosts_place){.name = name};
    return n;
}

static size_t pg_hosts_look_up(const struct pg_hosts *h, size_t name,
                               struct pg_hosts_place *out, size_t n)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    const size_t before = n;
    struct addrinfo *list = NULL;
    if (getaddrinfo(h->names[name].host, NULL, &hints, &list) != 0)
        return pg_hosts_keep(h, name, out, n);
    for (struct addrinfo *x = list; x && n < PG_HOSTS_MAX; x = x->ai_next) {
        struct pg_hosts_place place = {.name = name};
        if (getnameinfo(x->ai_addr, x->ai_addrlen, place.address,
                        sizeof place.address, NULL, 0, NI_NUMERICHOST) == 0 &&
            !pg_hosts_among(&place, out, n))
            out[n++] = place;
    }
    freeaddrinfo(list);
    return n > before ? n : pg_hosts_keep(h, name, out, n);
}

void pg_hosts_resolve(struct pg_hosts *h)
{
    struct pg_hosts_place found[PG_HOSTS_MAX];
    size_t n = 0;
    for (size_t i = 0; i < h->n; i++)
        n = pg_hosts_looked_up(&h->names[i]) ? pg_hosts_look_up(h, i, found, n)
                                             : pg_hosts_keep(h, i, found, n);
    pg_hosts_found(h, found, n);
}

int64_t pg_hosts_until(const struct pg_hosts *h, size_t left, int64_t slice,
                       int64_t now, int64_t deadline)
{
    if (h->places_n <= 1 || deadline <= now)
        return deadline;
    const int64_t share = (deadline - now) / (int64_t)(left ? left : 1);
    slice <<= h->late;
    return now + (slice < share ? slice : share);
}

bool pg_hosts_does(const struct pg_hosts *h, bool read_only)
{
    return h->wanted == PG_HOSTS_ANY ||
           (h->wanted == PG_HOSTS_READER) == read_only;
}

void pg_hosts_good(struct pg_hosts *h, size_t place)
{
    const struct pg_hosts_place good = h->places[place];
    memmove(&h->places[1], &h->places[0], place * sizeof good);
    h->places[0] = good;
    h->late = 0;
}

void pg_hosts_none(struct pg_hosts *h, const bool late[PG_HOSTS_MAX])
{
    struct pg_hosts_place order[PG_HOSTS_MAX];
    size_t n = 0;
    for (size_t i = 0; i < h->places_n; i++)
        if (!late[i])
            order[n++] = h->places[i];
    const bool lost = n < h->places_n;
    for (size_t i = 0; i < h->places_n; i++)
        if (late[i])
            order[n++] = h->places[i];
    memcpy(h->places, order, n * sizeof order[0]);
    h->late += lost && h->late < LATE_MAX ? 1 : 0;
}
