/* HTML templates: a subset of Mustache over a JSON view model.
 *
 * {{name}} {{a.b}} {{.}}   the value, escaped for where it stands
 * {{#name}}...{{/name}}    for each element, once for a true value or object
 * {{^name}}...{{/name}}    when absent, null, false, "" or an empty list
 * {{>part}}                the template part_<part>.html of the directory
 * {{! comment }}
 * There is no tag that prints without escaping, no set-delimiter tag, no
 * lambda, and a partial is not indented. A section, comment or partial tag
 * alone on its line takes the line with it, as in Mustache.
 *
 * Loading scans the HTML around each tag and refuses a template that prints
 * into <script>, <style>, a comment, an unquoted attribute, a tag or
 * attribute name, or an attribute whose name starts with "on" or is "style",
 * "srcdoc", or an address other than the four below ("srcset", "poster" ...).
 * In href, src, action and formaction a value that does not start with '/',
 * '#', '?', "https://", "http://" or "mailto:" is printed as "#", and so is
 * one that starts with "//" or "/\" or holds a control character. Where the
 * template itself begins the address ("/intents/{{id}}") that beginning is
 * held to the same, and the value only must not make "//" of a "/".
 * A section ends where in the HTML it began; one that prints attributes
 * begins with a space, and a space or the tag's end follows it. A partial
 * stands in text, and begins and ends in text itself.
 *
 * Templates are parsed once, before the fork, and shared by all workers. */
#ifndef WORLD_TEMPLATE_H
#define WORLD_TEMPLATE_H

#include "base/buf.h"
#include "base/json.h"

#define TEMPLATE_DEPTH_MAX 24 /* sections and partials within each other */

struct templates;

/* Loads every *.html of dir into a. strict: printing an unknown name, a list
 * or an object is an error, and else prints nothing; asking for an unknown
 * name with a section is allowed. ERR_INVALID template.<reason> with the file
 * and line in .at. */
const struct err *template_load(struct arena *a, struct str dir, bool strict,
                                struct templates **out) MUST;
/* The same from one text, for tests: parts maps a partial's name to its text
 * (a JSON object, may be NULL). The template's name is "main". */
const struct err *template_parse(struct arena *a, struct str text,
                                 const struct json *parts, bool strict,
                                 struct templates **out) MUST;
/* Renders template name (without ".html") over view into out. ERR_INTERNAL
 * when there is no such template, out's ceiling is reached, sections and
 * partials are too deep within each other, or strict refuses a name (.at
 * tells file, line and name). */
const struct err *template_render(struct arena *a, const struct templates *t,
                                  const char *name, const struct json *view,
                                  struct buf *out) MUST;

#endif
