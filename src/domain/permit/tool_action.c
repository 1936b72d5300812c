/* A tool call, read by the table of tools. */
#include "domain/permit/tool_action.h"

/* ---- the table ------------------------------------------------------ */

static const struct tool_row rows[] = {
    {.tools = "Bash bash Shell shell local_shell exec_command shell_command "
              "run_shell_command run_terminal_cmd execute_command",
     .verb = "Run",
     .form = TOOL_COMMAND,
     .members = "command cmd",
     .plain = "description timeout timeout_ms"},
    {.tools = "apply_patch",
     .verb = "",
     .form = TOOL_PATCH,
     .members = "input patch command"},
    {.tools = "str_replace_based_edit_tool str_replace_editor",
     .when = "command",
     .is = "create",
     .verb = "Write",
     .form = TOOL_PATH,
     .members = "path"},
    {.tools = "str_replace_based_edit_tool str_replace_editor",
     .when = "command",
     .is = "str_replace",
     .verb = "Edit",
     .form = TOOL_PATH,
     .members = "path"},
    {.tools = "str_replace_based_edit_tool str_replace_editor",
     .when = "command",
     .is = "insert",
     .verb = "Insert into",
     .form = TOOL_PATH,
     .members = "path",
     .plain = "insert_line"},
    {.tools = "str_replace_based_edit_tool str_replace_editor",
     .when = "command",
     .is = "view",
     .verb = "Read",
     .form = TOOL_PATH,
     .members = "path",
     .plain = "*"},
    {.tools = "NotebookEdit EditNotebook",
     .when = "edit_mode",
     .is = "delete",
     .verb = "Delete a cell of",
     .form = TOOL_PATH,
     .members = "notebook_path path",
     .plain = "cell_id cell_type new_source"},
    {.tools = "NotebookEdit EditNotebook",
     .when = "edit_mode",
     .is = "insert",
     .verb = "Insert a cell into",
     .form = TOOL_PATH,
     .members = "notebook_path path",
     .plain = "cell_id cell_type"},
    {.tools = "NotebookEdit EditNotebook",
     .verb = "Edit a cell of",
     .form = TOOL_PATH,
     .members = "notebook_path path",
     .plain = "cell_id cell_type"},
    {.tools = "Edit MultiEdit StrReplace replace edit_file search_replace",
     .verb = "Edit",
     .form = TOOL_PATH,
     .members = "file_path path",
     .plain = "instruction expected_replacements"},
    {.tools = "Write write_file create_file",
     .verb = "Write",
     .form = TOOL_PATH,
     .members = "file_path path"},
    {.tools = "Delete delete_file",
     .verb = "Delete",
     .form = TOOL_PATH,
     .members = "file_path path target_file"},
    {.tools = "Read read_file view_image",
     .verb = "Read",
     .form = TOOL_PATH,
     .members = "file_path absolute_path path target_file",
     .plain = "*"},
    {.tools = "LS ls list_directory list_dir",
     .verb = "List",
     .form = TOOL_PATH,
     .members = "path dir_path",
     .plain = "*"},
    {.tools = "Glob glob",
     .verb = "Find files",
     .form = TOOL_WORDS,
     .members = "pattern",
     .plain = "*"},
    {.tools = "Grep grep grep_search search_file_content",
     .verb = "Search files for",
     .form = TOOL_WORDS,
     .members = "pattern query",
     .plain = "*"},
    {.tools = "WebFetch web_fetch fetch",
     .verb = "Fetch",
     .form = TOOL_URL,
     .members = "url",
     .plain = "prompt"},
    {.tools = "web_fetch",
     .verb = "Fetch:",
     .form = TOOL_WORDS,
     .members = "prompt"},
    {.tools = "WebSearch web_search google_web_search",
     .verb = "Search the web for",
     .form = TOOL_WORDS,
     .members = "query search_term",
     .plain = "explanation"},
    {.tools = "Task Agent",
     .verb = "Start an agent:",
     .form = TOOL_WORDS,
     .members = "prompt",
     .plain = "description subagent_type"},
    /* Any other tool, by the usual names of arguments. */
    {.form = TOOL_COMMAND, .members = "command cmd script code sql"},
    {.form = TOOL_PATCH, .members = "patch diff"},
    {.form = TOOL_PATH,
     .members = "file_path path filepath filename notebook_path "
                "absolute_path"},
    {.form = TOOL_URL, .members = "url uri"},
    {.form = TOOL_WORDS, .members = "query"},
};

/* The members of an edit, and of a file's whole content. */
static const char *const pairs[][2] = {{"old_string", "new_string"},
                                       {"old_str", "new_str"},
                                       {"oldText", "newText"},
                                       {"old_text", "new_text"}};
static const char contents[] =
    "content contents file_text new_source insert_text new_str";

/* The first of the members that has a text, or is a list of texts. */
static const struct json *action_member(const struct json *args,
                                        const char *members, struct str *name)
{
    for (struct str rest = str_of(members); rest.p;) {
        *name = str_cut(&rest, ' ');
        const struct json *v = json_get_str(args, *name);
        if (str_trim(json_text(v)).n > 0)
            return v;
        bool texts = json_is(v, JSON_ARRAY) && json_count(v) > 0;
        for (size_t i = 0; i < json_count(v); i++)
            texts = texts && json_is(json_at(v, i), JSON_STRING);
        if (texts)
            return v;
    }
    return NULL;
}

