/* Tool calls by the table of tools: their titles, none of which hides anything,
 * and their parts. */
#include "domain/permit/tool_title.h"

#include "base/text.h"
#include "domain/permit/tool_action.h"
#include "suite.h"

SUITE(tool_title);

/* The title of one call; "" where there is none. */
static struct str title(const char *tool, const char *args)
{
    struct json *subject = json_object(a), *calls = json_array(a);
    struct json *call = json_object(a);
    json_set_text(call, "tool", str_of(tool));
    json_set_json(call, "args", tree(args));
    json_add_json(calls, call);
    json_set_json(subject, "calls", calls);
    const struct str s = tool_title(a, subject);
    return s.p ? s : STR("");
}

Test(tool_title, tools_of_coding_agents)
{
    static const struct {
        const char *tool, *args, *title;
    } cases[] = {
        /* Claude Code */
        {"Bash", "{'command':'rm -rf build','description':'Clean'}",
         "Run `rm -rf build`"},
        {"Bash",
         "{'command':'npm run dev','run_in_background':true,'timeout':600}",
         "Run with run_in_background: `npm run dev`"},
        {"Bash",
         "{'command':'make','dangerouslyDisableSandbox':true,"
         "'run_in_background':false}",
         "Run with dangerouslyDisableSandbox: `make`"},
        {"Edit",
         "{'file_path':'src/cart.ts','old_string':'a\\nb\\nc\\nd',"
         "'new_string':'a\\nx\\nc\\ny'}",
         "Edit src/cart.ts (+2 -2)"},
        {"Edit",
         "{'file_path':'src/cart.ts','old_string':'a','new_string':'b',"
         "'replace_all':true}",
         "Edit src/cart.ts (+1 -1) with replace_all"},
        {"Edit",
         "{'file_path':'src/cart.ts','old_string':'a','new_string':'b',"
         "'replace_all':false}",
         "Edit src/cart.ts (+1 -1)"},
        {"MultiEdit",
         "{'file_path':'a.ts','edits':[{'old_string':'a','new_string':'b'},"
         "{'old_string':'c','new_string':'','replace_all':true}]}",
         "Edit a.ts (+1 -2) with replace_all"},
        {"Write", "{'file_path':'/srv/shop/a.md','content':'a\\nb\\n'}",
         "Write /srv/shop/a.md (2 lines)"},
        {"Write", "{'file_path':'a','content':''}", "Write a (0 lines)"},
        {"NotebookEdit",
         "{'notebook_path':'n.ipynb','cell_id':'c1','new_source':'x'}",
         "Edit a cell of n.ipynb (1 line)"},
        {"NotebookEdit",
         "{'notebook_path':'n.ipynb','cell_id':'c1','new_source':'',"
         "'edit_mode':'delete'}",
         "Delete a cell of n.ipynb (0 lines)"},
        {"Read", "{'file_path':'/etc/passwd','offset':1}",
         "Read /etc/passwd"},
        {"Glob", "{'pattern':'**/*.ts'}", "Find files `**/*.ts`"},
        {"Grep", "{'pattern':'TODO','path':'src'}",
         "Search files for `TODO`"},
        {"WebFetch", "{'url':'https://example.com','prompt':'Sum it up'}",
         "Fetch example.com"},
        {"WebFetch", "{'url':'https://example.com/a?b=c','prompt':'x'}",
         "Fetch example.com/a?b=c"},
        {"WebSearch", "{'query':'c17  fastcgi'}",
         "Search the web for `c17 fastcgi`"},
        {"Task",
         "{'description':'Harmless','prompt':'Delete all',"
         "'subagent_type':'general-purpose'}",
         "Start an agent: `Delete all`"},
        /* Codex */
        {"shell", "{'command':['bash','-lc','ls; rm -rf /']}",
         "Run `ls; rm -rf /`"},
        {"shell", "{'command':['git','commit','-m','a b','$x']}",
         "Run `git commit -m 'a b' '$x'`"},
        {"shell", "{'command':['apply_patch','*** Begin Patch\\n"
                  "*** Delete File: a\\n*** End Patch'],'workdir':'/x'}",
         "Delete a (+0 -0) with workdir"},
        {"exec_command",
         "{'cmd':'ls','sandbox_permissions':'require_escalated',"
         "'justification':'x'}",
         "Run with sandbox_permissions, justification: `ls`"},
        {"apply_patch",
         "{'input':'*** Begin Patch\\n*** Update File: src/a.c\\n@@\\n"
         " x\\n-a\\n+b\\n+c\\n*** End Patch'}",
         "Edit src/a.c (+2 -1)"},
        {"apply_patch", "{'command':'*** Begin Patch\\n*** Add File: n\\n"
                        "+a\\n*** End Patch'}",
         "Add n (+1 -0)"},
        {"apply_patch",
         "{'patch':'*** Begin Patch\\n*** Update File: a\\n*** Move to: b\\n"
         "@@\\n-x\\n+y\\n*** End Patch'}",
         "Move a to b (+1 -1)"},
        {"apply_patch",
         "{'input':'*** Begin Patch\\n*** Update File: a\\n-x\\n+y\\n"
         "*** Add File: b\\n+y\\n  *** Delete File: c\\n*** Delete File: d\\n"
         "*** End Patch'}",
         "Patch 4 files, 1 added, 2 deleted (+2 -1): a, b, c and 1 more"},
        {"apply_patch", "{'input':'nothing\\nof this'}",
         "Apply a patch of 2 lines"},
        /* Gemini CLI, Cursor */
        {"run_shell_command", "{'command':'make','directory':'x'}",
         "Run with directory: `make`"},
        {"replace",
         "{'file_path':'a','old_string':'x','new_string':'y',"
         "'instruction':'i'}",
         "Edit a (+1 -1)"},
        {"write_file", "{'file_path':'a','content':'x'}",
         "Write a (1 line)"},
        {"web_fetch", "{'prompt':'Read https://example.com'}",
         "Fetch: `Read https://example.com`"},
        {"google_web_search", "{'query':'x'}", "Search the web for `x`"},
        {"Shell", "{'command':'ls'}", "Run `ls`"},
        {"StrReplace", "{'path':'a','old_string':'x','new_string':'y'}",
         "Edit a (+1 -1)"},
        /* Anthropic's editor, whose command is not a shell's */
        {"str_replace_based_edit_tool",
         "{'command':'str_replace','path':'a','old_str':'x','new_str':'y'}",
         "Edit a (+1 -1)"},
        {"str_replace_based_edit_tool",
         "{'command':'create','path':'a','file_text':'x'}",
         "Write a (1 line)"},
        {"str_replace_based_edit_tool",
         "{'command':'insert','path':'a','insert_line':3,'insert_text':'x'}",
         "Insert into a (1 line)"},
        {"str_replace_based_edit_tool", "{'command':'view','path':'a'}",
         "Read a"},
        /* Any other tool */
        {"mcp__db__query", "{'query':'DROP TABLE x'}",
         "Run mcp__db__query: `DROP TABLE x`"},
        {"mcp__sh__exec", "{'command':'ls','env':{'A':'b'}}",
         "Run mcp__sh__exec with env: `ls`"},
        {"mcp__fs__edit_file",
         "{'path':'a','edits':[{'oldText':'x','newText':'y'}],"
         "'dryRun':false}",
         "Run mcp__fs__edit_file: a (+1 -1)"},
        {"fs.move", "{'path':'/a','destination':'/b','mode':'x','y':1,'z':1}",
         "Run fs.move: /a with destination, mode, y and 1 more"},
        {"browser.open", "{'url':'http://example.com/x'}",
         "Run browser.open: http://example.com/x"},
        {"git.apply",
         "{'patch':'diff --git a/x b/x\\n--- a/x\\n+++ b/x\\n@@ -1 +1 @@\\n"
         "-a\\n+b\\ndiff --git a/y b/z\\nrename from y\\nrename to z\\n"
         "diff --git a/q b/q\\ndeleted file mode 100644\\n--- a/q\\n"
         "+++ /dev/null\\n-x\\ndiff --git a/bin b/bin\\n'}",
         "Run git.apply: Patch 4 files, 1 moved, 1 deleted (+1 -2): x, z, q "
         "and 1 more"},
        /* No row fits */
        {"shop.refund", "{'order':'12345','amount':1}", ""},
        {"Bash", "{}", ""},
        {"Bash", "{'command':'  '}", ""},
        {"Bash", "{'command':7}", ""},
        {"Bash", "{'command':['ls',7]}", ""},
        {"Edit", "{'old_string':'a','new_string':'b'}", ""},
        {"Bash", NULL, ""},
    };
    for (size_t i = 0; i < countof(cases); i++) {
        const struct str got = title(cases[i].tool, cases[i].args);
        cr_expect(str_is(got, cases[i].title), "%s %s: %.*s", cases[i].tool,
                  cases[i].args, STR_FMT(got));
    }
}

