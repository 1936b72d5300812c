/* Labelled facts, tables and claims of a subject. */
#include "doors/pages/kinds/card.h"

#include "doors/pages/shell/refs.h"

#define LIST_MAX 500 /* shown of a list of texts */

struct kinds_card kinds_card(struct page_view *v, const struct suspension *s)
{
    const struct json *subject = suspension_subject(v->a, s);
    if (!json_is(subject, JSON_OBJECT))
        subject = json_object(v->a);
    return (struct kinds_card){.v = v,
                               .subject = subject,
                               .rest = json_copy(v->a, subject),
                               .room = page_facts_room(),
                               .lines = PAGE_FACTS_LINES};
}

/* Removes the value at path from obj, and each part that becomes empty. */
static void card_take_out(struct arena *a, struct json *obj, struct str path)
{
    struct str rest = path;
    const struct str key = str_cut(&rest, '.');
    struct json *inner = json_get_str(obj, key);
    if (rest.p && json_is(inner, JSON_OBJECT)) {
        card_take_out(a, inner, rest);
        if (json_count(inner) > 0)
            return;
    }
    if (!rest.p || json_is(inner, JSON_OBJECT))
        json_unset(obj, key);
}

static const struct json *card_at(const struct kinds_card *c, const char *path)
{
    const struct json *v = c->subject;
    struct str rest = str_of(path);
    while (rest.p && v)
        v = json_get_str(v, str_cut(&rest, '.'));
    return v;
}

const struct json *kinds_card_take(struct kinds_card *c, const char *path)
{
    const struct json *v = card_at(c, path);
    if (v)
        card_take_out(c->v->a, c->rest, str_of(path));
    return v;
}

/* A value of another type than the page expects stays in the rest. */
static const struct json *card_take_of(struct kinds_card *c, const char *path,
                                       enum json_type type)
{
    return json_is(card_at(c, path), type) ? kinds_card_take(c, path) : NULL;
}

struct str kinds_card_take_text(struct kinds_card *c, const char *path)
{
    return json_text(card_take_of(c, path, JSON_STRING));
}

const struct json *kinds_card_take_list(struct kinds_card *c, const char *path)
{
    return card_take_of(c, path, JSON_ARRAY);
}

struct str kinds_card_text(struct kinds_card *c, const struct json *value)
{
    if (!value)
        return STR_NONE;
    const struct str text = page_facts_value(c->v->a, value);
    return str_trim(text).n > 0 ? text : STR_NONE;
}

/* ---- texts and lists ------------------------------------------------ */

void kinds_card_set_text(struct kinds_card *c, struct json *o, const char *key,
                         const char *path)
{
    json_set_text(o, key, kinds_card_text(c, kinds_card_take(c, path)));
}

/* The list as shown, and the number of further elements. */
static void card_set_list(struct kinds_card *c, struct json *o,
                          const char *key, const struct json *shown,
                          const struct json *list)
{
    struct arena *a = c->v->a;
    const size_t n = json_count(list) - json_count(shown);
    c->v->cut += (int64_t)n;
    json_set_json(o, key, shown);
    page_view_set_count(
        o, arena_z(a, arena_join(a, str_of(key), STR("_more"))), n);
}

void kinds_card_set_list(struct kinds_card *c, struct json *o, const char *key,
                         const char *path)
{
    const struct json *list = kinds_card_take_list(c, path);
    struct json *shown = json_array(c->v->a);
    for (size_t i = 0; i < json_count(list) && i < LIST_MAX; i++)
        json_add_text(shown, page_facts_value(c->v->a, json_at(list, i)));
    card_set_list(c, o, key, shown, list);
}

/* Does it have only texts, each with its place on the page? */
static bool card_plain_refs(const struct json *list, bool kinds)
{
    for (size_t i = 0; i < json_count(list); i++) {
        const struct json *one = json_at(list, i);
        if (!json_is(one, JSON_OBJECT))
            return false;
        for (struct json_iter m = json_iter(one); json_next(&m);) {
            const bool known = str_is(m.key, "title") ||
                               str_is(m.key, "ref") ||
                               (kinds && str_is(m.key, "kind"));
            if (!known || !json_is(m.value, JSON_STRING))
                return false;
        }
    }
    return true;
}

