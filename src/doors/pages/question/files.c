/* The files of a question on its page. */
#include "doors/pages/question/files.h"

#include "doors/pages/kinds/parts.h"
#include "doors/pages/question/markdown.h"
#include "doors/pages/shell/facts.h"
#include "doors/pages/shell/refs.h"
#include "store/question/artifacts.h"

#define LINES 2000 /* of a text; the last one holds the others */
#define SHORT 12   /* lines of a text that is not folded */
#define READ 8     /* texts that are read by their type */

const struct err *question_files_load(struct call *c, struct page_view *v,
                                      const struct suspension *s)
{
    struct artifact_list *files = arena_new(c->a, struct artifact_list);
    if (str_is(s->evidence, "[]") && str_is(s->artifacts, "[]") &&
        s->kind != KIND_HANDOFF_ACCEPTANCE)
        return NULL;
    TRY(artifacts_of(c->pg, c->a, s->id, QUESTION_FILES_TEXT, files));
    v->files = files;
    v->files_of = s->id;
    return NULL;
}

/* The room that is left on the page for texts. */
struct files_room {
    size_t bytes, read;
};

/* The text by lines; the last one has all that are too many. */
static struct json *files_lines(struct page_view *v, struct str text)
{
    struct json *lines = json_array(v->a);
    struct str rest = text;
    if (rest.n > 0 && rest.p[rest.n - 1] == '\n')
        rest.n--;
    while (rest.p && rest.n > 0 && json_count(lines) < LINES)
        json_add_text(lines, str_cut(&rest, '\n'));
    if (rest.p && rest.n > 0)
        json_add_text(lines, rest);
    return lines;
}

/* The values of JSON as a table; NULL: it is none, or has no values. */
static struct json *files_table(struct page_view *v, struct str text)
{
    struct page_facts_room room = page_facts_room();
    struct json *o = json_object(v->a), *value = NULL;
    if (json_parse(v->a, text, &value) || json_count(value) == 0)
        return NULL;
    page_facts_set_rows(v, &room, o, value);
    return o;
}

/* Reads it by its type, where all of it is there, as far as the page has room.
 * A character that was cut in its middle is left out. */
static struct json *files_text(struct page_view *v,
                               const struct artifact_shown *f,
                               struct files_room *room)
{
    enum artifact_form form = artifact_form(f->artifact.media_type);
    struct json *o = json_object(v->a), *table = NULL, *blocks = NULL,
                *runs = NULL;
    struct str text = str_sub(f->text, 0, room->bytes);
    while (text.n > 0 && !str_utf8(text))
        text.n--;
    room->bytes -= text.n;
    const bool whole = text.n == (size_t)f->artifact.size;
    struct json *lines = files_lines(v, text);
    const size_t n = json_count(lines);
    if (!whole || n > LINES || room->read == 0)
        form = ARTIFACT_TEXT;
    room->read -= form != ARTIFACT_TEXT;
    if (form == ARTIFACT_JSON)
        table = files_table(v, text);
    else if (form == ARTIFACT_MARKDOWN)
        blocks = question_markdown(v->a, text);
    else if (form == ARTIFACT_DIFF)
        runs = kinds_parts_patch(v, text);
    json_set_json(o, "table", table);
    json_set_json(o, "blocks", blocks);
    json_set_json(o, "runs", runs);
    json_set_bool(o, "is_read", table || blocks || runs);
    json_set_bool(o, "is_short", whole && n <= SHORT);
    json_set_bool(o, "is_cut", !whole);
    json_set_int(o, "count", (int64_t)n);
    json_set_json(o, "lines", lines);
    return o;
}

static struct json *files_one(struct page_view *v,
                              const struct artifact_shown *f, struct str title,
                              struct files_room *room)
{
    const bool shown = !f->erased;
    const bool image = artifact_form(f->artifact.media_type) == ARTIFACT_IMAGE;
    struct json *o = page_refs_one(v, title, STR_NONE, f->artifact.sha256);
    struct json *size = json_object(v->a);
    json_set_int(size, "width", f->artifact.width);
    json_set_int(size, "height", f->artifact.height);
    json_set_bool(o, "is_erased", f->erased);
    json_set_json(o, "image", shown && image ? size : NULL);
    json_set_json(o, "text", shown && !image ? files_text(v, f, room) : NULL);
    return o;
}

/* Adds those of a list of references that are not there yet. */
static void files_add(struct page_view *v, const struct json *refs,
                      bool *there, struct files_room *room, struct json *out)
{
    for (size_t i = 0; i < json_count(refs); i++) {
        const struct str ref = json_get_text(json_at(refs, i), "ref");
        for (size_t k = 0; k < v->files->n; k++) {
            const struct artifact_shown *f = &v->files->v[k];
            if (there[k] || !str_eq(f->artifact.sha256, ref))
                continue;
            there[k] = true;
            json_add_json(out, files_one(v, f,
                                         json_get_text(json_at(refs, i),
                                                       "title"),
                                         room));
        }
    }
}

struct json *question_files(struct page_view *v, const struct suspension *s)
{
    struct json *out = json_array(v->a);
    const struct json *subject = suspension_subject(v->a, s);
    struct files_room room = {.bytes = QUESTION_FILES_BYTES, .read = READ};
    if (!v->files || v->files->n == 0)
        return out;
    bool *there = arena_many(v->a, v->files->n, bool);
    files_add(v, json_read(v->a, s->evidence), there, &room, out);
    files_add(v, json_read(v->a, s->artifacts), there, &room, out);
    files_add(v, json_get(subject, "evidence"), there, &room, out);
    files_add(v, json_get(subject, "artifacts"), there, &room, out);
    return out;
}