Test(tool_title, hides_nothing)
{
    static const struct {
        const char *tool, *args, *title;
    } cases[] = {
        {"Bash", "{'command':'ls\\nrm -rf /\\n'}",
         "Run `ls \xE2\x86\xB5 rm -rf /`"},
        {"Bash", "{'command':'ls\\r\\n\\t rm'}", "Run `ls \xE2\x86\xB5 rm`"},
        {"Bash",
         "{'command':'ls                                                     "
         "                                                         ; rm'}",
         "Run `ls ; rm`"},
        {"Bash", "{'command':'echo `id`'}", "Run ``echo `id```"},
        {"Bash", "{'command':'a\\u202eb\\u200bc\\u001b[2K'}",
         "Run `a[U+202E]b[U+200B]c[U+001B][2K`"},
        {"Edit", "{'file_path':'a (+0 -0)','content':'x'}",
         "Edit \"a (+0 -0)\" (1 line)"},
        {"Edit", "{'file_path':'a\\\" (+0 -0) \\\"','content':'x'}",
         "Edit \"a\\\" (+0 -0) \\\"\" (1 line)"},
        {"WebFetch", "{'url':'https://a b@evil.test (x)/'}",
         "Fetch \"evil.test (x)\" by the URL \"https://a b@evil.test (x)/\""},
        {"Read",
         "{'file_path':'\\u202e\\u202e\\u202e\\u202e\\u202e\\u202e"
         "\\u202e\\u202e\\u202e\\u202e\\u202e\\u202e\\u202e/etc'}",
         "Read \"[U+202E][U+202E][U+202E][U+202E][U+202E][U+202E][U+202E]"
         "[U+202E]\xE2\x80\xA6\""},
        {"Read", "{'file_path':'a\\nb\\u202e'}",
         "Read \"a \xE2\x86\xB5 b[U+202E]\""},
        {"Read", "{'file_path':'caf\xC3\xA9/\xE6\x96\x87.md'}",
         "Read caf\xC3\xA9/\xE6\x96\x87.md"},
        {"WebFetch", "{'url':'https://example.com@evil.test/'}",
         "Fetch evil.test by the URL \"https://example.com@evil.test/\""},
        {"WebFetch", "{'url':'https://evil.test\\\\@example.com/'}",
         "Fetch \"https://evil.test\\@example.com/\""},
        {"WebFetch", "{'url':'HTTPS://Example.com#x'}",
         "Fetch Example.com#x"},
        {"WebFetch", "{'url':'https://ex\xD0\xB0mple.com/'}",
         "Fetch \"https://ex\xD0\xB0mple.com/\""},
        {"WebFetch", "{'url':'file:///etc/passwd'}",
         "Fetch \"file:///etc/passwd\""},
        {"WebFetch", "{'url':'javascript:x'}", "Fetch \"javascript:x\""},
        {"fetch", "{'url':'https://example.com','method':'POST','body':'x'}",
         "Fetch example.com with method, body"},
        {"fs.x", "{'path':'a','b (c)':1}", "Run fs.x: a with \"b (c)\""},
    };
    for (size_t i = 0; i < countof(cases); i++) {
        const struct str got = title(cases[i].tool, cases[i].args);
        cr_expect(str_is(got, cases[i].title), "%s %s: %.*s", cases[i].tool,
                  cases[i].args, STR_FMT(got));
    }
}

