/* Loads the templates of the pages, once, before the fork.
 *
 * Reads the directory and its folders, parses and checks each text, and
 * resolves the names of parts. Never renders, and never reads a file again
 * after the start. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>

#include "world/template/template_parts.h"

#define FILES_MAX 256
#define FILE_MAX_BYTES (256 << 10)

static const struct str suffix = {".html", 5};

const struct err *template_refuse(struct arena *a, const struct template *t,
                                  int line, const char *code, const char *why)
{
    const struct str at = arena_join(a, t->name, suffix, STR(":"),
                                     arena_number(a, line));
    return err_at(a, ERR_INVALID, code, at, "%s", why);
}

const struct template *template_find(const struct templates *t,
                                     struct str name)
{
    for (size_t i = 0; i < t->n; i++) {
        if (str_eq(t->list[i].name, name))
            return &t->list[i];
    }
    return NULL;
}

/* From names and texts to templates that can be printed. */
static const struct err *template_build(struct arena *a, struct templates *all)
{
    for (size_t i = 0; i < all->n; i++) {
        TRY(template_nodes(a, &all->list[i]));
        TRY(template_judge(a, &all->list[i]));
    }
    for (size_t i = 0; i < all->n; i++) {
        struct template *t = &all->list[i];
        for (size_t k = 0; k < t->n; k++) {
            if (t->nodes[k].kind != TEMPLATE_PART)
                continue;
            const struct template *part = template_find(all, t->nodes[k].text);
            if (!part)
                return template_refuse(a, t, t->nodes[k].line, "template.part",
                                       "There is no part with this name.");
            t->nodes[k].jump = (size_t)(part - all->list);
        }
    }
    return NULL;
}

const struct err *template_parse(struct arena *a, struct str text,
                                 const struct json *parts, bool strict,
                                 struct templates **out)
{
    struct templates *all = arena_new(a, struct templates);
    all->strict = strict;
    all->list = arena_many(a, json_count(parts) + 1, struct template);
    all->list[all->n++] =
        (struct template){.name = STR("main"), .source = arena_str(a, text)};
    for (struct json_iter i = json_iter(parts); json_next(&i);)
        all->list[all->n++] =
            (struct template){.name = arena_str(a, i.key),
                              .source = arena_str(a, json_text(i.value))};
    TRY(template_build(a, all));
    *out = all;
    return NULL;
}

static int template_by_name(const void *x, const void *y)
{
    return str_cmp(((const struct template *)x)->name,
                   ((const struct template *)y)->name);
}

/* The names of the templates in a folder into all; folder p NULL: in dir
 * itself, and then in its folders. false: it cannot be read, or there are more
 * than FILES_MAX. */
static bool template_list(struct arena *a, struct str dir, struct str folder,
                          struct templates *all)
{
    DIR *d = opendir(arena_z(
        a, folder.p ? arena_join(a, dir, STR("/"), folder) : dir));
    bool fits = true;
    if (!d)
        return folder.p && errno == ENOTDIR;
    for (const struct dirent *f = readdir(d); f && fits; f = readdir(d)) {
        struct str name = arena_str(a, str_of(f->d_name));
        if (name.p[0] == '.')
            continue;
        if (!str_ends(name, suffix)) {
            fits = folder.p || template_list(a, dir, name, all);
            continue;
        }
        name = str_sub(name, 0, name.n - suffix.n);
        fits = all->n < FILES_MAX;
        if (fits)
            all->list[all->n++].name =
                folder.p ? arena_join(a, folder, STR("/"), name) : name;
    }
    closedir(d);
    return fits;
}

const struct err *template_load(struct arena *a, struct str dir, bool strict,
                                struct templates **out)
{
    struct templates *all = arena_new(a, struct templates);
    all->strict = strict;
    all->list = arena_many(a, FILES_MAX, struct template);
    if (!template_list(a, dir, STR_NONE, all) || all->n == 0)
        return err_at(a, ERR_INVALID, "template.directory", dir,
                      "The template directory cannot be read, or has no "
                      "templates or too many.");
    qsort(all->list, all->n, sizeof(all->list[0]), template_by_name);
    for (size_t i = 0; i < all->n; i++) {
        struct template *t = &all->list[i];
        struct buf source = buf_make(a, FILE_MAX_BYTES);
        const bool whole =
            buf_file(&source, arena_z(a, arena_join(a, dir, STR("/"), t->name,
                                                    suffix)));
        t->source = buf_text(&source);
        if (!whole)
            return template_refuse(a, t, 1, "template.file",
                                   "The template cannot be read, or is longer "
                                   "than 256 kB.");
    }
    TRY(template_build(a, all));
    *out = all;
    return NULL;
}
