/* JSON: the strict check, the tree, the canonical form. The one door to json-c.
 *
 * json-c is not strict enough for untrusted input (duplicate keys, NaN,
 * malformed UTF-8, silently clamped numbers), so json_parse first runs
 * json_check over the bytes. Trees belong to the arena: a value made here is
 * freed with it, and adding a value to a container shares it. A JSON null is
 * the pointer NULL; json_has distinguishes it from an absent member. */
#ifndef BASE_JSON_JSON_H
#define BASE_JSON_JSON_H

#include "base/buf.h"
#include "base/err.h"

struct json;

#define JSON_DEPTH_MAX 40     /* nested arrays and objects */
#define JSON_INPUT_DEPTH_MAX 32 /* of input from clients: the server wraps it,
                                 * and the result has to pass the check again */
#define JSON_MEMBERS_MAX 4096 /* of one object */
#define JSON_NUMBER_MAX 128   /* characters of one number */
/* The memory of the parts of a tree, in bytes; texts, keys and the digits of
 * numbers are counted in addition. */
#define JSON_VALUE_BYTES ((size_t)72) /* with its slot in an array */
#define JSON_TEXT_BYTES ((size_t)104) /* of a string or a fraction */
#define JSON_ELEMENT_BYTES ((size_t)16)
#define JSON_MEMBER_BYTES ((size_t)128)
#define JSON_OBJECT_BYTES ((size_t)800) /* with the room for members made at
                                         * once */
#define JSON_ARRAY_BYTES ((size_t)360)  /* with the room for elements made at
                                         * once */
#define JSON_ARRAY_READ_BYTES ((size_t)160) /* of an array that was parsed */

enum json_type {
    JSON_NULL,
    JSON_BOOL,
    JSON_INT,
    JSON_DOUBLE,
    JSON_STRING,
    JSON_ARRAY,
    JSON_OBJECT,
    JSON__MAX
};

/* The check before json-c. RFC 8259 grammar; well-formed UTF-8; depth, members
 * and numbers within the ceilings; no duplicate key (compared after
 * unescaping); no \u0000, no lone surrogate; integers within int64; other
 * numbers finite as a double, not from 2^63 up to 1e21, and from 2^53 on equal
 * to their canonical form (an accepted text has to pass again in that form,
 * where such a number is an integer). White space around is allowed, a byte
 * order mark is not. NULL when it passes; else ERR_BAD_REQUEST with code
 * json.syntax, json.utf8 (also \u0000 and a lone surrogate),
 * json.duplicate_key, json.too_deep, json.too_many_members or json.number, .say
 * a sentence and .at "line L, column C" (both from 1, columns count bytes).
 * Allocates only scratch in a. */
const struct err *json_check(struct arena *a, struct str text) MUST;
/* json_check, and the bytes that the text's tree will need. */
const struct err *json_weigh(struct arena *a, struct str text,
                             size_t *weight) MUST;
/* json_check, then the tree, which is charged to the arena; *out is NULL for
 * the text `null`. */
const struct err *json_parse(struct arena *a, struct str text,
                             struct json **out) MUST;
/* The tree of a text that was checked when it was stored; NULL where p is NULL,
 * and where the text cannot be parsed. */
struct json *json_read(struct arena *a, struct str text);
/* The bytes of member key's value in text, an object that json_check has
 * passed, exactly as they were sent without white space around; STR_NONE when
 * there is none. For values that have to be stored unchanged. */
struct str json_raw_member(struct arena *a, struct str text, struct str key);
/* The same for element index of an array. */
struct str json_raw_element(struct str text, size_t index);

/* NULL is JSON_NULL. */
enum json_type json_type(const struct json *v);
bool json_is(const struct json *v, enum json_type t);
/* An int or a double. */
bool json_is_number(const struct json *v);

/* Reading. Wrong types give the neutral value: NULL, STR_NONE, 0, false. */
bool json_has(const struct json *obj, const char *key);
/* Has it the member? Then *out is its value, which is NULL for null. */
bool json_find(const struct json *obj, const char *key,
               const struct json **out);
struct json *json_get(const struct json *obj, const char *key);
struct json *json_get_str(const struct json *obj, struct str key);
struct str json_text(const struct json *v);                 /* of a string */
struct str json_get_text(const struct json *obj, const char *key);
int64_t json_int(const struct json *v);
double json_double(const struct json *v); /* of an int too */
/* The text of a double, as it was sent; p NULL for anything else. */
struct str json_digits(const struct json *v);
bool json_bool(const struct json *v);
/* Levels of arrays and objects; 0 for a scalar. */
size_t json_depth(const struct json *v);
size_t json_count(const struct json *v); /* of an array or object, else 0 */
struct json *json_at(const struct json *arr, size_t i);

