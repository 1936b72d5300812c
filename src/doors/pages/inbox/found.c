/* The words that a list is searched for, in the texts of its rows. */
#include "doors/pages/inbox/found.h"

#include "domain/search/search_found.h"

void inbox_found_begin(struct page_view *v, struct str typed)
{
    struct search_query *q = arena_new(v->a, struct search_query);
    if (!typed.p)
        return;
    search_type(v->a, q, typed);
    v->words = q;
}

static void found_add(struct arena *a, struct json *runs, struct str text,
                      bool hit)
{
    struct json *o = json_object(a);
    if (text.n == 0)
        return;
    json_set_text(o, "text", text);
    json_set_bool(o, "hit", hit);
    json_add_json(runs, o);
}

/* NULL: nothing is found. */
static struct json *found_runs(struct page_view *v, struct str whole)
{
    struct search_found f[SEARCH_FOUND_MAX];
    size_t at = 0;
    if (!v->words)
        return NULL;
    const struct str text = words_cut(v->a, whole, PAGE_VIEW_ROW);
    struct json *runs = json_array(v->a);
    const size_t n = search_found(v->a, v->words, text, f);
    for (size_t i = 0; i < n; i++) {
        found_add(v->a, runs, str_sub(text, at, f[i].from), false);
        found_add(v->a, runs, str_sub(text, f[i].from, f[i].to), true);
        at = f[i].to;
    }
    found_add(v->a, runs, str_sub(text, at, text.n), false);
    return n > 0 ? runs : NULL;
}

void inbox_found_set(struct page_view *v, struct json *row)
{
    static const char *const texts[] = {"title", "asked_by", "reason", "who"};
    const struct json *s = json_get(row, "suspension");
    struct json *o = json_object(v->a);
    for (size_t i = 0; i < countof(texts); i++) {
        const struct json *of = json_has(row, texts[i]) ? row : s;
        if (json_has(of, texts[i]))
            json_set_json(o, texts[i],
                          found_runs(v, json_get_text(of, texts[i])));
    }
    json_set_json(row, "found", o);
}
