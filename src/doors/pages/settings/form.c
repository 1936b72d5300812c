/* A form of the server: a table of fields, shown and read by the same code as
 * an agent's form. Never checks a field's meaning, and never writes
 * anything. */
#include "doors/pages/settings/form.h"

#include "domain/kind/form.h"
#include "doors/pages/shell/fields.h"

/* ---- fields --------------------------------------------------------- */

static struct json *form_field(struct arena *a,
                               const struct settings_form_field *f)
{
    struct json *o = json_object(a), *options = json_array(a);
    for (size_t i = 0; i < f->options_n; i++) {
        struct json *option = json_object(a);
        json_set_text(option, "value", str_of(f->options[i].value));
        json_set_text(option, "label", str_of(f->options[i].label));
        json_add_json(options, option);
    }
    json_set_text(o, "key", str_of(f->key));
    json_set_text(o, "label", str_of(f->label));
    json_set_text(o, "type", str_of(f->type));
    json_set_text(o, "help", str_of(f->help));
    json_set_bool(o, "required", f->required);
    if (f->initial)
        json_set_text(o, "default", str_of(f->initial));
    if (f->format)
        json_set_text(o, "format", str_of(f->format));
    if (f->max)
        json_set_int(o, "max_length", f->max);
    if (f->options)
        json_set_json(o, "options", options);
    return o;
}

/* As in domain/kind/form.h, with the current values as the defaults. */
static struct json *form_fields(struct arena *a, const struct settings_form *s)
{
    struct json *list = json_array(a);
    for (size_t i = 0; i < s->fields_n; i++) {
        if (s->change && s->fields[i].fresh)
            continue;
        struct json *field = form_field(a, &s->fields[i]);
        const struct str key = str_of(s->fields[i].key);
        const struct str kept =
            json_text(json_get_str(json_get(s->values, "kept"), key));
        if (json_has(s->values, key.p))
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

const struct err *settings_form_wrong(struct arena *a, struct settings_form *s,
                                      const struct err *e)
{
    if (!e || (e->kind != ERR_INVALID && e->kind != ERR_CONFLICT))
        return e;
    /* The field of a place such as "notify_to[3]". */
    const struct str key = str_sub(e->at, 0, str_find(e->at, '[', 0));
    s->errors = json_object(a);
    s->problem = e;
    for (size_t i = 0; i < s->fields_n; i++) {
        if (str_is(key, s->fields[i].key)) {
            s->problem = NULL;
            json_set_text(s->errors, s->fields[i].key, e->say);
        }
    }
    return NULL;
}

const struct json *settings_form_read(struct arena *a, struct settings_form *s)
{
    const struct json *fields = form_fields(a, s);
    const struct json *values = page_fields_read(a, fields, s->typed, STR_NONE);
    struct json *errors = NULL;
    if (!form_check(a, fields, values, &errors))
        return values;
    s->errors = errors;
    return NULL;
}

/* ---- showing -------------------------------------------------------- */

void settings_form_view(struct page_view *v, struct json *view,
                        const struct settings_form *s)
{
    struct json *o = json_object(v->a), *errors = json_object(v->a);
    const struct page_fields_of of = {.form = form_fields(v->a, s),
                                      .typed = s->typed,
                                      .errors = s->errors};
    struct json *items = page_fields_errors(v, of.form, s->errors);
    json_set_text(o, "heading", str_of(s->heading));
    json_set_text(o, "note", str_of(s->note));
    json_set_text(o, "url", s->url);
    json_set_text(o, "submit", str_of(s->submit));
    json_set_json(o, "fields", page_fields(v, &of));
    json_set_json(view, "form", o);
    json_set_text(
        errors, "heading",
        s->problem
            ? STR("Not possible")
            : page_fields_heading(v->a, json_count(items)));
    json_set_text(errors, "sentence",
                  s->problem ? s->problem->say
                             : STR("Nothing was saved. Your input is kept."));
    json_set_json(errors, "items", items);
    json_set_json(view, "errors", s->errors ? errors : NULL);
}
