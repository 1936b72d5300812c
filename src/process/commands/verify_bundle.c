/* `sayso verify --bundle FILE --key KEY [--head FILE]`: checks an export of the
 * log without a database. */
#include "process/commands/verify_bundle.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "domain/log/bundle.h"

#define MEMORY ((size_t)2 << 30)

static void verify_bundle_fault(void *own, int64_t line, struct str what,
                                const char *why)
{
    (void)own;
    printf("BROKEN line %lld, %.*s: %s\n", (long long)line, STR_FMT(what),
           why);
}

static int verify_bundle_unreadable(struct str path, const char *why)
{
    fprintf(stderr, "sayso: %.*s: %s\n", STR_FMT(path), why);
    return 2;
}

/* Feeds the file line by line; false: it cannot be read, and *why says why. */
static bool verify_bundle_read(struct bundle *b, const char *path,
                               const char **why)
{
    FILE *f = fopen(path, "r");
    char *line = malloc(BUNDLE_LINE_MAX);
    bool fine = f && line;
    *why = fine ? NULL : strerror(errno);
    while (fine && fgets(line, (int)BUNDLE_LINE_MAX, f)) {
        const size_t n = strlen(line);
        fine = n > 0 && line[n - 1] == '\n' &&
               bundle_line(b, (struct str){line, n - 1});
        if (!fine)
            *why = "a line is not of an export of the log";
    }
    if (fine && ferror(f)) {
        *why = strerror(errno);
        fine = false;
    }
    free(line);
    if (f)
        fclose(f);
    return fine;
}

/* The head of today is the one that the next run compares. */
static bool verify_bundle_keep(const char *path, struct str note)
{
    FILE *f = fopen(path, "w");
    const bool fine = f && fwrite(note.p, 1, note.n, f) == note.n;
    return f && fclose(f) == 0 && fine;
}

int verify_bundle_run(const struct command *c)
{
    struct arena *a = arena_make(MEMORY);
    const struct str path = command_option(c, "--bundle", 0);
    const struct str key = command_option(c, "--key", 0);
    const struct str head = command_option(c, "--head", 0);
    const struct bundle_report report = {.fault = verify_bundle_fault};
    struct buf old = buf_make(a, NOTE_MAX);
    struct note_key k;
    const char *why = NULL;
    if (!command_options_ok(c, 0, "--bundle= --key= --head="))
        return 2;
    if (!note_key_read(a, key, &k) || k.algorithm != NOTE_ED25519)
        return verify_bundle_unreadable(STR("--key"),
                                        "a line of /log/keys is required");
    const bool kept = head.n && buf_file(&old, arena_z(a, head));
    struct bundle *b =
        bundle_make(a, &k, kept ? buf_text(&old) : STR_NONE, &report);
    if (!b)
        return verify_bundle_unreadable(head, "this is no head by this key");
    if (!verify_bundle_read(b, arena_z(a, path), &why))
        return verify_bundle_unreadable(path, why);
    const struct bundle_sums sums = bundle_end(b);
    if (sums.faults == 0 && head.n &&
        !verify_bundle_keep(arena_z(a, head), sums.head))
        return verify_bundle_unreadable(head, strerror(errno));
    printf("%lld events, %lld intents, %lld checkpoints, %lld erased, %lld "
           "broken\n",
           (long long)sums.events, (long long)sums.intents,
           (long long)sums.checkpoints, (long long)sums.erased,
           (long long)sums.faults);
    arena_free(a);
    return sums.faults ? 1 : 0;
}
