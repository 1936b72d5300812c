/* Templates: what each tag prints, what loading refuses, and that no value
 * becomes markup, code or a foreign address. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "world/template/template.h"

static struct arena *arena;

static void setup(void)
{
    arena = arena_make((size_t)64 << 20);
}

static void teardown(void)
{
    arena_free(arena);
}

TestSuite(template, .init = setup, .fini = teardown);

struct prints {
    const char *text, *view, *expected;
};

struct refused {
    const char *text, *code;
};

static struct json *json_of(const char *z)
{
    struct json *v = NULL;
    const struct err *e = json_parse(arena, str_of(z), &v);
    cr_assert(!e, "the test's own JSON: %s", z);
    return v;
}

/* 2026-11-20T03:12:04Z */
#define NOW (INT64_C(1795144324) * 1000000)

static const struct err *render(const struct templates *t, const char *view,
                                struct str *page)
{
    struct buf out = buf_make(arena, 1 << 20);
    const struct template_page of = {.name = "main",
                                     .view = json_of(view),
                                     .now = NOW,
                                     .zone = STR("Europe/Berlin")};
    const struct err *e = template_render(arena, t, &of, &out);
    *page = buf_text(&out);
    return e;
}

static void expect_prints(const struct prints *c, const char *parts)
{
    struct templates *t = NULL;
    const struct err *e = template_parse(arena, str_of(c->text),
                                         json_of(parts), false, &t);
    cr_expect(!e, "%s: refused: %s", c->text, e ? e->say.p : "");
    if (e)
        return;
    struct str page;
    e = render(t, c->view, &page);
    cr_expect(!e, "%s: failed: %s", c->text, e ? e->code : "");
    cr_expect(str_is(page, c->expected), "%s over %s: %.*s", c->text, c->view,
              STR_FMT(page));
}

static void expect_all(const struct prints *cases, size_t n)
{
    for (size_t i = 0; i < n; i++)
        expect_prints(&cases[i], "{}");
}

static void expect_refused(const struct refused *cases, size_t n)
{
    const struct json *parts =
        json_of("{\"p\": \"part\", \"q\": \"{{>p}}\"}");
    for (size_t i = 0; i < n; i++) {
        struct templates *t = NULL;
        const struct err *e = template_parse(arena, str_of(cases[i].text),
                                             parts, false, &t);
        cr_expect(e != NULL, "%s: not refused", cases[i].text);
        if (!e)
            continue;
        cr_expect(e->kind == ERR_INVALID, "%s", cases[i].text);
        cr_expect(str_is(str_of(e->code), cases[i].code), "%s: %s %.*s",
                  cases[i].text, e->code, STR_FMT(e->say));
    }
}

Test(template, values)
{
    static const struct prints cases[] = {
        {"", "{}", ""},
        {"plain { } }} text", "{}", "plain { } }} text"},
        {"{{a}}", "{\"a\": \"x\"}", "x"},
        {"{{ a }}|{{\ta\n}}", "{\"a\": \"x\"}", "x|x"},
        {"{{a-b_C9}}", "{\"a-b_C9\": \"x\"}", "x"},
        {"{{a.b.c}}", "{\"a\": {\"b\": {\"c\": \"x\"}}}", "x"},
        {"{{.}}", "\"x\"", "x"},
        {"{{a}}", "{\"a\": 0}", "0"},
        {"{{a}}", "{\"a\": -9223372036854775808}", "-9223372036854775808"},
        {"{{a}}", "{\"a\": 1.25}", "1.25"},
        {"{{a}}", "{\"a\": 1.10}", "1.10"},
        {"{{a}} {{b}}", "{\"a\": true, \"b\": false}", "true false"},
        {"[{{a}}]", "{\"a\": null}", "[]"},
        {"[{{a}}]", "{\"a\": \"\"}", "[]"},
        {"[{{a}}]", "{}", "[]"},
        {"[{{a.b}}]", "{\"a\": \"text\", \"b\": \"wrong\"}", "[]"},
        {"[{{a}}]", "{\"a\": [1]}", "[]"},
        {"[{{a}}]", "{\"a\": {\"b\": 1}}", "[]"},
        {"{{a}}", "{\"a\": \"\\u00e9\\ud83d\\ude00\"}", "é😀"},
        {"{{a}}", "{\"a\": \"{{b}}\", \"b\": \"wrong\"}", "{{b}}"},
    };
    expect_all(cases, countof(cases));
}

Test(template, sections)
{
    static const struct prints cases[] = {
        {"{{#a}}yes{{/a}}", "{\"a\": true}", "yes"},
        {"{{#a}}yes{{/a}}", "{\"a\": {}}", "yes"},
        {"{{#a}}yes{{/a}}", "{\"a\": 0}", "yes"},
        {"{{#a}}yes{{/a}}", "{\"a\": \"0\"}", "yes"},
        {"{{#a}}no{{/a}}", "{\"a\": false}", ""},
        {"{{#a}}no{{/a}}", "{\"a\": null}", ""},
        {"{{#a}}no{{/a}}", "{\"a\": \"\"}", ""},
        {"{{#a}}no{{/a}}", "{\"a\": []}", ""},
        {"{{#a}}no{{/a}}", "{}", ""},
        {"{{#a}}[{{.}}]{{/a}}", "{\"a\": [1, null, \"x\"]}", "[1][][x]"},
        {"{{#a}}[{{.}}]{{/a}}", "{\"a\": \"x\"}", "[x]"},
        {"{{#a}}{{b}}{{/a}}", "{\"a\": [{\"b\": 1}, {\"b\": 2}]}", "12"},
        {"{{#.}}({{#.}}{{.}}{{/.}}){{/.}}", "[[1, 2], [3]]", "(12)(3)"},
        {"{{#a.b}}{{c}}{{/a.b}}", "{\"a\": {\"b\": {\"c\": 1}}}", "1"},
        {"{{#a}}{{#b}}{{x}}{{y}}{{/b}}{{/a}}",
         "{\"a\": {\"x\": 1}, \"b\": {\"y\": 2}, \"x\": 9}", "12"},
    };
    expect_all(cases, countof(cases));
}

Test(template, inverted_sections)
{
    static const struct prints cases[] = {
        {"{{^a}}yes{{/a}}", "{}", "yes"},
        {"{{^a}}yes{{/a}}", "{\"a\": null}", "yes"},
        {"{{^a}}yes{{/a}}", "{\"a\": false}", "yes"},
        {"{{^a}}yes{{/a}}", "{\"a\": \"\"}", "yes"},
        {"{{^a}}yes{{/a}}", "{\"a\": []}", "yes"},
        {"{{^a.b.c}}yes{{/a.b.c}}", "{\"a\": {}}", "yes"},
        {"{{^a}}no{{/a}}", "{\"a\": true}", ""},
        {"{{^a}}no{{/a}}", "{\"a\": {}}", ""},
        {"{{^a}}no{{/a}}", "{\"a\": [0]}", ""},
        {"{{^a}}no{{/a}}", "{\"a\": 0}", ""},
        {"{{#x}}{{^a}}{{b}}{{/a}}{{/x}}", "{\"x\": {\"b\": 1}}", "1"},
    };
    expect_all(cases, countof(cases));
}

