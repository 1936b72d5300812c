/* The fields of a form on a page.
 *
 * A field is named f1, f2, ... by its position in the form, never by the
 * agent's own key, which may be any text. */
#include "doors/pages/shell/fields.h"

#include "base/clock_text.h"
#include "domain/kind/form.h"
#include "doors/pages/shell/facts.h"

#define RADIO_MAX 5       /* with more options it is a select */
#define ONE_LINE_MAX 120  /* characters of a default that fit in a line */

static bool is_type(const struct json *field, const char *type)
{
    return str_is(json_get_text(field, "type"), type);
}

static bool is_format(const struct json *field, const char *format)
{
    return str_is(json_get_text(field, "format"), format);
}

static struct str id_of(struct arena *a, size_t i, const char *after)
{
    struct buf b = buf_make(a, 32);
    buf_printf(&b, "f%zu%s", i + 1, after);
    return buf_text(&b);
}

struct json *page_fields_form(struct arena *a, const struct suspension *s)
{
    struct json *form = NULL, *context = NULL;
    if (s->response_type != ANSWER_FORM)
        return json_array(a);
    if (s->form.p)
        return json_parse(a, s->form, &form) ? json_array(a) : form;
    return json_parse(a, s->context, &context) ? json_array(a)
                                               : form_of_context(a, context);
}

/* ---- reading -------------------------------------------------------- */

static struct json *read_multi(struct arena *a, struct str name,
                               const struct pairs *posted)
{
    struct json *list = json_array(a);
    for (size_t i = 0; i < posted->n; i++) {
        if (str_eq(posted->v[i].key, name))
            json_add_text(list, posted->v[i].value);
    }
    return list;
}

/* Browsers send 2026-11-23T10:30; the help text says that it is UTC. */
static struct str with_zone(struct arena *a, struct str s)
{
    struct buf b = buf_make(a, 32);
    int64_t t = 0;
    buf_str(&b, str_head(s, 16));
    buf_put(&b, ":00Z");
    return s.n == 16 && clock_parse(buf_text(&b), &t) ? buf_text(&b) : s;
}

struct json *page_fields_read(struct arena *a, const struct json *form,
                              const struct pairs *posted)
{
    struct json *values = json_object(a);
    for (size_t i = 0; i < json_count(form); i++) {
        const struct json *field = json_at(form, i);
        const struct str key = json_get_text(field, "key");
        struct str text = pairs_get(*posted, id_of(a, i, "").p);
        bool absent = false;
        if (is_type(field, "multi")) {
            const struct str name = id_of(a, i, "[]");
            json_set_key(values, key, read_multi(a, name, posted));
            continue;
        }
        /* An unticked box is not sent, and means false. */
        if (is_type(field, "boolean") && text.n == 0)
            text = STR("false");
        if (is_format(field, "date-time"))
            text = with_zone(a, text);
        struct json *value = form_value(a, field, text, &absent);
        if (!absent)
            json_set_key(values, key, value);
    }
    return values;
}

/* ---- showing -------------------------------------------------------- */

/* One field while its page is built. */
struct face {
    struct page_view *v;
    const struct json *field;
    const struct pairs *typed;
    size_t i;
};

/* The value in the box: the typed one, or the default. */
static struct str value_of(const struct face *f)
{
    struct arena *a = f->v->a;
    const struct json *given = json_get(f->field, "default");
    int64_t t = 0;
    if (is_format(f->field, "password")) /* of our own forms; never shown */
        return STR("");
    if (f->typed) {
        const struct str s = pairs_get(*f->typed, id_of(a, f->i, "").p);
        return s.p ? s : STR("");
    }
    if (!given || json_is(given, JSON_ARRAY) || json_is(given, JSON_OBJECT))
        return STR("");
    /* The browser's control for a moment accepts only this spelling. */
    if (is_format(f->field, "date-time") && clock_parse(json_text(given), &t))
        return str_head(clock_naive(a, t), 16);
    return page_facts_value(a, given);
}

