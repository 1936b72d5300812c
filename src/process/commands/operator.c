/* `sayso operator`: creates and manages the people who may sign in. */
#include <stdio.h>

#include "base/clock.h"
#include "base/id.h"
#include "process/commands/commands.h"
#include "store/people.h"
#include "store/sql.gen.h"
#include "world/guessable.h"

/* Prints the error of a field; true where e is NULL. */
static bool fine(const struct err *e)
{
    if (e)
        fprintf(stderr, "sayso: %.*s: %.*s\n", STR_FMT(e->at),
                STR_FMT(e->say));
    return !e;
}

static struct str email_of(const struct command *c)
{
    struct str s = STR_NONE;
    return fine(person_email(c->arena, command_option(c, "--email", 0), &s))
               ? s
               : STR_NONE;
}

/* From standard input, or a new one. */
static struct str password_of(const struct command *c)
{
    if (!command_flag(c, "--password-stdin"))
        return crypt_token(c->arena, 12);
    const struct str s = command_line(c->arena);
    return fine(person_password(c->arena, s)) &&
                   fine(guessable_refuse(c->arena, s))
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
 * option is left unchanged. */
static bool read_person(const struct command *c, struct person *p)
{
    struct arena *a = c->arena;
    const struct str name = command_option(c, "--name", 0);
    const struct str role = command_option(c, "--role", 0);
    const struct str groups = command_option(c, "--groups", 0);
    const struct str limit = command_option(c, "--bulk-limit", 0);
    return (!name.p || fine(person_name(a, "name", name, &p->name))) &&
           (!role.p || fine(person_role(a, role, &p->role))) &&
           (!groups.p || fine(person_groups(a, groups, &p->groups))) &&
           (!limit.p ||
            fine(person_bulk_limit(a, limit, &p->bulk_limit)));
}

/* A change of the account that has an e-mail address. */
struct change {
    int statement;
    const struct pg_args *args;
    struct str ends; /* the address of the person who loses all that they
                      * hold (people_queue_end); p NULL: nobody */
};

/* All of it, or nothing. */
static const struct err *change_write(struct pg *pg, struct arena *a,
                                      const struct change *what,
                                      int64_t *changed)
{
    struct pg_rows *found[3] = {NULL};
    pg_queue(pg, NULL, SQL_BEGIN, NULL);
    pg_queue(pg, a, what->statement, what->args);
    pg_queue(pg, a, SQL_OPERATOR_ID, PG(pg_text(what->ends)));
    TRY(pg_run(pg, a, found));
    *changed = (int64_t)pg_affected(found[1]);
    if (*changed > 0 && pg_count(found[2]) > 0)
        people_queue_end(pg, a, pg_str(found[2], 0, 0), STR_NONE);
    pg_queue(pg, NULL, SQL_COMMIT, NULL);
    return pg_run(pg, a, NULL);
}

/* The number of changed accounts, or -1 and prints the error. */
static int64_t change(const struct command *c, const struct change *what)
{
    struct pg *pg = command_owner(c);
    int64_t changed = 0;
    const struct err *e = change_write(pg, c->arena, what, &changed);
    pg_close(pg);
    if (e) {
        (void)command_failed(e);
        return -1;
    }
    return changed;
}

static int done(int64_t changed, const char *what)
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

static int create(const struct command *c)
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
        !fine(person_name(a, "name", p.name, &p.name)))
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
             : operator_tell(c, done(1, "created"), password);
}

/* NULL for an absent option; no groups is an empty text. */
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
    const bool grouped = command_option(c, "--groups", 0).p != NULL;
    const struct change what = {
        SQL_OPERATOR_CHANGE,
        PG(pg_text(email), pg_text(p.name),
           pg_text(p.role ? str_of(principal_role_word(p.role)) : STR_NONE),
           pg_text(grouped && !p.groups.p ? STR("") : p.groups),
           pg_text(vocabulary_severity(p.bulk_limit)->wire)),
        STR_NONE};
    return done(change(c, &what), "changed");
}

static int list(const struct command *c)
{
    struct pg_rows *rows = NULL;
    if (!command_options_ok(c, 1, ""))
        return 2;
    struct pg *pg = command_owner(c);
    const struct err *e = pg_query(pg, c->arena, SQL_OPERATOR_LIST, NULL,
                                   &rows);
    pg_close(pg);
    if (e)
        return command_failed(e);
    printf("e-mail\trole\tname\tcreated\tstate\tgroups\tbulk limit\n");
    for (size_t i = 0; i < pg_count(rows); i++) {
        for (int k = 0; k < 7; k++)
            printf("%s%.*s", k ? "\t" : "", STR_FMT(pg_str(rows, i, k)));
        printf("\n");
    }
    return 0;
}

/* A new password and a disabled account end all that the person holds. */
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
    const struct change what = {
        SQL_OPERATOR_PASSWORD, PG(pg_text(email), pg_text(hash)), email};
    return operator_tell(c, done(change(c, &what), "password changed"),
                         password);
}

static int set_enabled(const struct command *c, bool enabled)
{
    if (!command_options_ok(c, 1, "--email="))
        return 2;
    const struct str email = email_of(c);
    if (!email.p)
        return 2;
    const struct change what = {
        enabled ? SQL_OPERATOR_ENABLE : SQL_OPERATOR_DISABLE,
        PG(pg_text(email)), enabled ? STR_NONE : email};
    return done(change(c, &what), enabled ? "enabled" : "disabled");
}

int operator_run(const struct command *c)
{
    const struct str what = c->argc > 0 ? str_of(c->argv[0]) : STR("");
    if (str_is(what, "create"))
        return create(c);
    if (str_is(what, "change"))
        return set_facts(c);
    if (str_is(what, "list"))
        return list(c);
    if (str_is(what, "password"))
        return set_password(c);
    if (str_is(what, "disable") || str_is(what, "enable"))
        return set_enabled(c, str_is(what, "enable"));
    fprintf(stderr, "sayso: operator create, change, list, password, disable "
                    "or enable\n");
    return 2;
}
