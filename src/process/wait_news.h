/* What happens, as the process that holds waiters hears of it: by notes from
 * this host's workers, by notices from other hosts, and by the tail of all
 * events, which misses nothing and is the slowest. */
#ifndef PROCESS_WAIT_NEWS_H
#define PROCESS_WAIT_NEWS_H

#include "process/child.h"
#include "store/tail.h"
#include "world/loop.h"
#include "world/wake.h"

struct wait_news_hooks {
    /* An intent has changed; may be told more than once. */
    void (*changed)(void *context, const struct wake_note *note);
    /* An event, in the order over all of them, each once. */
    void (*event)(void *context, const struct frame_event *e);
    /* Does anybody wait for events and not only for changes? Then the tail is
     * read at once when something has happened. */
    bool (*eager)(void *context);
    void *context;
};

struct wait_news;
/* Begins to listen. NULL and a log line on an error; a database that is away
 * is none. The newest events are told as soon as it is there. */
struct wait_news *wait_news_make(struct arena *process, const struct child *c,
                                 struct loop *l,
                                 const struct wait_news_hooks *hooks);
/* Leaves all further notes to whoever takes over. */
void wait_news_stop(struct wait_news *n);
/* The connection that the tail is read by, for the others who read. NULL until
 * the tail has a beginning. */
struct pg *wait_news_pg(struct wait_news *n);

#endif
