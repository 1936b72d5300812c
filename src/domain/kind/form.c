/* Forms: reading the field list that an agent sends.
 *
 * Pure. Checking answers against it is in form_check.c. */
#include "domain/kind/form.h"

#include "base/json/fields.h"

#define KEY_MAX 64

/* Words in a field's name that would ask a person for a secret. Secrets never
 * pass through a question; they are configured in the service that needs
 * them. */
static const struct secret {
    const char *word;    /* "_" is one of "_", "-" and " ", or nothing */
    const char *fine[3]; /* makes another word of it, as in "token count" */
} secrets[] = {
    {"password", {NULL}},     {"passwd", {NULL}},
    {"passphrase", {NULL}},   {"secret", {"ar"}},
    {"api_key", {NULL}},      {"private_key", {NULL}},
    {"credential", {NULL}},   {"token", {"s", "iz", "is"}},
    {"api_token", {NULL}},    {"auth_token", {NULL}},
    {"access_token", {NULL}}, {"bearer_token", {NULL}},
};

/* Does the word begin at s.p[at]? Returns the offset after it, else 0. */
static size_t form_behind(struct str s, size_t at, const char *word)
{
    for (; *word; word++) {
        const char c = at < s.n ? s.p[at] : '\0';
        const bool same = str_is_nocase((struct str){&c, 1},
                                        (char[]){*word, '\0'});
        if (same || (*word == '_' && (c == '-' || c == ' ')))
            at++;
        else if (*word != '_')
            return 0;
    }
    return at;
}

static bool form_goes_on(struct str s, size_t at, const struct secret *secret)
{
    for (size_t i = 0; i < countof(secret->fine) && secret->fine[i]; i++) {
        if (form_behind(s, at, secret->fine[i]))
            return true;
    }
    return false;
}

static bool form_secret_like(struct str s)
{
    for (size_t i = 0; i < countof(secrets); i++) {
        for (size_t at = 0; at < s.n; at++) {
            const size_t end = form_behind(s, at, secrets[i].word);
            if (end > 0 && !form_goes_on(s, end, &secrets[i]))
                return true;
        }
    }
    return false;
}

const struct err *form_check_labels(struct arena *a, const struct json *form)
{
    for (size_t i = 0; i < json_count(form); i++) {
        const struct json *field = json_at(form, i);
        const struct str type = json_get_text(field, "type");
        /* A yes/no, a number or an option of the agent's can be about a secret
         * without being one. */
        const bool typed = str_is(type, "string") || str_is(type, "text");
        if (typed && form_secret_like(json_get_text(field, "label")))
            return err_at(a, ERR_INVALID, "form.secret",
                          fields_path(a, fields_element(a, STR("form"), i),
                                      "label"),
                          "A form may not ask for a secret.");
    }
    return NULL;
}

static void form_read_option(struct fields *f, const struct json *v, size_t i,
                             struct json *out)
{
    struct json *o = json_object(f->arena);
    struct str value = json_text(v), label = json_text(v);
    if (json_is(v, JSON_OBJECT)) {
        struct fields one = fields(f->arena, v, f->path);
        fields_only(&one, "value label");
        fields_text(&one, "value", FORM_LABEL_MAX, &value);
        fields_text(&one, "label", FORM_LABEL_MAX, &label);
        value = one.e ? STR_NONE : value;
    }
    if (value.n == 0)
        fields_wrong(f, "options", "form.option",
                     "Option %zu has to be text or an object {value, "
                     "label}.", i);
    if (str_runes(value) > FORM_LABEL_MAX)
        fields_wrong(f, "options", "field.too_long",
                     "Option %zu is too long.", i);
    json_set_text(o, "value", value);
    json_set_text(o, "label", label.n ? label : value);
    for (size_t j = 0; j < json_count(out); j++) {
        if (json_equal(json_get(json_at(out, j), "value"),
                       json_get(o, "value")))
            fields_wrong(f, "options", "form.option",
                         "Option %zu has the same value as another option.", i);
    }
    json_add_json(out, o);
}

static void form_read_options(struct fields *f, struct str type,
                              struct json *out)
{
    const struct json *list = NULL;
    fields_json(f, "options", JSON_ARRAY, &list);
    const bool wanted = str_is(type, "enum") || str_is(type, "multi");
    if (!wanted) {
        if (list)
            fields_wrong(f, "options", "field.unused",
                         "\"options\" goes with type enum or multi.");
        return;
    }
    if (json_count(list) == 0 || json_count(list) > FORM_OPTIONS_MAX)
        fields_wrong(f, "options", "form.options",
                     "\"options\" needs from 1 to %d options.",
                     FORM_OPTIONS_MAX);
    struct json *options = json_array(f->arena);
    for (size_t i = 0; !f->e && i < json_count(list); i++)
        form_read_option(f, json_at(list, i), i, options);
    json_set_json(out, "options", options);
}

