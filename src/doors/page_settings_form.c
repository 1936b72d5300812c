/* The form of an endpoint or a channel: the fields of its table, shown and
 * read by the same code as an agent's form, and what is wrong with them.
 * Never writes anything. */
#include "doors/page_settings.h"

#include "doors/page_fields.h"
#include "domain/form.h"

#define SENTENCE_MAX 500

/* ---- fields --------------------------------------------------------- */

static struct json *options_of(struct arena *a,
                               const struct page_settings_field *f)
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
                             const struct page_settings_field *f)
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

/* As domain/form.h has it, with what stands there now as the defaults. */
static struct json *fields_of(struct arena *a,
                              const struct page_settings_form *f)
{
    const struct page_settings_kind *k = f->kind;
    struct json *list = json_array(a);
    const struct json *values = k->values(a, f->old);
    for (size_t i = 0; i < k->fields_n; i++) {
        if (f->old && k->fields[i].fresh)
            continue;
        struct json *field = field_of(a, &k->fields[i]);
        const struct str key = str_of(k->fields[i].key);
        const struct str kept = json_text(
            json_get_str(json_get(values, "kept"), key));
        json_set_json(field, "default", json_get_str(values, key));
        /* What is not shown again stays where nothing is typed. */
        if (kept.p) {
            json_set_text(field, "help", kept);
            json_set_bool(field, "required", false);
        }
        json_add_json(list, field);
    }
    return list;
}

/* ---- reading -------------------------------------------------------- */

/* The field that a place in the input ("notify_to[3]") belongs to. */
static const char *key_at(const struct page_settings_kind *k, struct str at)
{
    const struct str key = str_sub(at, 0, str_find(at, '[', 0));
    for (size_t i = 0; i < k->fields_n; i++) {
        if (str_is(key, k->fields[i].key))
            return k->fields[i].key;
    }
    return NULL;
}

const struct err *page_settings_form_wrong(struct arena *a,
                                           struct page_settings_form *f,
                                           const struct err *e)
{
    if (!e || (e->kind != ERR_INVALID && e->kind != ERR_CONFLICT))
        return e;
    const char *key = str_is(str_of(e->code), "endpoint.taken")
                          ? f->kind->unique
                          : key_at(f->kind, e->at);
    f->errors = json_object(a);
    f->problem = key ? NULL : e;
    if (key)
        json_set_text(f->errors, key, e->say);
    return NULL;
}

bool page_settings_form_read(struct arena *a, struct page_settings_form *f,
                             struct endpoint *e)
{
    const struct json *fields = fields_of(a, f);
    const struct json *values = page_fields_read(a, fields, f->typed);
    struct json *errors = NULL;
    if (form_check(a, fields, values, &errors)) {
        f->errors = errors;
        return false;
    }
    return !page_settings_form_wrong(a, f, f->kind->read(a, values, e)) &&
           !f->errors;
}

/* ---- showing -------------------------------------------------------- */

static struct json *errors_view(struct page_view *v,
                                const struct page_settings_form *f,
                                const struct json *fields)
{
    struct json *o = json_object(v->a);
    struct json *items = page_fields_errors(v, fields, f->errors);
    const size_t n = json_count(items);
    struct buf b = buf_make(v->a, SENTENCE_MAX);
    if (!f->errors)
        return NULL;
    buf_str(&b, page_view_many(v->a, (int64_t)n, "field"));
    buf_put(&b, n == 1 ? " needs another look" : " need another look");
    json_set_text(o, "heading",
                  f->problem ? STR("This cannot be done") : buf_text(&b));
    json_set_text(o, "sentence",
                  f->problem
                      ? f->problem->say
                      : STR("Nothing was saved. What you typed is kept."));
    json_set_json(o, "items", items);
    return o;
}

void page_settings_form_view(struct page_view *v, struct json *view,
                             const struct page_settings_form *f)
{
    const struct page_settings_kind *k = f->kind;
    struct json *o = json_object(v->a), *fields = fields_of(v->a, f);
    const struct page_fields_of of = {
        .form = fields, .typed = f->typed, .errors = f->errors};
    json_set_text(o, "heading", str_of(f->old ? "Change" : k->form_heading));
    json_set_text(o, "note", f->old ? STR("") : str_of(k->form_note));
    json_set_text(o, "url",
                  f->old ? page_settings_url(v->a, k, f->old->id, "")
                         : str_of(k->path));
    json_set_text(o, "submit", str_of(f->old ? "Save" : k->submit));
    json_set_json(o, "fields", page_fields(v, &of));
    json_set_json(view, "form", o);
    json_set_json(view, "errors", errors_view(v, f, fields));
}
