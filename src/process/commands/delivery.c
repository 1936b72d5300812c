/* `sayso delivery`: lists the deliveries that were given up, and sends them
 * again. */
#include <stdio.h>

#include "base/clock_text.h"
#include "process/commands/commands.h"
#include "store/sending/deliveries.h"

/* The options of both. false: one is wrong, which has been printed. */
static bool delivery_chosen(const struct command *c,
                            struct deliveries_failed *out)
{
    const struct str since = command_option(c, "--since", 0);
    *out = (struct deliveries_failed){
        .endpoint = command_option(c, "--endpoint", 0)};
    if (since.p && !clock_parse(since, &out->since)) {
        fputs("sayso: --since has to be a time, such as "
              "2026-11-25T03:00:00Z\n",
              stderr);
        return false;
    }
    return true;
}

static int delivery_failed(const struct command *c)
{
    struct deliveries_failed which;
    struct delivery_rows rows;
    if (!delivery_chosen(c, &which))
        return 2;
    const struct err *e =
        deliveries_failed(c->pg, c->arena, &which, &rows);
    for (size_t i = 0; !e && i < rows.n; i++) {
        const struct delivery *d = &rows.v[i];
        printf("%.*s\t%.*s\t%.*s\t%.*s\t%lld\t%.*s\n", STR_FMT(d->id),
               STR_FMT(clock_rfc3339(c->arena, d->created_at)),
               STR_FMT(d->endpoint_name), STR_FMT(d->type),
               (long long)d->tries, STR_FMT(d->answer));
    }
    return command_end(e);
}

static int delivery_again(const struct command *c)
{
    struct deliveries_failed which;
    int64_t n = 0;
    if (!delivery_chosen(c, &which))
        return 2;
    const struct err *e =
        deliveries_failed_again(c->pg, c->arena, &which, clock_now(), &n);
    if (!e)
        printf("%lld will be sent again\n", (long long)n);
    return command_end(e);
}

int delivery_run(const struct command *c)
{
    static const struct command_verb verbs[] = {
        {"failed", delivery_failed, "--endpoint= --since="},
        {"again", delivery_again, "--endpoint= --since="}};
    return command_run(c, verbs, countof(verbs),
                       "delivery failed | again [--endpoint NAME] [--since "
                       "TIME]");
}
