/* `sayso operator`: makes and manages the people who may sign in. */
#include <stdio.h>

#include "base/clock.h"
#include "base/id.h"
#include "domain/principal.h"
#include "process/command.h"
#include "store/sql.gen.h"

#define PASSWORD_MIN 8
#define PASSWORD_MAX 200

/* E-mail addresses are compared in lower case. */
static struct str email_of(const struct command *c)
{
    const struct str given = command_option(c, "--email", 0);
    struct buf b = buf_make(c->arena, 512);
    buf_lower(&b, given);
    const struct str s = buf_text(&b);
    const size_t at = str_find(s, '@', 0);
    if (s.n < 3 || s.n > 254 || at == 0 || at + 1 >= s.n || !str_utf8(s)) {
        fprintf(stderr, "sayso: --email needs an e-mail address\n");
        return STR_NONE;
    }
    return s;
}

/* From standard input, or a new one. */
static struct str password_of(const struct command *c)
{
    if (!command_flag(c, "--password-stdin"))
        return crypt_token(c->arena, 12);
    const struct str s = command_line(c->arena);
    if (s.n < PASSWORD_MIN || s.n > PASSWORD_MAX) {
        fprintf(stderr, "sayso: a password has %d to %d characters\n",
                PASSWORD_MIN, PASSWORD_MAX);
        return STR_NONE;
    }
    return s;
}

/* Runs one statement; how many rows it changed, or -1 and a complaint. */
static int64_t change(const struct command *c, int statement,
                      const struct pg_args *args)
{
    struct pg *pg = command_owner(c);
    struct pg_rows *rows = NULL;
    pg_queue(pg, statement, args);
    const struct err *e = pg_run(pg, c->arena, &rows);
    pg_close(pg);
    if (e) {
        (void)command_failed(e);
        return -1;
    }
    return (int64_t)pg_affected(rows);
}

static int done(int64_t changed, const char *what)
{
    if (changed == 0)
        fprintf(stderr, "sayso: there is no such operator\n");
    if (changed > 0)
        fprintf(stderr, "%s\n", what);
    return changed > 0 ? 0 : 1;
}

/* A password that nobody typed is printed, once it is in force. */
static int tell(const struct command *c, int status, struct str password)
{
    if (status == 0 && !command_flag(c, "--password-stdin"))
        printf("%.*s\n", STR_FMT(password));
    return status;
}

static int create(const struct command *c)
{
    struct arena *a = c->arena;
    struct pg_args args = pg_args(a);
    const struct str name = command_option(c, "--name", 0);
    const struct str word = command_option(c, "--role", 0);
    const enum role role = word.p ? principal_role(word) : ROLE_OPERATOR;
    if (!command_options_ok(c, 1, "--email= --name= --role= --password-stdin"))
        return 2;
    if (role != ROLE_OPERATOR && role != ROLE_ADMIN && role != ROLE_AUDITOR) {
        fprintf(stderr, "sayso: --role is operator, admin or auditor\n");
        return 2;
    }
    if (name.n == 0 || !str_utf8(name) || str_runes(name) > 120) {
        fprintf(stderr, "sayso: --name is 1 to 120 characters\n");
        return 2;
    }
    const struct str email = email_of(c);
    const struct str password = email.p ? password_of(c) : STR_NONE;
    if (!password.p)
        return 2;
    pg_arg(&args, id_new(a));
    pg_arg(&args, str_of(principal_role_word(role)));
    pg_arg(&args, email);
    pg_arg(&args, name);
    pg_arg(&args, crypt_password(a, password, c->conf->password_cost));
    pg_arg_time(&args, clock_now());
    return tell(c, done(change(c, SQL_OPERATOR_INSERT, &args), "created"),
                password);
}

static int list(const struct command *c)
{
    struct pg *pg = command_owner(c);
    struct pg_rows *rows = NULL;
    pg_queue(pg, SQL_OPERATOR_LIST, NULL);
    const struct err *e = pg_run(pg, c->arena, &rows);
    pg_close(pg);
    if (e)
        return command_failed(e);
    printf("e-mail\trole\tname\tcreated\tstate\n");
    for (size_t i = 0; i < pg_count(rows); i++) {
        for (int k = 0; k < 5; k++)
            printf("%s%.*s", k ? "\t" : "", STR_FMT(pg_str(rows, i, k)));
        printf("\n");
    }
    return 0;
}

/* Who is locked out, or gets a new password, is signed out everywhere. */
static int sign_out(const struct command *c, struct str email)
{
    struct pg_args args = pg_args(c->arena);
    pg_arg(&args, email);
    return change(c, SQL_OPERATOR_SESSIONS_REVOKE, &args) < 0 ? 1 : 0;
}

static int set_password(const struct command *c)
{
    struct pg_args args = pg_args(c->arena);
    if (!command_options_ok(c, 1, "--email= --password-stdin"))
        return 2;
    const struct str email = email_of(c);
    const struct str password = email.p ? password_of(c) : STR_NONE;
    if (!password.p)
        return 2;
    pg_arg(&args, email);
    pg_arg(&args, crypt_password(c->arena, password, c->conf->password_cost));
    const int status =
        done(change(c, SQL_OPERATOR_PASSWORD, &args), "password changed");
    return tell(c, status ? status : sign_out(c, email), password);
}

static int set_enabled(const struct command *c, bool enabled)
{
    struct pg_args args = pg_args(c->arena);
    if (!command_options_ok(c, 1, "--email="))
        return 2;
    const struct str email = email_of(c);
    if (!email.p)
        return 2;
    pg_arg(&args, email);
    const int status = done(
        change(c, enabled ? SQL_OPERATOR_ENABLE : SQL_OPERATOR_DISABLE, &args),
        enabled ? "enabled" : "disabled");
    return status || enabled ? status : sign_out(c, email);
}

int operator_run(const struct command *c)
{
    const struct str what = c->argc > 0 ? str_of(c->argv[0]) : STR("");
    if (str_is(what, "create"))
        return create(c);
    if (str_is(what, "list"))
        return list(c);
    if (str_is(what, "password"))
        return set_password(c);
    if (str_is(what, "disable") || str_is(what, "enable"))
        return set_enabled(c, str_is(what, "enable"));
    fprintf(stderr, "sayso: operator create, list, password, disable or "
                    "enable\n");
    return 2;
}