/* A word of a shell's command, quoted where it has to be. */
static void action_put_word(struct buf *b, struct str word)
{
    bool plain = word.n > 0;
    for (size_t i = 0; i < word.n; i++)
        plain = plain && word.p[i] > ' ' &&
                !strchr("'\"\\$`&|;<>()*?[]{}#!~", word.p[i]);
    if (plain) {
        buf_str(b, word);
        return;
    }
    buf_char(b, '\'');
    for (size_t i = 0; i < word.n; i++) {
        if (word.p[i] == '\'')
            buf_put(b, "'\\'");
        buf_char(b, word.p[i]);
    }
    buf_char(b, '\'');
}

/* A command of words as one line: what a shell gets, where it is one. */
static struct str action_words(struct arena *a, const struct json *list)
{
    const struct str shell = json_text(json_at(list, 0));
    const struct str name = str_sub(
        shell, str_starts(shell, STR("/bin/")) ? strlen("/bin/") : 0, shell.n);
    const struct str flag = json_text(json_at(list, 1));
    struct buf b = buf_make(a, SIZE_MAX / 2);
    if (json_count(list) == 3 && str_listed(STR("bash sh zsh"), name) &&
        str_listed(STR("-c -lc"), flag))
        return json_text(json_at(list, 2));
    for (size_t i = 0; i < json_count(list); i++) {
        buf_put(&b, i ? " " : "");
        action_put_word(&b, json_text(json_at(list, i)));
    }
    return buf_text(&b);
}

/* The row of apply_patch: Codex also calls it by its shell. */
#define PATCH_ROW (&rows[1])

static void action_find(struct tool_action *c)
{
    for (size_t i = 0; i < countof(rows) && !c->row; i++) {
        const struct tool_row *r = &rows[i];
        if ((r->tools && !str_listed(str_of(r->tools), c->tool)) ||
            (r->when && !str_is(json_get_text(c->args, r->when), r->is)))
            continue;
        const struct json *v = action_member(c->args, r->members, &c->member);
        const bool list = json_is(v, JSON_ARRAY);
        if (!v || (list && r->form != TOOL_COMMAND))
            continue;
        const bool patch = list && json_count(v) == 2 &&
                           str_is(json_text(json_at(v, 0)), "apply_patch");
        c->row = patch ? PATCH_ROW : r;
        c->value = patch  ? json_text(json_at(v, 1))
                   : list ? action_words(c->a, v)
                          : json_text(v);
    }
}

/* ---- parts ---------------------------------------------------------- */

static void action_add_part(struct tool_action *c, struct tool_part part)
{
    c->parts[c->n++] = part;
}

/* The edit in an object; false: there is none. Its copy loses the two texts.
 */
static bool action_read_edit(const struct json *o, struct json *copy,
                             struct tool_part *out)
{
    for (size_t i = 0; i < countof(pairs); i++) {
        const struct json *before = json_get(o, pairs[i][0]);
        const struct json *after = json_get(o, pairs[i][1]);
        if (!json_is(before, JSON_STRING) || !json_is(after, JSON_STRING))
            continue;
        *out = (struct tool_part){.type = TOOL_PART_EDIT,
                                  .before = json_text(before),
                                  .after = json_text(after),
                                  .more = copy};
        json_unset(copy, str_of(pairs[i][0]));
        json_unset(copy, str_of(pairs[i][1]));
        if (json_count(copy) == 0)
            out->more = NULL;
        return true;
    }
    return false;
}

static void action_add_edits(struct tool_action *c)
{
    const struct json *list = json_get(c->args, "edits");
    const struct json *copy = json_copy(c->a, list);
    const size_t n = json_count(list);
    struct tool_part edit;
    if (action_read_edit(c->args, c->rest, &edit)) {
        edit.more = NULL; /* they are arguments */
        action_add_part(c, edit);
    }
    if (!json_is(list, JSON_ARRAY) || n > TOOL_PARTS_MAX / 2)
        return;
    const size_t before = c->n;
    for (size_t i = 0; i < n; i++) {
        if (!action_read_edit(json_at(list, i), json_at(copy, i), &edit)) {
            c->n = before;
            return;
        }
        action_add_part(c, edit);
    }
    json_unset(c->rest, STR("edits"));
}

static void action_read_parts(struct tool_action *c)
{
    const enum tool_form form = c->row ? c->row->form : TOOL_URL;
    c->rest = json_copy(c->a, c->args);
    if (form == TOOL_COMMAND || form == TOOL_WORDS || form == TOOL_PATCH) {
        action_add_part(c, (struct tool_part){form == TOOL_PATCH
                                                  ? TOOL_PART_PATCH
                                                  : TOOL_PART_COMMAND,
                                              .text = c->value});
        if (json_is(json_get_str(c->args, c->member), JSON_STRING))
            json_unset(c->rest, c->member);
    }
    action_add_edits(c);
    for (struct str rest = str_of(contents); form == TOOL_PATH && rest.p;) {
        const struct str name = str_cut(&rest, ' ');
        const struct json *v = json_get_str(c->args, name);
        if (!json_is(v, JSON_STRING) ||
            !json_has(c->rest, arena_z(c->a, name)))
            continue; /* or it is the text of an edit */
        action_add_part(
            c, (struct tool_part){TOOL_PART_CONTENT, .text = json_text(v)});
        json_unset(c->rest, name);
    }
}

struct tool_action tool_action(struct arena *a, struct str tool,
                               const struct json *args)
{
    struct tool_action c = {.a = a, .tool = tool, .args = args};
    if (!json_is(args, JSON_OBJECT))
        c.args = json_object(a);
    action_find(&c);
    action_read_parts(&c);
    return c;
}
