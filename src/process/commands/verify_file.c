/* `sayso verify` of a file: an export of the log, or a receipt with its
 * proofs, is checked with a public key and without a database. */
#include "process/commands/verify_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "domain/log/bundle.h"
#include "domain/log/receipt_check.h"

#define MEMORY ((size_t)2 << 30)

static void verify_file_fault(void *own, int64_t line, struct str what,
                              const char *why)
{
    (void)own;
    printf("BROKEN line %lld, %.*s: %s\n", (long long)line, STR_FMT(what),
           why);
}

static void verify_file_erased(void *own, int64_t line, struct str what,
                               struct str rule, struct str at)
{
    (void)own;
    printf("ERASED line %lld, %.*s: by rule %.*s on %.*s\n", (long long)line,
           STR_FMT(what), STR_FMT(rule), STR_FMT(str_head(at, 10)));
}

static int verify_file_unreadable(struct str path, const char *why)
{
    fprintf(stderr, "sayso: %.*s: %s\n", STR_FMT(path), why);
    return 2;
}

size_t verify_file_keys(const struct command *c, struct arena *a,
                        struct note_key out[BUNDLE_KEYS])
{
    size_t n = 0;
    for (; n < BUNDLE_KEYS && command_option(c, "--key", n).p; n++) {
        if (!note_key_read(a, command_option(c, "--key", n), &out[n]) ||
            out[n].algorithm != NOTE_ED25519)
            n = BUNDLE_KEYS;
    }
    if (n > 0 && n < BUNDLE_KEYS)
        return n;
    fputs("sayso: --key has to be a key of the log, such as "
          "sayso.example/log+dd0e8583+AddamAGC...\n",
          stderr);
    return 0;
}

/* ---- an export of the log ------------------------------------------- */

/* Feeds the file line by line; false: it cannot be read, and *why says why. */
static bool verify_file_read(struct arena *a, struct bundle *b,
                             const char *path, const char **why)
{
    FILE *f = fopen(path, "r");
    char *line = arena_many(a, BUNDLE_LINE_MAX, char);
    bool fine = f != NULL;
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
    if (f)
        fclose(f);
    return fine;
}

/* The head of today is the one that the next run compares. */
static bool verify_file_keep(const char *path, struct str note)
{
    FILE *f = fopen(path, "w");
    const bool fine = f && fwrite(note.p, 1, note.n, f) == note.n;
    return f && fclose(f) == 0 && fine;
}

static int verify_file_log(const struct command *c, struct arena *a)
{
    const struct str path = command_option(c, "--bundle", 0);
    const struct str head = command_option(c, "--head", 0);
    const struct bundle_report report = {.fault = verify_file_fault,
                                         .erased = verify_file_erased};
    struct buf old = buf_make(a, NOTE_MAX);
    struct note_key keys[BUNDLE_KEYS];
    const char *why = NULL;
    if (!command_options_ok(c, 0, "--bundle= --key= --head="))
        return 2;
    const size_t n = verify_file_keys(c, a, keys);
    if (n == 0)
        return 2;
    const bool kept = head.n && buf_file(&old, arena_z(a, head));
    if (head.n && !kept && errno != ENOENT)
        return verify_file_unreadable(head, strerror(errno));
    struct bundle *b =
        bundle_make(a, keys, n, kept ? buf_text(&old) : STR_NONE, &report);
    if (!b)
        return verify_file_unreadable(head, "this is no head by this key");
    if (!verify_file_read(a, b, arena_z(a, path), &why))
        return verify_file_unreadable(path, why);
    const struct bundle_sums sums = bundle_end(b);
    if (sums.faults == 0 && head.n &&
        !verify_file_keep(arena_z(a, head), sums.head))
        return verify_file_unreadable(head, strerror(errno));
    printf("%lld events, %lld intents, %lld checkpoints, %lld erased, %lld "
           "broken\n",
           (long long)sums.events, (long long)sums.intents,
           (long long)sums.checkpoints, (long long)sums.erased,
           (long long)sums.faults);
    return sums.faults ? 1 : 0;
}

int verify_file_bundle(const struct command *c)
{
    struct arena *a = arena_make(MEMORY);
    const int status = verify_file_log(c, a);
    arena_free(a);
    return status;
}

/* ---- a receipt ------------------------------------------------------ */

static void verify_file_step(void *own, const char *step, const char *why)
{
    int *faults = own;
    *faults += why != NULL;
    printf("%s %s%s%s\n", why ? "BROKEN" : "ok    ", step, why ? ": " : "",
           why ? why : "");
}

static int verify_file_one(const struct command *c, struct arena *a)
{
    const struct str path = command_option(c, "--receipt", 0);
    struct buf text = buf_make(a, RECEIPT_CHECK_MAX);
    struct note_key keys[BUNDLE_KEYS];
    int faults = 0;
    const struct receipt_check_report report = {.step = verify_file_step,
                                                .own = &faults};
    if (!command_options_ok(c, 0, "--receipt= --key="))
        return 2;
    const size_t n = verify_file_keys(c, a, keys);
    if (n == 0)
        return 2;
    if (!buf_file(&text, arena_z(a, path)))
        return verify_file_unreadable(path, strerror(errno));
    if (!receipt_check(a, buf_text(&text), keys, n, &report))
        return verify_file_unreadable(path, "this is no receipt");
    return faults ? 1 : 0;
}

int verify_file_receipt(const struct command *c)
{
    struct arena *a = arena_make(MEMORY);
    const int status = verify_file_one(c, a);
    arena_free(a);
    return status;
}
