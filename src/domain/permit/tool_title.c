/* Titles of tool calls, by the table of tools. */
#include "domain/permit/tool_title.h"

#include "base/text.h"
#include "domain/permit/line_diff.h"
#include "domain/permit/tool_action.h"

#define VALUE_MAX 100 /* characters of a command or URL */
#define FILE_MAX 60   /* of a path, whose end has to be seen in a list */
#define NAME_MAX 40   /* of a tool or an argument */
#define NAMES_MAX 3   /* of other arguments, and of files */
#define LINE_END "\xE2\x86\xB5"
#define ELLIPSIS "\xE2\x80\xA6"

/* ---- texts ---------------------------------------------------------- */

/* At most max characters of a text in one line, with a backslash before each
 * quotation mark where it is quoted; returns the number of those that are left
 * out. */
static size_t title_put(struct buf *b, struct str text, size_t max,
                        bool quoted)
{
    const struct str s = str_trim(text);
    size_t at = 0;
    for (size_t used = 0; at < s.n && used < max; used++) {
        const size_t from = at, next = str_skip_space(s, at);
        const struct str space = str_sub(s, from, next);
        if (space.n > 0) {
            const bool line = str_find(space, '\n', 0) < space.n;
            buf_put(b, line ? " " LINE_END " " : " ");
            at = next;
            continue;
        }
        const uint32_t rune = str_rune(s, &at);
        if (text_hidden_at(s, from)) {
            buf_printf(b, "[U+%04X]", (unsigned)rune);
            used += strlen("[U+0000]") - 1;
        } else {
            buf_put(b, quoted && rune == '"' ? "\\" : "");
            buf_str(b, str_sub(s, from, at));
        }
    }
    return str_runes(str_sub(s, at, s.n));
}

/* A command or words: in backquotes, and what is left out is counted behind
 * them. */
static void title_put_words(struct buf *b, struct str text, size_t max)
{
    const char *fence = str_find(text, '`', 0) < text.n ? "``" : "`";
    buf_put(b, fence);
    const size_t left = title_put(b, text, max, false);
    buf_put(b, fence);
    if (left > 0)
        buf_printf(b, " " ELLIPSIS " %zu more character%s", left,
                   left == 1 ? "" : "s");
}

/* A path as it is where nothing in it could be taken for the rest of a title,
 * else in quotation marks. A long one loses its middle, less of its end. */
static void title_put_path(struct buf *b, struct str text, size_t room)
{
    const struct str s = str_trim(text);
    const size_t max = room < FILE_MAX ? room : FILE_MAX;
    const size_t runes = str_runes(s), tail = max - max / 3;
    bool plain = true;
    for (size_t at = 0; at < s.n;) {
        const uint32_t rune = str_rune(s, &at);
        plain = plain && (text_wordy(rune) ||
                          (rune < 0x7F && strchr("/._-~@+:\\$", (int)rune)));
    }
    buf_put(b, plain ? "" : "\"");
    if (runes > max) {
        title_put(b, s, max - tail, !plain);
        buf_put(b, ELLIPSIS);
    }
    const struct str end =
        runes > max ? str_sub(s, str_head(s, runes - tail).n, s.n) : s;
    if (title_put(b, end, runes > max ? tail : max, !plain) > 0)
        buf_put(b, ELLIPSIS);
    buf_put(b, plain ? "" : "\"");
}

/* A URL without https:// where it begins with a plain host; else as it was
 * sent in quotation marks, after the host where a user stands before it. */
static void title_put_url(struct buf *b, struct str text, size_t max)
{
    static const char host[] = "abcdefghijklmnopqrstuvwxyz"
                               "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-:[]";
    const struct str s = str_trim(text), scheme = STR("https://");
    const bool secure = str_is_nocase(str_sub(s, 0, scheme.n), scheme.p);
    const size_t from = str_search(s, STR("://")) + strlen("://");
    size_t end = from < s.n ? from : s.n;
    while (end < s.n && !strchr("/?#\\", s.p[end]))
        end++;
    const struct str place = str_sub(s, from, end);
    bool plain = place.n > 0 && str_visible(s) && str_find(s, '\\', 0) == s.n;
    size_t user = 0;
    for (size_t i = 0; i < place.n; i++) {
        plain = plain && strchr(host, place.p[i]);
        user = place.p[i] == '@' ? i + 1 : user;
    }
    const struct str shown = secure && plain ? str_sub(s, scheme.n, s.n) : s;
    if (user > 0) {
        title_put_path(b, str_sub(place, user, place.n), max / 2);
        buf_put(b, " by the URL ");
    }
    buf_put(b, plain ? "" : "\"");
    const size_t left = title_put(b, shown, max, !plain);
    buf_put(b, left > 0 ? ELLIPSIS : "");
    buf_put(b, plain ? "" : "\"");
}

