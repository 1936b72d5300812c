/* The parts that the commands of the program share. Knows no command. */
#include "process/commands/command.h"

#include <stdio.h>

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

bool command_options_ok(const struct command *c, int from, const char *known)
{
    for (int i = from; i < c->argc; i++) {
        const struct str arg = str_of(c->argv[i]);
        int n = 0; /* of its words; 0: it is unknown */
        for (struct str rest = str_of(known); rest.p && n == 0;) {
            const struct str word = str_cut(&rest, ' ');
            if (str_eq(word, arg))
                n = 1;
            else if (word.n == arg.n + 1 && str_starts(word, arg))
                n = 2;
        }
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

int command_run(const struct command *c, const struct command_verb *verbs,
                size_t n, const char *usage)
{
    for (size_t i = 0; c->argc > 0 && i < n; i++) {
        if (!str_is(str_of(c->argv[0]), verbs[i].name))
            continue;
        if (verbs[i].options && !command_options_ok(c, 1, verbs[i].options))
            return 2;
        return verbs[i].run(c);
    }
    fprintf(stderr, "sayso: %s\n", usage);
    return 2;
}

int command_end(const struct err *e)
{
    if (e)
        fprintf(stderr, "sayso: %.*s (%s)\n", STR_FMT(e->say), e->code);
    return e ? 1 : 0;
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
