/* The parts of a tool call that people read first. */
#include "doors/pages/kinds/parts.h"

#include "domain/permit/line_diff.h"

#define LINES_MAX 40   /* of a part that is not folded */
#define CHARS_MAX 4000 /* of the same */
#define AROUND 3       /* unchanged lines next to a change */
#define START_MAX 40   /* characters of a folded part that are shown */

static bool parts_is_long(size_t lines, size_t chars)
{
    return lines > LINES_MAX || chars > CHARS_MAX;
}

static struct json *parts_fold(struct page_view *v, size_t lines,
                               struct str text)
{
    struct json *o = json_object(v->a);
    v->folded++;
    json_set_text(
        o, "count",
        lines > 1 ? words_many(v->a, (int64_t)lines, "line")
                  : words_many(v->a, (int64_t)str_runes(text), "character"));
    json_set_text(o, "start", words_cut(v->a, str_trim(text), START_MAX));
    return o;
}

/* ---- lines ---------------------------------------------------------- */

static void parts_add_line(struct page_view *v, struct json *list,
                           const char *tone, const char *sign, struct str text)
{
    struct json *o = json_object(v->a);
    json_set_text(o, "tone", str_of(tone));
    json_set_text(o, "sign", str_of(sign));
    json_set_text(o, "text", text);
    json_add_json(list, o);
}

static struct json *parts_add_run(struct page_view *v, struct json *runs,
                                  size_t folded)
{
    struct json *o = json_object(v->a), *lines = json_array(v->a);
    page_view_set_count(o, "folded", folded);
    json_set_json(o, "lines", lines);
    json_add_json(runs, o);
    v->folded += folded > 0;
    return lines;
}

static void parts_add_rows(struct page_view *v, struct json *lines,
                           const struct line_diff_row *rows, size_t n)
{
    static const struct {
        const char *tone, *sign;
    } looks[] = {[LINE_SAME] = {"", ""},
                 [LINE_REMOVED] = {"del", "\xE2\x88\x92"},
                 [LINE_ADDED] = {"add", "+"}};
    for (size_t i = 0; i < n; i++)
        parts_add_line(v, lines, looks[rows[i].change].tone,
                       looks[rows[i].change].sign, rows[i].text);
}

/* ---- a change ------------------------------------------------------- */

/* The rows from i on that are unchanged, and of them the ones that are folded:
 * all but those next to a change. */
struct parts_same {
    size_t n, before, folded;
};

static struct parts_same parts_same(const struct line_diff *d, size_t i)
{
    struct parts_same s = {.n = 0};
    while (i + s.n < d->n && d->rows[i + s.n].change == LINE_SAME)
        s.n++;
    const size_t after = i + s.n < d->n ? AROUND : 0;
    s.before = i > 0 ? AROUND : 0;
    s.folded = s.n > s.before + after + 1 ? s.n - s.before - after : 0;
    return s;
}

/* Is it short enough with its unchanged lines folded? */
static bool parts_fits_folded(const struct line_diff *d)
{
    size_t lines = 0, chars = 0;
    for (size_t i = 0; i < d->n;) {
        const struct parts_same s = parts_same(d, i);
        const size_t n = s.n > 0 ? s.n : 1;
        for (size_t k = 0; k < n; k++) {
            const bool shown = k < s.before || k >= s.before + s.folded;
            lines += shown;
            chars += shown ? str_runes(d->rows[i + k].text) : 0;
        }
        i += n;
    }
    return !parts_is_long(lines, chars);
}

static struct json *parts_runs(struct page_view *v, const struct line_diff *d,
                               bool folded)
{
    struct json *runs = json_array(v->a);
    struct json *lines = d->n ? parts_add_run(v, runs, 0) : NULL;
    if (!folded)
        parts_add_rows(v, lines, d->rows, d->n);
    for (size_t i = 0; folded && i < d->n;) {
        const struct parts_same s = parts_same(d, i);
        if (s.folded == 0) {
            const size_t n = s.n > 0 ? s.n : 1;
            parts_add_rows(v, lines, d->rows + i, n);
            i += n;
            continue;
        }
        parts_add_rows(v, lines, d->rows + i, s.before);
        parts_add_rows(v, parts_add_run(v, runs, s.folded),
                       d->rows + i + s.before, s.folded);
        lines = parts_add_run(v, runs, 0);
        parts_add_rows(v, lines, d->rows + i + s.before + s.folded,
                       s.n - s.before - s.folded);
        i += s.n;
    }
    return runs;
}

static void parts_set_edit(struct page_view *v, struct json *o,
                           const struct tool_part *part)
{
    struct line_diff d;
    size_t chars = 0;
    line_diff(v->a, part->before, part->after, &d);
    for (size_t i = 0; i < d.n; i++)
        chars += str_runes(d.rows[i].text);
    const bool is_long = parts_is_long(d.n, chars);
    const bool folded = is_long && parts_fits_folded(&d);
    const struct str start = part->after.n ? part->after : part->before;
    json_set_text(o, "counts",
                  arena_join(v->a, STR("+"),
                             arena_number(v->a, (int64_t)d.added),
                             STR(" \xE2\x88\x92"),
                             arena_number(v->a, (int64_t)d.removed)));
    json_set_json(o, "long",
                  is_long && !folded ? parts_fold(v, d.n, start) : NULL);
    json_set_json(o, "runs", parts_runs(v, &d, folded));
}

