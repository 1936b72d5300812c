/* Tool calls: the five shapes, and the question about them. */
#include "domain/permit/tool_call.h"

#include "base/crypt.h"
#include "base/json/fields.h"
#include "base/text.h"
#include "domain/vocabulary.h"

#define LIST_MAX 200 /* characters of tools in one line */
#define SUBJECT_ROOM ((size_t)8 << 20)

const char tool_call_arguments[] = "tool_call.arguments";

/* The members that say which tool runs. Other members are ignored: platforms
 * add some from version to version, and no permit depends on them. */
static const char *const shape_members[] = {
    "type",  "tool",        "function",      "name",
    "input", "plugin_name", "function_name", "arguments"};

/* A shape: its members of that list, and where the tool and arguments are. */
static const struct shape {
    const char *marks, *may; /* of shape_members, a space between */
    const char *type;        /* what "type" says, where it is there */
    const char *inner;       /* the object that holds the next two, or NULL */
    const char *tool, *arguments;
    bool object, text; /* the arguments may be this */
    bool counted;      /* the id may be absent: it is the place, from 1 */
    bool bare;         /* the arguments may be absent */
} shapes[TOOL_CALL_SHAPE__MAX] = {
    [TOOL_CALL_SAYSO] = {.marks = "tool arguments",
                         .may = "",
                         .tool = "tool",
                         .arguments = "arguments",
                         .object = true},
    [TOOL_CALL_OPENAI] = {.marks = "function",
                          .may = "type",
                          .type = "function",
                          .inner = "function",
                          .tool = "name",
                          .arguments = "arguments",
                          .text = true},
    [TOOL_CALL_ANTHROPIC] = {.marks = "type name input",
                             .may = "",
                             .type = "tool_use",
                             .tool = "name",
                             .arguments = "input",
                             .object = true},
    [TOOL_CALL_MCP] = {.marks = "name",
                       .may = "arguments",
                       .tool = "name",
                       .arguments = "arguments",
                       .object = true,
                       .counted = true,
                       .bare = true},
    [TOOL_CALL_KERNEL] = {.marks = "plugin_name function_name arguments",
                          .may = "name",
                          .arguments = "arguments",
                          .object = true,
                          .text = true},
};

/* An element that is being read. */
struct reading {
    struct arena *a;
    const struct json *v;
    struct str text; /* its bytes */
    struct str path;
    size_t max; /* bytes of the arguments */
};

/* ---- which shape ---------------------------------------------------- */

/* Has the object all members of marks, and of the others in the list only
 * members of may? */
static bool tool_call_has(const struct json *v, const char *marks,
                          const char *may)
{
    for (size_t i = 0; i < countof(shape_members); i++) {
        const struct str word = str_of(shape_members[i]);
        const bool there = json_get(v, shape_members[i]) != NULL;
        if (str_listed(str_of(marks), word) ? !there
                : there && !str_listed(str_of(may), word))
            return false;
    }
    return true;
}

static bool tool_call_fits(const struct json *v, const struct shape *s)
{
    const struct json *type = json_get(v, "type");
    if (!tool_call_has(v, s->marks, s->may))
        return false;
    if (type && !str_eq(json_text(type), str_of(s->type)))
        return false;
    return !s->inner ||
           tool_call_has(json_get(v, s->inner), "name arguments", "");
}

/* ---- the tool and the id -------------------------------------------- */

static bool tool_call_visible(struct str s, size_t max)
{
    for (size_t at = 0; at < s.n;) {
        const uint32_t rune = str_rune(s, &at);
        if (rune <= ' ' || rune == 0xA0 || text_hidden(rune))
            return false;
    }
    return s.n > 0 && str_utf8(s) && str_runes(s) <= max;
}

bool tool_call_name(struct str name)
{
    return tool_call_visible(name, TOOL_CALL_NAME_MAX);
}

bool tool_call_id(struct str id)
{
    return tool_call_visible(id, TOOL_CALL_ID_MAX);
}