/* ---- patches -------------------------------------------------------- */

/* The files of a patch, and its changed lines. */
struct title_patch {
    size_t edited, added, deleted, moved; /* files */
    size_t plus, minus;                   /* lines */
    struct str names[NAMES_MAX], to; /* to: of a file that is moved */
    size_t n;
    /* A file of Git whose names did not come yet; p NULL: none. */
    struct str git;
    size_t *git_count;
};

static void patch_add(struct title_patch *p, size_t *count, struct str name)
{
    if (p->n < NAMES_MAX)
        p->names[p->n] = name;
    p->n++;
    (*count)++;
    p->git = STR_NONE;
}

static void patch_move(struct title_patch *p, struct str to)
{
    p->moved++;
    p->to = to;
}

/* The name in "a/NAME", without a time behind a tab. */
static struct str patch_name(struct str text)
{
    struct str rest = text;
    const struct str name = str_trim(str_cut(&rest, '\t'));
    return str_starts(name, STR("a/")) || str_starts(name, STR("b/"))
               ? str_sub(name, 2, name.n)
               : name;
}

/* A file of Git without a changed line: renamed, empty or binary. */
static void patch_end_git(struct title_patch *p)
{
    size_t at = 0;
    if (!p->git.p)
        return;
    for (size_t i = 0; i + 3 < p->git.n; i++)
        at = memcmp(p->git.p + i, " b/", 3) == 0 ? i + 1 : at;
    patch_add(p, p->git_count, patch_name(str_sub(p->git, at, p->git.n)));
}

/* A line that names a file, in the format of apply_patch or of Git. Both allow
 * what a file may have in its text too: a line that looks like one counts, so
 * that none is missed. */
static bool patch_read_mark(struct title_patch *p, struct str line)
{
    const struct str s = str_trim(line);
    const struct {
        struct str mark;
        size_t *count;
    } marks[] = {{STR("*** Update File: "), &p->edited},
                 {STR("*** Add File: "), &p->added},
                 {STR("*** Delete File: "), &p->deleted},
                 {STR("*** Move to: "), NULL},
                 {STR("rename to "), NULL}};
    for (size_t i = 0; i < countof(marks); i++) {
        const struct str name = str_sub(s, marks[i].mark.n, s.n);
        if (!str_starts(s, marks[i].mark))
            continue;
        if (marks[i].count)
            patch_add(p, marks[i].count, name);
        else
            patch_move(p, name);
        return true;
    }
    if (str_starts(line, STR("diff --git "))) {
        patch_end_git(p);
        p->git = str_sub(line, strlen("diff --git "), line.n);
        p->git_count = &p->edited;
        return true;
    }
    if (p->git.p && str_starts(line, STR("deleted file mode ")))
        p->git_count = &p->deleted;
    if (p->git.p && str_starts(line, STR("new file mode ")))
        p->git_count = &p->added;
    return false;
}

/* Two lines of a unified diff that name a file. */
static bool patch_read_names(struct title_patch *p, struct str line,
                             struct str next)
{
    const size_t mark = strlen("--- ");
    if (!str_starts(line, STR("--- ")) || !str_starts(next, STR("+++ ")))
        return false;
    const struct str from = patch_name(str_sub(line, mark, line.n));
    const struct str to = patch_name(str_sub(next, mark, next.n));
    if (str_is(from, "/dev/null"))
        patch_add(p, &p->added, to);
    else if (str_is(to, "/dev/null"))
        patch_add(p, &p->deleted, from);
    else
        patch_add(p, &p->edited, to);
    return true;
}

static struct title_patch patch_read(struct str text)
{
    struct title_patch p = {.n = 0};
    for (struct str rest = text; rest.p;) {
        const struct str line = str_cut(&rest, '\n');
        const struct str next = str_sub(rest, 0, str_find(rest, '\n', 0));
        if (patch_read_mark(&p, line))
            continue;
        if (patch_read_names(&p, line, next)) {
            str_cut(&rest, '\n');
            continue;
        }
        p.plus += line.n > 0 && line.p[0] == '+';
        p.minus += line.n > 0 && line.p[0] == '-';
    }
    patch_end_git(&p);
    return p;
}

