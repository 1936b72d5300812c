/* Runs the gate over a directory of the JSON parsing test suite.
 *
 *   json_suite DIRECTORY
 *
 * y_*.json must pass and be read, n_*.json must be refused, i_*.json may do
 * either. One TAP line for each file. */
#include <dirent.h>
#include <stdio.h>

#include "base/json/json.h"

#define FILE_MAX ((size_t)4 << 20)

/* Well-formed JSON that the gate refuses on purpose. */
static const struct {
    const char *name, *why;
} refused[] = {
    {"y_object_duplicated_key.json",
     "one key with two values lets two readers see two things"},
    {"y_object_duplicated_key_and_value.json",
     "a key stands once, whatever its values are"},
    {"y_object_escaped_null_in_key.json",
     "PostgreSQL's text and C's strings cannot hold U+0000"},
    {"y_string_null_escape.json",
     "PostgreSQL's text and C's strings cannot hold U+0000"},
};

static const char *why_refused(const char *name)
{
    for (size_t i = 0; i < countof(refused); i++)
        if (strcmp(refused[i].name, name) == 0)
            return refused[i].why;
    return NULL;
}

static bool load(struct arena *a, const char *dir, const char *name,
                 struct str *out)
{
    struct buf path = buf_make(a, 4096);
    buf_printf(&path, "%s/%s", dir, name);
    FILE *f = fopen(arena_z(a, buf_text(&path)), "rb");
    if (!f)
        return false;
    char *p = arena_alloc(a, FILE_MAX);
    const size_t n = fread(p, 1, FILE_MAX, f);
    const bool ok = !ferror(f) && n < FILE_MAX;
    fclose(f);
    /* A copy of exactly its size, so that a step beyond it is noticed. */
    *out = (struct str){arena_z(a, (struct str){p, n}), n};
    return ok;
}

static bool as_expected(struct arena *a, const char *name, struct str text)
{
    struct json *v;
    const bool passed = json_check(a, text) == NULL;
    if (passed != (json_parse(a, text, &v) == NULL))
        return false;
    switch (name[0]) {
    case 'y':
        return passed == !why_refused(name);
    case 'n':
        return !passed;
    default:
        return true;
    }
}

static bool of_suite(const char *name)
{
    return name[0] && strchr("yni", name[0]) && name[1] == '_' &&
           str_ends(str_of(name), STR(".json"));
}

int main(int argc, char **argv)
{
    DIR *d = argc == 2 ? opendir(argv[1]) : NULL;
    if (!d) {
        fprintf(stderr, "usage: json_suite DIRECTORY\n");
        return 2;
    }
    struct arena *a = arena_make(ARENA_REQUEST_MAX);
    unsigned passed = 0, failed = 0;
    for (const struct dirent *e; (e = readdir(d)); arena_reset(a)) {
        struct str text;
        if (!of_suite(e->d_name))
            continue;
        const bool ok = load(a, argv[1], e->d_name, &text) &&
                        as_expected(a, e->d_name, text);
        const char *why = why_refused(e->d_name);
        passed += ok;
        failed += !ok;
        printf("%sok %u - %s%s%s\n", ok ? "" : "not ", passed + failed,
               e->d_name, why ? " refused: " : "", why ? why : "");
    }
    closedir(d);
    arena_free(a);
    printf("1..%u\n%u passed, %u failed\n", passed + failed, passed, failed);
    return failed || !passed;
}