/* Around a list, once, with the names as they are outside. */
Test(template, sections_that_stand_once)
{
    static const struct prints cases[] = {
        {"{{?a}}<ul>{{#a}}<li>{{.}}</li>{{/a}}</ul>{{/a}}",
         "{\"a\": [1, 2]}", "<ul><li>1</li><li>2</li></ul>"},
        {"{{?a}}<ul>{{#a}}<li>{{.}}</li>{{/a}}</ul>{{/a}}", "{\"a\": []}",
         ""},
        {"{{?a}}{{b}}{{/a}}", "{\"a\": {\"b\": 1}, \"b\": 2}", "2"},
        {"{{?a}}{{.}}{{/a}}{{^a}}none{{/a}}", "{\"a\": \"\"}", "none"},
        {"{{?a}}no{{/a}}", "{\"a\": null}", ""},
        {"{{?a}}no{{/a}}", "{}", ""},
        {"a\n{{?a}}\nb\n{{/a}}\nc", "{\"a\": [1, 2]}", "a\nb\nc"},
        {"<p{{?a}} b{{/a}}>", "{\"a\": 1}", "<p b>"},
    };
    expect_all(cases, countof(cases));
    static const struct refused bad[] = {
        {"{{?a}}<p {{/a}}>", "template.context"},
        {"{{?a}}", "template.section"},
        {"{{?}}{{/}}", "template.name"},
    };
    expect_refused(bad, countof(bad));
}

/* Only the first part of a name climbs; the others must be right there. */
Test(template, lookup_climbs)
{
    static const struct prints cases[] = {
        {"{{#a}}{{b.c}}{{/a}}",
         "{\"a\": {\"b\": {}}, \"b\": {\"c\": \"wrong\"}}", ""},
        {"{{#a}}{{b.c}}{{/a}}", "{\"a\": {}, \"b\": {\"c\": 1}}", "1"},
        {"{{#a}}[{{b}}]{{/a}}", "{\"a\": {\"b\": null}, \"b\": 1}", "[]"},
        {"{{#a}}{{b}}{{/a}}", "{\"a\": [1, 2], \"b\": \"x\"}", "xx"},
    };
    expect_all(cases, countof(cases));
}

Test(template, lines_of_their_own)
{
    static const struct prints cases[] = {
        {"a\n {{#x}}\nb\n\t{{/x}} \nc", "{\"x\": true}", "a\nb\nc"},
        {"a\r\n{{! c }}\r\nb", "{}", "a\r\nb"},
        {"{{! c }}", "{}", ""},
        {"a\n  {{! c\n d }}  \nb\n", "{}", "a\nb\n"},
        {"a\n {{x}}\nb", "{\"x\": 1}", "a\n 1\nb"},
        {" {{#x}}{{/x}}\n", "{\"x\": true}", " \n"},
        {" {{! c }} d\n", "{}", "  d\n"},
    };
    expect_all(cases, countof(cases));
}

Test(template, comments_say_nothing)
{
    static const struct prints cases[] = {
        {"a{{! {{b }}c", "{}", "ac"},
        {"a{{!}}b", "{}", "ab"},
        {"<!-- {{! in a comment }}-->", "{}", "<!-- -->"},
        {"<p {{! in a tag }}a=\"1\">", "{}", "<p a=\"1\">"},
    };
    expect_all(cases, countof(cases));
}

Test(template, parts)
{
    static const char parts[] =
        "{\"p\": \"<i>{{x}}</i>\", \"a-room/p_1\": \"{{x}}\", "
        "\"two\": \"1\\n2\\n\", \"in\": \"{{>p}}{{>p}}\", "
        "\"tree\": \"<b>{{v}}</b>{{#kids}}{{>tree}}{{/kids}}\"}";
    static const struct prints cases[] = {
        {"{{>p}}", "{\"x\": \"&\"}", "<i>&amp;</i>"},
        {"{{> p }}", "{\"x\": 1}", "<i>1</i>"},
        {"{{>a-room/p_1}}{{>p}}", "{\"x\": 1}", "1<i>1</i>"},
        {"a\n  {{>two}}\nb", "{}", "a\n1\n2\nb"},
        {"{{#l}}{{>p}}{{/l}}", "{\"l\": [{\"x\": 1}, {\"x\": 2}]}",
         "<i>1</i><i>2</i>"},
        {"{{>in}}", "{\"x\": 1}", "<i>1</i><i>1</i>"},
        {"{{>tree}}",
         "{\"v\": 1, \"kids\": [{\"v\": 2, \"kids\": []}, {\"v\": 3, "
         "\"kids\": null}]}",
         "<b>1</b><b>2</b><b>3</b>"},
    };
    for (size_t i = 0; i < countof(cases); i++)
        expect_prints(&cases[i], parts);
}

#define NASTY "{\"v\": \"<x\\\"'&>\"}"
#define TAMED "&lt;x&quot;&#39;&amp;&gt;"

Test(template, values_are_escaped_wherever_they_stand)
{
    static const struct prints cases[] = {
        {"{{v}}", NASTY, TAMED},
        {"<p>{{v}}</p>", NASTY, "<p>" TAMED "</p>"},
        {"<title>{{v}}</title>", NASTY, "<title>" TAMED "</title>"},
        {"<textarea a='b'>{{v}}</textarea>", NASTY,
         "<textarea a='b'>" TAMED "</textarea>"},
        {"<TextArea>{{v}}</TEXTAREA >", NASTY,
         "<TextArea>" TAMED "</TEXTAREA >"},
        {"<p title=\"a {{v}} b\">", NASTY, "<p title=\"a " TAMED " b\">"},
        {"<p title='{{v}}'>", NASTY, "<p title='" TAMED "'>"},
        {"<p data-x=\"{{v}}\">", NASTY, "<p data-x=\"" TAMED "\">"},
        {"<a href=\"{{u}}\">", "{\"u\": \"/<x\\\"'&>\"}",
         "<a href=\"/" TAMED "\">"},
        {"<a href=\"/x?q={{v}}\">", NASTY,
         "<a href=\"/x?q=%3Cx%22%27%26%3E\">"},
        {"{{#v}}{{.}}{{/v}}", NASTY, TAMED},
        {"a < b {{v}}", NASTY, "a < b " TAMED},
        {"<script src=\"/a.js\">a < '</p>'</script>{{v}}", NASTY,
         "<script src=\"/a.js\">a < '</p>'</script>" TAMED},
        {"<!doctype html><!-- <p --><p>{{v}}", NASTY,
         "<!doctype html><!-- <p --><p>" TAMED},
        {"<br/><input value=\"{{v}}\"/>", NASTY,
         "<br/><input value=\"" TAMED "\"/>"},
        {"<p hidden a=b c='d'>{{v}}</p\n>", NASTY,
         "<p hidden a=b c='d'>" TAMED "</p\n>"},
    };
    expect_all(cases, countof(cases));
}

/* U+202E, U+200B and a script in one text. */
#define HOSTILE "{\"v\": \"a\\u202eb\\u200b<script>\"}"
#define HOSTILE_MARKED                                                        \
    "a<code class=\"hid\">U+202E</code>b<code class=\"hid\">U+200B</code>"     \
    "&lt;script&gt;"
