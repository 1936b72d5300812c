/* `sayso operator`: creates and manages the people who may sign in. */
#include <stdio.h>

#include "base/clock.h"
#include "base/id.h"
#include "process/commands/commands.h"
#include "store/person/people.h"
#include "store/rows.h"
#include "world/guessable.h"

/* Prints the error of a field; true where e is NULL. */
static bool operator_fine(const struct err *e)
{
    if (e)
        fprintf(stderr, "sayso: %.*s: %.*s\n", STR_FMT(e->at),
                STR_FMT(e->say));
    return !e;
}

static bool operator_email(const struct command *c, struct str *out)
{
    return operator_fine(
        person_email(c->arena, command_option(c, "--email", 0), out));
}

/* The address, and the password of standard input or a new one, with its hash.
 * Returns 0, or prints what is wrong and returns the exit status. */
static int operator_secret(const struct command *c, struct str *email,
                           struct str *password, struct str *hash)
{
    if (!operator_email(c, email))
        return 2;
    *password = command_flag(c, "--password-stdin")
                    ? command_line(c->arena)
                    : crypt_token(c->arena, 12);
    if (command_flag(c, "--password-stdin") &&
        (!operator_fine(person_password(c->arena, *password)) ||
         !operator_fine(guessable_refuse(c->arena, *password))))
        return 2;
    *hash = crypt_password(c->arena, *password, c->conf->password_cost);
    if (hash->p)
        return 0;
    fprintf(stderr, "sayso: there is not enough memory to hash a password\n");
    return 1;
}

/* Reads --name, --role, --groups and --bulk-limit; the field of an absent
 * option is left unchanged. false: one is not valid, which is printed. */
static bool operator_read(const struct command *c, struct person *p)
{
    struct arena *a = c->arena;
    const struct str name = command_option(c, "--name", 0);
    const struct str role = command_option(c, "--role", 0);
    const struct str groups = command_option(c, "--groups", 0);
    const struct str limit = command_option(c, "--bulk-limit", 0);
    return (!name.p ||
            operator_fine(person_name(a, "name", name, &p->name))) &&
           (!role.p || operator_fine(person_role(a, role, &p->role))) &&
           (!groups.p ||
            operator_fine(person_groups(a, groups, &p->groups))) &&
           (!limit.p ||
            operator_fine(person_bulk_limit(a, limit, &p->bulk_limit)));
}

/* Changes the account that has the e-mail address, and prints that it is done.
 * A disabled account and a new password end all that the person holds. apply:
 * false where there is nothing to change; NULL: the password gets the hash. */
static int operator_change(const struct command *c, struct str email,
                           bool (*apply)(const struct command *c,
                                         struct person *p),
                           struct str hash, const char *done)
{
    struct person p;
    bool found = false;
    const struct err *e =
        people_lock_email(c->pg, c->arena, email, &p, &found);
    const bool changes = !e && found && (!apply || apply(c, &p));
    if (changes && apply)
        e = people_update(c->pg, c->arena, &p);
    else if (changes)
        e = people_password(c->pg, c->arena, p.id, hash, STR_NONE);
    else
        pg_rollback(c->pg);
    if (e)
        return command_end(e);
    fprintf(stderr, "%s\n",
            changes ? done : "sayso: there is no operator with this address");
    return changes ? 0 : 1;
}

/* A generated password is printed once it is in force. */
static void operator_print(const struct command *c, struct str password)
{
    if (!command_flag(c, "--password-stdin"))
        printf("%.*s\n", STR_FMT(password));
}

static int operator_create(const struct command *c)
{
    struct person p = {.id = id_new(c->arena),
                       .role = ROLE_OPERATOR,
                       .bulk_limit = SEVERITY_MEDIUM,
                       .created_at = clock_now()};
    struct str password = STR_NONE, hash = STR_NONE;
    if (!operator_read(c, &p) ||
        !operator_fine(person_name(c->arena, "name", p.name, &p.name)))
        return 2;
    const int status = operator_secret(c, &p.email, &password, &hash);
    if (status)
        return status;
    const struct err *e = people_insert(c->pg, c->arena, &p, hash);
    if (e)
        return command_end(e);
    fprintf(stderr, "created\n");
    operator_print(c, password);
    return 0;
}

static int operator_facts(const struct command *c)
{
    struct person p = {.role = ROLE_NONE};
    struct str email = STR_NONE;
    if (!operator_read(c, &p) || !operator_email(c, &email))
        return 2;
    return operator_change(c, email, operator_read, STR_NONE, "changed");
}

