/* The hosts of a connection string, in the order in which they are tried.
 *
 * libpq tries a list of hosts by itself, but spends the whole time on the first
 * one that does not answer and begins with it again each time. Here each
 * attempt is one place with a slice of the time; the last good one comes first
 * and one that did not answer in time comes last. Nothing in here connects; a
 * name is looked up by pg_hosts_resolve alone. */
#ifndef WORLD_PG_PG_HOSTS_H
#define WORLD_PG_PG_HOSTS_H

#include "base/arena.h"
#include "base/str.h"

#define PG_HOSTS_MAX 16
#define PG_HOSTS_ADDRESS 64 /* bytes of an address as text, its zone too */

/* One as it is written; NULL: libpq's own default. */
struct pg_hosts_name {
    const char *host, *hostaddr, *port;
};

/* One to connect to: a name at one of its addresses. */
struct pg_hosts_place {
    size_t name;                    /* index of names */
    char address[PG_HOSTS_ADDRESS]; /* "": a socket, or as it is written */
};

enum pg_hosts_wanted { PG_HOSTS_ANY, PG_HOSTS_WRITER, PG_HOSTS_READER };

struct pg_hosts {
    struct pg_hosts_name names[PG_HOSTS_MAX];
    size_t n;
    struct pg_hosts_place places[PG_HOSTS_MAX]; /* in the order of trying */
    size_t places_n;
    enum pg_hosts_wanted wanted;
    int late; /* rounds in a row without success that timed out */
};

/* The members of a connection string; p NULL or empty: not given. */
struct pg_hosts_text {
    struct str host, hostaddr, port, attrs;
};

/* Reads them by libpq's rules. Without target_session_attrs, a host that
 * accepts writes is required where there are several, and any where there is
 * one. false: the lists do not match or are too long. */
bool pg_hosts_read(struct arena *a, const struct pg_hosts_text *text,
                   struct pg_hosts *h);
/* Is it a name that has to be looked up? */
bool pg_hosts_looked_up(const struct pg_hosts_name *name);
/* Takes the current addresses of the names: known places keep their order, new
 * ones come after them. */
void pg_hosts_found(struct pg_hosts *h, const struct pg_hosts_place *found,
                    size_t n);
/* Looks the names up, without a deadline of its own. A name that cannot be
 * found keeps its places. */
void pg_hosts_resolve(struct pg_hosts *h);

/* The end of an attempt, within the time from now to the deadline: one of
 * `left` that are still to be tried in this round. `slice` is in microseconds;
 * it doubles, up to fourfold, with each round that only timed out, because a
 * host may be slow. A single place has the whole time. */
int64_t pg_hosts_until(const struct pg_hosts *h, size_t left, int64_t slice,
                       int64_t now, int64_t deadline);
/* Is a server with this role acceptable? */
bool pg_hosts_does(const struct pg_hosts *h, bool read_only);
/* The place is good: it is tried first from here on. */
void pg_hosts_good(struct pg_hosts *h, size_t place);
/* After a round without success. late[i]: that place did not answer in time. */
void pg_hosts_none(struct pg_hosts *h, const bool late[PG_HOSTS_MAX]);

#endif