#define HOSTILE_SPELT "a[U+202E]b[U+200B]&lt;script&gt;"
#define HOSTILE_KEPT "a\u202Eb\u200B&lt;script&gt;"

Test(template, what_is_hidden_is_marked_wherever_it_is_read)
{
    static const struct prints cases[] = {
        {"{{v}}", HOSTILE, HOSTILE_MARKED},
        {"<p>{{#v}}{{.}}{{/v}}</p>", HOSTILE, "<p>" HOSTILE_MARKED "</p>"},
        {"<title>{{v}}</title>", HOSTILE, "<title>" HOSTILE_SPELT "</title>"},
        {"<p title=\"{{v}}\">", HOSTILE, "<p title=\"" HOSTILE_SPELT "\">"},
        {"<p aria-label='{{v}}'>", HOSTILE,
         "<p aria-label='" HOSTILE_SPELT "'>"},
        {"<p names=\"{{v}}\">", HOSTILE, "<p names=\"" HOSTILE_SPELT "\">"},
        {"<select><option>{{v}}</option></select>{{v}}", HOSTILE,
         "<select><option>" HOSTILE_SPELT "</option></select>"
         HOSTILE_MARKED},
        {"<option value=\"1\"{{#v}} selected{{/v}}>{{#v}}{{.}}{{/v}}</option>",
         HOSTILE, "<option value=\"1\" selected>" HOSTILE_SPELT "</option>"},
        {"{{v|head}} {{v|cut}}", HOSTILE, HOSTILE_MARKED " " HOSTILE_MARKED},
        {"<p title=\"{{v|head}}\">", HOSTILE,
         "<p title=\"" HOSTILE_SPELT "\">"},
        {"{{v}}", "{\"v\": \"\\t\\n\\r\\u0001\"}",
         "\t\n<code class=\"hid\">U+000D</code>"
         "<code class=\"hid\">U+0001</code>"},
    };
    expect_all(cases, countof(cases));
}

/* v, a text, printed by {{v}}. */
static const char *printed(const char *v)
{
    struct json *view = json_object(arena);
    struct buf out = buf_make(arena, 1 << 20);
    struct templates *t = NULL;
    json_set_text(view, "v", str_of(v));
    const struct template_page of = {.name = "main", .view = view};
    cr_assert(!template_parse(arena, STR("{{v}}"), NULL, true, &t));
    cr_assert(!template_render(arena, t, &of, &out));
    return arena_z(arena, buf_text(&out));
}

Test(template, every_kind_of_hidden_character_is_marked)
{
    static const char *const texts[][2] = {
        {"a\x01z", "U+0001"}, {"a\rz", "U+000D"}, {"a\x1Bz", "U+001B"},
        {"a\x7Fz", "U+007F"}, {"a\xC2\x85z", "U+0085"}, {"a\u00ADz", "U+00AD"},
        {"a\u034Fz", "U+034F"}, {"a\u061Cz", "U+061C"}, {"a\u115Fz", "U+115F"},
        {"a\u180Ez", "U+180E"}, {"a\u200Dz", "U+200D"}, {"a\u200Fz", "U+200F"},
        {"a\u2028z", "U+2028"}, {"a\u2029z", "U+2029"}, {"a\u2060z", "U+2060"},
        {"a\u2800z", "U+2800"}, {"a\u3164z", "U+3164"}, {"a\uFE0Fz", "U+FE0F"},
        {"a\uFEFFz", "U+FEFF"}, {"a\uFFA0z", "U+FFA0"}, {"a\uFFF9z", "U+FFF9"},
        {"a\U000E0041z", "U+E0041"}, {"a\U000E0100z", "U+E0100"},
    };
    for (size_t i = 0; i < countof(texts); i++) {
        struct buf b = buf_make(arena, 100);
        buf_put(&b, "a<code class=\"hid\">");
        buf_put(&b, texts[i][1]);
        buf_put(&b, "</code>z");
        cr_expect_str_eq(printed(texts[i][0]), arena_z(arena, buf_text(&b)));
    }
}

Test(template, ordinary_letters_of_the_world_are_left_alone)
{
    static const char *const texts[] = {
        "Zwölf\tBoxkämpfer\n", "שלום עולם", "مرحبا",  "日本語", "Ayd\u0131n",
        "e\u0301",              "\u00A0",    "\U0001F600", "\uFFFD"};
    for (size_t i = 0; i < countof(texts); i++)
        cr_expect_str_eq(printed(texts[i]), texts[i]);
}

/* A form has to send back exactly the value that was typed or offered. */
Test(template, what_a_form_sends_back_is_kept)
{
    static const struct prints cases[] = {
        {"<input name=\"{{v}}\" value='{{v}}'>", HOSTILE,
         "<input name=\"" HOSTILE_KEPT "\" value='" HOSTILE_KEPT "'>"},
        {"<option value=\"{{v}}\">x</option>", HOSTILE,
         "<option value=\"" HOSTILE_KEPT "\">x</option>"},
        {"<textarea>{{v}}</textarea>", HOSTILE,
         "<textarea>" HOSTILE_KEPT "</textarea>"},
        {"<a href=\"{{u}}\">", "{\"u\": \"/a\\u202eb\"}",
         "<a href=\"/a\u202Eb\">"},
        {"<a href=\"/x?{{v}}\">", HOSTILE,
         "<a href=\"/x?a%E2%80%AEb%E2%80%8B%3Cscript%3E\">"},
    };
    expect_all(cases, countof(cases));
}

Test(template, an_option_holds_text_alone)
{
    static const struct refused cases[] = {
        {"<option>{{>p}}</option>", "template.context"},
        {"<option>{{v}}", "template.markup"},
        {"{{#v}}<option>{{/v}}</option>", "template.context"},
    };
    expect_refused(cases, countof(cases));
}

/* A page full of them spells the others, and is no longer than that. */
Test(template, marks_have_a_ceiling)
{
    static const char mark[] = "<code class=\"hid\">U+200B</code>";
    struct buf text = buf_make(arena, 1 << 16), view = buf_make(arena, 1 << 16);
    struct templates *t = NULL;
    struct str page;
    for (size_t i = 0; i < TEMPLATE_MARKS + 1; i++)
        buf_put(&text, "\u200B");
    buf_put(&view, "{\"v\": \"");
    buf_str(&view, buf_text(&text));
    buf_put(&view, "\"}");
    cr_assert(!template_parse(arena, STR("{{v}}|{{v}}"), NULL, true, &t));
    cr_assert(!render(t, arena_z(arena, buf_text(&view)), &page));
    cr_expect(str_starts(page, STR("<code class=\"hid\">U+200B</code>")));
    cr_expect_eq(str_search(page, STR("[U+200B]|[U+200B]")),
                 TEMPLATE_MARKS * (sizeof mark - 1));
}

