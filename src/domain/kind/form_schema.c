/* A schema of MCP elicitation as the fields of a form. The fields themselves
 * are checked by form.c when it reads the list. */
#include "domain/kind/form_schema.h"

#include "domain/kind/form.h"

/* The members of a property and their names in a field. */
static const struct rule {
    const char *type, *names[8][2];
} rules[] = {
    {"string",
     {{"minLength", "min_length"}, {"maxLength", "max_length"},
      {"format", "format"}, {"enum", NULL}, {"enumNames", NULL},
      {"oneOf", NULL}}},
    {"number", {{"minimum", "min"}, {"maximum", "max"}, {"format", NULL}}},
    {"integer", {{"minimum", "min"}, {"maximum", "max"}, {"format", NULL}}},
    {"boolean", {{NULL, NULL}}},
    {"array", {{"minItems", "min"}, {"maxItems", "max"}, {"items", NULL}}},
};

/* The members of every property. */
static const char *const common[][2] = {{"title", "label"},
                                        {"description", "help"},
                                        {"default", "default"}};

/* The name in a field, "" for a member that is read separately, NULL for no
 * rule. */
static const char *schema_name_of(const struct rule *rule, struct str key)
{
    for (size_t i = 0; i < countof(common); i++) {
        if (str_is(key, common[i][0]))
            return common[i][1];
    }
    for (size_t i = 0; i < countof(rule->names) && rule->names[i][0]; i++) {
        if (str_is(key, rule->names[i][0]))
            return rule->names[i][1] ? rule->names[i][1] : "";
    }
    return str_is(key, "type") ? "" : NULL;
}

/* ---- formats of numbers ---------------------------------------------- */

/* Formats of numbers as generators of JSON Schema write them, and their bounds.
 * One without bounds has those of a form's own number. */
static const struct {
    const char *word;
    bool whole, bounded;
    int64_t min, max;
} formats[] = {
    {"int8", true, true, INT8_MIN, INT8_MAX},
    {"int16", true, true, INT16_MIN, INT16_MAX},
    {"int32", true, true, INT32_MIN, INT32_MAX},
    {"int64", true, false, 0, 0},
    {"uint8", true, true, 0, UINT8_MAX},
    {"uint16", true, true, 0, UINT16_MAX},
    {"uint32", true, true, 0, UINT32_MAX},
    {"uint64", true, true, 0, INT64_MAX},
    {"uint", true, true, 0, INT64_MAX},
    {"float", false, false, 0, 0},
    {"double", false, false, 0, 0},
};

/* The bounds of the format, where the schema has none of its own. */
static void schema_set_format(struct fields *f, const struct rule *rule,
                              struct json *field)
{
    const bool whole = str_is(str_of(rule->type), "integer");
    const struct str format = json_get_text(f->obj, "format");
    size_t i = 0;
    if (!json_has(f->obj, "format") ||
        !(whole || str_is(str_of(rule->type), "number")))
        return;
    while (i < countof(formats) && !str_is(format, formats[i].word))
        i++;
    if (i == countof(formats) || (whole && !formats[i].whole)) {
        fields_wrong(f, "format", "form.schema",
                     "A form does not support this format.");
        return;
    }
    if (formats[i].bounded && !json_has(f->obj, "minimum"))
        json_set_int(field, "min", formats[i].min);
    if (formats[i].bounded && !json_has(f->obj, "maximum"))
        json_set_int(field, "max", formats[i].max);
}

/* ---- options -------------------------------------------------------- */

static void schema_add_option(struct arena *a, struct json *list,
                              const struct json *value,
                              const struct json *label)
{
    struct json *o = json_object(a);
    json_set_json(o, "value", value);
    if (label)
        json_set_json(o, "label", label);
    json_add_json(list, o);
}

/* {enum, enumNames}, or {oneOf | anyOf [{const, title}]}; NULL: neither. */
static struct json *schema_options(struct arena *a, const struct json *of)
{
    struct json *list = json_array(a);
    const struct json *words = json_get(of, "enum");
    const struct json *one = json_get(of, "oneOf");
    const struct json *titled = one ? one : json_get(of, "anyOf");
    for (size_t i = 0; i < json_count(words); i++) {
        if (json_at(words, i))
            schema_add_option(a, list, json_at(words, i),
                              json_at(json_get(of, "enumNames"), i));
    }
    for (size_t i = 0; i < json_count(titled); i++)
        schema_add_option(a, list, json_get(json_at(titled, i), "const"),
                          json_get(json_at(titled, i), "title"));
    return words || titled ? list : NULL;
}

/* ---- properties ----------------------------------------------------- */

static void schema_set_type(struct fields *f, const struct rule *rule,
                            struct json *field)
{
    const bool many = str_is(str_of(rule->type), "array");
    const struct json *of = many ? json_get(f->obj, "items") : f->obj;
    struct json *list = many || str_is(str_of(rule->type), "string")
                            ? schema_options(f->arena, of)
                            : NULL;
    if (many && !list)
        fields_wrong(f, "items", "form.schema",
                     "A list needs \"items\": an enum, or anyOf with const and "
                     "title.");
    json_set_text(field, "type",
                  many   ? STR("multi")
                  : list ? STR("enum")
                         : str_of(rule->type));
    if (list)
        json_set_json(field, "options", list);
}

