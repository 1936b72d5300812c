/* HTML templates: a subset of Mustache over a JSON view model.
 *
 *   {{name}} {{a.b}} {{.}}   the value, escaped for its HTML context
 *   {{#name}}...{{/name}}    for each element, once for a true value or object
 *   {{^name}}...{{/name}}    when absent, null, false, "" or an empty list
 *   {{?name}}...{{/name}}    once when {{^name}} is not, with the names as they
 *                            are outside: for the text around a list
 *   {{>folder/part}}         the template folder/part.html of the directory
 *   {{! comment }}
 * There is no unescaped tag, no set-delimiter tag, no lambda, and a partial is
 * not indented. A section, comment or partial tag alone on its line takes the
 * line with it, as in Mustache.
 *
 * A name, also that of a section, may have a format after a bar; its result is
 * a text like any other. A moment is a number of microseconds since 1970 or a
 * text of RFC 3339, a span a number of microseconds; null stays null, and any
 * other value of another type is not printed.
 *   iso    2026-11-20T03:12:04Z       time   20 Nov 2026 04:12:04 CET
 *   utc    20 Nov 2026 03:12:04 UTC   short  20 Nov 04:12:04
 *   ago    43 min ago, 8 min left     day    20 Nov 2026
 *   clock  04:12:04 CET
 *   head   a text, at most 300 characters     cut   at most 200
 *   span   43 min                     id     7c0e…b41d
 *   digest 9f86 d081, the beginning of one in hexadecimal
 *   count  1,284: of an integer, or of the elements of a list
 *   many:open request   "1 open request", "1,284 open requests": the same with
 *          a noun, which has an s but for 1
 *   verb:is:are   the first word for 1, else the second
 *   hidden "3 hidden characters shown", or "" when it has none
 *   mixed  of a name: "letters of several alphabets", or ""
 *
 * A character that is invisible or changes how its neighbours are read
 * (text_hidden_at in base/text.h) is printed by its number: in text as <code
 * class="hid">U+200B</code>, in <title> and in attributes that people read as
 * [U+200B], and so are those beyond TEMPLATE_MARKS in one page. Values that a
 * form sends back and addresses keep it: the attributes value and name, those
 * of addresses, and <textarea>.
 *
 * Loading scans the HTML around each tag and refuses a template that prints
 * into <script>, <style>, a comment, an unquoted attribute, a tag or attribute
 * name, or an attribute whose name starts with "on" or is "style", "srcdoc", or
 * an address other than the four below ("srcset", "poster" ...). In href, src,
 * action and formaction a value that begins the address is a whole one: if it
 * does not start with '/', '#', '?', "https://", "http://" or "mailto:" it is
 * printed as "#", and so is one that starts with "//" or "/\" or has a control
 * character. A value that continues the address ("/intents/{{id}}") is
 * percent-encoded, and the same rule holds for the beginning. A section in an
 * address stands after that beginning. A section ends in the HTML context in
 * which it began; one that prints attributes begins with a space, and a space
 * or the tag's end follows it. A partial is placed in text, and begins and ends
 * in text itself.
 *
 * Templates are parsed once, before the fork, and shared by all workers. */
#ifndef WORLD_TEMPLATE_TEMPLATE_H
#define WORLD_TEMPLATE_TEMPLATE_H

#include "base/buf.h"
#include "base/json/json.h"

#define TEMPLATE_DEPTH_MAX 24 /* sections and partials within each other */
#define TEMPLATE_MARKS 2000   /* hidden characters of a page in a <code> each;
                               * the others are spelt within the text */

struct templates;

/* Loads every *.html of dir and of the folders in it into a. strict: printing
 * an unknown name, a list or an object is an error, and else prints nothing;
 * asking for an unknown name with a section is allowed. A member of the view
 * that its template and parts never name is an error too, but for those of
 * "page", the frame of all pages, and of "suspension", the record of a
 * question. ERR_INVALID
 * template.<reason> with the file and line in .at. */
const struct err *template_load(struct arena *a, struct str dir, bool strict,
                                struct templates **out) MUST;
/* The same from one text, for tests: parts maps a partial's name to its text
 * (a JSON object, may be NULL). The template's name is "main". */
const struct err *template_parse(struct arena *a, struct str text,
                                 const struct json *parts, bool strict,
                                 struct templates **out) MUST;
/* One page. */
struct template_page {
    const char *name; /* of its template, without ".html" */
    const struct json *view;
    int64_t now;
    struct str zone; /* of the reader; p NULL: UTC */
};
/* Renders a page into out. ERR_INTERNAL when there is no such template, out's
 * ceiling is reached, sections and partials are too deep within each other, or
 * strict refuses a name (.at tells file, line and name). */
const struct err *template_render(struct arena *a, const struct templates *t,
                                  const struct template_page *page,
                                  struct buf *out) MUST;

#endif
