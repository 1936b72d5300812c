/* Trees: the one door to json-c.
 *
 * A struct json is a json_object of json-c under another name. Every reference
 * that this file holds belongs to an arena and is released by it; a value
 * inside a container lives as long as the container or its own arena does.
 * Nothing is validated here: json_check does that before.
 *
 * json-c allocates with malloc, so every tree is charged to the arena's budget
 * before it is made. json_set and json_add have no arena at hand and bill the
 * running work. */
#include <limits.h>
#include <stdlib.h>

/* json-c has types with the names of functions and an enum of json.h. */
#define json_bool jsonc_bool
#define json_object jsonc_object
#define json_type jsonc_type
#include <json-c/json_object.h>
#include <json-c/json_c_version.h>
#include <json-c/json_tokener.h>
#include <json-c/linkhash.h>
#undef json_bool
#undef json_object
#undef json_type

#include "base/json/json.h"
#include "base/log.h"

/* A tree of the server that cannot be made or changed is a defect, or memory
 * has run out; continuing would lose data silently. */
static _Noreturn void json_die(const char *why)
{
    log_line(LOG_ERR, "json: %s", why);
    abort();
}

static struct jsonc_object *json_in(const struct json *v)
{
    return (struct jsonc_object *)v;
}

static struct json *json_out(struct jsonc_object *o)
{
    return (struct json *)o;
}

static struct jsonc_object *json_made(struct jsonc_object *o)
{
    if (!o)
        arena_no_memory();
    return o;
}

/* A reference that an arena releases. It is allocated before its object,
 * because the arena may have no room for it. */
struct held {
    struct jsonc_object *o;
};

static void json_give_back(void *p)
{
    const struct held *h = p;
    json_object_put(h->o);
}

static struct held *json_hold(struct arena *a, size_t weight)
{
    struct held *h = arena_new(a, struct held);
    arena_defer(a, json_give_back, h);
    arena_charge(a, weight);
    return h;
}

static struct json *json_own(struct held *h, struct jsonc_object *o)
{
    h->o = o;
    return json_out(o);
}

static struct jsonc_object *json_text_make(struct str s)
{
    if (s.n > INT_MAX)
        json_die("a text is too long");
    arena_bill(JSON_TEXT_BYTES + s.n);
    return json_made(json_object_new_string_len(s.n ? s.p : "", (int)s.n));
}

/* json_check has passed the text: an error of json-c is now a difference
 * between the two, which the fuzz target looks for. */
const struct err *json_parse(struct arena *a, struct str text,
                             struct json **root)
{
    *root = NULL;
    if (text.n > INT_MAX)
        return ERROR(ERR_TOO_LARGE, "json.too_large", "The text is too long.");
    size_t weight = 0;
    TRY(json_weigh(a, text, &weight));
    struct held *h = json_hold(a, weight);
    struct json_tokener *tok = json_tokener_new_ex(JSON_DEPTH_MAX + 1);
    if (!tok)
        arena_no_memory();
    /* Debian 13's 0.18, when it is strict, takes every byte over 0x7f for a
     * control character. */
    if (JSON_C_MINOR_VERSION != 18)
        json_tokener_set_flags(tok, JSON_TOKENER_STRICT);
    struct jsonc_object *o =
        json_tokener_parse_ex(tok, text.p, (int)text.n);
    /* A number alone ends only with the NUL after it. */
    if (json_tokener_get_error(tok) == json_tokener_continue)
        o = json_tokener_parse_ex(tok, "", 1);
    const bool ok = json_tokener_get_error(tok) == json_tokener_success;
    json_tokener_free(tok);
    if (!ok)
        return ERROR(ERR_INTERNAL, "internal",
                     "The JSON text could not be read.");
    *root = json_own(h, o);
    return NULL;
}

struct json *json_read(struct arena *a, struct str text)
{
    struct json *v = NULL;
    return text.p && !json_parse(a, text, &v) ? v : NULL;
}

enum json_type json_type(const struct json *v)
{
    static const enum json_type types[] = {
        [json_type_null] = JSON_NULL,     [json_type_boolean] = JSON_BOOL,
        [json_type_double] = JSON_DOUBLE, [json_type_int] = JSON_INT,
        [json_type_object] = JSON_OBJECT, [json_type_array] = JSON_ARRAY,
        [json_type_string] = JSON_STRING,
    };
    return types[json_object_get_type(json_in(v))];
}

/* The recursion is bounded by json_check. */
size_t json_depth(const struct json *v)
{
    size_t deepest = 0;
    for (size_t i = 0; json_is(v, JSON_ARRAY) && i < json_count(v); i++) {
        const size_t d = json_depth(json_at(v, i));
        deepest = d > deepest ? d : deepest;
    }
    for (struct json_iter i = json_iter(v); json_next(&i);) {
        const size_t d = json_depth(i.value);
        deepest = d > deepest ? d : deepest;
    }
    return json_is(v, JSON_ARRAY) || json_is(v, JSON_OBJECT) ? deepest + 1 : 0;
}