static const struct err *tool_call_check_name(const struct reading *r,
                                              struct str name)
{
    if (tool_call_name(name))
        return NULL;
    return err_at(
        r->a, ERR_INVALID, "tool_call.shape", r->path,
        "The name of a tool has 1 to %d visible characters without spaces.",
        TOOL_CALL_NAME_MAX);
}

/* Semantic Kernel's name of a function is PLUGIN-FUNCTION; a member "name" has
 * to be the same name. */
static const struct err *tool_call_read_tool(const struct reading *r,
                                             const struct shape *s,
                                             struct tool_call *out)
{
    const struct json *holder = s->inner ? json_get(r->v, s->inner) : r->v;
    if (s->tool) {
        out->tool = json_get_text(holder, s->tool);
    } else {
        const struct json *name = json_get(r->v, "name");
        const struct str plugin = json_get_text(r->v, "plugin_name");
        const struct str function = json_get_text(r->v, "function_name");
        out->tool = arena_join(r->a, plugin, STR("-"), function);
        if (plugin.n == 0 || function.n == 0 ||
            (name && !str_eq(json_text(name), out->tool)))
            out->tool = STR_NONE;
    }
    return tool_call_check_name(r, out->tool);
}

/* ---- the arguments -------------------------------------------------- */

static const struct err *
tool_call_wrong_arguments(struct arena *a, struct str at, const char *say)
{
    return err_at(a, ERR_INVALID, tool_call_arguments, at, "%s", say);
}

static const struct err *tool_call_keep_arguments(const struct reading *r,
                                                  struct str at,
                                                  struct tool_call *out)
{
    struct arena *a = r->a;
    struct buf b = buf_make(a, 8 * r->max);
    if (!json_is(out->tree, JSON_OBJECT))
        return tool_call_wrong_arguments(
            a, at, "The arguments have to be an object.");
    if (out->raw.n > r->max)
        return err_at(a, ERR_INVALID, tool_call_arguments, at,
                      "The arguments of one call have at most %zu kB.",
                      r->max >> 10);
    if (json_depth(out->tree) > TOOL_CALL_DEPTH_MAX)
        return tool_call_wrong_arguments(
            a, at, "The arguments are nested too deeply.");
    if (!json_exact(out->tree))
        return tool_call_wrong_arguments(
            a, at,
            "A number has more digits than a double holds. "
            "Send it as a string.");
    json_write_canonical(&b, out->tree);
    if (b.over)
        return tool_call_wrong_arguments(a, at, "The arguments are too long.");
    out->arguments = buf_text(&b);
    out->arguments_sha256 = crypt_sha256_hex(a, out->arguments);
    return NULL;
}

static const struct err *tool_call_read_arguments(const struct reading *r,
                                                  const struct shape *s,
                                                  struct tool_call *out)
{
    const struct str key = str_of(s->arguments);
    const struct str path =
        s->inner ? fields_path(r->a, r->path, s->inner) : r->path;
    const struct str at = fields_path(r->a, path, s->arguments);
    const struct str text =
        s->inner ? json_raw_member(r->a, r->text, str_of(s->inner)) : r->text;
    const struct json *v =
        json_get(s->inner ? json_get(r->v, s->inner) : r->v, s->arguments);
    struct json *inside = NULL;
    out->tree = v;
    out->raw = json_raw_member(r->a, text, key);
    if (!v && s->bare) {
        out->tree = json_object(r->a);
        out->raw = STR("{}");
    } else if (json_is(v, JSON_STRING) && s->text) {
        const struct err *e = json_parse(r->a, json_text(v), &inside);
        if (e)
            return err_at(r->a, ERR_INVALID, tool_call_arguments, at,
                          "The arguments are not valid JSON: %.*s (%.*s)",
                          STR_FMT(e->say), STR_FMT(e->at));
        out->tree = inside;
        out->raw = str_trim(json_text(v));
    } else if (!s->object) {
        return tool_call_wrong_arguments(
            r->a, at, "The arguments of this shape have to be a string.");
    }
    return tool_call_keep_arguments(r, at, out);
}

/* ---- calls ---------------------------------------------------------- */