Test(template, formats_of_moments)
{
    static const struct prints cases[] = {
        {"{{t|iso}}", "{\"t\": 1795144324000007}", "2026-11-20T03:12:04Z"},
        {"{{t|iso}}", "{\"t\": \"2026-11-20T03:12:04.000007Z\"}",
         "2026-11-20T03:12:04Z"},
        {"{{t|utc}}", "{\"t\": 1795144324000000}",
         "20 Nov 2026 03:12:04 UTC"},
        {"{{t|time}}", "{\"t\": 1795144324000000}",
         "20 Nov 2026 04:12:04 CET"},
        {"{{t|short}}", "{\"t\": 1795144324000000}", "20 Nov 04:12:04"},
        {"{{t|day}}", "{\"t\": \"2026-11-20T23:12:04Z\"}", "21 Nov 2026"},
        {"{{t|clock}}", "{\"t\": 1795144324000000}", "04:12:04 CET"},
        {"{{t|ago}}", "{\"t\": 1795141744000000}", "43 min ago"},
        {"{{t|ago}}", "{\"t\": 1795144804000000}", "8 min left"},
        {"{{#t}}{{.|short}}{{/t}}", "{\"t\": 1795144324000000}",
         "20 Nov 04:12:04"},
        {"[{{t|time}}]", "{\"t\": null}", "[]"},
        {"[{{t|time}}]", "{\"t\": \"<b>\"}", "[]"},
        {"[{{t|time}}]", "{\"t\": [1]}", "[]"},
        {"[{{t|iso}}{{t|utc}}{{t|short}}{{t|day}}{{t|clock}}{{t|ago}}]",
         "{\"t\": true}", "[]"},
    };
    expect_all(cases, countof(cases));
}

Test(template, formats_of_numbers)
{
    static const struct prints cases[] = {
        {"{{n|count}}", "{\"n\": 0}", "0"},
        {"{{n|count}}", "{\"n\": 1284}", "1,284"},
        {"{{n|count}}", "{\"n\": -1234567}", "-1,234,567"},
        {"{{n|count}}", "{\"n\": 9223372036854775807}",
         "9,223,372,036,854,775,807"},
        {"{{l|count}} {{l|many:step}}", "{\"l\": [1, [2, 3]]}", "2 2 steps"},
        {"{{l|many:step}}", "{\"l\": []}", "0 steps"},
        {"{{n|many:step}}", "{\"n\": 0}", "0 steps"},
        {"{{n|many:step}}", "{\"n\": 1}", "1 step"},
        {"{{n|many:open request}}", "{\"n\": 1284}", "1,284 open requests"},
        {"{{ n|many:step }}{{#n|many:step}}({{.}}){{/n|many:step}}",
         "{\"n\": 2}", "2 steps(2 steps)"},
        {"{{n|verb:is:are}} {{l|verb:goes on:go on}}",
         "{\"n\": 1, \"l\": [1]}", "is goes on"},
        {"{{n|verb:is:are}} {{l|verb:goes on:go on}}",
         "{\"n\": 0, \"l\": [1, 2]}", "are go on"},
        {"[{{n|verb:is:are}}]", "{\"n\": \"1\"}", "[]"},
        {"[{{n|count}}{{n|many:step}}{{n|span}}]", "{\"n\": null}", "[]"},
        {"[{{n|count}}{{n|many:step}}{{n|span}}]", "{\"n\": \"7\"}", "[]"},
        {"[{{n|count}}{{n|many:step}}{{n|span}}]", "{\"n\": 1.5}", "[]"},
        {"[{{n|count}}{{n|many:step}}{{n|span}}]", "{\"n\": {\"a\": 1}}",
         "[]"},
        {"[{{n|count}}{{n|many:step}}{{n|span}}]", "{\"n\": true}", "[]"},
        {"{{n|span}}", "{\"n\": 2580000000}", "43 min"},
    };
    expect_all(cases, countof(cases));
    static const struct refused bad[] = {
        {"{{n|many}}", "template.format"},
        {"{{n|many:}}", "template.format"},
        {"{{n|many: step}}", "template.format"},
        {"{{n|many:step|cut}}", "template.format"},
        {"{{n|many:<b>}}", "template.format"},
        {"{{n|many:a:b}}", "template.format"},
        {"{{n|verb:is}}", "template.format"},
        {"{{n|verb:is:}}", "template.format"},
        {"{{n|verb::are}}", "template.format"},
        {"{{n|verb:is:are:be}}", "template.format"},
        {"{{n|count:step}}", "template.format"},
        {"{{n|count:}}", "template.format"},
        {"{{n|:step}}", "template.format"},
        {"{{#n|many:step}}{{/n|many:hour}}", "template.section"},
    };
    expect_refused(bad, countof(bad));
}

Test(template, formats_of_texts)
{
    static const struct prints cases[] = {
        {"{{#v|hidden}}({{.}}){{/v|hidden}}", "{\"v\": \"plain\"}", ""},
        {"{{#v|hidden}}({{.}}){{/v|hidden}}", "{\"v\": \"a\\u200b\"}",
         "(1 hidden character shown)"},
        {"{{v|hidden}}", "{\"v\": \"\\u200b\\u202e\"}",
         "2 hidden characters shown"},
        {"{{^v|hidden}}none{{/v|hidden}}", "{\"v\": \"a\"}", "none"},
        {"{{#v|mixed}}({{.}}){{/v|mixed}}", "{\"v\": \"refunds\"}", ""},
        {"{{#v|mixed}}({{.}}){{/v|mixed}}", "{\"v\": \"refunds-\u0430\"}",
         "(letters of several alphabets)"},
        {"{{#v}}{{#.|mixed}}({{.}}){{/.|mixed}}{{/v}}",
         "{\"v\": \"refunds-\u0430\"}", "(letters of several alphabets)"},
        {"{{v|id}}", "{\"v\": \"7c0e4f2a-58b1-4b7e-9f0d-3a6c1d20b41d\"}",
         "7c0e…b41d"},
        {"{{v|id}}", "{\"v\": \"i-12345\"}", "i-12345"},
        {"{{v|digest}}", "{\"v\": \"9f86d081884c7d65\"}", "9f86 d081"},
        {"[{{v|head}}{{v|cut}}{{v|hidden}}{{v|mixed}}{{v|id}}{{v|digest}}]",
         "{\"v\": 5}", "[]"},
        {"{{ v|head }}", "{\"v\": \"<\"}", "&lt;"},
    };
    expect_all(cases, countof(cases));
    static const struct refused bad[] = {
        {"{{v|raw}}", "template.format"},
        {"{{v|}}", "template.format"},
        {"{{v|head|cut}}", "template.format"},
        {"{{#v|raw}}{{/v|raw}}", "template.format"},
        {"{{#v|head}}{{/v}}", "template.section"},
        {"{{|head}}", "template.name"},
        {"<script>{{v|iso}}</script>", "template.context"},
        {"<p onclick=\"{{v|head}}\">", "template.context"},
    };
    expect_refused(bad, countof(bad));
}

/* Before each cut there is a letter with two accents, a joiner or a <: a cut
 * leaves whole characters, each escaped or marked, and nothing half. */