/* Walks an object's members in their order; nothing else has any:
 *   for (struct json_iter i = json_iter(obj); json_next(&i);) i.key, i.value
 * key is followed by a NUL byte. During the walk the current member may be
 * unset or replaced; none may be added. */
struct json_iter {
    const void *pos; /* private */
    struct str key;
    struct json *value;
};
struct json_iter json_iter(const struct json *obj);
bool json_next(struct json_iter *i);

/* Making. The containers belong to a; the json_set/json_add family makes the
 * value and puts it in at once. json_set replaces a member of that name. Text
 * must be UTF-8. json_set_json and json_add_json share v (NULL = null). Setting
 * a member of a value that is not an object, or adding to one that is not an
 * array, is a defect and ends the process: check json_is first for a container
 * that a client sent. */
struct json *json_object(struct arena *a);
struct json *json_array(struct arena *a);
struct json *json_string(struct arena *a, struct str s);
struct json *json_integer(struct arena *a, int64_t v);
struct json *json_boolean(struct arena *a, bool v);
void json_set_json(struct json *obj, const char *key, const struct json *v);
void json_set_key(struct json *obj, struct str key, const struct json *v);
/* p NULL sets "". */
void json_set_text(struct json *obj, const char *key, struct str s);
/* Same, but p NULL sets null. */
void json_set_text_or_null(struct json *obj, const char *key, struct str s);
/* Same, but p NULL sets nothing. */
void json_set_text_given(struct json *obj, const char *key, struct str s);
/* The value of a stored JSON text; null where p is NULL. */
void json_set_read(struct arena *a, struct json *obj, const char *key,
                   struct str text);
/* Same, but nothing where p is NULL. */
void json_set_given(struct arena *a, struct json *obj, const char *key,
                    struct str text);
void json_set_int(struct json *obj, const char *key, int64_t v);
void json_set_bool(struct json *obj, const char *key, bool v);
void json_unset(struct json *obj, struct str key);
void json_add_json(struct json *arr, const struct json *v);
void json_add_text(struct json *arr, struct str s);
/* Removes element i of an array. */
void json_drop(struct json *arr, size_t i);
/* A copy that shares nothing with v. */
struct json *json_copy(struct arena *a, const struct json *v);
/* Compares two numbers: below zero, zero or above it, as a is less than, equal
 * to or greater than b. By their digits, without rounding: a double holds
 * neither every int64_t nor every fraction. */
int json_compare(const struct json *a, const struct json *b);
/* Does the canonical form of v keep the value of every number in it? Digits
 * that a double does not hold are lost there. */
bool json_exact(const struct json *v);
/* Same type and value, member order ignored; 1 and 1.0 are equal. */
bool json_equal(const struct json *a, const struct json *b);
/* Has the list an element that is equal to v, or that is this text? */
bool json_lists(const struct json *list, const struct json *v);
bool json_lists_text(const struct json *list, struct str text);

/* Compact text, members in their order, '/' not escaped. */
void json_write(struct buf *b, const struct json *v);
/* The same in an arena; max bytes, p NULL when it would be longer. */
struct str json_dump(struct arena *a, const struct json *v, size_t max);
/* Indented by two spaces, for people. */
void json_write_pretty(struct buf *b, const struct json *v);
/* A string as a JSON literal with its quotes. */
void json_write_string(struct buf *b, struct str s);
/* Writes before as it is, and then s as a string: a member and its value. */
void json_write_text(struct buf *b, const char *before, struct str s);
/* v as ECMAScript prints it, shortest and ending in NUL, -0 as 0; "null" when
 * it is not finite. Returns the length. */
#define JSON_DOUBLE_TEXT 32
size_t json_double_text(double v, char out[static JSON_DOUBLE_TEXT]);
/* RFC 8785 (JCS): members sorted by UTF-16 code units, no white space, numbers
 * as ECMAScript prints a double, strings minimally escaped. An integer is
 * written with all of its digits even beyond 2^53, where JCS would round it: no
 * value of an agent is changed. */
void json_write_canonical(struct buf *b, const struct json *v);

#endif
