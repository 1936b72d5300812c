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

static struct str email_of(const struct command *c)
{
    struct str s = STR_NONE;
    return operator_fine(
               person_email(c->arena, command_option(c, "--email", 0), &s))
               ? s
               : STR_NONE;
}

/* From standard input, or a new one. */
static struct str password_of(const struct command *c)
{
    if (!command_flag(c, "--password-stdin"))
        return crypt_token(c->arena, 12);
    const struct str s = command_line(c->arena);
    return operator_fine(person_password(c->arena, s)) &&
                   operator_fine(guessable_refuse(c->arena, s))
               ? s
               : STR_NONE;
}

/* p NULL and a printed error when memory ran out. */
static struct str hash_of(const struct command *c, struct str password)
{
    const struct str hash =
        crypt_password(c->arena, password, c->conf->password_cost);
    if (!hash.p)
        fprintf(stderr, "sayso: there is not enough memory to hash a "
                        "password\n");
    return hash;
}

/* Reads --name, --role, --groups and --bulk-limit; the field of an absent
 * option is left unchanged. false: one is not valid, which is printed. */
static bool read_person(const struct command *c, struct person *p)
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

/* A change of the account that has an e-mail address. A disabled account and a
 * new password end all that the person holds. */
struct change {
    struct str email;
    bool (*apply)(const struct command *c, struct person *p); /* false: there
                                    * is nothing to change; NULL: a password */
    struct str hash; /* of the password */
};

static const struct err *change_write(const struct command *c, struct pg *pg,
                                      const struct change *what, int *changed)
{
    struct person p;
    bool found = false;
    TRY(people_lock_email(pg, c->arena, what->email, &p, &found));
    *changed = found && (!what->apply || what->apply(c, &p));
    if (!*changed) {
        pg_rollback(pg);
        return NULL;
    }
    return what->apply ? people_update(pg, c->arena, &p)
                       : people_password(pg, c->arena, p.id, what->hash,
                                         STR_NONE);
}

/* The number of changed accounts, or -1 and prints the error. */
static int operator_change(const struct command *c, const struct change *what)
{
    struct pg *pg = command_owner(c);
    int changed = 0;
    const struct err *e = change_write(c, pg, what, &changed);
    pg_close(pg);
    if (e) {
        (void)command_failed(e);
        return -1;
    }
    return changed;
}

static int operator_done(int changed, const char *what)
{
    if (changed == 0)
        fprintf(stderr, "sayso: there is no operator with this address\n");
    if (changed > 0)
        fprintf(stderr, "%s\n", what);
    return changed > 0 ? 0 : 1;
}

/* A generated password is printed once it is in force. */
static int operator_tell(const struct command *c, int status,
                         struct str password)
{
    if (status == 0 && !command_flag(c, "--password-stdin"))
        printf("%.*s\n", STR_FMT(password));
    return status;
}

static int operator_create(const struct command *c)
{
    struct arena *a = c->arena;
    struct person p = {.id = id_new(a),
                       .role = ROLE_OPERATOR,
                       .bulk_limit = SEVERITY_MEDIUM,
                       .created_at = clock_now()};
    if (!command_options_ok(c, 1,
                            "--email= --name= --role= --groups= "
                            "--bulk-limit= --password-stdin") ||
        !read_person(c, &p) ||
        !operator_fine(person_name(a, "name", p.name, &p.name)))
        return 2;
    p.email = email_of(c);
    const struct str password = p.email.p ? password_of(c) : STR_NONE;
    if (!password.p)
        return 2;
    const struct str hash = hash_of(c, password);
    if (!hash.p)
        return 1;
    struct pg *pg = command_owner(c);
    const struct err *e = people_insert(pg, a, &p, hash);
    pg_close(pg);
    return e ? command_failed(e)
             : operator_tell(c, operator_done(1, "created"), password);
}

static int set_facts(const struct command *c)
{
    struct person p = {.role = ROLE_NONE};
    if (!command_options_ok(c, 1,
                            "--email= --name= --role= --groups= "
                            "--bulk-limit=") ||
        !read_person(c, &p))
        return 2;
    const struct str email = email_of(c);
    if (!email.p)
        return 2;
    const struct change what = {.email = email, .apply = read_person};
    return operator_done(operator_change(c, &what), "changed");
}

static int operator_list(const struct command *c)
{
    struct pg_rows *rows = NULL;
    if (!command_options_ok(c, 1, ""))
        return 2;
    struct pg *pg = command_owner(c);
    const struct err *e = pg_query(pg, c->arena, SQL_PERSON_ALL, NULL, &rows);
    pg_close(pg);
    if (e)
        return command_failed(e);
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

static int set_password(const struct command *c)
{
    if (!command_options_ok(c, 1, "--email= --password-stdin"))
        return 2;
    const struct str email = email_of(c);
    const struct str password = email.p ? password_of(c) : STR_NONE;
    if (!password.p)
        return 2;
    const struct str hash = hash_of(c, password);
    if (!hash.p)
        return 1;
    const struct change what = {.email = email, .hash = hash};
    return operator_tell(c,
                         operator_done(operator_change(c, &what),
                                       "password changed"),
                         password);
}

static bool disable(const struct command *c, struct person *p)
{
    const bool was_active = !p->disabled_at;
    (void)c;
    p->disabled_at = clock_now();
    return was_active;
}

static bool enable(const struct command *c, struct person *p)
{
    (void)c;
    p->disabled_at = 0;
    return true;
}

static int set_enabled(const struct command *c, bool enabled)
{
    if (!command_options_ok(c, 1, "--email="))
        return 2;
    const struct str email = email_of(c);
    if (!email.p)
        return 2;
    const struct change what = {.email = email,
                                .apply = enabled ? enable : disable};
    return operator_done(operator_change(c, &what),
                         enabled ? "enabled" : "disabled");
}

int operator_run(const struct command *c)
{
    const struct str what = c->argc > 0 ? str_of(c->argv[0]) : STR("");
    if (str_is(what, "create"))
        return operator_create(c);
    if (str_is(what, "change"))
        return set_facts(c);
    if (str_is(what, "list"))
        return operator_list(c);
    if (str_is(what, "password"))
        return set_password(c);
    if (str_is(what, "disable") || str_is(what, "enable"))
        return set_enabled(c, str_is(what, "enable"));
    fprintf(stderr, "sayso: operator create, change, list, password, disable "
                    "or enable\n");
    return 2;
}
