/* `sayso resource`: adds, lists and removes the gateways that use permits. */
#include <stdio.h>

#include "domain/permit/permit.h"
#include "process/commands/commands.h"
#include "store/permit/resources.h"

#define NAME_CHARACTERS 120

static int resource_add(const struct command *c)
{
    struct resource r = {.identifier = command_option(c, "--identifier", 0),
                         .name = command_option(c, "--name", 0),
                         .require_dpop = !command_flag(c, "--allow-bearer")};
    if (r.identifier.n > PERMIT_RESOURCE_MAX ||
        !permit_resource_ok(r.identifier)) {
        fputs("sayso: --identifier has to be an absolute http or https address "
              "without query or fragment\n",
              stderr);
        return 2;
    }
    if (str_trim(r.name).n == 0 || !str_utf8(r.name) ||
        str_runes(r.name) > NAME_CHARACTERS) {
        fputs("sayso: --name has to be 1 to 120 characters long\n", stderr);
        return 2;
    }
    const struct err *e = resources_insert(c->pg, c->arena, &r);
    if (!e)
        printf("%.*s\n", STR_FMT(r.id));
    return command_end(e);
}

static int resource_list(const struct command *c)
{
    struct resource_rows all;
    const struct err *e = resources_list(c->pg, c->arena, &all);
    if (e)
        return command_end(e);
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

static int resource_remove(const struct command *c)
{
    if (c->argc == 2)
        return command_end(
            resources_remove(c->pg, c->arena, str_of(c->argv[1])));
    fputs("sayso: resource remove ID\n", stderr);
    return 2;
}

int resource_run(const struct command *c)
{
    static const struct command_verb verbs[] = {
        {"add", resource_add, "--identifier= --name= --allow-bearer"},
        {"list", resource_list, ""},
        {"remove", resource_remove, NULL}};
    return command_run(c, verbs, countof(verbs),
                       "resource add | list | remove");
}