static struct str repeated(const char *text, size_t n)
{
    struct buf b = buf_make(a, SIZE_MAX / 2);
    for (size_t i = 0; i < n; i++)
        buf_put(&b, text);
    return buf_text(&b);
}

static struct str title_with(const char *tool, const char *member,
                             struct str text)
{
    struct json *args = json_object(a);
    json_set_text(args, member, text);
    return title(tool, text_of(args));
}

/* Characters that do not fit are counted. */
Test(tool_title, long_values)
{
    const struct str hundred = repeated("x", 100);
    const struct str command = repeated("x", 312);
    struct str got = title_with("Bash", "command", command);
    cr_expect(str_eq(got, arena_join(a, STR("Run `"), hundred,
                                     STR("` \xE2\x80\xA6 212 more "
                                         "characters"))),
              "%.*s", STR_FMT(got));
    got = title("Edit", "{'file_path':'/home/anna/projects/shop/web/src/"
                        "components/checkout/items/cart.ts',"
                        "'old_string':'a','new_string':'b'}");
    cr_expect(str_is(got, "Edit /home/anna/projects/\xE2\x80\xA6"
                          "eb/src/components/checkout/items/cart.ts (+1 -1)"),
              "%.*s", STR_FMT(got));
    got = title_with("Read", "file_path", repeated("d/", 500));
    cr_expect(str_starts(got, STR("Read d/d/")), "%.*s", STR_FMT(got));
    cr_expect(str_ends(got, STR("d/d/")), "%.*s", STR_FMT(got));
    cr_expect_lt(str_search(got, STR("\xE2\x80\xA6")), got.n);
    got = title_with("Bash", "command", repeated("\xE2\x80\xAE", 5000));
    cr_expect_leq(str_runes(got), TOOL_TITLE_MAX, "%.*s", STR_FMT(got));
    got = title_with("WebFetch", "url", repeated("https://a/b", 5000));
    cr_expect(str_ends(got, STR("\xE2\x80\xA6\"")) ||
                  str_ends(got, STR("\xE2\x80\xA6")),
              "%.*s", STR_FMT(got));
}