static const struct err *tool_call_read_call(const struct reading *r,
                                             size_t place,
                                             struct tool_call *out)
{
    size_t i = 0; /* at most one shape fits, by its marks */
    while (i < countof(shapes) && !tool_call_fits(r->v, &shapes[i]))
        i++;
    if (!json_is(r->v, JSON_OBJECT) || i == countof(shapes))
        return err_at(r->a, ERR_INVALID, "tool_call.shape", r->path,
                      "A call must have one of five shapes: {id, tool, "
                      "arguments}, or that of OpenAI, Anthropic, MCP or "
                      "Semantic Kernel, and must match only one of them.");
    const struct json *id = json_get(r->v, "id");
    *out = (struct tool_call){.shape = (enum tool_call_shape)i,
                              .id = !id && shapes[i].counted
                                        ? arena_number(r->a, (int64_t)place)
                                        : json_text(id),
                              .sent = r->text};
    if (!tool_call_id(out->id))
        return err_at(r->a, ERR_INVALID, "tool_call.id",
                      fields_path(r->a, r->path, "id"),
                      "A call needs an \"id\" of 1 to %d visible characters.",
                      TOOL_CALL_ID_MAX);
    TRY(tool_call_read_tool(r, &shapes[i], out));
    return tool_call_read_arguments(r, &shapes[i], out);
}

const struct err *tool_call_read_bare(struct arena *a, const struct json *v,
                                      struct str text, struct str path,
                                      struct tool_call *out)
{
    const struct reading r = {a, v, text, path, TOOL_CALL_USED_MAX};
    struct fields f = fields(a, v, path);
    fields_only(&f, "tool arguments");
    fields_need(&f, "tool");
    fields_need(&f, "arguments");
    TRY(fields_error(&f));
    *out = (struct tool_call){.shape = TOOL_CALL_SAYSO, .sent = text};
    TRY(tool_call_read_tool(&r, &shapes[TOOL_CALL_SAYSO], out));
    return tool_call_read_arguments(&r, &shapes[TOOL_CALL_SAYSO], out);
}

struct str tool_call_sha256(struct arena *a, const struct tool_call *call)
{
    struct buf b = buf_make(a, call->tool.n * 6 + call->arguments.n + 64);
    buf_put(&b, "{\"arguments\":");
    buf_str(&b, call->arguments);
    json_write_text(&b, ",\"tool\":", call->tool);
    buf_char(&b, '}');
    return crypt_sha256_hex(a, buf_text(&b));
}

/* ---- a challenge ---------------------------------------------------- */

static const struct err *
tool_call_read_challenge(struct arena *a, const struct json *list,
                         struct str text, struct tool_call_challenge *out)
{
    const struct str path = STR("auth_challenges");
    if (!json_is(list, JSON_ARRAY) || json_count(list) != 1)
        return err_at(a, ERR_INVALID, "tool_call.shape", path,
                      "\"auth_challenges\" is a list of exactly one "
                      "challenge.");
    struct fields f =
        fields(a, json_at(list, 0), fields_element(a, path, 0));
    out->sent = json_raw_element(text, 0);
    fields_only(&f, "server_name auth_server scopes auth_url");
    fields_need(&f, "server_name");
    fields_need(&f, "auth_url");
    fields_text(&f, "server_name", 200, &out->server_name);
    fields_text(&f, "auth_server", 2000, &out->auth_server);
    fields_text(&f, "auth_url", 2000, &out->auth_url);
    fields_json(&f, "scopes", JSON_ARRAY, &out->scopes);
    TRY(fields_error(&f));
    if (json_count(out->scopes) > TOOL_CALL_SCOPES_MAX)
        fields_wrong(&f, "scopes", "field.too_many",
                     "\"scopes\" may have at most %d elements.",
                     TOOL_CALL_SCOPES_MAX);
    for (size_t i = 0; i < json_count(out->scopes); i++) {
        if (!json_is(json_at(out->scopes, i), JSON_STRING))
            fields_wrong(&f, "scopes", "field.type",
                         "\"scopes\" is a list of texts.");
    }
    return fields_error(&f);
}