Test(template, a_cut_text_is_escaped_and_marked_to_its_end)
{
    static const char *const clusters[][2] = {
        {"e\u0301\u0323", "e\u0301…"},
        {"<script>", "&lt;s…"},
        {"\u202E<b>", "<code class=\"hid\">U+202E</code>&lt;…"},
        {"\U0001F468\u200D\U0001F469",
         "\U0001F468<code class=\"hid\">U+200D</code>…"},
        {"&amp;", "&amp;a…"},
    };
    for (size_t i = 0; i < countof(clusters); i++) {
        struct buf view = buf_make(arena, 4096);
        struct templates *t = NULL;
        struct str page;
        buf_put(&view, "{\"v\": \"");
        for (int k = 0; k < 198; k++)
            buf_char(&view, 'x');
        buf_put(&view, clusters[i][0]);
        buf_put(&view, "\"}");
        cr_assert(!template_parse(arena, STR("{{v|cut}}"), NULL, true, &t));
        cr_assert(!render(t, arena_z(arena, buf_text(&view)), &page));
        cr_expect(str_is(str_sub(page, 198, page.n), clusters[i][1]), "%.*s",
                  STR_FMT(page));
    }
}

Test(template, refuses_values_that_could_become_code)
{
    static const struct refused cases[] = {
        {"<script>{{v}}</script>", "template.context"},
        {"<SCRIPT>{{v}}</script>", "template.context"},
        {"<script src=\"/a\">var a = \"{{v}}\";</script>",
         "template.context"},
        {"<script></scriptx>{{v}}</script>", "template.context"},
        {"<script></ script>{{v}}</script>", "template.context"},
        {"<script/>{{v}}</script>", "template.context"},
        {"<style>a { color: {{v}} }</style>", "template.context"},
        {"<iframe>{{v}}</iframe>", "template.context"},
        {"<title></{{v}}</title>", "template.context"},
        {"<title><{{v}}</title>", "template.context"},
        {"<!-- {{v}} -->", "template.context"},
        {"<!doctype {{v}}>", "template.context"},
        {"<p a={{v}}>", "template.context"},
        {"<p a= {{v}}>", "template.context"},
        {"<p a=b{{v}}>", "template.context"},
        {"<p {{v}}>", "template.context"},
        {"<p a{{v}}=\"b\">", "template.context"},
        {"<p {{v}}=\"b\">", "template.context"},
        {"<p a=\"b\"{{v}}>", "template.context"},
        {"<{{v}}>", "template.context"},
        {"<p{{v}}>", "template.context"},
        {"</{{v}}>", "template.context"},
        {"</p{{v}}>", "template.context"},
        {"<!{{v}}>", "template.context"},
        {"<p onclick=\"{{v}}\">", "template.context"},
        {"<p OnFocus='{{v}}'>", "template.context"},
        {"<p on=\"{{v}}\">", "template.context"},
        {"<p style=\"color: {{v}}\">", "template.context"},
        {"<p STYLE='{{v}}'>", "template.context"},
        {"<iframe srcdoc=\"{{v}}\">", "template.context"},
        {"<img srcset=\"{{v}}\">", "template.context"},
        {"<video poster=\"{{v}}\">", "template.context"},
        {"<a ping=\"/{{v}}\">", "template.context"},
        {"<use xlink:href=\"#{{v}}\"/>", "template.context"},
        {"<object data=\"{{v}}\">", "template.context"},
    };
    expect_refused(cases, countof(cases));
}

Test(template, refuses_html_that_browsers_would_have_to_repair)
{
    static const struct refused cases[] = {
        {"<p a=\"b\"c=\"d\">", "template.markup"},
        {"<p a =\"b\">", "template.markup"},
        {"<p =b>", "template.markup"},
        {"<p a=>", "template.markup"},
        {"<?xml?>", "template.markup"},
        {"</>", "template.markup"},
        {"<![CDATA[x]]>", "template.markup"},
        {"<!>", "template.markup"},
        {"<script><!-- <script> </script>", "template.markup"},
        {"<p", "template.markup"},
        {"<p a=\"b", "template.markup"},
        {"<!-- x", "template.markup"},
        {"<title>x", "template.markup"},
        {"x<", "template.markup"},
    };
    expect_refused(cases, countof(cases));
}

/* A comment ends where a browser says so, and what follows is judged. */
Test(template, comments_of_html_end_as_in_a_browser)
{
    static const struct refused cases[] = {
        {"<!--><script>{{v}}</script>-->", "template.context"},
        {"<!---><script>{{v}}</script>-->", "template.context"},
        {"<!-- --!><script>{{v}}</script>-->", "template.context"},
        {"<!-- - ->{{v}}-->", "template.context"},
        {"<!--!>{{v}}-->", "template.context"},
        {"<!-- -- >{{v}}-->", "template.context"},
    };
    expect_refused(cases, countof(cases));
    static const struct prints fine[] = {
        {"<!-->{{v}}", "{\"v\": 1}", "<!-->1"},
        {"<!--->{{v}}", "{\"v\": 1}", "<!--->1"},
        {"<!----->{{v}}", "{\"v\": 1}", "<!----->1"},
        {"<!-- a -- b --->{{v}}", "{\"v\": 1}", "<!-- a -- b --->1"},
    };
    expect_all(fine, countof(fine));
}

Test(template, sections_leave_the_html_as_they_found_it)
{
    static const struct refused cases[] = {
        {"{{#a}}<p {{/a}}>", "template.context"},
        {"{{#a}}<script>{{/a}}x</script>", "template.context"},
        {"<p title=\"{{#a}}\"{{/a}}>", "template.context"},
        {"<p title={{#a}}\"x\"{{/a}}>", "template.context"},
        {"<p {{#a}}x=\"{{/a}}\">", "template.context"},
        {"<scr{{#a}}ipt{{/a}}>x</script>", "template.context"},
        {"<{{#a}}p{{/a}}>", "template.context"},
        {"<!-- {{#a}}--> {{/a}}-->", "template.context"},
        {"<p{{#a}}>{{/a}}", "template.context"},
        {"<p {{#a}}{{#b}}x{{/b}}{{/a}}>", "template.context"},
        {"<p {{#a}}nclick=\"{{v}}\" o{{/a}}>", "template.context"},
        {"<p {{#a}}on{{/a}}click=\"{{v}}\">", "template.markup"},
        {"<p {{#a}}a{{/a}}=\"{{v}}\">", "template.markup"},
        {"<p {{#a}}a{{/a}} =\"{{v}}\">", "template.markup"},
        {"<p{{#a}} b{{/a}}c=\"{{v}}\">", "template.markup"},
    };
    expect_refused(cases, countof(cases));
    static const struct prints fine[] = {
        {"<p {{#a}}hidden{{/a}}>", "{\"a\": true}", "<p hidden>"},
        {"<p{{#a}} hidden{{/a}}>", "{\"a\": true}", "<p hidden>"},
        {"<p{{#a}} hidden{{/a}}/>", "{}", "<p/>"},
        {"<p a='b'{{#a}} c=\"{{.}}\"{{/a}} d>", "{\"a\": [1, 2]}",
         "<p a='b' c=\"1\" c=\"2\" d>"},
        {"<p{{#a}} b{{/a}}{{^a}} c{{/a}}>", "{}", "<p c>"},
        {"<p class=\"a{{#a}} {{.}}{{/a}}\">", "{\"a\": [1, 2]}",
         "<p class=\"a 1 2\">"},
        {"<title>{{#a}}{{.}} {{/a}}x</title>", "{\"a\": 1}",
         "<title>1 x</title>"},
        {"{{#a}}<p>{{/a}}{{#a}}</p>{{/a}}", "{\"a\": 1}", "<p></p>"},
    };
    expect_all(fine, countof(fine));
}