bool json_is(const struct json *v, enum json_type t)
{
    return json_type(v) == t;
}

bool json_is_number(const struct json *v)
{
    return json_is(v, JSON_INT) || json_is(v, JSON_DOUBLE);
}

bool json_has(const struct json *obj, const char *key)
{
    return json_is(obj, JSON_OBJECT) &&
           json_object_object_get_ex(json_in(obj), key, NULL);
}

bool json_find(const struct json *obj, const char *key,
               const struct json **out)
{
    struct jsonc_object *v = NULL;
    if (!json_is(obj, JSON_OBJECT) ||
        !json_object_object_get_ex(json_in(obj), key, &v))
        return false;
    *out = json_out(v);
    return true;
}

struct json *json_get(const struct json *obj, const char *key)
{
    struct jsonc_object *v = NULL;
    if (json_is(obj, JSON_OBJECT))
        json_object_object_get_ex(json_in(obj), key, &v);
    return json_out(v);
}

/* json-c needs keys that end in NUL; a string object holds such a copy, and no
 * object has a key with a NUL inside. */
struct json *json_get_str(const struct json *obj, struct str key)
{
    if (str_find(key, '\0', 0) < key.n)
        return NULL;
    struct jsonc_object *z = json_text_make(key);
    struct json *v = json_get(obj, json_object_get_string(z));
    json_object_put(z);
    return v;
}

struct str json_text(const struct json *v)
{
    if (!json_is(v, JSON_STRING))
        return STR_NONE;
    return (struct str){json_object_get_string(json_in(v)),
                        (size_t)json_object_get_string_len(json_in(v))};
}

struct str json_get_text(const struct json *obj, const char *key)
{
    return json_text(json_get(obj, key));
}

int64_t json_int(const struct json *v)
{
    return json_is(v, JSON_INT) ? json_object_get_int64(json_in(v)) : 0;
}

double json_double(const struct json *v)
{
    if (json_is(v, JSON_INT))
        return (double)json_int(v);
    return json_is(v, JSON_DOUBLE) ? json_object_get_double(json_in(v)) : 0;
}

struct str json_digits(const struct json *v)
{
    return json_is(v, JSON_DOUBLE) ? str_of(json_object_get_string(json_in(v)))
                                   : STR_NONE;
}

bool json_bool(const struct json *v)
{
    return json_is(v, JSON_BOOL) && json_object_get_boolean(json_in(v));
}

size_t json_count(const struct json *v)
{
    if (json_is(v, JSON_ARRAY))
        return json_object_array_length(json_in(v));
    if (json_is(v, JSON_OBJECT))
        return (size_t)json_object_object_length(json_in(v));
    return 0;
}

struct json *json_at(const struct json *arr, size_t i)
{
    if (!json_is(arr, JSON_ARRAY))
        return NULL;
    return json_out(json_object_array_get_idx(json_in(arr), i));
}

struct json_iter json_iter(const struct json *obj)
{
    struct json_iter i = {0};
    if (json_is(obj, JSON_OBJECT))
        i.pos = json_object_get_object(json_in(obj))->head;
    return i;
}

bool json_next(struct json_iter *i)
{
    const struct lh_entry *e = i->pos;
    if (!e)
        return false;
    i->key = str_of(lh_entry_k(e));
    i->value = lh_entry_v(e);
    i->pos = e->next;
    return true;
}

struct json *json_object(struct arena *a)
{
    struct held *h = json_hold(a, JSON_OBJECT_BYTES);
    return json_own(h, json_made(json_object_new_object()));
}

struct json *json_array(struct arena *a)
{
    struct held *h = json_hold(a, JSON_ARRAY_BYTES);
    return json_own(h, json_made(json_object_new_array()));
}

struct json *json_string(struct arena *a, struct str s)
{
    struct held *h = json_hold(a, 0);
    return json_own(h, json_text_make(s));
}

struct json *json_integer(struct arena *a, int64_t v)
{
    struct held *h = json_hold(a, JSON_VALUE_BYTES);
    return json_own(h, json_made(json_object_new_int64(v)));
}

struct json *json_boolean(struct arena *a, bool v)
{
    struct held *h = json_hold(a, JSON_VALUE_BYTES);
    return json_own(h, json_made(json_object_new_boolean(v)));
}

/* The memory of a member that the server adds, besides its value. Called
 * before the value is made, because a bill may not return. */
static void json_bill(const char *key)
{
    arena_bill(JSON_MEMBER_BYTES + strlen(key));
}

