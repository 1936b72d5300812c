/* References of an agent, as links and as text. */
#include "doors/pages/shell/refs.h"

#define REFS_MAX 200 /* shown of one list */

static bool refs_is_host(struct str s)
{
    bool letter = false;
    for (size_t i = 0; i < s.n; i++) {
        const char c = s.p[i];
        const bool name = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9');
        if (!name && c != '.' && c != '-' && c != ':')
            return false;
        letter = letter || name;
    }
    return letter;
}

bool page_refs_url(struct str s, const char *scheme,
                   struct page_refs_url *out)
{
    const struct str before = str_of(scheme);
    if (!str_starts(s, before))
        return false;
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] <= ' ' || s.p[i] > '~' || s.p[i] == '\\')
            return false;
    }
    size_t end = before.n;
    while (end < s.n && s.p[end] != '/' && s.p[end] != '?' && s.p[end] != '#')
        end++;
    out->before = before;
    out->host = str_sub(s, before.n, end);
    out->after = str_sub(s, end, s.n);
    return refs_is_host(out->host);
}

const struct artifact *page_refs_file(const struct page_view *v,
                                      struct str ref)
{
    for (size_t i = 0; v->files && i < v->files->n; i++)
        if (str_eq(v->files->v[i].artifact.sha256, ref))
            return &v->files->v[i].artifact;
    return NULL;
}

/* A file's reference is its digest: a link to it, with what it is. */
static struct json *refs_file(struct page_view *v, struct str title,
                              struct str kind, const struct artifact *file)
{
    struct json *o = json_object(v->a);
    const struct str words = artifact_words(v->a, file);
    v->folded += str_runes(title) > PAGE_VIEW_TITLE;
    json_set_text(o, "title",
                  words_cut(v->a, title.n ? title : words, PAGE_VIEW_TITLE));
    json_set_text(o, "kind", kind);
    json_set_text(
        o, "ref_url",
        page_view_path(
            v->a,
            arena_z(v->a, arena_join(v->a, STR("/artifacts/"), file->sha256,
                                     STR("?question="))),
            v->files_of, ""));
    json_set_text(o, "where", words);
    return o;
}

struct json *page_refs_one(struct page_view *v, struct str title,
                           struct str kind, struct str ref)
{
    const struct artifact *file = page_refs_file(v, ref);
    if (file)
        return refs_file(v, title, kind, file);
    struct json *o = json_object(v->a);
    struct page_refs_url url = {.host = STR_NONE};
    const bool link = page_refs_url(ref, "https://", &url);
    const struct str where = link ? url.host : ref;
    v->folded += str_runes(title) > PAGE_VIEW_TITLE ||
                 (!link && str_runes(ref) > PAGE_VIEW_TITLE);
    json_set_text(
        o, "title", words_cut(v->a, title.p ? title : ref, PAGE_VIEW_TITLE));
    json_set_text(o, "kind", kind);
    json_set_text_or_null(o, "ref_url", link ? ref : STR_NONE);
    json_set_text(o, "where",
                  title.p || link
                      ? words_cut(v->a, where, PAGE_VIEW_TITLE)
                      : STR_NONE);
    return o;
}

struct json *page_refs(struct page_view *v, const struct json *list)
{
    struct json *out = json_array(v->a);
    for (size_t i = 0; i < json_count(list) && i < REFS_MAX; i++) {
        const struct json *one = json_at(list, i);
        json_add_json(out, page_refs_one(v, json_get_text(one, "title"),
                                         json_get_text(one, "kind"),
                                         json_get_text(one, "ref")));
    }
    return out;
}
