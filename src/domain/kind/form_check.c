/* Forms: checking an answer against its field list.
 *
 * Used by the pages and by every API. Pure. */
#include <stdio.h>

#include "base/clock.h"
#include "domain/kind/form.h"

const char form_wrong[] = "response.form";

/* ---- formats -------------------------------------------------------- */

/* Without white space and control characters. */
static bool form_solid(struct str s)
{
    for (size_t i = 0; i < s.n; i++) {
        if ((unsigned char)s.p[i] <= ' ' || s.p[i] == 0x7f)
            return false;
    }
    return true;
}

/* Something@something.something, without space. Only the mail server knows
 * whether the address exists. */
static bool form_email(struct str s)
{
    const size_t at = str_find(s, '@', 0);
    if (at == 0 || at >= s.n || str_find(s, '@', at + 1) < s.n || s.n > 254)
        return false;
    const struct str host = str_sub(s, at + 1, s.n);
    const size_t dot = str_find(host, '.', 0);
    return dot > 0 && dot + 1 < host.n && form_solid(s);
}

static bool form_uri(struct str s)
{
    const bool web =
        str_starts(s, STR("https://")) || str_starts(s, STR("http://"));
    const size_t rest = str_search(s, STR("://")) + 3;
    return web && rest < s.n && form_solid(s);
}

static bool form_date(struct str s)
{
    char text[32];
    int64_t t = 0;
    if (s.n != 10)
        return false;
    const int n = snprintf(text, sizeof text, "%.*sT00:00:00", STR_FMT(s));
    return clock_parse((struct str){text, (size_t)n}, &t);
}

static const char *form_format_error(struct str format, struct str s)
{
    int64_t t = 0;
    if (str_is(format, "email") && !form_email(s))
        return "This is not an e-mail address.";
    if (str_is(format, "uri") && !form_uri(s))
        return "This is not a web address that starts with https://.";
    if (str_is(format, "date") && !form_date(s))
        return "This is not a date like 2026-11-20.";
    if (str_is(format, "date-time") && !clock_parse(s, &t))
        return "This is not a date and time like 2026-11-20T09:30:00.";
    return NULL;
}

/* ---- types ---------------------------------------------------------- */

static const char *form_text_error(const struct json *field,
                                   const struct json *v)
{
    if (!json_is(v, JSON_STRING))
        return "This has to be text.";
    const int64_t n = (int64_t)str_runes(json_text(v));
    const struct json *max = json_get(field, "max_length");
    if (n > (max ? json_int(max) : FORM_TEXT_MAX))
        return "This is too long.";
    if (n < json_int(json_get(field, "min_length")))
        return "This is too short.";
    return form_format_error(json_get_text(field, "format"), json_text(v));
}

static const char *form_number_error(const struct json *field,
                                     const struct json *v)
{
    const bool whole = str_is(json_get_text(field, "type"), "integer");
    if (whole && !json_is(v, JSON_INT))
        return "This has to be a whole number.";
    if (!json_is_number(v))
        return "This has to be a number.";
    const struct json *min = json_get(field, "min");
    const struct json *max = json_get(field, "max");
    if (min && json_compare(v, min) < 0)
        return "This is smaller than allowed.";
    if (max && json_compare(v, max) > 0)
        return "This is larger than allowed.";
    return NULL;
}

static bool form_option(const struct json *field, const struct json *v)
{
    const struct json *options = json_get(field, "options");
    for (size_t i = 0; i < json_count(options); i++) {
        if (json_equal(json_get(json_at(options, i), "value"), v))
            return true;
    }
    return false;
}

static const char *form_multi_error(const struct json *field,
                                    const struct json *v)
{
    if (!json_is(v, JSON_ARRAY))
        return "This has to be a list of options.";
    const struct json *min = json_get(field, "min");
    const struct json *max = json_get(field, "max");
    const double n = (double)json_count(v);
    if (json_count(v) > FORM_OPTIONS_MAX || (max && n > json_double(max)))
        return "This has too many options.";
    if (min && n < json_double(min))
        return "This has too few options.";
    for (size_t i = 0; i < json_count(v); i++) {
        if (!form_option(field, json_at(v, i)))
            return "This is not one of the options.";
        for (size_t k = 0; k < i; k++)
            if (json_equal(json_at(v, i), json_at(v, k)))
                return "This has an option twice.";
    }
    return NULL;
}

static const char *form_field_error(const struct json *field,
                                    const struct json *values)
{
    const struct str type = json_get_text(field, "type");
    const struct json *v = json_get_str(values, json_get_text(field, "key"));
    /* An empty text or list counts as left out. */
    if (!v || (json_is(v, JSON_STRING) && json_text(v).n == 0) ||
        (json_is(v, JSON_ARRAY) && json_count(v) == 0))
        return json_bool(json_get(field, "required")) ? "A value is needed."
                                                      : NULL;
    if (str_is(type, "boolean"))
        return json_is(v, JSON_BOOL) ? NULL : "This has to be yes or no.";
    if (str_is(type, "integer") || str_is(type, "number"))
        return form_number_error(field, v);
    if (str_is(type, "enum"))
        return form_option(field, v) ? NULL
                                     : "This is not one of the options.";
    if (str_is(type, "multi"))
        return form_multi_error(field, v);
    return form_text_error(field, v);
}

const struct err *form_check(struct arena *a, const struct json *form,
                             const struct json *values, struct json **errors)
{
    *errors = json_object(a);
    if (!json_is(values, JSON_OBJECT))
        return ERROR(ERR_INVALID, form_wrong,
                     "The answer to a form has to be an object.");
    for (size_t i = 0; i < json_count(form); i++) {
        const char *say = form_field_error(json_at(form, i), values);
        if (say)
            json_set_key(*errors, json_get_text(json_at(form, i), "key"),
                         json_string(a, str_of(say)));
    }
    for (struct json_iter i = json_iter(values); json_next(&i);) {
        size_t k = 0;
        while (k < json_count(form) &&
               !str_eq(json_get_text(json_at(form, k), "key"), i.key))
            k++;
        if (k == json_count(form))
            json_set_key(*errors, i.key,
                         json_string(a, STR("The form has no such field.")));
    }
    if (json_count(*errors) == 0)
        return NULL;
    struct json *more = json_object(a);
    json_set_json(more, "fields", *errors);
    return err_more(a,
                    ERROR(ERR_INVALID, form_wrong,
                          "Some fields of the form have invalid values."),
                    more);
}

/* ---- browser -------------------------------------------------------- */

struct json *form_value(struct arena *a, const struct json *field,
                        struct str text, bool *absent)
{
    const struct str type = json_get_text(field, "type");
    int64_t n = 0;
    struct json *parsed = NULL;
    *absent = text.n == 0;
    if (*absent)
        return NULL;
    if (str_is(type, "boolean") &&
        (str_is(text, "true") || str_is(text, "false")))
        return json_boolean(a, str_is(text, "true"));
    if (str_is(type, "integer") &&
        str_int(str_trim(text), INT64_MIN, INT64_MAX, &n))
        return json_integer(a, n);
    /* A number is taken as it was typed: 499.90 stays 499.90. */
    if (str_is(type, "number") && !json_parse(a, str_trim(text), &parsed) &&
        json_is_number(parsed))
        return parsed;
    return json_string(a, text);
}