/* Puts v in; the object takes over the reference. */
static void json_put(struct json *obj, const char *key, struct jsonc_object *v)
{
    if (!json_is(obj, JSON_OBJECT))
        json_die("a member is set in a value that is not an object");
    if (json_object_object_add(json_in(obj), key, v) < 0)
        json_die("a member could not be set");
}

static void json_append(struct json *arr, struct jsonc_object *v)
{
    if (!json_is(arr, JSON_ARRAY))
        json_die("an element is added to a value that is not an array");
    if (json_object_array_add(json_in(arr), v) < 0)
        json_die("an element could not be added");
}

void json_set_json(struct json *obj, const char *key, const struct json *v)
{
    json_bill(key);
    json_put(obj, key, json_object_get(json_in(v)));
}

void json_set_key(struct json *obj, struct str key, const struct json *v)
{
    if (str_find(key, '\0', 0) < key.n)
        json_die("a key holds a NUL");
    struct jsonc_object *z = json_text_make(key);
    json_bill(json_object_get_string(z));
    json_put(obj, json_object_get_string(z), json_object_get(json_in(v)));
    json_object_put(z);
}

void json_set_text(struct json *obj, const char *key, struct str s)
{
    json_bill(key);
    json_put(obj, key, json_text_make(s));
}

void json_set_text_or_null(struct json *obj, const char *key, struct str s)
{
    json_bill(key);
    json_put(obj, key, s.p ? json_text_make(s) : NULL);
}

void json_set_text_given(struct json *obj, const char *key, struct str s)
{
    if (s.p)
        json_set_text(obj, key, s);
}

void json_set_read(struct arena *a, struct json *obj, const char *key,
                   struct str text)
{
    json_set_json(obj, key, json_read(a, text));
}

void json_set_given(struct arena *a, struct json *obj, const char *key,
                    struct str text)
{
    if (text.p)
        json_set_read(a, obj, key, text);
}

void json_set_int(struct json *obj, const char *key, int64_t v)
{
    json_bill(key);
    arena_bill(JSON_VALUE_BYTES);
    json_put(obj, key, json_made(json_object_new_int64(v)));
}

void json_set_bool(struct json *obj, const char *key, bool v)
{
    json_bill(key);
    arena_bill(JSON_VALUE_BYTES);
    json_put(obj, key, json_made(json_object_new_boolean(v)));
}

void json_unset(struct json *obj, struct str key)
{
    if (!json_is(obj, JSON_OBJECT) || str_find(key, '\0', 0) < key.n)
        return;
    struct jsonc_object *z = json_text_make(key);
    json_object_object_del(json_in(obj), json_object_get_string(z));
    json_object_put(z);
}

void json_add_json(struct json *arr, const struct json *v)
{
    arena_bill(JSON_ELEMENT_BYTES);
    json_append(arr, json_object_get(json_in(v)));
}

void json_add_text(struct json *arr, struct str s)
{
    json_append(arr, json_text_make(s));
}

void json_drop(struct json *arr, size_t i)
{
    if (json_is(arr, JSON_ARRAY))
        json_object_array_del_idx(json_in(arr), i, 1);
}

/* The memory of a copy of v. */
static size_t json_weight(const struct json *v)
{
    size_t n = 0;
    for (size_t i = 0; json_is(v, JSON_ARRAY) && i < json_count(v); i++)
        n += json_weight(json_at(v, i));
    for (struct json_iter i = json_iter(v); json_next(&i);)
        n += JSON_MEMBER_BYTES + i.key.n + json_weight(i.value);
    if (json_is(v, JSON_OBJECT))
        return n + JSON_OBJECT_BYTES;
    if (json_is(v, JSON_ARRAY))
        return n + JSON_ARRAY_BYTES;
    return JSON_TEXT_BYTES + json_text(v).n;
}

struct json *json_copy(struct arena *a, const struct json *v)
{
    struct jsonc_object *o = NULL;
    struct held *h = json_hold(a, json_weight(v));
    if (v && json_object_deep_copy(json_in(v), &o, NULL) < 0)
        json_die("a tree could not be copied");
    return json_own(h, o);
}

void json_write(struct buf *b, const struct json *v)
{
    size_t n = 0;
    const char *p =
        json_object_to_json_string_length(json_in(v),
                                          JSON_C_TO_STRING_PLAIN |
                                              JSON_C_TO_STRING_NOSLASHESCAPE,
                                          &n);
    if (!p)
        arena_no_memory();
    /* The tree keeps the text, in a buffer that grew by doubling. */
    arena_bill(2 * n);
    buf_str(b, (struct str){p, n});
}

struct str json_dump(struct arena *a, const struct json *v, size_t max)
{
    struct buf b = buf_make(a, max);
    json_write(&b, v);
    return b.over ? STR_NONE : buf_text(&b);
}
