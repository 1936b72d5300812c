/* Patching an intent's state document: set, append, remove.
 *
 * The SDK sends bare keys, other clients a pointer with slashes; both are split
 * on '/' and empty parts are dropped, as in OpenIntent's reference server. */
#include "base/crypt.h"
#include "base/json/fields.h"
#include "domain/intent/intent.h"

#define PATH_MAX_BYTES 1024
#define PATH_PARTS_MAX 16

/* ---- reading -------------------------------------------------------- */

static const struct err *patch_read_one(struct arena *a, const struct json *v,
                                        struct str path,
                                        struct intent_patch *out)
{
    struct fields f = fields(a, v, path);
    struct str op = STR_NONE;
    fields_only(&f, "op path value");
    fields_need(&f, "op");
    fields_need(&f, "path");
    fields_word(&f, "op", "set append remove", &op);
    fields_text(&f, "path", PATH_MAX_BYTES, &out->path);
    if (!f.e && !str_is(op, "remove") && !json_has(v, "value"))
        fields_wrong(&f, "value", "field.missing", "\"value\" is needed.");
    TRY(fields_error(&f));
    out->op = str_is(op, "set")      ? INTENT_SET
              : str_is(op, "append") ? INTENT_APPEND
                                     : INTENT_REMOVE;
    out->value = json_get(v, "value");
    return NULL;
}

const struct err *intent_patches_read(struct arena *a, const struct json *body,
                                      struct intent_patches *out)
{
    struct fields f = fields(a, body, STR(""));
    const struct json *list = NULL, *state = NULL;
    out->n = 0;
    fields_json(&f, "patches", JSON_ARRAY, &list);
    fields_json(&f, "state", JSON_OBJECT, &state);
    if (!f.e && (list != NULL) == (state != NULL))
        fields_wrong(&f, "patches", "patch.form",
                     "The body needs either \"patches\", a list, or \"state\", "
                     "an object whose members are set.");
    TRY(fields_error(&f));
    if (json_count(state) > INTENT_PATCHES_MAX)
        return err_at(a, ERR_INVALID, "field.too_many", STR("state"),
                      "The body may have at most %d members.",
                      INTENT_PATCHES_MAX);
    for (struct json_iter i = json_iter(state); json_next(&i);) {
        if (str_find(i.key, '/', 0) < i.key.n || i.key.n == 0 ||
            i.key.n > PATH_MAX_BYTES)
            return err_at(a, ERR_INVALID, "patch.key", STR("state"),
                          "A member's name may not be empty or contain '/'.");
        out->v[out->n++] = (struct intent_patch){
            .op = INTENT_SET, .path = i.key, .value = i.value};
    }
    if (json_count(list) > INTENT_PATCHES_MAX)
        return err_at(a, ERR_INVALID, "field.too_many", STR("patches"),
                      "The body may have at most %d patches.",
                      INTENT_PATCHES_MAX);
    for (size_t i = 0; i < json_count(list); i++)
        TRY(patch_read_one(a, json_at(list, i),
                           fields_element(a, STR("patches"), i),
                           &out->v[out->n++]));
    return NULL;
}

/* ---- paths ---------------------------------------------------------- */

struct parts {
    struct str v[PATH_PARTS_MAX];
    size_t n;
    bool over;
};

static struct parts patch_split(struct str path)
{
    struct parts p = {.n = 0};
    struct str rest = path;
    while (rest.p) {
        const struct str part = str_cut(&rest, '/');
        if (part.n == 0)
            continue;
        if (p.n >= PATH_PARTS_MAX) {
            p.over = true;
            return p;
        }
        p.v[p.n++] = part;
    }
    return p;
}

static bool patch_of_suspension(const struct intent_patch *p)
{
    const struct parts parts = patch_split(p->path);
    return parts.n > 0 && str_is(parts.v[0], "_suspension");
}

void intent_patches_drop_suspension(struct intent_patches *p)
{
    size_t n = 0;
    for (size_t i = 0; i < p->n; i++) {
        if (!patch_of_suspension(&p->v[i]))
            p->v[n++] = p->v[i];
    }
    p->n = n;
}

bool intent_patches_suspension(const struct intent_patches *p, bool *whole,
                               const struct json **record)
{
    bool touched = false;
    *whole = false;
    *record = NULL;
    for (size_t i = 0; i < p->n; i++) {
        const struct parts parts = patch_split(p->v[i].path);
        if (!patch_of_suspension(&p->v[i]))
            continue;
        /* Two writes of the record in one body cannot both be the question. */
        *whole = !touched && parts.n == 1 && p->v[i].op == INTENT_SET &&
                 json_is(p->v[i].value, JSON_OBJECT);
        *record = p->v[i].value;
        touched = true;
    }
    return touched;
}

