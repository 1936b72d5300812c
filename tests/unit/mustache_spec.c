/* Runs the cases of the Mustache specification that our template language
 * promises, over the JSON files of the directory given as its argument, and
 * prints TAP. A program of its own, not a Criterion suite.
 *
 * Skipped cases are named one by one below, each with its reason; one that
 * is skipped because loading refuses it must indeed be refused, and one that
 * the files do not know is a failure. */
#include <stdio.h>

#include "world/template/template.h"

#define FILE_MAX_BYTES 262144
#define PAGE_MAX_BYTES 65536

/* Why a case is skipped; the first three are refused when loading. */
#define RAW "refused: no tag prints without escaping"
#define LOST_PART "refused: a part that does not exist is a mistake"
#define NO_TEXT "refused: a part after < would be the name of a tag"
#define INDENT "a part is not indented"

static const struct skip {
    const char *file, *name, *why;
    bool refused;
} skips[] = {
    {"interpolation", "Triple Mustache", RAW, true},
    {"interpolation", "Ampersand", RAW, true},
    {"interpolation", "Triple Mustache Integer Interpolation", RAW, true},
    {"interpolation", "Ampersand Integer Interpolation", RAW, true},
    {"interpolation", "Triple Mustache Decimal Interpolation", RAW, true},
    {"interpolation", "Ampersand Decimal Interpolation", RAW, true},
    {"interpolation", "Triple Mustache Context Miss Interpolation", RAW, true},
    {"interpolation", "Ampersand Context Miss Interpolation", RAW, true},
    {"interpolation", "Dotted Names - Triple Mustache Interpolation", RAW,
     true},
    {"interpolation", "Dotted Names - Ampersand Interpolation", RAW, true},
    {"interpolation", "Triple Mustache - Surrounding Whitespace", RAW, true},
    {"interpolation", "Ampersand - Surrounding Whitespace", RAW, true},
    {"interpolation", "Triple Mustache - Standalone", RAW, true},
    {"interpolation", "Ampersand - Standalone", RAW, true},
    {"interpolation", "Triple Mustache With Padding", RAW, true},
    {"interpolation", "Ampersand With Padding", RAW, true},
    {"partials", "Failed Lookup", LOST_PART, true},
    {"partials", "Recursion", NO_TEXT, true},
    {"partials", "Standalone Without Previous Line", INDENT, false},
    {"partials", "Standalone Without Newline", INDENT, false},
    {"partials", "Standalone Indentation", RAW, true}, /* and INDENT */
};

static const char *const files[] = {"interpolation", "sections", "inverted",
                                    "comments", "partials"};

struct run {
    struct arena *arena;
    int number, passed, failed, skipped;
    bool met[countof(skips)];
};

static const struct skip *skip_of(struct run *r, const char *file,
                                  struct str name)
{
    for (size_t i = 0; i < countof(skips); i++) {
        if (strcmp(skips[i].file, file) == 0 && str_is(name, skips[i].name)) {
            r->met[i] = true;
            return &skips[i];
        }
    }
    return NULL;
}

static void report(struct run *r, bool ok, const char *file, struct str name)
{
    r->number++;
    printf("%sok %d - %s: %.*s", ok ? "" : "not ", r->number, file,
           STR_FMT(name));
}

static void report_skip(struct run *r, const struct skip *skip,
                        const struct err *refused)
{
    bool ok = !skip->refused || refused;
    report(r, ok, skip->file, str_of(skip->name));
    if (ok)
        r->skipped++;
    else
        r->failed++;
    printf(ok ? " # SKIP %s\n" : "\n# not %s\n", skip->why);
}

static void run_case(struct run *r, const char *file, const struct json *c)
{
    struct str name = json_get_text(c, "name");
    struct str expected = json_get_text(c, "expected");
    const struct skip *skip = skip_of(r, file, name);
    struct templates *t = NULL;
    struct buf out = buf_make(r->arena, PAGE_MAX_BYTES);
    const struct err *e =
        template_parse(r->arena, json_get_text(c, "template"),
                       json_get(c, "partials"), false, &t);
    if (skip) {
        report_skip(r, skip, e);
        return;
    }
    const struct template_page page = {.name = "main",
                                       .view = json_get(c, "data")};
    if (!e)
        e = template_render(r->arena, t, &page, &out);
    bool ok = !e && str_eq(buf_text(&out), expected);
    report(r, ok, file, name);
    printf("\n");
    if (ok) {
        r->passed++;
        return;
    }
    r->failed++;
    printf("# wanted: %.*s\n# got: %.*s\n# error: %s\n", STR_FMT(expected),
           STR_FMT(buf_text(&out)), e ? e->code : "none");
}

/* A file's text in the arena; p NULL when it cannot be read. */
static struct str read_file(struct arena *a, const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return STR_NONE;
    char *p = arena_alloc(a, FILE_MAX_BYTES);
    size_t n = fread(p, 1, FILE_MAX_BYTES, f);
    bool whole = feof(f) && !ferror(f);
    fclose(f);
    return whole ? (struct str){p, n} : STR_NONE;
}

/* false: the file cannot be used. */
static bool run_file(struct run *r, const char *dir, const char *file)
{
    char path[1024];
    snprintf(path, sizeof(path), "%s/%s.json", dir, file);
    struct json *root = NULL;
    struct str text = read_file(r->arena, path);
    if (!text.p || json_parse(r->arena, text, &root) != NULL) {
        printf("Bail out! %s cannot be read as JSON\n", path);
        return false;
    }
    const struct json *tests = json_get(root, "tests");
    if (json_count(tests) == 0) {
        printf("Bail out! %s holds no tests\n", path);
        return false;
    }
    for (size_t i = 0; i < json_count(tests); i++)
        run_case(r, file, json_at(tests, i));
    return true;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s DIRECTORY\n", argv[0]);
        return 2;
    }
    struct run r = {.arena = arena_make(ARENA_REQUEST_MAX)};
    bool complete = true;
    for (size_t i = 0; i < countof(files); i++)
        complete = run_file(&r, argv[1], files[i]) && complete;
    for (size_t i = 0; complete && i < countof(skips); i++) {
        if (r.met[i])
            continue;
        report(&r, false, skips[i].file, str_of(skips[i].name));
        printf("\n# a skip of a case that does not exist\n");
        r.failed++;
    }
    printf("1..%d\n%d passed, %d failed, %d skipped\n", r.number, r.passed,
           r.failed, r.skipped);
    arena_free(r.arena);
    return complete && r.failed == 0 ? 0 : 1;
}