Test(template, parts_stand_in_text_alone)
{
    static const struct refused cases[] = {
        {"<p title=\"{{>p}}\">", "template.context"},
        {"<p {{>p}}>", "template.context"},
        {"<{{>p}}>", "template.context"},
        {"<title>{{>p}}</title>", "template.context"},
        {"<script>{{>p}}</script>", "template.context"},
        {"<!-- {{>p}} -->", "template.context"},
    };
    expect_refused(cases, countof(cases));
    struct templates *t = NULL;
    const struct err *e = template_parse(
        arena, STR("{{>p}}"), json_of("{\"p\": \"x\\n<p \"}"), false, &t);
    cr_assert(e != NULL, "a part that ends in a tag");
    cr_expect(str_is(str_of(e->code), "template.markup"));
    cr_expect(str_is(e->at, "p.html:1"), "%.*s", STR_FMT(e->at));
}

Test(template, refuses_what_is_no_tag)
{
    static const struct refused cases[] = {
        {"{{{v}}}", "template.tag"},
        {"{{&v}}", "template.tag"},
        {"{{=<% %>=}}", "template.tag"},
        {"{{v", "template.tag"},
        {"{{v}", "template.tag"},
        {"{{", "template.tag"},
        {"{{! v", "template.tag"},
        {"{{}}", "template.name"},
        {"{{ }}", "template.name"},
        {"{{a b}}", "template.name"},
        {"{{a.}}", "template.name"},
        {"{{.a}}", "template.name"},
        {"{{a..b}}", "template.name"},
        {"{{..}}", "template.name"},
        {"{{a/b}}", "template.name"},
        {"{{#}}{{/}}", "template.name"},
        {"{{>}}", "template.name"},
        {"{{>../x}}", "template.name"},
        {"{{>/x}}", "template.name"},
        {"{{>a/}}", "template.name"},
        {"{{>a/b/c}}", "template.name"},
        {"{{>a/absent}}", "template.part"},
        {"{{>a.b}}", "template.name"},
        {"{{>absent}}", "template.part"},
        {"{{#a}}", "template.section"},
        {"{{/a}}", "template.section"},
        {"{{#a}}{{/b}}", "template.section"},
        {"{{#a}}{{^b}}{{/a}}{{/b}}", "template.section"},
        {"a\xff", "template.utf8"},
    };
    expect_refused(cases, countof(cases));
    struct templates *t = NULL;
    const struct err *e =
        template_parse(arena, (struct str){"a\0b", 3}, NULL, false, &t);
    cr_expect(e != NULL, "a NUL byte");
}

Test(template, a_refusal_names_file_and_line)
{
    static const struct {
        const char *text, *at;
    } cases[] = {
        {"a\n\n<p {{v}}>", "main.html:3"},
        {"a\n<p\n\nb=\"c\"d=\"e\">\n{{v}}", "main.html:4"},
        {"{{! x\ny }}\n{{#a}}\n{{v}}", "main.html:3"},
        {"a\n  {{#a}}\n{{/b}}\n", "main.html:3"},
        {"\n\n{{v", "main.html:3"},
        {"\n{{>absent}}", "main.html:2"},
    };
    for (size_t i = 0; i < countof(cases); i++) {
        struct templates *t = NULL;
        const struct err *e =
            template_parse(arena, str_of(cases[i].text), NULL, false, &t);
        cr_assert(e != NULL, "%s", cases[i].text);
        cr_expect(str_is(e->at, cases[i].at), "%s: %.*s", cases[i].text,
                  STR_FMT(e->at));
        cr_expect(e->say.n > 0);
    }
}

/* A JSON string of v, and what href="{{v}}" must print for it. */
static const struct {
    const char *v, *printed;
} addresses[] = {
    {"/inbox?a=1&b=2#c", "/inbox?a=1&amp;b=2#c"},
    {"#top", "#top"},
    {"?page=2", "?page=2"},
    {"https://example.org/", "https://example.org/"},
    {"http://example.org/", "http://example.org/"},
    {"mailto:a@example.org", "mailto:a@example.org"},
    {"/", "/"},
    {"/a//b", "/a//b"},
    {"/a\\\"b'<>", "/a&quot;b&#39;&lt;&gt;"},
    {"javascript:alert(1)", "#"},
    {"JaVaScript:alert(1)", "#"},
    {" javascript:alert(1)", "#"},
    {"\\tjavascript:alert(1)", "#"},
    {"java\\nscript:alert(1)", "#"},
    {"\\u0001javascript:alert(1)", "#"},
    {"data:text/html,x", "#"},
    {"vbscript:x", "#"},
    {"file:///etc/passwd", "#"},
    {"//evil.example", "#"},
    {"/\\\\evil.example", "#"},
    {"\\\\\\\\evil.example", "#"},
    {"/\\t/evil.example", "#"},
    {"/a\\nb", "#"},
    {"/a\\u007fb", "#"},
    {"https:evil.example", "#"},
    {"https:/evil.example", "#"},
    {"httpsx://evil.example", "#"},
    {"\\u00a0javascript:x", "#"},
    {"&#106;avascript:x", "#"},
    {"inbox", "#"},
    {" /inbox", "#"},
    {"", "#"},
};

Test(template, addresses)
{
    static const char *const tags[] = {"a href", "img src", "form ACTION",
                                       "button formaction"};
    for (size_t i = 0; i < countof(addresses); i++) {
        for (size_t k = 0; k < countof(tags) * 2; k++) {
            char quote = k % 2 ? '\'' : '"', text[64], view[96], page[96];
            const char *tag = tags[k / 2];
            snprintf(text, sizeof(text), "<%s=%c{{v}}%c>", tag, quote, quote);
            snprintf(view, sizeof(view), "{\"v\": \"%s\"}", addresses[i].v);
            snprintf(page, sizeof(page), "<%s=%c%s%c>", tag, quote,
                     addresses[i].printed, quote);
            expect_prints(&(struct prints){text, view, page}, "{}");
        }
    }
}

/* Where the template begins the address, a value after it is one part of its
 * path or query, whatever it has in it. */
