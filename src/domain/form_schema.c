/* A schema of MCP elicitation as the fields of a form. The fields themselves
 * are checked by form.c when it reads the list. */
#include "domain/form_schema.h"

#include "domain/form.h"

/* The members of a property and their names in a field. */
static const struct rule {
    const char *type, *names[8][2];
} rules[] = {
    {"string",
     {{"minLength", "min_length"}, {"maxLength", "max_length"},
      {"format", "format"}, {"enum", NULL}, {"enumNames", NULL},
      {"oneOf", NULL}}},
    {"number", {{"minimum", "min"}, {"maximum", "max"}}},
    {"integer", {{"minimum", "min"}, {"maximum", "max"}}},
    {"boolean", {{NULL, NULL}}},
    {"array", {{"minItems", "min"}, {"maxItems", "max"}, {"items", NULL}}},
};

/* The members of every property. */
static const char *const common[][2] = {{"title", "label"},
                                        {"description", "help"},
                                        {"default", "default"}};

static const struct rule *rule_of(struct str type)
{
    for (size_t i = 0; i < countof(rules); i++) {
        if (str_is(type, rules[i].type))
            return &rules[i];
    }
    return NULL;
}

/* The name in a field, "" for a member that is read separately, NULL for no
 * rule. */
static const char *name_of(const struct rule *rule, struct str key)
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

/* ---- options -------------------------------------------------------- */

static void add_option(struct arena *a, struct json *list,
                       const struct json *value, const struct json *label)
{
    struct json *o = json_object(a);
    json_set_json(o, "value", value);
    if (label)
        json_set_json(o, "label", label);
    json_add_json(list, o);
}

/* {enum, enumNames}, or {oneOf | anyOf [{const, title}]}; NULL: neither. */
static struct json *options(struct arena *a, const struct json *of)
{
    struct json *list = json_array(a);
    const struct json *words = json_get(of, "enum");
    const struct json *one = json_get(of, "oneOf");
    const struct json *titled = one ? one : json_get(of, "anyOf");
    for (size_t i = 0; i < json_count(words); i++)
        add_option(a, list, json_at(words, i),
                   json_at(json_get(of, "enumNames"), i));
    for (size_t i = 0; i < json_count(titled); i++)
        add_option(a, list, json_get(json_at(titled, i), "const"),
                   json_get(json_at(titled, i), "title"));
    return words || titled ? list : NULL;
}

/* ---- properties ----------------------------------------------------- */

static void set_type(struct fields *f, const struct rule *rule,
                     struct json *field)
{
    const bool many = str_is(str_of(rule->type), "array");
    const struct json *of = many ? json_get(f->obj, "items") : f->obj;
    struct json *list = many || str_is(str_of(rule->type), "string")
                            ? options(f->arena, of)
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

static struct json *field_of(struct fields *f, struct str key)
{
    struct json *field = json_object(f->arena);
    struct str type = STR_NONE;
    fields_need(f, "type");
    fields_word(f, "type", "string number integer boolean array", &type);
    const struct rule *rule = f->e ? NULL : rule_of(type);
    json_set_text(field, "key", key);
    if (!rule)
        return field;
    set_type(f, rule, field);
    for (struct json_iter i = json_iter(f->obj); json_next(&i);) {
        const char *name = name_of(rule, i.key);
        if (!name)
            fields_wrong(f, arena_z(f->arena, i.key), "form.schema",
                         "A form does not support this rule.");
        else if (*name)
            json_set_json(field, name, i.value);
    }
    return field;
}

static bool listed(const struct json *list, struct str key)
{
    for (size_t i = 0; i < json_count(list); i++) {
        if (str_eq(json_text(json_at(list, i)), key))
            return true;
    }
    return false;
}

/* ---- the schema ----------------------------------------------------- */

static void read_schema(struct fields *f, struct json *list)
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
        struct json *field = field_of(&one, i.key);
        json_set_bool(field, "required", listed(required, i.key));
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
    read_schema(&schema, list);
    f->e = schema.e;
    *out = list;
}
