/* News for the process that holds waiters: notes from this host's workers,
 * notices from other hosts, and the tail of all events, which misses nothing
 * and is the slowest. */
#ifndef PROCESS_WAIT_WAIT_NEWS_H
#define PROCESS_WAIT_WAIT_NEWS_H

#include "process/start/child.h"
#include "store/sending/event_cursor.h"
#include "world/loop.h"
#include "world/wake.h"

struct wait_news_hooks {
    /* An intent has changed; may be called more than once for a change. */
    void (*changed)(void *context, const struct wake_note *note);
    /* An event, in the order over all of them, each once. */
    void (*event)(void *context, const struct frame_event *e);
    /* Are there readers of events, not only of changes? Then the tail is read
     * at once after a change. */
    bool (*eager)(void *context);
    void *context;
};

struct wait_news;
/* Starts. NULL and a log line on an error; a database that does not answer is
 * no error. The newest events are reported as soon as it answers. */
struct wait_news *wait_news_make(struct arena *process, const struct child *c,
                                 struct loop *l,
                                 const struct wait_news_hooks *hooks);
/* Leaves all further notes to the next process. */
void wait_news_stop(struct wait_news *n);
/* The connection by which the tail is read, for other reads. NULL until the
 * tail has a beginning. */
struct pg *wait_news_pg(struct wait_news *n);

#endif
