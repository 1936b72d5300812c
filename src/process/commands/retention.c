/* `sayso retention`: the rules by which contents are erased. */
#include <stdio.h>

#include "base/clock.h"
#include "process/commands/commands.h"
#include "store/retention/retentions.h"

#define BATCH 500 /* questions of one transaction */
#define BY STR("sayso retention")

static const char *retention_day(char out[CLOCK_TEXT], int64_t t)
{
    clock_write(out, t);
    out[10] = '\0';
    return out;
}

/* The requests that a rule would erase now. */
static const struct err *retention_print(const struct command *c,
                                         const struct retention *r)
{
    struct retentions_preview p;
    char oldest[CLOCK_TEXT], newest[CLOCK_TEXT];
    int64_t all = 0, unsealed = 0;
    TRY(retentions_preview(c->pg, c->arena, r, clock_now(), &p));
    for (size_t i = 0; i < p.n; i++) {
        const struct retentions_part *x = &p.v[i];
        printf("%lld\t%.*s\t%.*s\tended %s to %s\n", (long long)x->n,
               STR_FMT(x->kind), STR_FMT(x->outcome),
               retention_day(oldest, x->oldest),
               retention_day(newest, x->newest));
        all += x->n;
        unsealed += x->unsealed;
    }
    printf("%lld questions; %lld of them have no receipt yet and are left\n",
           (long long)all, (long long)unsealed);
    return NULL;
}

static int retention_add(const struct command *c)
{
    struct retention r = {.name = command_option(c, "--name", 0),
                          .kind = command_option(c, "--kind", 0),
                          .outcome = command_option(c, "--outcome", 0),
                          .created_at = clock_now(),
                          .created_by = BY};
    (void)str_int(command_option(c, "--days", 0), 1, RETENTION_DAYS_MAX,
                  &r.days);
    const struct err *e = retention_check(c->arena, &r);
    if (e) {
        fprintf(stderr, "sayso: --%.*s: %.*s\n", STR_FMT(e->at),
                STR_FMT(e->say));
        return 2;
    }
    if (!command_flag(c, "--dry-run")) {
        e = retentions_insert(c->pg, c->arena, &r);
        if (e)
            return command_end(e);
        printf("%.*s erases nothing until `sayso retention start %.*s`. It "
               "would erase now:\n",
               STR_FMT(r.name), STR_FMT(r.name));
    }
    return command_end(retention_print(c, &r));
}

/* The rule that the second argument names. */
static const struct err *retention_named(const struct command *c,
                                         struct retention *out)
{
    return retentions_get(c->pg, c->arena,
                          c->argc == 2 ? str_of(c->argv[1]) : STR(""), out);
}

static int retention_preview(const struct command *c)
{
    struct retention r;
    const struct err *e = retention_named(c, &r);
    return command_end(e ? e : retention_print(c, &r));
}

static int retention_start(const struct command *c)
{
    struct retention r;
    const struct err *e = retention_named(c, &r);
    return command_end(e ? e
                         : retentions_start(c->pg, c->arena, r.name,
                                            clock_now(), BY));
}

static int retention_remove(const struct command *c)
{
    struct retention r;
    const struct err *e = retention_named(c, &r);
    return command_end(e ? e
                         : retentions_remove(c->pg, c->arena, r.name,
                                             clock_now(), BY));
}

static int retention_list(const struct command *c)
{
    struct retentions_rows all;
    const struct err *e = retentions_list(c->pg, c->arena, true, &all);
    if (e)
        return command_end(e);
    for (size_t i = 0; i < all.n; i++) {
        const struct retention *r = &all.v[i];
        char day[CLOCK_TEXT];
        printf("%.*s\t%lld\t%.*s\t%.*s\t%s %s\t%lld\n", STR_FMT(r->name),
               (long long)r->days, STR_FMT(r->kind.p ? r->kind : STR("*")),
               STR_FMT(r->outcome.p ? r->outcome : STR("*")),
               r->removed_at   ? "removed"
               : r->started_at ? "erases since"
                               : "not started, made",
               retention_day(day, r->removed_at   ? r->removed_at
                                  : r->started_at ? r->started_at
                                                  : r->created_at),
               (long long)r->erased);
    }
    return 0;
}

/* One question of a batch that fails comes again, so that the others are
 * erased; false: its task is left out. */
static bool retention_batch(const struct command *c, struct arena *a,
                            const struct retentions_turn *turn,
                            struct retentions_batch *out)
{
    const struct err *e = retentions_erase(c->pg, a, turn, out);
    if (out->left_out.p)
        fprintf(stderr, "sayso: rule %.*s could not erase %.*s\n",
                STR_FMT(turn->rule), STR_FMT(out->left_out));
    if (e) {
        pg_rollback(c->pg);
        fprintf(stderr, "sayso: a batch of %lld of rule %.*s failed\n",
                (long long)turn->questions, STR_FMT(turn->rule));
        (void)command_end(e);
    }
    return turn->questions > 0;
}

/* All that is due now, without waiting for the server's own process. */
static int retention_erase(const struct command *c)
{
    struct retentions_turn turn = {.rule = STR("")};
    int64_t questions = 0, intents = 0;
    struct arena *a = arena_make(ARENA_PROCESS_MAX);
    bool all = true;
    const struct err *e = retentions_hold(c->pg, a);
    if (!e)
        e = retentions_again(c->pg, a);
    while (!e && turn.rule.p) {
        struct retentions_batch b = {.looked = 0};
        arena_reset(a);
        e = retentions_hold(c->pg, a); /* the connection may be another */
        if (!e)
            e = retentions_turn(c->pg, a, BATCH, &turn);
        if (!e && turn.rule.p)
            all = retention_batch(c, a, &turn, &b) && all;
        questions += b.questions;
        intents += b.intents;
    }
    printf("%lld questions and %lld tasks erased\n", (long long)questions,
           (long long)intents);
    const int status = command_end(e);
    arena_free(a);
    return status == 0 && all ? 0 : 1;
}

int retention_run(const struct command *c)
{
    static const struct command_verb verbs[] = {
        {"add", retention_add, "--name= --days= --kind= --outcome= --dry-run"},
        {"list", retention_list, ""},
        {"preview", retention_preview, NULL},
        {"start", retention_start, NULL},
        {"remove", retention_remove, NULL},
        {"run", retention_erase, ""}};
    return command_run(c, verbs, countof(verbs),
                       "retention add | list | preview | start | remove | run");
}
