/* Fact tables: an agent's values, readable and exact.
 *
 * The rows are for reading; the raw lines are the stored bytes, over which the
 * digest is computed. Both are bounded, so that every question has a page.
 * Never interprets a value. */
#include "doors/pages/shell/facts.h"

#define KEY_MAX 200   /* characters of one key within a path */
#define HALF_PATH 16  /* characters in half the width of a table */
#define HALF_VALUE 26
#define ROWS_FEW 12 /* of a table that has no filter */

/* ---- rows ----------------------------------------------------------- */

struct walk {
    struct page_view *v;
    struct page_facts_room *room;
    struct json *rows;
    int64_t skipped; /* leaves without a row */
    struct buf path;
};

void page_facts_put_key(struct page_view *v, struct buf *path, struct str key)
{
    const struct str head = str_head(key, KEY_MAX);
    bool plain = key.n > 0;
    for (size_t i = 0; i < key.n && plain; i++)
        plain = !strchr(".[]\"\\ ", key.p[i]);
    v->folded += head.n < key.n;
    if (plain) {
        buf_put(path, path->n ? "." : "");
        buf_str(path, head);
    } else {
        buf_char(path, '[');
        json_write_string(path, head);
        buf_char(path, ']');
    }
    buf_put(path, head.n < key.n ? "\xE2\x80\xA6" : "");
}

struct str page_facts_type(struct arena *a, const struct json *value)
{
    switch (json_type(value)) {
    case JSON_NULL:
        return STR("null");
    case JSON_BOOL:
        return STR("boolean");
    case JSON_INT:
        return STR("integer");
    case JSON_DOUBLE:
        return STR("number");
    case JSON_ARRAY:
        return STR("list, empty");
    case JSON_OBJECT:
        return STR("object, empty");
    case JSON_STRING:
    case JSON__MAX:
    default:
        break;
    }
    return arena_join(a, STR("text, "),
                      words_count(a, (int64_t)str_runes(json_text(value))));
}

struct str page_facts_value(struct arena *a, const struct json *value)
{
    if (json_is(value, JSON_STRING))
        return json_text(value);
    return json_dump(a, value, SIZE_MAX / 2);
}

/* Is it a text that reads as a number, or as another value that is none? */
static bool facts_seems_other(struct arena *a, const struct json *value)
{
    struct json *parsed = NULL;
    return json_is(value, JSON_STRING) &&
           json_text(value).n <= JSON_NUMBER_MAX &&
           !json_parse(a, json_text(value), &parsed) &&
           !json_is(parsed, JSON_STRING);
}

static void facts_leaf(struct walk *w, const struct json *value)
{
    struct arena *a = w->v->a;
    const struct str text = page_facts_value(a, value);
    const size_t cost = text.n + w->path.n;
    if (w->room->rows == 0 || cost > w->room->bytes) {
        w->skipped++;
        return;
    }
    struct json *row = json_object(a);
    const struct str path = w->path.n ? buf_text(&w->path) : STR("value");
    json_set_text(row, "path", path);
    json_set_text(row, "value", text);
    if (!w->room->bare) {
        json_set_bool(row, "wide",
                      str_runes(text) > HALF_VALUE ||
                          str_runes(path) > HALF_PATH);
        json_set_bool(row, "as_text", facts_seems_other(a, value));
        json_set_text(row, "type", page_facts_type(a, value));
        json_set_json(row, "long",
                      page_view_long(w->v, text, PAGE_FACTS_LONG));
    }
    json_add_json(w->rows, row);
    w->room->bytes -= cost;
    w->room->rows--;
}

/* The depth is bounded by the JSON check of the body. */
static void facts_walk(struct walk *w, const struct json *value)
{
    const size_t here = w->path.n;
    const bool object = json_is(value, JSON_OBJECT);
    if (json_count(value) == 0) {
        facts_leaf(w, value);
        return;
    }
    struct json_iter m = json_iter(value);
    for (size_t i = 0; i < json_count(value); i++) {
        if (object && json_next(&m))
            page_facts_put_key(w->v, &w->path, m.key);
        else
            buf_printf(&w->path, "[%zu]", i);
        facts_walk(w, object ? m.value : json_at(value, i));
        w->path.n = here;
    }
}

struct page_facts_room page_facts_room(void)
{
    return (struct page_facts_room){.rows = PAGE_FACTS_ROWS,
                                    .bytes = PAGE_FACTS_BYTES};
}

/* Of two columns: one that has nothing beside it is as wide as both. */
static void facts_widen(const struct json *rows)
{
    struct json *alone = NULL;
    for (size_t i = 0; i < json_count(rows); i++) {
        struct json *row = json_at(rows, i);
        if (json_bool(json_get(row, "wide"))) {
            if (alone)
                json_set_bool(alone, "wide", true);
            alone = NULL;
        } else {
            alone = alone ? NULL : row;
        }
    }
    if (alone)
        json_set_bool(alone, "wide", true);
}

