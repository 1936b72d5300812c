/* The samples of views: each renders in strict mode, so that templates and
 * the contract in templates/README.md say the same. */
#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>

#include "world/template.h"

#define SAMPLE_MAX ((size_t)1 << 20)

static struct arena *arena;

static void setup(void)
{
    arena = arena_make((size_t)256 << 20);
}

static void teardown(void)
{
    arena_free(arena);
}

TestSuite(samples, .init = setup, .fini = teardown);

/* A path in the sources, found from this file's own. */
static const char *path_of(const char *dir, const char *name)
{
    struct buf b = buf_make(arena, 4096);
    const struct str here = STR(__FILE__), own = STR("tests/unit/");
    buf_str(&b, str_sub(here, 0, str_search(here, own)));
    buf_put(&b, dir);
    buf_put(&b, name);
    return arena_z(arena, buf_text(&b));
}

static struct json *view_of(const char *path)
{
    struct json *v = NULL;
    char *text = arena_alloc(arena, SAMPLE_MAX);
    FILE *f = fopen(path, "r");
    cr_assert(f, "%s cannot be opened", path);
    const size_t n = fread(text, 1, SAMPLE_MAX, f);
    fclose(f);
    const struct err *e = json_parse(arena, (struct str){text, n}, &v);
    cr_assert(!e, "%s: %s %s", path, e ? e->code : "", e ? e->at.p : "");
    return v;
}

/* inbox.empty.json is a view of inbox.html. */
static void check(const struct templates *t, const char *name)
{
    const struct str file = str_of(name);
    struct buf out = buf_make(arena, SAMPLE_MAX * 4);
    const char *page =
        arena_z(arena, str_sub(file, 0, str_find(file, '.', 0)));
    const struct json *view = view_of(path_of("templates/samples/", name));
    const struct template_page of = {.name = page, .view = view};
    const struct err *e = template_render(arena, t, &of, &out);
    cr_expect(!e, "%s: %s at %.*s", name, e ? e->code : "",
              STR_FMT(e ? e->at : STR("")));
    cr_expect(e || str_ends(buf_text(&out), STR("</html>\n")), "%s", name);
}

Test(samples, all_render)
{
    struct templates *t = NULL;
    const struct str dir = str_of(path_of("templates", ""));
    const struct err *e = template_load(arena, dir, true, &t);
    cr_assert(!e, "%s %.*s", e ? e->code : "", STR_FMT(e ? e->at : dir));
    DIR *samples = opendir(path_of("templates/samples", ""));
    cr_assert(samples);
    size_t n = 0;
    for (struct dirent *d = readdir(samples); d; d = readdir(samples)) {
        if (d->d_name[0] == '.')
            continue;
        check(t, d->d_name);
        n++;
    }
    closedir(samples);
    cr_expect(n > 50, "%zu samples", n);
}
