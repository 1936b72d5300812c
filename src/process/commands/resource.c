/* `sayso resource`: adds, lists and removes the gateways that use permits. */
#include <stdio.h>

#include "domain/permit/permit.h"
#include "process/commands/commands.h"
#include "store/permit/resources.h"

#define NAME_CHARACTERS 120

static bool read_resource(const struct command *c, struct resource *r)
{
    r->identifier = command_option(c, "--identifier", 0);
    r->name = command_option(c, "--name", 0);
    r->require_dpop = !command_flag(c, "--allow-bearer");
    if (r->identifier.n > PERMIT_RESOURCE_MAX ||
        !permit_resource_ok(r->identifier)) {
        fputs("sayso: --identifier has to be an absolute http or https address "
              "without query or fragment\n",
              stderr);
        return false;
    }
    if (str_trim(r->name).n == 0 || !str_utf8(r->name) ||
        str_runes(r->name) > NAME_CHARACTERS) {
        fputs("sayso: --name has to be 1 to 120 characters long\n", stderr);
        return false;
    }
    return true;
}

static int resource_add(const struct command *c)
{
    struct resource r = {.created_at = 0};
    if (!command_options_ok(c, 1, "--identifier= --name= --allow-bearer") ||
        !read_resource(c, &r))
        return 2;
    struct pg *pg = command_owner(c);
    const struct err *e = resources_insert(pg, c->arena, &r);
    pg_close(pg);
    if (e)
        return command_failed(e);
    printf("%.*s\n", STR_FMT(r.id));
    return 0;
}

static int resource_list(const struct command *c)
{
    struct resource_rows all;
    if (!command_options_ok(c, 1, ""))
        return 2;
    struct pg *pg = command_owner(c);
    const struct err *e = resources_list(pg, c->arena, &all);
    pg_close(pg);
    if (e)
        return command_failed(e);
    printf("id\tidentifier\tname\ttokens\tstate\n");
    for (size_t i = 0; i < all.n; i++) {
        const struct resource *r = &all.v[i];
        printf("%.*s\t%.*s\t%.*s\t%s\t%s\n", STR_FMT(r->id),
               STR_FMT(r->identifier), STR_FMT(r->name),
               r->require_dpop ? "DPoP" : "DPoP or Bearer",
               r->removed_at ? "removed" : "active");
    }
    return 0;
}

int resource_run(const struct command *c)
{
    const struct str what = c->argc > 0 ? str_of(c->argv[0]) : STR("");
    if (str_is(what, "add"))
        return resource_add(c);
    if (str_is(what, "list"))
        return resource_list(c);
    if (str_is(what, "remove")) {
        if (c->argc != 2) {
            fputs("sayso: resource remove ID\n", stderr);
            return 2;
        }
        struct pg *pg = command_owner(c);
        const struct err *e =
            resources_remove(pg, c->arena, str_of(c->argv[1]));
        pg_close(pg);
        return e ? command_failed(e) : 0;
    }
    fputs("sayso: resource add | list | remove\n", stderr);
    return 2;
}