static void title_put_counts(struct buf *b, size_t plus, size_t minus)
{
    buf_printf(b, " (+%zu -%zu)", plus, minus);
}

static void title_put_lines(struct buf *b, struct str text)
{
    const size_t n = str_lines(text);
    buf_printf(b, "%zu line%s", n, n == 1 ? "" : "s");
}

/* "Edit a.ts (+2 -1)", "Patch 3 files, 1 deleted (+5 -9): a.ts, b.ts, c.ts" */
static void title_put_patch(struct buf *b, struct str text, size_t max)
{
    const struct title_patch p = patch_read(text);
    const struct {
        size_t n;
        const char *one, *many;
    } kinds[] = {{p.moved, "Move ", "moved"},
                 {p.added, "Add ", "added"},
                 {p.deleted, "Delete ", "deleted"}};
    if (p.n == 0) {
        buf_put(b, "Apply a patch of ");
        title_put_lines(b, text);
        return;
    }
    if (p.n == 1) {
        size_t i = 0;
        while (i < countof(kinds) && kinds[i].n == 0)
            i++;
        buf_put(b, i < countof(kinds) ? kinds[i].one : "Edit ");
        title_put_path(b, p.names[0], p.moved ? max / 2 : max);
        if (p.moved == 1) {
            buf_put(b, " to ");
            title_put_path(b, p.to, max / 2);
        }
        title_put_counts(b, p.plus, p.minus);
        return;
    }
    buf_printf(b, "Patch %zu files", p.n);
    for (size_t i = 0; i < countof(kinds); i++) {
        if (kinds[i].n > 0)
            buf_printf(b, ", %zu %s", kinds[i].n, kinds[i].many);
    }
    title_put_counts(b, p.plus, p.minus);
    for (size_t i = 0; i < p.n && i < NAMES_MAX; i++) {
        buf_put(b, i ? ", " : ": ");
        title_put_path(b, p.names[i], max / NAMES_MAX);
    }
    if (p.n > NAMES_MAX)
        buf_printf(b, " and %zu more", p.n - NAMES_MAX);
}

/* ---- other arguments ------------------------------------------------ */

struct title_names {
    struct str v[NAMES_MAX];
    size_t n;
};

static void title_add_name(struct title_names *names, struct str name)
{
    for (size_t i = 0; i < names->n && i < NAMES_MAX; i++) {
        if (str_eq(names->v[i], name))
            return;
    }
    if (names->n < NAMES_MAX)
        names->v[names->n] = name;
    names->n++;
}

/* Is the argument set to anything? */
static bool title_is_set(const struct json *v)
{
    switch (json_type(v)) {
    case JSON_NULL:
        return false;
    case JSON_BOOL:
        return json_bool(v);
    case JSON_STRING:
        return json_text(v).n > 0;
    case JSON_ARRAY:
    case JSON_OBJECT:
        return json_count(v) > 0;
    case JSON_INT:
    case JSON_DOUBLE:
    case JSON__MAX:
    default:
        return true;
    }
}

/* " with replace_all": each argument of which the title says nothing else. */
static void title_put_rest(struct buf *b, const struct tool_action *c)
{
    const struct tool_row *r = c->row;
    const struct str plain = str_of(r->plain ? r->plain : "");
    struct title_names names = {.n = 0};
    for (struct json_iter i = json_iter(c->rest); json_next(&i);) {
        if (str_eq(i.key, c->member) || str_is(plain, "*") ||
            str_listed(plain, i.key) || !title_is_set(i.value) ||
            (r->when && str_is(i.key, r->when)))
            continue;
        title_add_name(&names, i.key);
    }
    for (size_t k = 0; k < c->n; k++) {
        for (struct json_iter m = json_iter(c->parts[k].more); json_next(&m);) {
            if (title_is_set(m.value))
                title_add_name(&names, m.key);
        }
    }
    for (size_t i = 0; i < names.n && i < NAMES_MAX; i++) {
        buf_put(b, i ? ", " : " with ");
        title_put_path(b, names.v[i], NAME_MAX);
    }
    if (names.n > NAMES_MAX)
        buf_printf(b, " and %zu more", names.n - NAMES_MAX);
}

