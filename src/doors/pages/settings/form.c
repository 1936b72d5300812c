/* A form of the server: a table of fields, shown and read by the same code as
 * an agent's form. Never checks a field's meaning, and never writes
 * anything. */
#include "doors/pages/settings/form.h"

#include "domain/kind/form.h"
#include "doors/pages/shell/fields.h"

#define SENTENCE_MAX 500

/* ---- fields --------------------------------------------------------- */

static struct json *options_of(struct arena *a,
                               const struct settings_form_field *f)
{
    struct json *list = json_array(a);
    for (size_t i = 0; i < f->options_n; i++) {
        struct json *o = json_object(a);
        json_set_text(o, "value", str_of(f->options[i].value));
        json_set_text(o, "label", str_of(f->options[i].label));
        json_add_json(list, o);
    }
    return list;
}

static struct json *field_of(struct arena *a,
                             const struct settings_form_field *f)
{
    struct json *o = json_object(a);
    json_set_text(o, "key", str_of(f->key));
    json_set_text(o, "label", str_of(f->label));
    json_set_text(o, "type", str_of(f->type));
    json_set_text(o, "help", str_of(f->help));
    json_set_bool(o, "required", f->required);
    if (f->format)
        json_set_text(o, "format", str_of(f->format));
    if (f->max)
        json_set_int(o, "max_length", f->max);
    if (f->options)
        json_set_json(o, "options", options_of(a, f));
    return o;
}

/* As in domain/kind/form.h, with the current values as the defaults. */
static struct json *fields_of(struct arena *a, const struct settings_form *s)
{
    struct json *list = json_array(a);
    for (size_t i = 0; i < s->fields_n; i++) {
        if (s->change && s->fields[i].fresh)
            continue;
        struct json *field = field_of(a, &s->fields[i]);
        const struct str key = str_of(s->fields[i].key);
        const struct str kept =
            json_text(json_get_str(json_get(s->values, "kept"), key));
        json_set_json(field, "default", json_get_str(s->values, key));
        /* A value that is not shown is kept where nothing is typed. */
        if (kept.p) {
            json_set_text(field, "help", kept);
            json_set_bool(field, "required", false);
        }
        json_add_json(list, field);
    }
    return list;
}

/* ---- reading -------------------------------------------------------- */

/* The field that an error's place ("notify_to[3]") belongs to. */
static const char *key_at(const struct settings_form *s, struct str at)
{
    const struct str key = str_sub(at, 0, str_find(at, '[', 0));
    for (size_t i = 0; i < s->fields_n; i++) {
        if (str_is(key, s->fields[i].key))
            return s->fields[i].key;
    }
    return NULL;
}

const struct err *settings_form_wrong(struct arena *a, struct settings_form *s,
                                      const struct err *e)
{
    if (!e || (e->kind != ERR_INVALID && e->kind != ERR_CONFLICT))
        return e;
    const char *key = key_at(s, e->at);
    s->errors = json_object(a);
    s->problem = key ? NULL : e;
    if (key)
        json_set_text(s->errors, key, e->say);
    return NULL;
}

const struct json *settings_form_read(struct arena *a, struct settings_form *s)
{
    const struct json *fields = fields_of(a, s);
    const struct json *values = page_fields_read(a, fields, s->typed);
    struct json *errors = NULL;
    if (!form_check(a, fields, values, &errors))
        return values;
    s->errors = errors;
    return NULL;
}

/* ---- showing -------------------------------------------------------- */

/* NULL: no errors. */
static struct json *errors_of(struct page_view *v,
                              const struct settings_form *s)
{
    struct json *o = json_object(v->a);
    struct json *items = page_fields_errors(v, fields_of(v->a, s), s->errors);
    const size_t n = json_count(items);
    if (!s->errors)
        return NULL;
    json_set_text(o, "heading",
                  s->problem
                      ? STR("Not possible")
                      : arena_join(v->a, STR("Fix "),
                                   words_many(v->a, (int64_t)n, "field"),
                                   STR(" to continue")));
    json_set_text(o, "sentence",
                  s->problem
                      ? s->problem->say
                      : STR("Nothing was saved. Your input is kept."));
    json_set_json(o, "items", items);
    return o;
}

void settings_form_view(struct page_view *v, struct json *view,
                        const struct settings_form *s,
                        const struct settings_form_words *words)
{
    struct json *o = json_object(v->a);
    const struct page_fields_of of = {.form = fields_of(v->a, s),
                                      .typed = s->typed,
                                      .errors = s->errors};
    json_set_text(o, "heading", str_of(words->heading));
    json_set_text(o, "note", str_of(words->note));
    json_set_text(o, "url", words->url);
    json_set_text(o, "submit", str_of(words->submit));
    json_set_json(o, "fields", page_fields(v, &of));
    json_set_json(view, "form", o);
    json_set_json(view, "errors", errors_of(v, s));
}
