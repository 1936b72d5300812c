/* Reading the members of an untrusted JSON object.
 *
 * Used by all code that parses a body. Knows no member's meaning. */
#include "base/json/fields.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/id.h"

static const char *const type_names[JSON__MAX] = {
    [JSON_NULL] = "null",       [JSON_BOOL] = "true or false",
    [JSON_INT] = "a number",    [JSON_DOUBLE] = "a number",
    [JSON_STRING] = "text",     [JSON_ARRAY] = "a list",
    [JSON_OBJECT] = "an object"};

struct str fields_path(struct arena *a, struct str path, const char *key)
{
    return arena_join(a, path, path.n > 0 ? STR(".") : STR_NONE, str_of(key));
}

struct str fields_element(struct arena *a, struct str path, size_t i)
{
    return arena_join(a, path, STR("["), arena_number(a, (int64_t)i), STR("]"));
}

struct fields fields(struct arena *a, const struct json *obj, struct str path)
{
    struct fields f = {.arena = a, .obj = obj, .path = path};
    if (!json_is(obj, JSON_OBJECT))
        f.e = err_at(a, ERR_INVALID, "body.not_object", path,
                     "A JSON object is required here.");
    return f;
}

const struct err *fields_error(const struct fields *f)
{
    return f->e;
}

void fields_wrong(struct fields *f, const char *key, const char *code,
                  const char *fmt, ...)
{
    char text[256];
    va_list args;
    if (f->e)
        return;
    va_start(args, fmt);
    const int n = vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    const size_t len = n < 0                        ? 0
                       : (size_t)n < sizeof text ? (size_t)n
                                                 : sizeof text - 1;
    f->e = err_at(f->arena, ERR_INVALID, code,
                  fields_path(f->arena, f->path, key), "%.*s", (int)len, text);
}

#define NEAR_MAX 40 /* characters of names that are compared */

/* How many characters have to be put in, left out or changed; NEAR_MAX for a
 * name that is too long. */
static size_t fields_distance(struct str a, struct str b)
{
    size_t row[NEAR_MAX + 1];
    if (a.n > NEAR_MAX || b.n > NEAR_MAX)
        return NEAR_MAX;
    for (size_t k = 0; k <= b.n; k++)
        row[k] = k;
    for (size_t i = 1; i <= a.n; i++) {
        size_t corner = row[0];
        row[0] = i;
        for (size_t k = 1; k <= b.n; k++) {
            const size_t changed = corner + (a.p[i - 1] != b.p[k - 1]);
            const size_t shorter =
                (row[k] < row[k - 1] ? row[k] : row[k - 1]) + 1;
            corner = row[k];
            row[k] = changed < shorter ? changed : shorter;
        }
    }
    return row[b.n];
}

/* The known name that was probably meant; p NULL: none is near. */
static struct str fields_nearest(struct str names, struct str given)
{
    struct str best = STR_NONE;
    size_t least = given.n < 4 ? 2 : 3;
    while (names.p) {
        const struct str name = str_cut(&names, ' ');
        const size_t n = given.n >= 4 && str_starts(name, given)
                             ? 1
                             : fields_distance(name, given);
        if (name.n > 0 && n < least) {
            best = name;
            least = n;
        }
    }
    return best;
}

void fields_only(struct fields *f, const char *names)
{
    for (struct json_iter i = json_iter(f->obj); !f->e && json_next(&i);) {
        if (str_listed(str_of(names), i.key))
            continue;
        const struct str near = fields_nearest(str_of(names), i.key);
        fields_wrong(f, arena_z(f->arena, str_head(i.key, 64)),
                     "field.unknown",
                     "This member is not supported here.%s%.*s%s",
                     near.p ? " Did you mean \"" : "", STR_FMT(near),
                     near.p ? "\"?" : "");
    }
}

static const struct json *fields_get(const struct fields *f, const char *key)
{
    return f->e ? NULL : json_get(f->obj, key);
}