const struct err *tool_call_read(struct arena *a, const struct json *body,
                                 struct str text, struct tool_calls *out)
{
    const struct str path = STR("tool_calls");
    const struct json *calls = json_get(body, "tool_calls");
    const struct json *challenges = json_get(body, "auth_challenges");
    const size_t n = json_is(calls, JSON_ARRAY) ? json_count(calls) : 0;
    *out = (struct tool_calls){.n = 0};
    if (calls && challenges)
        return err_at(a, ERR_INVALID, "tool_call.shape",
                      STR("auth_challenges"),
                      "Send \"tool_calls\" or \"auth_challenges\", not "
                      "both.");
    if (challenges)
        return tool_call_read_challenge(
            a, challenges, json_raw_member(a, text, STR("auth_challenges")),
            &out->challenge);
    if (n < 1 || n > TOOL_CALL_MAX)
        return err_at(a, ERR_INVALID, "tool_call.shape", path,
                      "\"tool_calls\" is a list of 1 to %d calls.",
                      TOOL_CALL_MAX);
    const struct str raw = json_raw_member(a, text, path);
    out->v = arena_many(a, n, struct tool_call);
    for (out->n = 0; out->n < n; out->n++) {
        const struct reading r = {
            a, json_at(calls, out->n), json_raw_element(raw, out->n),
            fields_element(a, path, out->n), TOOL_CALL_ARGUMENTS_MAX};
        TRY(tool_call_read_call(&r, out->n + 1, &out->v[out->n]));
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++) {
            if (str_eq(out->v[i].id, out->v[k].id))
                return err_at(a, ERR_INVALID, "tool_call.id",
                              fields_path(a, fields_element(a, path, i), "id"),
                              "Another call has the same id.");
        }
    }
    return NULL;
}

const struct err *tool_call_one(struct arena *a, struct tool_call call,
                                size_t max, struct tool_calls *out)
{
    const struct str path = fields_element(a, STR("tool_calls"), 0);
    const struct reading r = {.a = a, .path = path, .max = max};
    struct tool_call *v = arena_new(a, struct tool_call);
    struct json *tree = NULL;
    struct buf b =
        buf_make(a, 6 * (call.id.n + call.tool.n) + call.raw.n + 64);
    TRY(tool_call_check_name(&r, call.tool));
    TRY(json_parse(a, call.raw, &tree));
    json_write_text(&b, "{\"id\":", call.id);
    json_write_text(&b, ",\"tool\":", call.tool);
    buf_put(&b, ",\"arguments\":");
    buf_str(&b, call.raw);
    buf_char(&b, '}');
    *v = call;
    v->tree = tree;
    v->sent = buf_text(&b); /* as an element of Sayso's own shape */
    *out = (struct tool_calls){.v = v, .n = 1};
    return tool_call_keep_arguments(&r, fields_path(a, path, "arguments"), v);
}

/* ---- the question --------------------------------------------------- */

struct str tool_call_question(struct arena *a, struct str tool)
{
    return arena_join(a, STR("Run "), tool, STR("?"));
}

struct json *tool_call_choices(struct arena *a)
{
    static const struct {
        const char *value, *label, *style;
        enum effect effect;
    } choices[] = {{"reject", "Reject", "danger", EFFECT_VETO},
                   {"approve", "Approve", "primary", EFFECT_AUTHORIZE}};
    struct json *list = json_array(a);
    for (size_t i = 0; i < countof(choices); i++) {
        struct json *o = json_object(a);
        json_set_text(o, "value", str_of(choices[i].value));
        json_set_text(o, "label", str_of(choices[i].label));
        json_set_text(o, "style", str_of(choices[i].style));
        json_set_text(o, "effect", vocabulary_effect(choices[i].effect)->wire);
        json_set_text(o, "reason", STR("optional"));
        json_add_json(list, o);
    }
    return list;
}

struct str tool_call_consequence(struct str said)
{
    return said.n > 0 ? said : STR("The agent did not say.");
}