/* ---- titles --------------------------------------------------------- */

/* The lines that the edits of a call change, or those of its content. */
static void title_put_changes(struct buf *b, const struct tool_action *c)
{
    size_t plus = 0, minus = 0, edits = 0;
    for (size_t i = 0; i < c->n; i++) {
        const struct tool_part *p = &c->parts[i];
        struct arena *own = arena_within(c->a);
        struct line_diff d;
        if (p->type == TOOL_PART_EDIT) {
            line_diff(own, p->before, p->after, &d);
            plus += d.added;
            minus += d.removed;
            edits++;
        } else if (p->type == TOOL_PART_CONTENT) {
            buf_put(b, " (");
            title_put_lines(b, p->text);
            buf_char(b, ')');
        }
        arena_free(own);
    }
    if (edits > 0)
        title_put_counts(b, plus, minus);
}

static void title_put_tool(struct buf *b, struct str tool)
{
    buf_put(b, title_put(b, tool, NAME_MAX, false) > 0 ? ELLIPSIS : "");
}

/* In one line; nothing where no row fits. */
static void title_put_call(struct buf *b, const struct tool_action *c,
                           size_t max)
{
    const struct tool_row *r = c->row;
    if (r->verb) {
        buf_put(b, r->verb);
    } else {
        buf_put(b, "Run ");
        title_put_tool(b, c->tool);
    }
    /* Behind a command everything could be taken for a part of it. */
    const size_t before = b->n;
    if (r->form == TOOL_COMMAND)
        title_put_rest(b, c);
    buf_put(b, !r->verb || b->n > before ? ": " : r->verb[0] ? " " : "");
    switch (r->form) {
    case TOOL_PATH:
        title_put_path(b, c->value, max);
        break;
    case TOOL_URL:
        title_put_url(b, c->value, max);
        break;
    case TOOL_PATCH:
        title_put_patch(b, c->value, max);
        break;
    case TOOL_COMMAND:
    case TOOL_WORDS:
    default:
        title_put_words(b, c->value, max);
    }
    title_put_changes(b, c);
    if (r->form != TOOL_COMMAND)
        title_put_rest(b, c);
}

static struct str title_call_text(struct arena *a, const struct json *call,
                                  size_t max)
{
    const struct tool_action c =
        tool_action(a, json_get_text(call, "tool"), json_get(call, "args"));
    struct buf b = buf_make(a, SIZE_MAX / 2);
    if (c.row)
        title_put_call(&b, &c, max);
    return b.n > 0 ? buf_text(&b) : STR_NONE;
}

/* "3 calls: Run `make`; Run shop.refund; ..." */
static struct str title_calls(struct arena *a, const struct json *calls)
{
    const size_t n = json_count(calls);
    struct buf b = buf_make(a, SIZE_MAX / 2);
    bool any = false;
    size_t i = 0;
    buf_printf(&b, "%zu calls", n);
    for (; i < n &&
           (i == 0 || str_runes(buf_text(&b)) < TOOL_TITLE_MAX - VALUE_MAX);
         i++) {
        const struct str title =
            title_call_text(a, json_at(calls, i), VALUE_MAX / (n < 3 ? n : 3));
        any = any || title.p;
        buf_put(&b, i ? "; " : ": ");
        if (title.p) {
            buf_str(&b, title);
        } else {
            buf_put(&b, "Run ");
            title_put_tool(&b, json_get_text(json_at(calls, i), "tool"));
        }
    }
    if (i < n)
        buf_printf(&b, "; and %zu more", n - i);
    return any ? buf_text(&b) : STR_NONE;
}

struct str tool_title(struct arena *a, const struct json *subject)
{
    const struct json *calls = json_get(subject, "calls");
    const struct str title =
        json_count(calls) > 1
            ? title_calls(a, calls)
            : title_call_text(a, json_at(calls, 0), VALUE_MAX);
    const struct str head = str_head(title, TOOL_TITLE_MAX - 1);
    return str_runes(title) <= TOOL_TITLE_MAX
               ? title
               : arena_join(a, head, STR(ELLIPSIS));
}

bool tool_title_of(struct arena *a, const struct suspension *s,
                   const struct json *subject)
{
    return s->title.p && s->kind == KIND_APPROVAL &&
           str_eq(s->title, tool_title(a, subject));
}