/* ---- a patch -------------------------------------------------------- */

struct json *kinds_parts_patch(struct page_view *v, struct str text)
{
    const size_t n = str_lines(text);
    struct json *runs = json_array(v->a);
    struct json *lines = n ? parts_add_run(v, runs, 0) : NULL;
    struct str before = STR_NONE, rest = text;
    for (size_t i = 0; i < n; i++) {
        const struct str line = str_cut(&rest, '\n');
        const char first = line.n ? line.p[0] : '\0';
        const bool name =
            (str_starts(line, STR("--- ")) && str_starts(rest, STR("+++ "))) ||
            (str_starts(line, STR("+++ ")) && str_starts(before, STR("--- ")));
        const struct str inner = str_sub(line, 1, line.n);
        if (name || !strchr("+- ", first))
            parts_add_line(v, lines, "hunk", "", line);
        else if (first == '+')
            parts_add_line(v, lines, "add", "+", inner);
        else if (first == '-')
            parts_add_line(v, lines, "del", "\xE2\x88\x92", inner);
        else
            parts_add_line(v, lines, "", "", inner);
        before = line;
    }
    return runs;
}

/* ---- all ------------------------------------------------------------ */

/* "3 hidden characters shown, letters of several alphabets" */
static struct str parts_note(struct page_view *v, const struct tool_part *part)
{
    const size_t n = words_hidden(part->text) + words_hidden(part->before) +
                     words_hidden(part->after);
    struct str mixed = words_mixed(part->text);
    if (mixed.n == 0)
        mixed = words_mixed(part->before);
    if (mixed.n == 0)
        mixed = words_mixed(part->after);
    if (n == 0)
        return mixed;
    return arena_join(v->a, words_many(v->a, (int64_t)n, "hidden character"),
                      STR(" shown"), str_of(mixed.n ? ", " : ""), mixed);
}

static struct json *parts_one(struct kinds_card *c, struct str name,
                              const struct tool_part *part)
{
    struct page_view *v = c->v;
    struct json *o = json_object(v->a), *fold = NULL;
    const struct str text = part->text.p ? part->text : STR("");
    const size_t lines = str_lines(text);
    json_set_text(o, "name", name);
    json_set_text(o, "note", parts_note(v, part));
    json_set_text(o, "counts", STR(""));
    json_set_text(o, "text", STR(""));
    json_set_json(o, "runs", NULL);
    json_set_json(o, "rest", NULL);
    if (part->more) {
        struct json *rest = json_object(v->a);
        page_facts_set_rows(v, &c->room, rest, part->more);
        json_set_json(o, "rest", rest);
    }
    if (part->type == TOOL_PART_EDIT) {
        parts_set_edit(v, o, part);
        return o;
    }
    if (part->type == TOOL_PART_COMMAND)
        fold = page_view_long(v, text, KINDS_CARD_LONG);
    else if (parts_is_long(lines, str_runes(text)))
        fold = parts_fold(v, lines, text);
    json_set_json(o, "long", fold);
    if (part->type == TOOL_PART_PATCH)
        json_set_json(o, "runs", kinds_parts_patch(v, text));
    else
        json_set_text(o, "text", text);
    return o;
}

/* "Change 2 of 3", or the name of an argument that is a part. */
static struct str parts_name(struct arena *a, const struct tool_action *call,
                             size_t i)
{
    static const char *const names[] = {[TOOL_PART_COMMAND] = "Command",
                                        [TOOL_PART_CONTENT] = "Content",
                                        [TOOL_PART_PATCH] = "Patch",
                                        [TOOL_PART_EDIT] = "Change"};
    static const char *const members[][2] = {
        {"script", "Script"},  {"code", "Code"},         {"sql", "SQL"},
        {"query", "Query"},    {"search_term", "Query"}, {"prompt", "Prompt"},
        {"pattern", "Pattern"}};
    const enum tool_part_type type = call->parts[i].type;
    size_t edits = 0, place = 0;
    for (size_t k = 0; type == TOOL_PART_COMMAND && k < countof(members); k++)
        if (str_is(call->member, members[k][0]))
            return str_of(members[k][1]);
    for (size_t k = 0; k < call->n; k++) {
        edits += call->parts[k].type == TOOL_PART_EDIT;
        place += k <= i && call->parts[k].type == TOOL_PART_EDIT;
    }
    if (type != TOOL_PART_EDIT || edits == 1)
        return str_of(names[type]);
    return arena_join(a, str_of(names[type]), STR(" "),
                      arena_number(a, (int64_t)place), STR(" of "),
                      arena_number(a, (int64_t)edits));
}

struct json *kinds_parts(struct kinds_card *c, const struct tool_action *call)
{
    struct json *list = json_array(c->v->a);
    size_t bytes = 0, lines = 0;
    for (size_t i = 0; i < call->n; i++) {
        const struct tool_part *p = &call->parts[i];
        bytes += p->text.n + p->before.n + p->after.n;
        lines +=
            str_lines(p->text) + str_lines(p->before) + str_lines(p->after);
    }
    if (call->n == 0 || bytes > c->room.bytes || lines > c->lines)
        return NULL;
    c->room.bytes -= bytes;
    c->lines -= lines;
    for (size_t i = 0; i < call->n; i++)
        json_add_json(list, parts_one(c, parts_name(c->v->a, call, i),
                                      &call->parts[i]));
    return list;
}