static bool chosen(const struct face *f, const struct json *option)
{
    const struct json *value = json_get(option, "value");
    const struct json *given = json_get(f->field, "default");
    const bool multi = is_type(f->field, "multi");
    if (f->typed) {
        const struct str name = id_of(f->v->a, f->i, multi ? "[]" : "");
        for (size_t i = 0; i < f->typed->n; i++) {
            if (str_eq(f->typed->v[i].key, name) &&
                str_eq(f->typed->v[i].value, json_text(value)))
                return true;
        }
        return false;
    }
    for (size_t i = 0; i < json_count(given); i++) {
        if (json_equal(json_at(given, i), value))
            return true;
    }
    return !multi && given && json_equal(given, value);
}

static void set_options(const struct face *f, struct json *o)
{
    const struct json *options = json_get(f->field, "options");
    struct json *list = json_array(f->v->a);
    for (size_t i = 0; i < json_count(options); i++) {
        const struct json *option = json_at(options, i);
        struct json *one = json_object(f->v->a);
        json_set_json(one, "value", json_get(option, "value"));
        json_set_text(one, "label", json_get_text(option, "label"));
        json_set_bool(one, "chosen", chosen(f, option));
        json_add_json(list, one);
    }
    json_set_json(o, "options", list);
}

static struct json *input_of(struct arena *a, const struct json *field)
{
    static const struct {
        const char *name, *type, *mode;
        bool narrow;
    } inputs[] = {{"integer", "text", "numeric", true},
                  {"number", "text", "decimal", true},
                  {"date", "date", "text", true},
                  {"date-time", "datetime-local", "text", true},
                  {"email", "email", "email", false},
                  {"uri", "url", "url", false},
                  {"password", "password", "text", false},
                  {"string", "text", "text", false}};
    const size_t last = countof(inputs) - 1;
    size_t i = 0;
    while (i < last && !is_type(field, inputs[i].name) &&
           !is_format(field, inputs[i].name))
        i++;
    struct json *o = json_object(a);
    json_set_text(o, "type", str_of(inputs[i].type));
    json_set_text(o, "mode", str_of(inputs[i].mode));
    json_set_bool(o, "narrow", inputs[i].narrow);
    return o;
}

/* The template draws exactly one of these. */
static void set_kind(const struct face *f, struct json *o)
{
    const struct json *field = f->field;
    const struct str given = json_text(json_get(field, "default"));
    const bool few = json_count(json_get(field, "options")) <= RADIO_MAX &&
                     !json_has(field, "compact");
    const bool boolean = is_type(field, "boolean");
    const bool one = is_type(field, "enum"), multi = is_type(field, "multi");
    /* A single line would lose the line breaks of the agent's default. */
    const bool lines = is_type(field, "string") &&
                       !json_has(field, "format") &&
                       (str_find(given, '\n', 0) < given.n ||
                        str_runes(given) > ONE_LINE_MAX);
    const bool is_long = is_type(field, "text") || lines;
    json_set_bool(o, "is_long", is_long);
    json_set_bool(o, "is_boolean", boolean);
    json_set_bool(o, "is_radio", one && few);
    json_set_bool(o, "is_select", one && !few);
    json_set_bool(o, "is_multi", multi);
    json_set_json(o, "input", boolean || one || multi || is_long
                                  ? NULL
                                  : input_of(f->v->a, field));
}

/* A box cannot mark what it holds, so the help text spells hidden characters
 * and tells of letters of several alphabets: also where the value comes back
 * with what was typed. */
static struct str help(const struct face *f, struct str value)
{
    struct buf b = buf_make(f->v->a, FORM_TEXT_MAX * 16);
    buf_str(&b, json_get_text(f->field, "help"));
    if (is_format(f->field, "date-time"))
        buf_put(&b, b.n ? ". Time in UTC" : "Time in UTC");
    if (words_hidden(value) > 0) {
        buf_put(&b, b.n ? ". " : "");
        buf_put(&b, "The value contains hidden characters: ");
        buf_str(&b, value);
    }
    if (words_mixed(value).n > 0) {
        buf_put(&b, b.n ? ". " : "");
        buf_put(&b, "The value has ");
        buf_str(&b, words_mixed(value));
    }
    return b.n ? buf_text(&b) : STR_NONE;
}

