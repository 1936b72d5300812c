/* `sayso log-key`: makes, rotates, retires and lists the keys that sign the
 * log. The secret keys are in a file; the database has the public ones. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/clock_text.h"
#include "process/commands/commands.h"
#include "store/log/log_checkpoints.h"

/* Appends the key to the file, which it makes where there is none. */
static bool log_key_store(const struct command *c, struct str path,
                          struct str pem)
{
    const int fd = open(arena_z(c->arena, path),
                        O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    const bool fine = fd >= 0 && write(fd, pem.p, pem.n) == (ssize_t)pem.n &&
                      fsync(fd) == 0;
    if (!fine)
        fprintf(stderr, "sayso: %.*s: %s\n", STR_FMT(path), strerror(errno));
    if (fd >= 0)
        close(fd);
    return fine;
}

/* The first key signs at once; a second one waits for its rotation. */
static const struct err *log_key_add(const struct command *c,
                                     const struct signer *k,
                                     struct signing_key *out)
{
    struct signing_key_rows rows;
    enum signing_key_state state = SIGNING_KEY_CURRENT;
    TRY(signing_keys_list(c->pg, c->arena, &rows));
    for (size_t i = 0; i < rows.n; i++) {
        if (rows.v[i].state == SIGNING_KEY_CURRENT)
            state = SIGNING_KEY_NEXT;
    }
    *out = signing_key_make(c->arena, &k->key, state, clock_now());
    return signing_keys_insert(c->pg, c->arena, out);
}

static int log_key_new(const struct command *c)
{
    const struct str path = command_option(c, "--file", 0);
    const struct str pem = signer_new(c->arena);
    struct signing_key row;
    struct signer k;
    if (path.n == 0) {
        fputs("sayso: log-key new --file PATH\n", stderr);
        return 2;
    }
    if (!signer_read(c->arena, pem, &k) || !log_key_store(c, path, pem))
        return 1;
    const struct err *e = log_key_add(c, &k, &row);
    if (e)
        return command_end(e);
    printf("%.*s\t%.*s\n", STR_FMT(row.kid),
           STR_FMT(vocabulary_signing_key_state(row.state)->wire));
    return 0;
}

static int log_key_list(const struct command *c)
{
    struct signing_key_rows rows;
    const struct err *e = signing_keys_list(c->pg, c->arena, &rows);
    if (e)
        return command_end(e);
    printf("kid\tstate\tcreated\tdid\n");
    for (size_t i = 0; i < rows.n; i++) {
        const struct signing_key *k = &rows.v[i];
        printf("%.*s\t%.*s\t%.*s\t%.*s\n", STR_FMT(k->kid),
               STR_FMT(vocabulary_signing_key_state(k->state)->wire),
               STR_FMT(clock_rfc3339(c->arena, k->created_at)),
               STR_FMT(k->did));
    }
    return 0;
}

int log_key_run(const struct command *c)
{
    static const struct command_verb verbs[] = {
        {"new", log_key_new, "--file="}, {"list", log_key_list, ""}};
    return command_run(c, verbs, countof(verbs), "log-key new | list");
}