Test(template, addresses_of_several_pieces)
{
    static const struct prints cases[] = {
        {"<a href=\"/i/{{v}}/x\">", "{\"v\": \"javascript:x\"}",
         "<a href=\"/i/javascript%3Ax/x\">"},
        {"<a href=\"/{{v}}\">", "{\"v\": \"a\"}", "<a href=\"/a\">"},
        {"<a href=\"/{{v}}\">", "{\"v\": \"/evil\"}",
         "<a href=\"/%2Fevil\">"},
        {"<a href=\"/{{v}}\">", "{\"v\": \"\\\\evil\"}",
         "<a href=\"/%5Cevil\">"},
        {"<a href=\"/i/{{v}}\">", "{\"v\": \"a\\nb\"}",
         "<a href=\"/i/a%0Ab\">"},
        {"<form action='/i/{{v}}/x?a={{v}}&amp;b=1#{{v}}'>",
         "{\"v\": \"é 1/2?a&b=c#d+e%20'\\\"\"}",
         "<form action='/i/%C3%A9%201%2F2%3Fa%26b%3Dc%23d%2Be%2520%27%22/x?a="
         "%C3%A9%201%2F2%3Fa%26b%3Dc%23d%2Be%2520%27%22&amp;b=1#"
         "%C3%A9%201%2F2%3Fa%26b%3Dc%23d%2Be%2520%27%22'>"},
        {"<img src=\"/i/a-Z_0.9~{{v}}\">", "{\"v\": \"a-Z_0.9~\"}",
         "<img src=\"/i/a-Z_0.9~a-Z_0.9~\">"},
        {"<a href='{{u}}#e{{n}}'>", "{\"u\": \"/i/a%20b?c=d\", \"n\": 7}",
         "<a href='/i/a%20b?c=d#e7'>"},
        {"<a href='{{a}}{{b}}'>", "{\"a\": \"/\", \"b\": \"/evil\"}",
         "<a href='/%2Fevil'>"},
        {"<a href='{{a}}/{{b}}'>", "{\"a\": \"/\", \"b\": \"evil\"}",
         "<a href='//#'>"},
        {"<a href='{{! }}data:{{a}}'>", "{\"a\": \"x\"}", "<a href='data:#'>"},
        {"<a href='{{a}}{{b}}{{c}}'>",
         "{\"a\": \"/\", \"b\": null, \"c\": \"/evil\"}",
         "<a href='/%2Fevil'>"},
        {"<a href='{{a}}{{b}}'>", "{\"a\": null, \"b\": \"data:x\"}",
         "<a href='#'>"},
        {"<a href='{{a}}{{b}}'>", "{\"a\": null, \"b\": \"/x\"}",
         "<a href='#'>"},
        {"<a href='/x{{#a}}/{{.}}{{/a}}'>", "{\"a\": [\"y\", \":z\"]}",
         "<a href='/x/y/%3Az'>"},
        {"<a href=\"{{u}}'{{v}}\">", "{\"u\": \"/\", \"v\": \"/\"}",
         "<a href=\"/'%2F\">"},
        {"<a title='\"/' href=\"{{v}}\">", "{\"v\": \"x\"}",
         "<a title='\"/' href=\"#\">"},
        {"<a href=\"/i/{{n}}\">", "{\"n\": 7}", "<a href=\"/i/7\">"},
        {"<a href=\"/i/{{n|count}}\">", "{\"n\": 1234}",
         "<a href=\"/i/1%2C234\">"},
        {"<a href=\"{{n}}\">", "{\"n\": 7}", "<a href=\"#\">"},
        {"<a href=\"mailto:{{v}}\">", "{\"v\": \"a@b\"}",
         "<a href=\"mailto:a%40b\">"},
        {"<a href=\"/i\" title=\"/{{v}}\">", "{\"v\": \"/ \"}",
         "<a href=\"/i\" title=\"// \">"},
        {"<p title=\"{{#a}}x {{/a}}{{v}}\">", "{\"a\": 1, \"v\": \"/ \"}",
         "<p title=\"x / \">"},
    };
    expect_all(cases, countof(cases));
    static const struct refused bad[] = {
        {"<a href=\"x/{{v}}\">", "template.url"},
        {"<a href=\"//{{v}}\">", "template.url"},
        {"<a href=\"javascript:{{v}}\">", "template.url"},
        {"<a href=\"java{{v}}\">", "template.url"},
        {"<a href=\"https:{{v}}\">", "template.url"},
        {"<a href=\" {{v}}\">", "template.url"},
        /* A value that may or may not begin the address. */
        {"<a href='{{#a}}/x{{/a}}{{b}}'>", "template.context"},
        {"<a href='{{#a}}{{.}}{{/a}}{{^a}}/y{{/a}}'>", "template.context"},
        {"<a href='{{?a}}{{b}}{{/a}}'>", "template.context"},
    };
    expect_refused(bad, countof(bad));
}

Test(template, strict_refuses_unknown_names)
{
    static const struct {
        const char *text, *view, *code, *at;
    } cases[] = {
        {"{{a}}", "{}", "template.unknown", "main.html:1 a"},
        {"\n{{#a}}\n{{b.c}}{{/a}}", "{\"a\": {\"b\": {}}}",
         "template.unknown", "main.html:3 b.c"},
        {"{{a.b}}", "{\"a\": null}", "template.unknown", "main.html:1 a.b"},
        {"{{a}}", "[]", "template.unknown", "main.html:1 a"},
        {"{{a}}", "{\"a\": []}", "template.not_text", "main.html:1 a"},
        {"{{.}}", "{}", "template.not_text", "main.html:1 ."},
        {"{{a|time}}", "{\"a\": \"x\"}", "template.format",
         "main.html:1 a|time"},
        {"{{#a|head}}{{/a|head}}", "{\"a\": 1}", "template.format",
         "main.html:1 a|head"},
        {"{{a}}", "{\"a\": null}", NULL, NULL},
        {"{{#a}}{{/a}}{{^a}}{{/a}}{{#a.b}}{{/a.b}}", "{}", NULL, NULL},
        {"{{#a}}{{b}}{{/a}}", "{\"a\": 1, \"b\": 2}", NULL, NULL},
    };
    for (size_t i = 0; i < countof(cases); i++) {
        struct templates *t = NULL;
        cr_assert(!template_parse(arena, str_of(cases[i].text), NULL, true,
                                     &t));
        struct str page;
        const struct err *e = render(t, cases[i].view, &page);
        cr_expect(!e == !cases[i].code, "%s",
                  cases[i].text);
        if (!e || !cases[i].code)
            continue;
        cr_expect(e->kind == ERR_INTERNAL);
        cr_expect(str_is(str_of(e->code), cases[i].code), "%s", e->code);
        cr_expect(str_is(e->at, cases[i].at), "%.*s", STR_FMT(e->at));
    }
}

/* The other way round: all that a view holds is named by its page. */
Test(template, strict_refuses_members_that_no_page_names)
{
    static const struct {
        const char *text, *view, *at;
    } cases[] = {
        {"{{a}}", "{\"a\": 1}", NULL},
        {"{{#a}}{{b.c}}{{/a}}", "{\"a\": [{\"b\": {\"c\": 1}}]}", NULL},
        {"{{>p}}", "{\"in_part\": 1}", NULL},
        {"{{^a}}{{/a}}{{?b|hidden}}{{/b|hidden}}",
         "{\"a\": 1, \"b\": \"\"}", NULL},
        {"x", "{\"page\": {\"title\": \"of the frame\"}}", NULL},
        {"{{suspension.a}}", "{\"suspension\": {\"a\": 1, \"b\": 2}}", NULL},
        {"{{#l}}{{suspension.a}}{{/l}}",
         "{\"l\": [{\"suspension\": {\"a\": 1, \"b\": 2}}]}", NULL},
        {"x", "{\"suspension\": {}}", "main.html suspension"},
        {"{{a}}", "{\"a\": 1, \"b\": null}", "main.html b"},
        {"{{#a}}{{/a}}", "{\"a\": [{}, {\"b\": 1}]}", "main.html a.b"},
        {"{{#a}}{{b}}{{/a}}",
         "{\"a\": {\"b\": \"\", \"c\": {}, \"d\": 1}}", "main.html a.c"},
    };
    for (size_t i = 0; i < countof(cases); i++) {
        struct templates *t = NULL;
        struct str page;
        cr_assert(!template_parse(arena, str_of(cases[i].text),
                                  json_of("{\"p\": \"{{in_part}}\"}"), true,
                                  &t));
        const struct err *e = render(t, cases[i].view, &page);
        cr_expect(!e == !cases[i].at, "%s over %s", cases[i].text,
                  cases[i].view);
        if (!e || !cases[i].at)
            continue;
        cr_expect(str_is(str_of(e->code), "template.unused"), "%s", e->code);
        cr_expect(str_is(e->at, cases[i].at), "%.*s", STR_FMT(e->at));
    }
}