Test(tool_title, several_calls)
{
    static const struct {
        const char *subject, *title;
    } cases[] = {
        {"{'calls':[{'tool':'Bash','args':{'command':'make'}},"
         "{'tool':'Edit','args':{'file_path':'a','old_string':'x',"
         "'new_string':'y'}},{'tool':'shop.refund','args':{}}]}",
         "3 calls: Run `make`; Edit a (+1 -1); Run shop.refund"},
        {"{'calls':[{'tool':'x','args':{}},{'tool':'y','args':{}}]}", ""},
        {"{'calls':[]}", ""},
        {"{}", ""},
        {"{'calls':'x'}", ""},
        {"{'calls':['x',7]}", ""},
    };
    for (size_t i = 0; i < countof(cases); i++) {
        const struct str got = tool_title(a, tree(cases[i].subject));
        cr_expect(str_eq(got.p ? got : STR(""), str_of(cases[i].title)),
                  "%zu: %.*s", i, STR_FMT(got));
    }
    struct json *subject = json_object(a), *calls = json_array(a);
    for (size_t i = 0; i < 50; i++)
        json_add_json(calls, tree("{'tool':'Bash','args':{'command':"
                                  "'make a very long command of this one'}}"));
    json_set_json(subject, "calls", calls);
    const struct str got = tool_title(a, subject);
    cr_expect(str_starts(got, STR("50 calls: Run `")), "%.*s", STR_FMT(got));
    cr_expect(str_ends(got, STR("; and 48 more")), "%.*s", STR_FMT(got));
    cr_expect_leq(str_runes(got), TOOL_TITLE_MAX);
}

