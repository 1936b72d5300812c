/* Reading the members of an untrusted JSON object.
 *
 * Each call checks one member and fills *out; the first mistake is kept and the
 * later calls do nothing, so a parser is a plain list of its members with one
 * call of fields_error at the end. A mistake is ERR_INVALID with the member's
 * path in .at. null counts as absent. */
#ifndef BASE_JSON_FIELDS_H
#define BASE_JSON_FIELDS_H

#include "base/err.h"
#include "base/json/json.h"

struct fields {
    struct arena *arena;
    const struct json *obj;
    struct str path; /* of obj, "" at the top */
    const struct err *e;
};

/* obj must be an object; anything else is the mistake body.not_object. */
struct fields fields(struct arena *a, const struct json *obj, struct str path);
/* The first mistake, or NULL. */
const struct err *fields_error(const struct fields *f) MUST;
/* Records a mistake at member key, unless there is one already. */
void fields_wrong(struct fields *f, const char *key, const char *code,
                  const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* Refuses members whose name is not in the space-separated list. */
void fields_only(struct fields *f, const char *names);
/* Records a mistake when key is absent. */
void fields_need(struct fields *f, const char *key);
/* Text of at most max code points; p NULL when absent. */
void fields_text(struct fields *f, const char *key, size_t max,
                 struct str *out);
/* One of the space-separated words; p NULL when absent. */
void fields_word(struct fields *f, const char *key, const char *words,
                 struct str *out);
/* One of n words; NULL in their place: it may not be sent. Returns the word's
 * index; n when absent. */
size_t fields_index(struct fields *f, const char *key,
                    const char *const *words, size_t n);
/* A whole number in [min, max]; *out stays as it is when absent. */
void fields_int(struct fields *f, const char *key, int64_t min, int64_t max,
                int64_t *out);
void fields_bool(struct fields *f, const char *key, bool *out);
/* A member of the given type; NULL when absent. */
void fields_json(struct fields *f, const char *key, enum json_type type,
                 const struct json **out);
/* A UUID, in lower case; p NULL when absent. */
void fields_uuid(struct fields *f, const char *key, struct str *out);
/* path.key, or key at the top; path[i] for an element. */
struct str fields_path(struct arena *a, struct str path, const char *key);
struct str fields_element(struct arena *a, struct str path, size_t i);

#endif