size_t kinds_card_set_refs(struct kinds_card *c, struct json *o,
                           const char *key, bool kinds)
{
    const struct json *list = card_at(c, key);
    if (!json_is(list, JSON_ARRAY))
        list = NULL;
    /* Other members of a reference are shown in the rest. */
    if (list && card_plain_refs(list, kinds))
        kinds_card_take(c, key);
    card_set_list(c, o, key, page_refs(c->v, list), list);
    return json_count(list);
}

/* ---- facts and tables ----------------------------------------------- */

static void card_set_text(struct kinds_card *c, struct json *o,
                          const char *key, struct str text)
{
    json_set_text(o, key, text);
    json_set_json(
        o, "long",
        page_view_long(c->v, text.p ? text : STR(""), KINDS_CARD_LONG));
}

void kinds_card_add_words(struct kinds_card *c, struct json *list,
                          const char *label, struct str value, struct str note)
{
    struct json *o = json_object(c->v->a);
    json_set_text(o, "label", str_of(label));
    card_set_text(c, o, "value", value);
    json_set_text(o, "note", note);
    json_set_json(o, "risk", NULL);
    json_set_bool(o, "is_new", false);
    json_add_json(list, o);
}

void kinds_card_mark(struct json *list, const struct json *risk, bool is_new)
{
    struct json *last = json_at(list, json_count(list) - 1);
    json_set_json(last, "risk", risk);
    json_set_bool(last, "is_new", is_new);
}

void kinds_card_add_fact(struct kinds_card *c, struct json *list,
                         const char *label, const struct json *value)
{
    kinds_card_add_words(c, list, label, kinds_card_text(c, value), STR(""));
}

void kinds_card_set_heading(struct json *o,
                            const struct kinds_card_heading *of)
{
    page_view_set_count(o, "n", of->n);
    json_set_text(o, "heading", str_of(of->heading));
    json_set_text(o, "tool", of->tool);
    json_set_text(o, "target", of->target);
    json_set_text(o, "note", of->note.p ? of->note : STR(""));
}

void kinds_card_add_table(struct kinds_card *c, struct json *list,
                          const struct kinds_card_table *t)
{
    struct json *o = json_object(c->v->a);
    page_facts_set_rows(c->v, &c->room, o,
                        t->value ? t->value : json_object(c->v->a));
    if (!t->always && json_count(json_get(o, "rows")) == 0 &&
        !json_get(o, "more"))
        return;
    kinds_card_set_heading(o, &t->of);
    json_set_json(o, "parts", t->parts);
    json_add_json(list, o);
}

void kinds_card_set_rest(struct kinds_card *c, struct json *o)
{
    struct json *tables = json_array(c->v->a);
    kinds_card_add_rest(c, tables);
    json_set_json(o, "tables", tables);
}

void kinds_card_add_rest(struct kinds_card *c, struct json *list)
{
    const struct kinds_card_table t = {
        .of = {.heading = "Additional data",
               .note = STR("Sayso does not use these fields.")},
        .value = c->rest};
    kinds_card_add_table(c, list, &t);
}

void kinds_card_add_claim(struct kinds_card *c, struct json *list,
                          const char *what, struct str claimed)
{
    struct json *o = json_object(c->v->a);
    json_set_text(o, "what", str_of(what));
    card_set_text(c, o, "claimed", claimed);
    json_add_json(list, o);
}

/* ---- spans and subjects --------------------------------------------- */

struct str kinds_card_span(struct arena *a, int64_t seconds)
{
    static const struct {
        int64_t seconds;
        const char *noun;
    } units[] = {{86400, "day"}, {3600, "hour"}, {60, "minute"},
                 {1, "second"}};
    size_t i = 0;
    while (i + 1 < countof(units) && seconds % units[i].seconds != 0)
        i++;
    return words_many(a, seconds / units[i].seconds, units[i].noun);
}