/* The first rows, and the others where there are many. */
static void facts_set_rows(struct arena *a, struct json *table,
                           const struct json *all)
{
    struct json *rows = json_array(a), *others = json_array(a);
    for (size_t i = 0; i < json_count(all); i++)
        json_add_json(i < ROWS_FEW ? rows : others, json_at(all, i));
    facts_widen(rows);
    facts_widen(others);
    json_set_json(table, "rows", rows);
    json_set_json(table, "others", others);
}

void page_facts_set_rows(struct page_view *v, struct page_facts_room *room,
                         struct json *table, const struct json *value)
{
    struct walk w = {.v = v,
                     .room = room,
                     .rows = json_array(v->a),
                     .path = buf_make(v->a, PAGE_FACTS_BYTES)};
    if (json_count(value) > 0 || !json_is(value, JSON_OBJECT))
        facts_walk(&w, value);
    v->cut += w.skipped;
    if (room->bare)
        json_set_json(table, "rows", w.rows);
    else
        facts_set_rows(v->a, table, w.rows);
    page_view_set_count(table, "more", (size_t)w.skipped);
}

/* ---- raw ------------------------------------------------------------ */

/* The exact bytes, split at line feeds. Lines beyond PAGE_FACTS_LINES are one
 * last entry. */
static struct json *facts_raw(struct page_view *v,
                              const struct page_facts_of *of)
{
    struct json *o = json_object(v->a), *lines = json_array(v->a);
    const bool cut = of->text.n > PAGE_FACTS_BYTES;
    size_t n = cut ? PAGE_FACTS_BYTES : of->text.n;
    while (cut && n > 0 && ((unsigned char)of->text.p[n] & 0xC0) == 0x80)
        n--; /* ends with a whole character */
    struct str rest = cut ? str_sub(of->text, 0, n) : of->text;
    while (rest.p && json_count(lines) < PAGE_FACTS_LINES)
        json_add_text(lines, str_cut(&rest, '\n'));
    if (rest.p)
        json_add_text(lines, rest);
    json_set_int(o, "size", (int64_t)of->text.n);
    json_set_bool(o, "open", of->open);
    json_set_json(o, "lines", lines);
    page_view_set_count(o, "shown_kb", cut ? n >> 10 : 0);
    json_set_int(o, "size_kb", (int64_t)((of->text.n + 1023) >> 10));
    json_set_bool(o, "joined", rest.p != NULL);
    json_set_text(o, "hash_short", words_groups(v->a, of->sha256, 2));
    json_set_text(o, "hash", words_groups(v->a, of->sha256, SIZE_MAX / 4));
    json_set_text(o, "hash_note", str_of(of->sha256.p ? of->hash_note : ""));
    return o;
}

struct json *page_facts(struct page_view *v, const struct page_facts_of *of)
{
    struct page_facts_room room = page_facts_room();
    struct json *o = json_object(v->a), *parsed = NULL;
    /* Bytes that are not JSON (a changed row) are still shown raw. */
    if (!of->value && json_parse(v->a, of->text, &parsed))
        parsed = json_object(v->a);
    json_set_text(o, "id", str_of(of->id));
    json_set_text(o, "heading", str_of(of->heading));
    json_set_text(o, "note", of->note);
    json_set_bool(o, "folded", of->folded);
    page_facts_set_rows(v, &room, o, of->value ? of->value : parsed);
    json_set_json(o, "raw", facts_raw(v, of));
    return o;
}

/* As it was sent, with commas; one with an exponent is unchanged. */
struct str page_facts_number(struct arena *a, const struct json *value)
{
    const struct str s = json_dump(a, value, JSON_NUMBER_MAX);
    struct buf b = buf_make(a, JSON_NUMBER_MAX * 2);
    const size_t sign = s.n > 0 && s.p[0] == '-';
    size_t whole = 0;
    while (sign + whole < s.n && s.p[sign + whole] >= '0' &&
           s.p[sign + whole] <= '9')
        whole++;
    if (str_find(s, 'e', 0) < s.n || str_find(s, 'E', 0) < s.n)
        return s;
    buf_str(&b, str_sub(s, 0, sign));
    for (size_t i = 0; i < whole; i++) {
        if (i > 0 && (whole - i) % 3 == 0)
            buf_char(&b, ',');
        buf_char(&b, s.p[sign + i]);
    }
    buf_str(&b, str_sub(s, sign + whole, s.n));
    return buf_text(&b);
}
