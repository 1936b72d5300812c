/* Forms: the fields of a question that is answered by several values.
 *
 * The field list is the flat form of MCP elicitation. A plain OpenIntent record
 * has none: there the keys of the context define the fields and any value
 * passes (OpenIntent RFC-0025). */
#ifndef DOMAIN_KIND_FORM_H
#define DOMAIN_KIND_FORM_H

#include "base/err.h"
#include "base/json/json.h"

#define FORM_FIELDS_MAX 50
#define FORM_OPTIONS_MAX 100
#define FORM_LABEL_MAX 200 /* characters, of a field or an option */
#define FORM_HELP_MAX 1000 /* characters */
#define FORM_TEXT_MAX 20000

/* Reads the native API's `form` (a list of fields; form_schema.h converts a
 * schema to one) and returns it with defaults filled in, as a list of {key,
 * label, type, required, help, default, min, max, min_length, max_length,
 * format, options[{value, label}]}. Types: string text integer number boolean
 * enum multi, where min and max count the options of a multi; formats of
 * string: email uri date date-time. ERR_INVALID names the field's place. */
const struct err *form_read(struct arena *a, const struct json *list,
                            struct json **out) MUST;
/* Does the label of a text field ask for a secret? ERR_INVALID form.secret at
 * form[i].label; form is the result of form_read, which has refused such keys.
 * A question of a kind is checked by kind_check_form before. */
const struct err *form_check_labels(struct arena *a,
                                    const struct json *form) MUST;
/* The fields that a context's keys define, in the same form; types follow the
 * values there, which become the defaults. */
struct json *form_of_context(struct arena *a, const struct json *context);
/* A code that callers compare: response.form. */
extern const char form_wrong[];

/* Checks values, an object, against a field list. On a mistake *errors is an
 * object {key: sentence} and the result is ERR_INVALID response.form with
 * {"fields": {...}} in more. */
const struct err *form_check(struct arena *a, const struct json *form,
                             const struct json *values,
                             struct json **errors) MUST;
/* One browser field's text as the JSON value that its type wants. Text that
 * does not fit is returned as a string, so that form_check names the mistake;
 * empty text is absent (*absent). */
struct json *form_value(struct arena *a, const struct json *field,
                        struct str text, bool *absent);

#endif
