/* `sayso verify`: recomputes every hash chain from the stored bytes and prints
 * the first broken row of each. Changes nothing. */
#include <stdio.h>

#include "process/commands/commands.h"
#include "process/commands/verify_file.h"
#include "store/intent/events.h"
#include "store/intent/intents.h"
#include "store/sql.gen.h"

#define PAGE 500

struct totals {
    size_t intents, events, broken;
};

static void verify_count(void *own, const struct event *e)
{
    struct totals *t = own;
    t->events += e != NULL;
}

/* Checks one chain against the end stored with its intent. */
static const struct err *verify_chain(struct pg *pg, struct arena *a,
                                      struct str id,
                                      const struct event_tail *tail,
                                      struct totals *t)
{
    struct event_check check = {.broken = 0};
    struct intent after;
    TRY(events_check(pg, a, id, &check, verify_count, t));
    TRY(intents_get(pg, a, id, &after));
    event_check_end(&check, tail, &after.tail);
    t->intents++;
    if (check.broken) {
        t->broken++;
        printf("BROKEN intent %.*s sequence %lld: %s\n", STR_FMT(id),
               (long long)check.broken, check.reason);
    }
    return NULL;
}

static const struct err *verify_page(struct pg *pg, struct arena *a,
                                     struct str *after, struct totals *t,
                                     bool *end)
{
    struct arena *page = arena_make(ARENA_PROCESS_MAX);
    struct pg_rows *rows = NULL;
    const struct err *e =
        pg_query(pg, page, SQL_EVENT_TAILS, PG(pg_text(*after)), &rows);
    const size_t n = e ? 0 : pg_count(rows);
    struct arena *chain = arena_make(ARENA_PROCESS_MAX);
    for (size_t i = 0; !e && i < n; i++) {
        const struct event_tail tail = {.sequence = pg_int(rows, i, 1),
                                        .hash = pg_str(rows, i, 2)};
        e = verify_chain(pg, chain, pg_str(rows, i, 0), &tail, t);
        arena_reset(chain);
    }
    if (n > 0)
        *after = arena_str(a, pg_str(rows, n - 1, 0));
    *end = n < PAGE;
    arena_free(chain);
    arena_free(page);
    return e;
}

int verify_run(const struct command *c)
{
    struct totals t = {.intents = 0};
    struct str after = STR_NONE;
    const struct err *e = NULL;
    bool end = false;
    if (command_option(c, "--bundle", 0).p)
    if (command_option(c, "--bundle", 0).p)
        return verify_file_bundle(c);
    if (command_option(c, "--receipt", 0).p)
        return verify_file_receipt(c);
    if (c->argc > 1) {
        fprintf(stderr, "sayso: verify takes one intent's id, or nothing\n");
        return 2;
    }
    if (c->argc == 1) {
        struct intent i;
        e = intents_get(c->pg, c->arena, str_of(c->argv[0]), &i);
        if (!e)
            e = verify_chain(c->pg, c->arena, i.id, &i.tail, &t);
    }
    while (c->argc == 0 && !e && !end)
        e = verify_page(c->pg, c->arena, &after, &t, &end);
    if (e)
        return command_end(e);
    printf("%zu intents, %zu events, %zu broken\n", t.intents, t.events,
           t.broken);
    return t.broken ? 1 : 0;
}