/* n sections in each other around an x. */
static struct str nested(size_t n)
{
    struct buf b = buf_make(arena, 4096);
    for (size_t i = 0; i < n; i++)
        buf_put(&b, "{{#a}}");
    buf_put(&b, "x");
    for (size_t i = 0; i < n; i++)
        buf_put(&b, "{{/a}}");
    return buf_text(&b);
}

Test(template, sections_have_a_depth)
{
    struct templates *t = NULL;
    struct str page;
    cr_assert(
        !template_parse(arena, nested(TEMPLATE_DEPTH_MAX), NULL, true, &t));
    cr_assert(!render(t, "{\"a\": true}", &page));
    cr_expect(str_is(page, "x"));
    const struct err *e =
        template_parse(arena, nested(TEMPLATE_DEPTH_MAX + 1), NULL, true, &t);
    cr_assert(e != NULL);
    cr_expect(str_is(str_of(e->code), "template.depth"));
}

Test(template, parts_have_a_depth)
{
    static const char *const parts[] = {
        "{\"p\": \"{{>p}}\"}",
        "{\"p\": \"{{#a}}{{>p}}{{/a}}\"}",
        "{\"p\": \"x{{>q}}\", \"q\": \"{{^b}}y{{>p}}{{/b}}\"}",
    };
    for (size_t i = 0; i < countof(parts); i++) {
        struct templates *t = NULL;
        struct str page;
        cr_assert(!template_parse(arena, STR("{{>p}}"), json_of(parts[i]),
                                     false, &t));
        const struct err *e = render(t, "{\"a\": [1]}", &page);
        cr_assert(e != NULL, "%s", parts[i]);
        cr_expect(e->kind == ERR_INTERNAL);
        cr_expect(str_is(str_of(e->code), "template.depth"));
    }
    struct templates *t = NULL;
    struct str page;
    cr_assert(!template_parse(arena, nested(TEMPLATE_DEPTH_MAX - 1), NULL,
                                 false, &t));
    cr_assert(!render(t, "{\"a\": 1}", &page));
}

Test(template, a_page_has_a_ceiling)
{
    struct templates *t = NULL;
    cr_assert(!template_parse(arena, STR("{{#l}}0123456789{{/l}}"), NULL,
                              true, &t));
    struct buf out = buf_make(arena, 25);
    const struct template_page page = {
        .name = "main", .view = json_of("{\"l\": [1, 2, 3]}")};
    const struct err *e = template_render(arena, t, &page, &out);
    cr_assert(e != NULL);
    cr_expect(e->kind == ERR_INTERNAL);
    cr_expect(str_is(str_of(e->code), "template.too_long"));
}

Test(template, an_unknown_template_is_an_error)
{
    struct templates *t = NULL;
    cr_assert(!template_parse(arena, STR("x"), NULL, true, &t));
    struct buf out = buf_make(arena, 100);
    const struct template_page page = {.name = "absent",
                                       .view = json_of("{}")};
    const struct err *e = template_render(arena, t, &page, &out);
    cr_assert(e != NULL);
    cr_expect(e->kind == ERR_INTERNAL);
    cr_expect(str_is(str_of(e->code), "template.missing"));
}

static void write_file(const char *dir, const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof(path), "%s/%s", dir, name);
    FILE *f = fopen(path, "w");
    cr_assert(f != NULL);
    fputs(text, f);
    fclose(f);
}

static void remove_file(const char *dir, const char *name)
{
    char path[256];
    snprintf(path, sizeof(path), "%s/%s", dir, name);
    remove(path);
}

Test(template, loads_a_directory)
{
    char dir[] = "/tmp/sayso-template-XXXXXX";
    cr_assert(mkdtemp(dir) != NULL);
    struct templates *t = NULL;
    const struct err *e = template_load(arena, str_of(dir), true, &t);
    cr_assert(e != NULL, "a directory without templates");
    cr_expect(str_is(str_of(e->code), "template.directory"));

    char room[64], inner[64];
    snprintf(room, sizeof(room), "%s/room", dir);
    snprintf(inner, sizeof(inner), "%s/room/inner", dir);
    cr_assert(mkdir(room, 0700) == 0 && mkdir(inner, 0700) == 0);
    write_file(dir, "page.html", "<p>{{>room/row}}</p>\n");
    write_file(dir, "room/row.html", "{{a}}");
    write_file(dir, "empty.html", "");
    write_file(dir, ".hidden.html", "{{{");
    write_file(dir, "page.html.orig", "{{{");
    write_file(dir, "room/page.html.orig", "{{{");
    write_file(dir, "room/inner/page.html", "{{{");
    e = template_load(arena, str_of(dir), true, &t);
    cr_assert(!e, "%s %s", e ? e->code : "", e ? e->at.p : "");
    struct buf out = buf_make(arena, 1000);
    const struct template_page page = {
        .name = "page", .view = json_of("{\"a\": \"<\"}")};
    const struct template_page empty = {.name = "empty"};
    cr_assert(!template_render(arena, t, &page, &out));
    cr_expect(str_is(buf_text(&out), "<p>&lt;</p>\n"));
    cr_assert(!template_render(arena, t, &empty, &out));

    write_file(dir, "room/bad.html", "\n{{>room/absent}}");
    e = template_load(arena, str_of(dir), true, &t);
    cr_assert(e != NULL);
    cr_expect(str_is(e->at, "room/bad.html:2"));
    static const char *const names[] = {
        "page.html",           "room/row.html",        "empty.html",
        ".hidden.html",        "page.html.orig",       "room/bad.html",
        "room/page.html.orig", "room/inner/page.html", "room/inner", "room"};
    for (size_t i = 0; i < countof(names); i++)
        remove_file(dir, names[i]);
    cr_expect(rmdir(dir) == 0);
}

Test(template, a_template_must_be_a_readable_file)
{
    char dir[] = "/tmp/sayso-template-XXXXXX", inner[64];
    struct templates *t = NULL;
    cr_assert(mkdtemp(dir) != NULL);
    snprintf(inner, sizeof(inner), "%s/x.html", dir);
    cr_assert(mkdir(inner, 0700) == 0);
    const struct err *e = template_load(arena, str_of(dir), true, &t);
    cr_expect(e && str_is(str_of(e->code), "template.file"));
    cr_expect(e && str_is(e->at, "x.html:1"));
    rmdir(inner);
    rmdir(dir);
    e = template_load(arena, str_of(dir), true, &t);
    cr_expect(e && str_is(str_of(e->code), "template.directory"));
}