/* Lists the tools in one line, each once, and returns their number. */
static size_t tool_call_list_tools(struct buf *b, const struct str *tools,
                                   size_t n)
{
    size_t names = 0;
    for (size_t i = 0; i < n; i++) {
        size_t k = 0;
        while (k < i && !str_eq(tools[k], tools[i]))
            k++;
        if (k < i) /* named before */
            continue;
        buf_put(b, names++ ? ", " : "");
        buf_str(b, tools[i]);
    }
    return names;
}

void tool_call_subject_begin(struct buf *b, const struct str *tools, size_t n,
                             const struct tool_call_about *about)
{
    struct buf list = buf_make(b->arena, TOOL_CALL_MAX * 4 *
                                             (TOOL_CALL_NAME_MAX + 2));
    struct buf many = buf_make(b->arena, 64), sum = buf_make(b->arena, 2000);
    const size_t names = tool_call_list_tools(&list, tools, n);
    const bool fit = str_runes(buf_text(&list)) <= LIST_MAX;
    buf_printf(&many, "%zu tool calls", n);
    if (n == 1) {
        buf_put(&sum, "One call of ");
        buf_str(&sum, buf_text(&list));
        buf_char(&sum, '.');
    } else {
        buf_printf(&sum, "All %zu calls, or none of them.", n);
    }
    json_write_text(
        b, "{\"action\":{\"name\":", names == 1 ? tools[0] : buf_text(&many));
    if (about->provider.p)
        json_write_text(b, ",\"provider\":", about->provider);
    json_write_text(b, "},\"target\":",
                    about->target.p ? about->target
                    : fit           ? buf_text(&list)
                                    : buf_text(&many));
    json_write_text(b, ",\"scope_summary\":", buf_text(&sum));
    if (about->consequence.p)
        json_write_text(b, ",\"consequence\":", about->consequence);
}

struct str tool_call_subject(struct arena *a, const struct tool_calls *calls,
                             const struct tool_call_about *about)
{
    const struct tool_call_challenge *c = &calls->challenge;
    struct buf b = buf_make(a, SUBJECT_ROOM);
    struct str *tools = arena_many(a, calls->n + 1, struct str);
    if (calls->n == 0) {
        struct json *o = json_object(a);
        json_set_text(o, "provider", c->server_name);
        json_set_text(o, "credential_class", STR("Sign-in"));
        json_set_json(o, "scopes", c->scopes ? c->scopes : json_array(a));
        json_set_text(o, "settings_url", c->auth_url);
        json_set_text_given(o, "auth_server", c->auth_server);
        json_set_text_given(o, "probe", about->probe);
        return json_dump(a, o, SUBJECT_ROOM);
    }
    for (size_t i = 0; i < calls->n; i++)
        tools[i] = calls->v[i].tool;
    tool_call_subject_begin(&b, tools, calls->n, about);
    for (size_t i = 0; i < calls->n; i++) {
        json_write_text(&b, i ? ",{\"tool\":" : ",\"calls\":[{\"tool\":",
                        calls->v[i].tool);
        buf_put(&b, ",\"args\":");
        buf_str(&b, calls->v[i].raw);
        buf_char(&b, '}');
    }
    buf_put(&b, "]}");
    return buf_text(&b);
}

/* ---- names ------------------------------------------------------------ */

size_t tool_call_tools(struct arena *a, const struct json *list,
                       const struct json *more, struct str **out)
{
    const size_t first = json_count(list), all = first + json_count(more);
    size_t n = 0;
    *out = arena_many(a, all + 1, struct str);
    for (size_t i = 0; i < all; i++) {
        const struct json *one =
            i < first ? json_at(list, i) : json_at(more, i - first);
        const struct str tool = json_get_text(one, "tool");
        if (tool.n > 0)
            (*out)[n++] = tool;
    }
    return n;
}

size_t tool_call_tools_of(struct arena *a, const struct json *subject,
                          struct str **out)
{
    const struct json *calls = json_get(subject, "calls");
    const struct json *details = json_get(subject, "authorization_details");
    return tool_call_tools(a, calls ? calls : details,
                           json_get(json_get(subject, "plan"), "steps"), out);
}
