/* The parts that the commands of the program share. Knows no command. */
#include "process/commands/command.h"

#include <stdio.h>

#include "store/tables.h"

struct str command_option(const struct command *c, const char *name,
                          size_t nth)
{
    for (int i = 0; i + 1 < c->argc; i++) {
        if (str_is(str_of(c->argv[i]), name) && nth-- == 0)
            return str_of(c->argv[i + 1]);
    }
    return STR_NONE;
}

bool command_flag(const struct command *c, const char *name)
{
    for (int i = 0; i < c->argc; i++) {
        if (str_is(str_of(c->argv[i]), name))
            return true;
    }
    return false;
}

/* 0: unknown, 1: without a value, 2: with a value. */
static int command_arity(const char *known, struct str arg)
{
    struct str rest = str_of(known);
    while (rest.p) {
        const struct str word = str_cut(&rest, ' ');
        if (str_eq(word, arg))
            return 1;
        if (word.n == arg.n + 1 && str_starts(word, arg))
            return 2;
    }
    return 0;
}

bool command_options_ok(const struct command *c, int from, const char *known)
{
    for (int i = from; i < c->argc; i++) {
        const int n = command_arity(known, str_of(c->argv[i]));
        if (n == 0 || (n == 2 && i + 1 >= c->argc)) {
            fprintf(stderr, "sayso: %s %s\n", c->argv[i],
                    n == 0 ? "is not supported here; see `sayso help`"
                           : "needs a value");
            return false;
        }
        i += n - 1;
    }
    return true;
}

struct pg *command_owner(const struct command *c)
{
    struct pg *pg =
        tables_open(c->arena, c->conf->database_owner, "sayso admin");
    pg_patient(pg);
    pg_connect_ms(pg, c->conf->database_connect_ms);
    return pg;
}

int command_failed(const struct err *e)
{
    fprintf(stderr, "sayso: %.*s (%s)\n", STR_FMT(e->say), e->code);
    return 1;
}

struct str command_line(struct arena *a)
{
    char line[1024];
    if (!fgets(line, sizeof line, stdin))
        return STR_NONE;
    struct str s = str_of(line);
    while (s.n > 0 && (s.p[s.n - 1] == '\n' || s.p[s.n - 1] == '\r'))
        s.n--;
    return arena_str(a, s);
}