/* ---- values that may be missing ---------------------------------------- */

/* The one element besides null in a list of types or of schemas; NULL where
 * there is none, or more than one. *null: the list has null. */
static const struct json *schema_besides_null(const struct json *list,
                                              bool *null)
{
    const struct json *found = NULL;
    size_t n = 0;
    for (size_t i = 0; i < json_count(list); i++) {
        const struct json *v = json_at(list, i);
        if (str_is(json_text(v), "null") ||
            str_is(json_get_text(v, "type"), "null")) {
            *null = true;
            continue;
        }
        found = v;
        n++;
    }
    return n == 1 ? found : NULL;
}

/* The one alternative, with the members that stand next to the list. */
static struct json *schema_merged(struct fields *f, const char *member,
                                  bool *null)
{
    const struct json *one =
        schema_besides_null(json_get(f->obj, member), null);
    if (!json_is(one, JSON_OBJECT)) {
        fields_wrong(f, member, "form.schema",
                     "A form supports one type, optionally with null.");
        return NULL;
    }
    struct json *plain = json_copy(f->arena, one);
    for (struct json_iter i = json_iter(f->obj); json_next(&i);) {
        if (!str_is(i.key, member))
            json_set_key(plain, i.key, i.value);
    }
    return plain;
}

/* Generators write a property that may be null as an anyOf with null, or as a
 * list of types: it becomes the property without null. Returns whether it may
 * be null; then it may be left empty, and the answer is without it. */
static bool schema_unwrap(struct fields *f)
{
    const struct json *type = json_get(f->obj, "type");
    const char *member =
        json_is(json_get(f->obj, "anyOf"), JSON_ARRAY) ? "anyOf" : "oneOf";
    struct json *plain = NULL;
    bool null = false;
    if (json_is(type, JSON_ARRAY)) {
        plain = json_copy(f->arena, f->obj);
        json_set_text(plain, "type",
                      json_text(schema_besides_null(type, &null)));
    } else if (!json_has(f->obj, "type") &&
               json_is(json_get(f->obj, member), JSON_ARRAY)) {
        plain = schema_merged(f, member, &null);
    }
    if (plain)
        f->obj = plain;
    return plain && null;
}

static struct json *schema_field_of(struct fields *f, struct str key,
                                    bool *may_be_null)
{
    struct json *field = json_object(f->arena);
    struct str type = STR_NONE;
    *may_be_null = !f->e && schema_unwrap(f);
    fields_need(f, "type");
    fields_word(f, "type", "string number integer boolean array", &type);
    json_set_text(field, "key", key);
    size_t k = 0;
    while (k < countof(rules) && !str_is(type, rules[k].type))
        k++;
    if (f->e || k == countof(rules))
        return field;
    const struct rule *rule = &rules[k];
    schema_set_type(f, rule, field);
    for (struct json_iter i = json_iter(f->obj); json_next(&i);) {
        const char *name = schema_name_of(rule, i.key);
        if (!name)
            fields_wrong(f, arena_z(f->arena, i.key), "form.schema",
                         "A form does not support this rule.");
        else if (*name && i.value)
            json_set_json(field, name, i.value);
    }
    schema_set_format(f, rule, field);
    return field;
}

/* ---- the schema ----------------------------------------------------- */

static void schema_read_schema(struct fields *f, struct json *list)
{
    const struct json *properties = NULL, *required = NULL;
    struct str type = STR_NONE;
    fields_only(f, "$schema type title description properties required "
                   "additionalProperties");
    fields_need(f, "type");
    fields_word(f, "type", "object", &type);
    fields_need(f, "properties");
    fields_json(f, "properties", JSON_OBJECT, &properties);
    fields_json(f, "required", JSON_ARRAY, &required);
    const struct str at = fields_path(f->arena, f->path, "properties");
    for (struct json_iter i = json_iter(properties); !f->e && json_next(&i);) {
        struct fields one =
            fields(f->arena, i.value,
                   fields_path(f->arena, at, arena_z(f->arena, i.key)));
        bool may_be_null = false;
        struct json *field = schema_field_of(&one, i.key, &may_be_null);
        json_set_bool(field, "required",
                      !may_be_null && json_lists_text(required, i.key));
        json_add_json(list, field);
        f->e = one.e;
    }
    for (size_t i = 0; !f->e && i < json_count(required); i++) {
        if (!json_get_str(properties, json_text(json_at(required, i))))
            fields_wrong(f, "required", "form.schema",
                         "Each name in \"required\" has to be a property.");
    }
}

void form_schema_member(struct fields *f, const struct json **out)
{
    const struct json *sent = json_get(f->obj, "form");
    if (f->e || !json_is(sent, JSON_OBJECT)) {
        fields_json(f, "form", JSON_ARRAY, out);
        return;
    }
    struct json *list = json_array(f->arena);
    struct fields schema =
        fields(f->arena, sent, fields_path(f->arena, f->path, "form"));
    schema_read_schema(&schema, list);
    f->e = schema.e;
    *out = list;
}
