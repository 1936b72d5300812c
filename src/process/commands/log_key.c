/* `sayso log-key`: makes, rotates, retires and lists the keys that sign the
 * log. The secret keys are in a file; the database has the public ones. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/clock_text.h"
#include "process/commands/commands.h"
#include "store/log/signing_keys.h"
#include "work/log/log_writer.h"

/* Has the file as many keys as are read of one? */
static bool log_key_full(const struct command *c, struct str path)
{
    struct buf b = buf_make(c->arena, SIGNER_FILE_MAX);
    struct signer *v = arena_many(c->arena, LOG_WRITER_KEYS, struct signer);
    size_t n = 0;
    return buf_file(&b, arena_z(c->arena, path)) &&
           (!signer_read_all(c->arena, buf_text(&b), v, LOG_WRITER_KEYS, &n) ||
            n == LOG_WRITER_KEYS);
}

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

static int log_key_refuse(const char *why)
{
    fprintf(stderr, "sayso: %s\n", why);
    return 1;
}

/* The first key signs at once; a second one waits for its rotation. */
static int log_key_new(const struct command *c)
{
    const struct str path = command_option(c, "--file", 0);
    const struct str pem = signer_new(c->arena);
    struct signing_key_rows rows;
    struct signer k;
    if (path.n == 0) {
        fputs("sayso: log-key new --file PATH\n", stderr);
        return 2;
    }
    const struct err *e = signing_keys_list(c->pg, c->arena, &rows);
    if (e)
        return command_end(e);
    if (signing_keys_in(&rows, SIGNING_KEY_NEXT))
        return log_key_refuse("there is a next key already; rotate or retire "
                              "it first");
    if (log_key_full(c, path))
        return log_key_refuse("the file has 64 keys, as many as are read, or "
                              "a text that is not a key; remove the retired "
                              "ones");
    if (!signer_read(c->arena, pem, &k) || !log_key_store(c, path, pem))
        return 1;
    const struct signing_key row = signing_key_make(
        c->arena, &k.key,
        signing_keys_in(&rows, SIGNING_KEY_CURRENT) ? SIGNING_KEY_NEXT
                                                    : SIGNING_KEY_CURRENT,
        clock_now());
    e = signing_keys_insert(c->pg, c->arena, &row);
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

/* A day, in which who keeps keys sees the next one. */
#define LOG_KEY_SEEN (24 * 3600 * CLOCK_SECOND)

static int log_key_rotate(const struct command *c)
{
    struct signing_key_rows rows;
    const struct err *e = signing_keys_list(c->pg, c->arena, &rows);
    if (e)
        return command_end(e);
    const struct signing_key *current =
        signing_keys_in(&rows, SIGNING_KEY_CURRENT);
    const struct signing_key *next = signing_keys_in(&rows, SIGNING_KEY_NEXT);
    if (!next)
        return log_key_refuse("there is no next key; make it by log-key new");
    if (current && !signing_key_names(c->arena, current, next))
        return log_key_refuse("the current key has not named the next one yet; "
                              "the running server does that");
    if (!command_flag(c, "--now") &&
        clock_now() < next->created_at + LOG_KEY_SEEN)
        return log_key_refuse("the next key is younger than a day; --now "
                              "rotates all the same");
    return command_end(signing_keys_turn(c->pg, c->arena, clock_now()));
}

static int log_key_retire(const struct command *c)
{
    const struct str kid = c->argc > 1 ? str_of(c->argv[1]) : STR("");
    bool found = false;
    if (kid.n == 0 || !command_options_ok(c, 2, "--compromised")) {
        fputs("sayso: log-key retire KID [--compromised]\n", stderr);
        return 2;
    }
    const struct err *e = signing_keys_end(
        c->pg, c->arena, kid,
        command_flag(c, "--compromised") ? SIGNING_KEY_COMPROMISED
                                         : SIGNING_KEY_RETIRED,
        clock_now(), &found);
    return e || found ? command_end(e)
                      : log_key_refuse("there is no such key");
}

int log_key_run(const struct command *c)
{
    static const struct command_verb verbs[] = {
        {"new", log_key_new, "--file="},
        {"rotate", log_key_rotate, "--now"},
        {"retire", log_key_retire, NULL},
        {"list", log_key_list, ""}};
    return command_run(c, verbs, countof(verbs),
                       "log-key new | rotate | retire | list");
}