/* ---- applying ------------------------------------------------------- */

static bool patch_index_of(struct str part, size_t count, size_t *out)
{
    int64_t i = 0;
    if (!str_int(part, 0, INT64_MAX, &i) || (size_t)i >= count)
        return false;
    *out = (size_t)i;
    return true;
}

/* The child of v under part; NULL when there is none. */
static struct json *patch_child(const struct json *v, struct str part)
{
    size_t i = 0;
    if (json_is(v, JSON_OBJECT))
        return json_get_str(v, part);
    if (json_is(v, JSON_ARRAY) && patch_index_of(part, json_count(v), &i))
        return json_at(v, i);
    return NULL;
}

/* The container of the last part; makes missing objects when make. */
static struct json *patch_walk(struct arena *a, struct json *state,
                               const struct parts *p, bool make)
{
    struct json *at = state;
    for (size_t i = 0; i + 1 < p->n; i++) {
        struct json *next = patch_child(at, p->v[i]);
        if (!next && make && json_is(at, JSON_OBJECT)) {
            next = json_object(a);
            json_set_key(at, p->v[i], next);
        }
        if (!json_is(next, JSON_OBJECT) && !json_is(next, JSON_ARRAY))
            return NULL;
        at = next;
    }
    return at;
}

static const struct err *patch_wrong(struct arena *a, struct str path,
                                     const char *say)
{
    return err_at(a, ERR_INVALID, "patch.path", path, "%s", say);
}

static const struct err *patch_append(struct arena *a, struct json *at,
                                      struct str key,
                                      const struct intent_patch *p)
{
    struct json *list = patch_child(at, key);
    if (!list && json_is(at, JSON_OBJECT)) {
        list = json_array(a);
        json_set_key(at, key, list);
    }
    if (!json_is(list, JSON_ARRAY))
        return patch_wrong(a, p->path, "Only a list can be appended to.");
    json_add_json(list, json_copy(a, p->value));
    return NULL;
}

static const struct err *patch_apply(struct arena *a, struct json *state,
                                     const struct intent_patch *p)
{
    const struct parts parts = patch_split(p->path);
    if (parts.n == 0 || parts.over)
        return patch_wrong(a, p->path, "A path has from 1 to 16 parts.");
    struct json *at = patch_walk(a, state, &parts, p->op != INTENT_REMOVE);
    const struct str key = parts.v[parts.n - 1];
    if (!at) /* removing a missing member succeeds */
        return p->op == INTENT_REMOVE
                   ? NULL
                   : patch_wrong(a, p->path,
                                 "The path leads through a value that is "
                                 "not an object.");
    if (p->op == INTENT_APPEND)
        return patch_append(a, at, key, p);
    if (p->op == INTENT_SET) {
        if (!json_is(at, JSON_OBJECT))
            return patch_wrong(a, p->path,
                               "Only a member of an object can be set.");
        /* A copy: a later operation may change the value in the state, and the
         * event has to keep what was sent. */
        json_set_key(at, key, json_copy(a, p->value));
        return NULL;
    }
    size_t i = 0;
    if (json_is(at, JSON_OBJECT))
        json_unset(at, key);
    else if (json_is(at, JSON_ARRAY) &&
             patch_index_of(key, json_count(at), &i))
        json_drop(at, i);
    return NULL;
}

const struct err *intent_patch(struct arena *a, struct json *state,
                               const struct intent_patches *p)
{
    for (size_t i = 0; i < p->n; i++)
        TRY(patch_apply(a, state, &p->v[i]));
    return NULL;
}

/* The state is parsed again later, so it may not be deeper than the parser
 * allows. */
const struct err *intent_state_text(struct arena *a, const struct json *state,
                                    struct str *out)
{
    *out = json_dump(a, state, INTENT_STATE_MAX);
    if (!out->p)
        return ERROR(ERR_TOO_LARGE, "intent.state_too_large",
                     "The intent's state may have at most 512 kB.");
    if (json_depth(state) > JSON_INPUT_DEPTH_MAX || json_check(a, *out))
        return ERROR(ERR_INVALID, "intent.state_too_deep",
                     "The intent's state may be at most 32 levels deep, with "
                     "4096 members in an object.");
    return NULL;
}

struct str intent_state_sha256(struct arena *a, const struct json *state)
{
    struct json *o = json_object(a);
    struct buf b = buf_make(a, 2 * INTENT_STATE_MAX);
    for (struct json_iter i = json_iter(state); json_next(&i);) {
        if (!str_listed(STR("_suspension abandonment_reason"), i.key))
            json_set_key(o, i.key, i.value);
    }
    json_write_canonical(&b, o);
    return crypt_sha256_hex(a, buf_text(&b));
}