static int operator_list(const struct command *c)
{
    struct pg_rows *rows = NULL;
    const struct err *e =
        pg_query(c->pg, c->arena, SQL_PERSON_ALL, NULL, &rows);
    if (e)
        return command_end(e);
    printf("e-mail\trole\tname\tcreated\tstate\tgroups\tbulk limit\n");
    for (size_t i = 0; i < pg_count(rows); i++) {
        struct person p;
        rows_read(&person_record, rows, i, &p);
        struct buf groups = buf_make(c->arena, p.groups.n + 1);
        for (size_t k = 0; k < p.groups.n; k++)
            buf_char(&groups, p.groups.p[k] == ' ' ? ',' : p.groups.p[k]);
        printf("%.*s\t%s\t%.*s\t%.*s\t%s\t%.*s\t%.*s\n", STR_FMT(p.email),
               role_word(p.role), STR_FMT(p.name),
               STR_FMT(pg_str(rows, i, rows_columns(&person_record))),
               p.disabled_at ? "disabled" : "active",
               STR_FMT(buf_text(&groups)),
               STR_FMT(vocabulary_severity(p.bulk_limit)->wire));
    }
    return 0;
}

static int operator_password(const struct command *c)
{
    struct str email = STR_NONE, password = STR_NONE, hash = STR_NONE;
    int status = operator_secret(c, &email, &password, &hash);
    if (status)
        return status;
    status = operator_change(c, email, NULL, hash, "password changed");
    if (status == 0)
        operator_print(c, password);
    return status;
}

static bool operator_disabled(const struct command *c, struct person *p)
{
    const bool was_active = !p->disabled_at;
    (void)c;
    p->disabled_at = clock_now();
    return was_active;
}

static int operator_disable(const struct command *c)
{
    struct str email = STR_NONE;
    return operator_email(c, &email)
               ? operator_change(c, email, operator_disabled, STR_NONE,
                                 "disabled")
               : 2;
}

static bool operator_enabled(const struct command *c, struct person *p)
{
    (void)c;
    p->disabled_at = 0;
    return true;
}

static int operator_enable(const struct command *c)
{
    struct str email = STR_NONE;
    return operator_email(c, &email)
               ? operator_change(c, email, operator_enabled, STR_NONE,
                                 "enabled")
               : 2;
}

/* Erases what is known of a person whose account is disabled. */
static int operator_erase(const struct command *c)
{
    struct str email = STR_NONE;
    struct pg_rows *r = NULL;
    struct person p;
    bool found = false;
    const bool dry = command_flag(c, "--dry-run");
    if (!operator_email(c, &email))
        return 2;
    const struct err *e =
        rows_find(c->pg, c->arena, SQL_PERSON_LOCK_EMAIL, PG(pg_text(email)),
                  &person_record, &p, &found);
    if (!e && found && !p.disabled_at && !dry) {
        fputs("sayso: the account is active: disable it first\n", stderr);
        return 1;
    }
    if (!e && found)
        e = rows_alone(c->pg, c->arena, SQL_PERSON_ERASE,
                       PG(pg_text(email), pg_moment(clock_now()), pg_flag(dry)),
                       &r);
    if (e || !found)
        return command_end(e ? e : &person_record.unknown);
    printf("%lld requests and %lld events name the person; %lld requests are "
           "open, %lld requests and events are not signed yet\n",
           (long long)pg_int(r, 0, 1), (long long)pg_int(r, 0, 2),
           (long long)pg_int(r, 0, 3), (long long)pg_int(r, 0, 4));
    const struct str alias = pg_str(r, 0, 0);
    if (alias.p)
        printf("erased; the person is %.*s from now on\n", STR_FMT(alias));
    else if (!dry)
        fputs("sayso: nothing was erased: what is open has to end first, and "
              "what has ended has to be signed\n",
              stderr);
    return alias.p || dry ? 0 : 1;
}

int operator_run(const struct command *c)
{
    static const struct command_verb verbs[] = {
        {"create", operator_create,
         "--email= --name= --role= --groups= --bulk-limit= --password-stdin"},
        {"change", operator_facts,
         "--email= --name= --role= --groups= --bulk-limit="},
        {"list", operator_list, ""},
        {"password", operator_password, "--email= --password-stdin"},
        {"disable", operator_disable, "--email="},
        {"enable", operator_enable, "--email="},
        {"erase", operator_erase, "--email= --dry-run"}};
    return command_run(
        c, verbs, countof(verbs),
        "operator create, change, list, password, disable, enable or erase");
}
