/* `sayso verify` of a file: an export of the log, or a receipt with its
 * proofs, is checked with a public key and without a database. */
#include "process/commands/verify_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "domain/log/bundle.h"
#include "domain/log/receipt_check.h"

#define MEMORY ((size_t)2 << 30)
#define LINES 100 /* that are printed of a kind */

void verify_file_put(struct str s)
{
    for (size_t i = 0; i < s.n; i++) {
        const unsigned char c = (unsigned char)s.p[i];
        putchar(c < ' ' || c == 127 ? '?' : c);
    }
}

static void verify_file_rule(struct str rule, struct str at)
{
    printf(": by rule ");
    verify_file_put(rule);
    printf(" on ");
    verify_file_put(str_head(at, 10));
    putchar('\n');
}

/* The lines that were printed. */
struct verify_file_lines {
    size_t broken, erased;
};

static bool verify_file_more(size_t *n)
{
    if (*n == LINES)
        puts("Further lines of this kind are not shown.");
    return (*n)++ < LINES;
}

static void verify_file_fault(void *own, int64_t line, struct str what,
                              const char *why)
{
    struct verify_file_lines *lines = own;
    if (!verify_file_more(&lines->broken))
        return;
    printf("BROKEN line %lld, ", (long long)line);
    verify_file_put(what);
    printf(": %s\n", why);
}

static void verify_file_erased(void *own, int64_t line, struct str what,
                               struct str rule, struct str at)
{
    struct verify_file_lines *lines = own;
    if (!verify_file_more(&lines->erased))
        return;
    printf("ERASED line %lld, ", (long long)line);
    verify_file_put(what);
    verify_file_rule(rule, at);
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
    bool fine = true;
    for (; fine && n < BUNDLE_KEYS && command_option(c, "--key", n).p; n++)
        fine = note_key_read(a, command_option(c, "--key", n), &out[n]) &&
               out[n].algorithm == NOTE_ED25519;
    if (fine && n > 0 && !command_option(c, "--key", n).p)
        return n;
    fputs("sayso: --key has to be a key of the log, such as "
          "sayso.example/log+dd0e8583+AddamAGC...\n",
          stderr);
    return 0;
}

/* ---- an export of the log ------------------------------------------- */

/* A file that is fed to the check line by line. */
struct verify_file {
    struct arena *arena;
    struct bundle *bundle;
    FILE *file;
    const char *why; /* it cannot be read; NULL: it was */
};

static void verify_file_read(void *own)
{
    struct verify_file *x = own;
    char *line = arena_many(x->arena, BUNDLE_LINE_MAX, char);
    int64_t at = 1;
    x->why = NULL;
    for (; !x->why && fgets(line, (int)BUNDLE_LINE_MAX, x->file); at++) {
        const size_t n = strlen(line);
        if (n == 0 || line[n - 1] != '\n' ||
            !bundle_line(x->bundle, (struct str){line, n - 1}))
            x->why = arena_z(x->arena,
                             arena_join(x->arena, STR("line "),
                                        arena_number(x->arena, at),
                                        STR(" is not of an export of the "
                                            "log")));
    }
    if (ferror(x->file))
        x->why = strerror(errno);
}

static const char *verify_file_feed(struct arena *a, struct bundle *b,
                                    const char *path)
{
    struct verify_file x = {
        .arena = a, .bundle = b, .file = fopen(path, "r")};
    if (!x.file)
        return strerror(errno);
    if (!arena_try(a, verify_file_read, &x))
        x.why = "its events need more than 2 GB of memory";
    fclose(x.file);
    return x.why;
}

/* The head of today is the one that the next run compares. The new file takes
 * the place of the old one when it is whole: a full disk loses neither. */
static bool verify_file_keep(struct arena *a, struct str head, struct str note)
{
    const char *path = arena_z(a, arena_join(a, head, STR(".new")));
    FILE *f = fopen(path, "w");
    const bool fine = f && fwrite(note.p, 1, note.n, f) == note.n &&
                      fflush(f) == 0 && fsync(fileno(f)) == 0;
    return f && fclose(f) == 0 && fine && rename(path, arena_z(a, head)) == 0;
}

static int verify_file_log(const struct command *c, struct arena *a)
{
    const struct str path = command_option(c, "--bundle", 0);
    const struct str head = command_option(c, "--head", 0);
    struct verify_file_lines lines = {.broken = 0};
    const struct bundle_report report = {.fault = verify_file_fault,
                                         .erased = verify_file_erased,
                                         .own = &lines};
    struct buf old = buf_make(a, NOTE_MAX);
    struct note_key keys[BUNDLE_KEYS];
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
    const char *why = verify_file_feed(a, b, arena_z(a, path));
    if (why)
        return verify_file_unreadable(path, why);
    const struct bundle_sums sums = bundle_end(b);
    if (sums.faults == 0 && head.n && !verify_file_keep(a, head, sums.head))
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

static void verify_file_erased_text(void *own, const char *step,
                                    struct str rule, struct str at)
{
    (void)own;
    printf("ERASED %s", step);
    verify_file_rule(rule, at);
}

static int verify_file_one(const struct command *c, struct arena *a)
{
    const struct str path = command_option(c, "--receipt", 0);
    struct buf text = buf_make(a, RECEIPT_CHECK_MAX);
    struct note_key keys[BUNDLE_KEYS];
    int faults = 0;
    const struct receipt_check_report report = {
        .step = verify_file_step,
        .erased = verify_file_erased_text,
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