/* Every text of the arguments is a part or among the other arguments. */
Test(tool_title, parts)
{
    static const struct {
        const char *tool, *args, *parts, *rest;
    } cases[] = {
        {"Bash", "{'command':'make','timeout':3}", "command make|",
         "{'timeout':3}"},
        {"shell", "{'command':['bash','-c','x']}", "command x|",
         "{'command':['bash','-c','x']}"},
        {"Edit", "{'file_path':'a','old_string':'x','new_string':'y'}",
         "edit x > y|", "{'file_path':'a'}"},
        {"MultiEdit",
         "{'file_path':'a','edits':[{'old_string':'x','new_string':'y'},"
         "{'old_string':'p','new_string':'q','replace_all':true}]}",
         "edit x > y|edit p > q with {\"replace_all\":true}|",
         "{'file_path':'a'}"},
        {"MultiEdit",
         "{'file_path':'a','edits':[{'old_string':'x','new_string':'y'},7]}",
         "",
         "{'file_path':'a','edits':[{'old_string':'x','new_string':'y'},7]}"},
        {"MultiEdit", "{'file_path':'a','edits':[]}", "",
         "{'file_path':'a'}"},
        {"x", "{'old_text':'a','new_text':'b','new_str':'c'}", "edit a > b|",
         "{'new_str':'c'}"},
        {"MultiEdit",
         "{'file_path':'a','edits':[{'old_string':'x','new_string':7},9]}",
         "",
         "{'file_path':'a','edits':[{'old_string':'x','new_string':7},9]}"},
        {"mcp__db__query", "{'query':'x','database':'y'}", "command x|",
         "{'database':'y'}"},
        {"Write", "{'file_path':'a','content':'x'}", "content x|",
         "{'file_path':'a'}"},
        {"apply_patch", "{'input':'p'}", "patch p|", "{}"},
        {"shop.note", "{'content':'x'}", "", "{'content':'x'}"},
        {"shop.refund", "{'amount':1}", "", "{'amount':1}"},
        {"shop.refund", NULL, "", "{}"},
    };
    static const char *const words[] = {"command", "content", "patch",
                                        "edit"};
    for (size_t i = 0; i < countof(cases); i++) {
        const struct tool_action p =
            tool_action(a, str_of(cases[i].tool), tree(cases[i].args));
        struct buf b = buf_make(a, 1 << 20);
        for (size_t k = 0; k < p.n; k++) {
            const bool edit = p.parts[k].type == TOOL_PART_EDIT;
            buf_put(&b, words[p.parts[k].type]);
            buf_char(&b, ' ');
            buf_str(&b, edit ? p.parts[k].before : p.parts[k].text);
            buf_put(&b, edit ? " > " : "");
            buf_str(&b, edit ? p.parts[k].after : STR(""));
            buf_put(&b, p.parts[k].more ? " with " : "");
            buf_put(&b, p.parts[k].more ? text_of(p.parts[k].more) : "");
            buf_char(&b, '|');
        }
        const struct str got = b.n ? buf_text(&b) : STR("");
        cr_expect(str_is(got, cases[i].parts), "%zu: %.*s", i, STR_FMT(got));
        same(p.rest, cases[i].rest);
    }
}

/* Odd input of any form gives a bounded title of visible characters, and no
 * text of an edit is lost. */
Test(tool_title, any_arguments)
{
    static const char *const tools[] = {"Bash", "Edit", "MultiEdit", "Write",
                                        "apply_patch", "WebFetch", "Task",
                                        "shell", "x"};
    static const char *const names[] = {
        "command",    "file_path", "old_string", "new_string", "edits",
        "content",    "url",       "query",      "patch",      "input",
        "path",       "edit_mode", "prompt",     "\xE2\x80\xAE", ""};
    static const char *const values[] = {
        "\"\"",        "\" \"",      "7",       "null",       "[]",
        "{}",          "[[]]",       "[\"\"]",  "[\"a\",\"b\"]",
        "\"a\\nb\"",   "\"`\"",      "\"\\u202e\\u0000\"",
        "\"*** Update File: \\n*** Move to:\\n--- \\n+++ \\ndiff --git \"",
        "\"https://@\\\\:\"",        "\"://\"",
        "[{\"old_string\":\"a\",\"new_string\":\"b\"},{},null]", "\"\\n\\n\""};
    unsigned seed = 3;
    for (size_t round = 0; round < 4000; round++) {
        struct arena *whole = a;
        a = arena_within(whole);
        struct buf b = buf_make(a, 1 << 20);
        buf_char(&b, '{');
        for (size_t i = 0; i < countof(names); i++) {
            seed = seed * 1103515245 + 12345;
            const size_t pick = (seed >> 16) % (2 * countof(values));
            if (pick >= countof(values) || pick == 11)
                continue;
            json_write_text(&b, b.n > 1 ? "," : "", str_of(names[i]));
            buf_char(&b, ':');
            buf_put(&b, values[pick]);
        }
        buf_char(&b, '}');
        const struct json *args = tree_of(buf_text(&b));
        const char *tool = tools[round % countof(tools)];
        const struct str got = title(tool, text_of(args));
        cr_expect_leq(str_runes(got), TOOL_TITLE_MAX);
        cr_expect(str_utf8(got) || got.n == 0);
        cr_expect_eq(str_find(got, '\n', 0), got.n);
        for (size_t at = 0; at < got.n; (void)str_rune(got, &at))
            cr_expect(!text_hidden_at(got, at), "%.*s", STR_FMT(got));
        const struct tool_action p = tool_action(a, str_of(tool), args);
        cr_expect(json_is(p.rest, JSON_OBJECT));
        arena_free(a);
        a = whole;
    }
}