static struct json *face(const struct face *f, struct str error)
{
    struct json *o = json_object(f->v->a);
    const struct str value = value_of(f);
    json_set_text(o, "id", id_of(f->v->a, f->i, ""));
    json_set_text(o, "label", json_get_text(f->field, "label"));
    json_set_text(o, "help", help(f, value));
    json_set_bool(o, "required", json_bool(json_get(f->field, "required")));
    json_set_text(o, "error", error);
    json_set_text(o, "value", value);
    json_set_bool(o, "checked",
                  is_type(f->field, "boolean") && str_is(value, "true"));
    set_kind(f, o);
    set_options(f, o);
    return o;
}

static struct str error_of(const struct json *errors, const struct json *field)
{
    const struct str key = json_get_text(field, "key");
    return json_text(json_get_str(errors, key));
}

struct json *page_fields(struct page_view *v, const struct page_fields_of *of)
{
    struct json *list = json_array(v->a);
    for (size_t i = 0; i < json_count(of->form); i++) {
        const struct face f = {
            .v = v, .field = json_at(of->form, i), .typed = of->typed, .i = i};
        json_add_json(list, face(&f, error_of(of->errors, f.field)));
    }
    return list;
}

struct str page_fields_note(struct arena *a, const struct json *form)
{
    struct buf b = buf_make(a, 128);
    const size_t all = json_count(form);
    size_t n = 0;
    for (size_t i = 0; i < all; i++)
        n += json_bool(json_get(json_at(form, i), "required"));
    if (n == 0)
        return all ? STR("All fields are optional.") : STR("");
    buf_printf(&b, "%zu of ", n);
    buf_str(&b, words_many(a, (int64_t)all, "field"));
    buf_put(&b, n == 1 ? " is required." : " are required.");
    return buf_text(&b);
}

struct json *page_fields_errors(struct page_view *v, const struct json *form,
                                const struct json *errors)
{
    struct json *list = json_array(v->a);
    for (size_t i = 0; i < json_count(form); i++) {
        const struct json *field = json_at(form, i);
        const struct str label = json_get_text(field, "label");
        const struct str say = error_of(errors, field);
        struct buf href = buf_make(v->a, 32), text = buf_make(v->a, 4096);
        if (say.n == 0)
            continue;
        buf_char(&href, '#');
        buf_str(&href, id_of(v->a, i, ""));
        buf_str(&text, words_plain(v->a, label, PAGE_VIEW_ROW));
        buf_put(&text, ": ");
        buf_str(&text, say);
        struct json *item = json_object(v->a);
        json_set_text(item, "href", buf_text(&href));
        json_set_text(item, "text", buf_text(&text));
        json_add_json(list, item);
    }
    return list;
}

/* ---- answered ------------------------------------------------------- */

static struct str label_of(const struct json *field, const struct json *value)
{
    const struct json *options = json_get(field, "options");
    for (size_t i = 0; i < json_count(options); i++) {
        if (json_equal(json_get(json_at(options, i), "value"), value))
            return json_get_text(json_at(options, i), "label");
    }
    return json_text(value);
}

struct str page_fields_words(struct arena *a, const struct json *field,
                             const struct json *value)
{
    struct buf b = buf_make(a, SUSPENSION_RESPONSE_MAX);
    if (json_is(value, JSON_BOOL))
        return json_bool(value) ? STR("yes") : STR("no");
    if (is_type(field, "enum") && json_is(value, JSON_STRING))
        return label_of(field, value);
    if (!is_type(field, "multi") || !json_is(value, JSON_ARRAY))
        return page_facts_value(a, value);
    for (size_t i = 0; i < json_count(value); i++) {
        buf_put(&b, i ? ", " : "");
        buf_str(&b, label_of(field, json_at(value, i)));
    }
    return b.n ? buf_text(&b) : STR("none");
}
