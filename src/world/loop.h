/* The one door to libevent: one thread, many connections, one clock.
 *
 * Holds thousands of mostly idle connections on a listening unix socket. The
 * caller knows the meaning of the bytes. No connection may keep more unsent
 * bytes than its ceiling. */
#ifndef WORLD_LOOP_H
#define WORLD_LOOP_H

#include "base/arena.h"

struct loop;
struct loop_conn;

struct loop_hooks {
    /* A connection was accepted. The result is kept with the connection; NULL
     * refuses it. */
    void *(*open)(void *context, struct loop_conn *c);
    /* Bytes arrived; returns how many of them were used. The rest is given
     * again with the next ones; a connection with LOOP_IN_MAX unused bytes is
     * closed. */
    size_t (*data)(void *context, void *own, struct str bytes);
    /* The connection is closed, by either side, and may not be used any
     * more. */
    void (*gone)(void *context, void *own);
    void *context;
};

#define LOOP_IN_MAX ((size_t)64 << 10)
#define LOOP_CONNS_MAX 28000
#define LOOP_WATCHES_MAX 8 /* of loop_watch and loop_every together */

/* NULL and a log line on an error. It ends by SIGTERM, which is unblocked while
 * it sleeps. */
struct loop *loop_make(struct arena *process);
/* Accepts on a listening, non-blocking socket that other processes may share.
 * Pauses while the process is out of descriptors. */
bool loop_listen(struct loop *l, int fd, const struct loop_hooks *hooks);
/* Accepts no new connections from here on. */
void loop_unlisten(struct loop *l);
/* Calls fn whenever fd can be read. */
bool loop_watch(struct loop *l, int fd, void (*fn)(void *), void *context);
/* Ends the watch. Call it before fd is closed; fd need not be watched. */
void loop_unwatch(struct loop *l, int fd);
/* Calls fn every us microseconds. */
bool loop_every(struct loop *l, int64_t us, void (*fn)(void *),
                void *context);
/* Calls fn once, us microseconds from now; a second call before that may make
 * it sooner and never later. At most 4 different fn. */
void loop_soon(struct loop *l, int64_t us, void (*fn)(void *),
               void *context);
/* Calls fn on SIGTERM; without loop_stop the loop continues. */
bool loop_on_term(struct loop *l, void (*fn)(void *), void *context);
/* Runs until loop_stop. false and a log line when it could not. */
bool loop_run(struct loop *l);
void loop_stop(struct loop *l);

/* Sends; false when more than max bytes would then be unsent, and nothing was
 * taken. */
bool loop_send(struct loop_conn *c, struct str bytes, size_t max);
/* Bytes that many connections send, kept once until the last of them has sent
 * them or is closed. The maker drops them when no further connection should
 * send them. */
struct loop_bytes;
#define LOOP_BYTES_MAX 32768 /* kept at once */
/* A copy; NULL: there are LOOP_BYTES_MAX, or no memory. */
struct loop_bytes *loop_bytes_make(struct loop *l, struct str bytes);
void loop_bytes_drop(struct loop_bytes *b);
/* The bytes kept now for all connections, with the memory for keeping them. */
size_t loop_bytes_kept(const struct loop *l);
/* As loop_send; bytes that alone are more than max are sent when nothing else
 * is unsent. */
bool loop_send_bytes(struct loop_conn *c, struct loop_bytes *b, size_t max);
/* Closes after the unsent bytes are sent, or at once (cut): then gone is called
 * before this returns, unless the caller is its own data callback. */
void loop_close(struct loop_conn *c, bool cut);
/* How many bytes of it are unsent. */
size_t loop_unsent(const struct loop_conn *c);
/* How many connections are open. */
size_t loop_conns(const struct loop *l);

#endif
