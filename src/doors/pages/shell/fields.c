/* The fields of a form on a page.
 *
 * A field is named f1, f2, ... by its position in the form, never by the
 * agent's own key, which may be any text. */
#include "doors/pages/shell/fields.h"

#include "base/clock_text.h"
#include "domain/kind/form.h"
#include "doors/pages/shell/facts.h"
#include "world/template/zone.h"

#define RADIO_MAX 5       /* with more options it is a select */
#define ONE_LINE_MAX 120  /* characters of a default that fit in a line */
#define CELL_LINE 28      /* of one in a column of a table */
#define CELL_LINES 8      /* that a box in a column shows at once */

static bool fields_is_type(const struct json *field, const char *type)
{
    return str_is(json_get_text(field, "type"), type);
}

static bool fields_is_format(const struct json *field, const char *format)
{
    return str_is(json_get_text(field, "format"), format);
}

static struct str fields_id(struct arena *a, size_t i, const char *after)
{
    return arena_join(a, STR("f"), arena_number(a, (int64_t)i + 1),
                      str_of(after));
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

struct json *page_fields_read(struct arena *a, const struct json *form,
                              const struct pairs *posted, struct str zone)
{
    struct json *values = json_object(a);
    for (size_t i = 0; i < json_count(form); i++) {
        const struct json *field = json_at(form, i);
        const struct str key = json_get_text(field, "key");
        struct str text = pairs_get(*posted, fields_id(a, i, "").p);
        bool absent = false;
        int64_t t = 0;
        if (fields_is_type(field, "multi")) {
            const struct str name = fields_id(a, i, "[]");
            struct json *list = json_array(a);
            for (size_t k = 0; k < posted->n; k++) {
                if (str_eq(posted->v[k].key, name))
                    json_add_text(list, posted->v[k].value);
            }
            json_set_key(values, key, list);
            continue;
        }
        /* An unticked box is not sent, and means false. */
        if (fields_is_type(field, "boolean") && text.n == 0)
            text = STR("false");
        /* Browsers send 2026-11-23T10:30, which the help text says the zone
         * of. */
        if (fields_is_format(field, "date-time") && text.n == 16 &&
            clock_parse(arena_join(a, text, STR(":00Z")), &t))
            text = arena_join(
                a, str_head(clock_naive(a, zone_moment(zone, t)), 19),
                STR("Z"));
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
    const char *id; /* of the form that is elsewhere on the page; NULL */
    size_t i;
    bool focus; /* the first with an error */
};

/* The value in the box: the typed one, or the default. */
static struct str fields_value(const struct face *f)
{
    struct arena *a = f->v->a;
    const struct json *given = json_get(f->field, "default");
    struct zone_time there;
    int64_t t = 0;
    if (fields_is_format(f->field,
                         "password")) /* of our own forms; never shown */
        return STR("");
    if (f->typed) {
        const struct str s = pairs_get(*f->typed, fields_id(a, f->i, "").p);
        return s.p ? s : STR("");
    }
    if (!given || json_is(given, JSON_ARRAY) || json_is(given, JSON_OBJECT))
        return STR("");
    /* The browser's control for a moment accepts only this spelling. */
    if (fields_is_format(f->field, "date-time") &&
        clock_parse(json_text(given), &t)) {
        zone_at(f->v->zone, t, &there);
        return str_head(arena_str(a, str_of(there.text)), 16);
    }
    return page_facts_value(a, given);
}

static bool fields_chosen(const struct face *f, const struct json *option)
{
    const struct json *value = json_get(option, "value");
    const struct json *given = json_get(f->field, "default");
    const bool multi = fields_is_type(f->field, "multi");
    if (f->typed) {
        const struct str name = fields_id(f->v->a, f->i, multi ? "[]" : "");
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

static struct json *fields_input(struct arena *a, const struct json *field)
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
    while (i < last && !fields_is_type(field, inputs[i].name) &&
           !fields_is_format(field, inputs[i].name))
        i++;
    struct json *o = json_object(a);
    json_set_text(o, "type", str_of(inputs[i].type));
    json_set_text(o, "mode", str_of(inputs[i].mode));
    json_set_bool(o, "narrow", inputs[i].narrow);
    return o;
}

/* The lines of a box for a text: of a column only as many as it needs. */
static size_t fields_rows(const struct face *f, struct str value)
{
    const size_t need = str_count(value, '\n') +
                        (str_runes(value) + CELL_LINE - 1) / CELL_LINE;
    return !f->id ? 4 : need > CELL_LINES ? CELL_LINES : need < 2 ? 2 : need;
}

/* "required" or "optional"; "" where no answer can leave it without a value.
 * settled: an option is chosen, and stays so until another is. */
static struct str fields_need_word(const struct face *f, bool settled)
{
    return fields_is_type(f->field, "boolean") || settled ? STR("")
           : json_bool(json_get(f->field, "required"))    ? STR("required")
                                                          : STR("optional");
}

/* The template draws exactly one of these. */
static void fields_set_kind(const struct face *f, struct json *o)
{
    const struct json *field = f->field;
    const struct str given = json_text(json_get(field, "default"));
    const bool few = json_count(json_get(field, "options")) <= RADIO_MAX &&
                     !json_has(field, "compact");
    const bool boolean = fields_is_type(field, "boolean");
    const bool one = fields_is_type(field, "enum"),
               multi = fields_is_type(field, "multi");
    /* A single line would lose the line breaks of the agent's default. */
    const bool lines = fields_is_type(field, "string") &&
                       !json_has(field, "format") &&
                       (str_find(given, '\n', 0) < given.n ||
                        str_runes(given) > (f->id ? CELL_LINE : ONE_LINE_MAX));
    const bool is_long = fields_is_type(field, "text") || lines;
    json_set_bool(o, "is_long", is_long);
    json_set_bool(o, "is_boolean", boolean);
    json_set_bool(o, "is_radio", one && few);
    json_set_bool(o, "is_select", one && !few);
    json_set_bool(o, "is_multi", multi);
    json_set_json(o, "input",
                  boolean || one || multi || is_long
                      ? NULL
                      : fields_input(f->v->a, field));
}

/* A box cannot mark what it holds, so the help text spells hidden characters
 * and mentions letters of several alphabets: also where the value comes back
 * with what was typed. */
static struct str fields_help(const struct face *f, struct str value)
{
    struct buf b = buf_make(f->v->a, FORM_TEXT_MAX * 16);
    buf_str(&b, json_get_text(f->field, "help"));
    if (fields_is_format(f->field, "date-time")) {
        buf_put(&b, b.n ? ". Time in " : "Time in ");
        buf_str(&b, zone_known(f->v->zone) ? f->v->zone : STR("UTC"));
    }
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

/* The value before anybody changed it. */
static struct str fields_asked(const struct face *f)
{
    const struct face first = {.v = f->v, .field = f->field, .i = f->i};
    return fields_value(&first);
}

static struct json *fields_face(const struct face *f, struct str error)
{
    struct arena *a = f->v->a;
    struct json *o = json_object(a), *list = json_array(a);
    const struct json *options = json_get(f->field, "options");
    const struct str value = fields_value(f);
    bool chosen = false;
    json_set_text(o, "id", fields_id(a, f->i, ""));
    json_set_text(o, "label", json_get_text(f->field, "label"));
    json_set_text(o, "help", fields_help(f, value));
    json_set_bool(o, "required", json_bool(json_get(f->field, "required")));
    json_set_text(o, "error", error);
    json_set_text(o, "value", value);
    json_set_text(o, "form", str_of(f->id));
    if (f->id)
        json_set_text(o, "asked", fields_asked(f));
    json_set_bool(o, "checked",
                  fields_is_type(f->field, "boolean") &&
                      str_is(value, "true"));
    fields_set_kind(f, o);
    for (size_t i = 0; i < json_count(options); i++) {
        const struct json *option = json_at(options, i);
        struct json *one = json_object(a);
        json_set_json(one, "value", json_get(option, "value"));
        json_set_text(one, "label", json_get_text(option, "label"));
        const bool is_chosen = fields_chosen(f, option);
        json_set_bool(one, "chosen", is_chosen);
        json_set_bool(one, "focus", f->focus && i == 0);
        json_add_json(list, one);
        chosen = chosen || is_chosen;
    }
    json_set_json(o, "options", list);
    json_set_bool(o, "focus", f->focus);
    json_set_int(o, "rows", (int64_t)fields_rows(f, value));
    const bool required = json_bool(json_get(f->field, "required"));
    const bool blank = !(required && chosen);
    const bool settled =
        chosen && (json_bool(json_get(o, "is_radio")) ||
                   (json_bool(json_get(o, "is_select")) && !blank));
    json_set_bool(o, "blank", blank);
    json_set_text(o, "need", fields_need_word(f, settled));
    return o;
}

static struct str fields_error_of(const struct json *errors,
                                  const struct json *field)
{
    const struct str key = json_get_text(field, "key");
    return json_text(json_get_str(errors, key));
}

struct json *page_fields(struct page_view *v, const struct page_fields_of *of)
{
    struct json *list = json_array(v->a);
    bool wrong = false;
    for (size_t i = 0; i < json_count(of->form); i++) {
        const struct json *field = json_at(of->form, i);
        const struct str error = fields_error_of(of->errors, field);
        const struct face f = {.v = v,
                               .field = field,
                               .typed = of->typed,
                               .id = of->id,
                               .i = i,
                               .focus = error.n > 0 && !wrong};
        wrong = wrong || error.n > 0;
        json_add_json(list, fields_face(&f, error));
    }
    return list;
}

struct str page_fields_note(struct arena *a, const struct json *form)
{
    const size_t all = json_count(form);
    size_t n = 0;
    for (size_t i = 0; i < all; i++)
        n += json_bool(json_get(json_at(form, i), "required"));
    if (n == 0)
        return all ? STR("All fields are optional.") : STR("");
    return arena_join(a, arena_number(a, (int64_t)n), STR(" of "),
                      words_many(a, (int64_t)all, "field"),
                      str_of(n == 1 ? " is required." : " are required."));
}

struct json *page_fields_errors(struct page_view *v, const struct json *form,
                                const struct json *errors)
{
    struct json *list = json_array(v->a);
    for (size_t i = 0; i < json_count(form); i++) {
        const struct json *field = json_at(form, i);
        const struct str label = json_get_text(field, "label");
        const struct str say = fields_error_of(errors, field);
        if (say.n == 0)
            continue;
        struct json *item = json_object(v->a);
        json_set_text(item, "href",
                      arena_join(v->a, STR("#"), fields_id(v->a, i, "")));
        json_set_text(item, "text",
                      arena_join(v->a, words_plain(v->a, label, PAGE_VIEW_ROW),
                                 STR(": "), say));
        json_add_json(list, item);
    }
    return list;
}

struct str page_fields_heading(struct arena *a, size_t n)
{
    return arena_join(a, words_many(a, (int64_t)n, "field"),
                      n == 1 ? STR(" needs a change") : STR(" need a change"));
}

/* ---- answered ------------------------------------------------------- */

static struct str fields_label(const struct json *field,
                               const struct json *value)
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
    if (fields_is_type(field, "enum") && json_is(value, JSON_STRING))
        return fields_label(field, value);
    if (!fields_is_type(field, "multi") || !json_is(value, JSON_ARRAY))
        return page_facts_value(a, value);
    for (size_t i = 0; i < json_count(value); i++) {
        buf_put(&b, i ? ", " : "");
        buf_str(&b, fields_label(field, json_at(value, i)));
    }
    return b.n ? buf_text(&b) : STR("none");
}