/* min and max of numbers, in the numbers' own type. */
static void form_read_bounds(struct fields *f, struct json *out)
{
    static const char *const keys[] = {"min", "max"};
    for (size_t i = 0; i < countof(keys); i++) {
        const struct json *v = f->e ? NULL : json_get(f->obj, keys[i]);
        if (v && !json_is_number(v))
            fields_wrong(f, keys[i], "field.type",
                         "\"%s\" has to be a number.", keys[i]);
        else if (v)
            json_set_json(out, keys[i], v);
    }
    if (json_has(out, "min") && json_has(out, "max") &&
        json_compare(json_get(out, "min"), json_get(out, "max")) > 0)
        fields_wrong(f, "max", "form.bounds",
                     "\"max\" is smaller than \"min\".");
}

static void form_read_lengths(struct fields *f, struct json *out)
{
    int64_t min = -1, max = -1;
    fields_int(f, "min_length", 0, FORM_TEXT_MAX, &min);
    fields_int(f, "max_length", 1, FORM_TEXT_MAX, &max);
    if (min >= 0)
        json_set_int(out, "min_length", min);
    if (max >= 0)
        json_set_int(out, "max_length", max);
    if (min >= 0 && max >= 0 && min > max)
        fields_wrong(f, "max_length", "form.bounds",
                     "\"max_length\" is smaller than \"min_length\".");
}

static const struct err *form_read_field(struct arena *a, const struct json *v,
                                         struct str path, struct json *out)
{
    struct fields f = fields(a, v, path);
    struct str key, label, type, help, format;
    bool required = false;
    fields_only(&f, "key label type required help default min max min_length "
                    "max_length format options");
    fields_need(&f, "key");
    fields_text(&f, "key", KEY_MAX, &key);
    fields_text(&f, "label", FORM_LABEL_MAX, &label);
    fields_word(&f, "type",
                "string text integer number boolean enum multi", &type);
    fields_word(&f, "format", "email uri date date-time", &format);
    fields_text(&f, "help", FORM_HELP_MAX, &help);
    fields_bool(&f, "required", &required);
    if (!f.e && key.n == 0)
        fields_wrong(&f, "key", "field.empty", "A key is needed.");
    if (!f.e && form_secret_like(key))
        fields_wrong(&f, "key", "form.secret",
                     "A form may not ask for a secret.");
    json_set_text(out, "key", key);
    json_set_text(out, "label", label.n ? label : key);
    json_set_text(out, "type", type.p ? type : STR("string"));
    json_set_bool(out, "required", required);
    if (help.n)
        json_set_text(out, "help", help);
    json_set_text_given(out, "format", format);
    form_read_options(&f, type, out);
    form_read_bounds(&f, out);
    form_read_lengths(&f, out);
    if (!f.e && json_has(v, "default"))
        json_set_json(out, "default", json_get(v, "default"));
    return fields_error(&f);
}

const struct err *form_read(struct arena *a, const struct json *list,
                            struct json **out)
{
    *out = json_array(a);
    if (json_count(list) == 0 || json_count(list) > FORM_FIELDS_MAX)
        return err_at(a, ERR_INVALID, "form.fields", STR("form"),
                      "A form has from 1 to %d fields.", FORM_FIELDS_MAX);
    for (size_t i = 0; i < json_count(list); i++) {
        struct json *field = json_object(a);
        const struct str at = fields_element(a, STR("form"), i);
        TRY(form_read_field(a, json_at(list, i), at, field));
        for (size_t k = 0; k < i; k++) {
            if (json_equal(json_get(json_at(*out, k), "key"),
                           json_get(field, "key")))
                return err_at(a, ERR_INVALID, "form.duplicate", at,
                              "Two fields have the same key.");
        }
        json_add_json(*out, field);
        /* The default is sent by silence or a quick answer, so it has to be a
         * valid answer itself. */
        const struct json *def = json_get(field, "default");
        if (def) {
            struct json *one = json_array(a), *values = json_object(a);
            struct json *errors = NULL;
            json_add_json(one, field);
            json_set_key(values, json_get_text(field, "key"), def);
            if (form_check(a, one, values, &errors))
                return err_at(a, ERR_INVALID, "form.default", at,
                              "The default is not a value that the field "
                              "accepts.");
        }
    }
    return NULL;
}

struct json *form_of_context(struct arena *a, const struct json *context)
{
    static const char *const types[JSON__MAX] = {[JSON_BOOL] = "boolean",
                                                 [JSON_INT] = "integer",
                                                 [JSON_DOUBLE] = "number"};
    struct json *form = json_array(a);
    for (struct json_iter i = json_iter(context);
         json_next(&i) && json_count(form) < FORM_FIELDS_MAX;) {
        const char *type = types[json_type(i.value)];
        struct json *field = json_object(a);
        json_set_text(field, "key", i.key);
        json_set_text(field, "label", i.key);
        json_set_text(field, "type", str_of(type ? type : "string"));
        json_set_bool(field, "required", false);
        if (i.value && !json_is(i.value, JSON_ARRAY) &&
            !json_is(i.value, JSON_OBJECT))
            json_set_json(field, "default", i.value);
        json_add_json(form, field);
    }
    return form;
}