void fields_need(struct fields *f, const char *key)
{
    if (!f->e && !json_get(f->obj, key))
        fields_wrong(f, key, "field.missing", "\"%s\" is needed.", key);
}

static bool fields_typed(struct fields *f, const char *key,
                         const struct json *v, enum json_type type)
{
    if (json_is(v, type))
        return true;
    fields_wrong(f, key, "field.type", "\"%s\" has to be %s.", key,
                 type_names[type]);
    return false;
}

void fields_text(struct fields *f, const char *key, size_t max,
                 struct str *out)
{
    *out = STR_NONE;
    const struct json *v = fields_get(f, key);
    if (!v || !fields_typed(f, key, v, JSON_STRING))
        return;
    if (str_runes(json_text(v)) > max)
        fields_wrong(f, key, "field.too_long",
                     "\"%s\" may have at most %zu characters.", key, max);
    else
        *out = json_text(v);
}

void fields_word(struct fields *f, const char *key, const char *words,
                 struct str *out)
{
    *out = STR_NONE;
    const struct json *v = fields_get(f, key);
    if (!v)
        return;
    if (!json_is(v, JSON_STRING) || json_text(v).n == 0 ||
        str_find(json_text(v), ' ', 0) < json_text(v).n ||
        !str_listed(str_of(words), json_text(v)))
        fields_wrong(f, key, "field.value", "\"%s\" has to be one of: %s.",
                     key, words);
    else
        *out = json_text(v);
}

size_t fields_index(struct fields *f, const char *key,
                    const char *const *words, size_t n)
{
    const struct json *v = fields_get(f, key);
    const struct str sent =
        json_is(v, JSON_STRING) ? json_text(v) : STR_NONE;
    struct buf all = buf_make(f->arena, 1024);
    for (size_t i = 0; v && i < n; i++) {
        if (words[i] && str_is(sent, words[i]))
            return i;
        if (words[i] && all.n > 0)
            buf_char(&all, ' ');
        buf_put(&all, words[i] ? words[i] : "");
    }
    if (v)
        fields_wrong(f, key, "field.value", "\"%s\" has to be one of: %s.",
                     key, arena_z(f->arena, buf_text(&all)));
    return n;
}

void fields_int(struct fields *f, const char *key, int64_t min, int64_t max,
                int64_t *out)
{
    const struct json *v = fields_get(f, key);
    if (!v)
        return;
    /* Some clients write a whole number of seconds as 300.0. */
    const bool whole =
        json_is(v, JSON_INT) ||
        (json_is(v, JSON_DOUBLE) && json_double(v) >= -1e15 &&
         json_double(v) <= 1e15 &&
         (double)(int64_t)json_double(v) == json_double(v));
    const int64_t n = json_is(v, JSON_INT) ? json_int(v)
                      : whole              ? (int64_t)json_double(v)
                                           : 0;
    if (!whole || n < min || n > max)
        fields_wrong(f, key, "field.range",
                     "\"%s\" has to be a whole number from %" PRId64
                     " to %" PRId64 ".",
                     key, min, max);
    else
        *out = n;
}

void fields_bool(struct fields *f, const char *key, bool *out)
{
    const struct json *v = fields_get(f, key);
    if (v && fields_typed(f, key, v, JSON_BOOL))
        *out = json_bool(v);
}

void fields_json(struct fields *f, const char *key, enum json_type type,
                 const struct json **out)
{
    *out = NULL;
    const struct json *v = fields_get(f, key);
    if (v && fields_typed(f, key, v, type))
        *out = v;
}

void fields_uuid(struct fields *f, const char *key, struct str *out)
{
    fields_text(f, key, 64, out);
    if (out->p && !id_uuid(*out)) {
        fields_wrong(f, key, "field.uuid", "\"%s\" has to be a UUID.", key);
        *out = STR_NONE;
    }
    if (out->p)
        *out = id_lower(f->arena, *out);
}
