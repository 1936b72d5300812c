/* The one door to libevent: one thread, many connections, one clock.
 *
 * Holds thousands of mostly idle connections on a listening unix socket. What
 * the bytes mean is the caller's. No connection may keep more than its ceiling
 * of bytes that were not sent yet. */
#ifndef WORLD_LOOP_H
#define WORLD_LOOP_H

#include "base/arena.h"

struct loop;
struct loop_conn;

struct loop_hooks {
    /* A connection came. What it gives back is kept with the connection;
     * NULL refuses it. */
    void *(*open)(void *context, struct loop_conn *c);
    /* Bytes came; how many of them were taken. The rest is given again with
     * what follows; a connection that has LOOP_IN_MAX untaken is closed. */
    size_t (*data)(void *context, void *own, struct str bytes);
    /* It is gone, whoever closed it. Not to be used any more. */
    void (*gone)(void *context, void *own);
    void *context;
};

#define LOOP_IN_MAX ((size_t)64 << 10)
#define LOOP_CONNS_MAX 28000
#define LOOP_WATCHES_MAX 8 /* of loop_watch and loop_every together */

/* NULL and a log line on an error. It ends by SIGTERM, which it lets in while
 * it sleeps. */
struct loop *loop_make(struct arena *process);
/* Accepts on a listening, non-blocking socket that other processes may share.
 * Rests while descriptors are short. */
bool loop_listen(struct loop *l, int fd, const struct loop_hooks *hooks);
/* Takes no new connections from here on. */
void loop_unlisten(struct loop *l);
/* Calls fn whenever fd can be read. */
bool loop_watch(struct loop *l, int fd, void (*fn)(void *), void *context);
/* No more, from here on. Before fd is closed; fd need not be watched. */
void loop_unwatch(struct loop *l, int fd);
/* Calls fn every us microseconds. */
bool loop_every(struct loop *l, int64_t us, void (*fn)(void *),
                void *context);
/* Calls fn once, us microseconds from now; a second call before that may make
 * it sooner and never later. At most 4 different fn. */
void loop_soon(struct loop *l, int64_t us, void (*fn)(void *),
               void *context);
/* Calls fn when SIGTERM has come; without loop_stop the loop goes on. */
bool loop_on_term(struct loop *l, void (*fn)(void *), void *context);
/* Runs until loop_stop. false and a log line when it could not. */
bool loop_run(struct loop *l);
void loop_stop(struct loop *l);

/* Sends; false when more than max bytes would then be unsent, and nothing was
 * taken. */
bool loop_send(struct loop_conn *c, struct str bytes, size_t max);
/* Bytes that many connections send, kept once until the last of them has sent
 * them or is gone. Whoever made them drops them when no more shall be sent. */
struct loop_bytes;
#define LOOP_BYTES_MAX 32768 /* kept at once */
/* A copy; NULL: there are LOOP_BYTES_MAX, or no memory. */
struct loop_bytes *loop_bytes_make(struct loop *l, struct str bytes);
void loop_bytes_drop(struct loop_bytes *b);
/* What is kept now for all connections, with what the keeping itself takes. */
size_t loop_bytes_kept(const struct loop *l);
/* As loop_send; what alone is more than max goes out when nothing else is
 * unsent. */
bool loop_send_bytes(struct loop_conn *c, struct loop_bytes *b, size_t max);
/* Closes after what is unsent is sent, or at once and hard (cut): then gone is
 * called before this returns, unless its own data is what calls. */
void loop_close(struct loop_conn *c, bool cut);
/* How many bytes of it are unsent. */
size_t loop_unsent(const struct loop_conn *c);
/* How many connections are open. */
size_t loop_conns(const struct loop *l);

#endif
