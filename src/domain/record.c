/* Records: bodies, objects and columns from a noun's table. Pure. */
#include "domain/record.h"

#include "base/clock_text.h"

#define RECORD_TIME_TEXT 120 /* characters of a moment in a body */
#define RECORD_AMOUNT_MAX 1e15

/* ---- columns --------------------------------------------------------- */

struct str record_text(struct arena *a, const struct record_field *f,
                       const void *object)
{
    const void *at = (const char *)object + f->at;
    const int64_t *number = at;
    switch (f->type) {
    case RECORD_IS_TEXT:
    case RECORD_IS_UUID:
    case RECORD_IS_JSON:
        return *(const struct str *)at;
    case RECORD_IS_COUNT:
        return *number ? arena_number(a, *number) : STR_NONE;
    case RECORD_IS_NUMBER:
        return arena_number(a, *number);
    case RECORD_IS_TIME:
    case RECORD_IS_NAIVE:
        return *number   ? clock_rfc3339(a, *number)
               : f->none ? str_of(f->none)
                         : STR_NONE;
    case RECORD_IS_FLAG:
        return *(const bool *)at ? STR("true") : STR("false");
    case RECORD_IS_WORD:
        return f->words->word(*(const unsigned *)at)->wire;
    case RECORD_IS_DECIMAL:
        return decimal_text(a, *(const struct decimal *)at);
    case RECORD_IS_OWN:
        break;
    }
    return f->text(a, at);
}

void record_take(const struct record_field *f, void *object, struct str text)
{
    void *at = (char *)object + f->at;
    switch (f->type) {
    case RECORD_IS_TEXT:
    case RECORD_IS_UUID:
    case RECORD_IS_JSON:
        *(struct str *)at = text;
        return;
    case RECORD_IS_COUNT:
    case RECORD_IS_NUMBER:
        *(int64_t *)at = 0;
        (void)str_int(text, INT64_MIN, INT64_MAX, at);
        return;
    case RECORD_IS_TIME:
    case RECORD_IS_NAIVE:
        *(int64_t *)at = clock_stored(text);
        return;
    case RECORD_IS_FLAG:
        *(bool *)at = str_is(text, "t");
        return;
    case RECORD_IS_WORD:
        *(unsigned *)at = vocabulary_value(f->words, text);
        return;
    case RECORD_IS_DECIMAL:
        if (!decimal_read(text, at))
            *(struct decimal *)at = (struct decimal){.whole = 0};
        return;
    case RECORD_IS_OWN:
        f->take(at, text);
    }
}

/* ---- bodies ---------------------------------------------------------- */

static const char *record_member(const struct record_field *f)
{
    return f->member ? f->member : f->column ? f->column : f->name;
}

static void record_read_json(struct fields *body, const char *key,
                             const struct record_field *f, struct str *out)
{
    const struct json *v = body->e ? NULL : json_get(body->obj, key);
    if (f->shape != JSON_NULL)
        fields_json(body, key, f->shape, &v);
    *out = f->none ? str_of(f->none) : STR_NONE;
    if (!v)
        return;
    *out = json_dump(body->arena, v, (size_t)f->max);
    if (!out->p)
        fields_wrong(body, key, "field.too_long",
                     "\"%s\" may have at most %d kB.", key,
                     (int)(f->max >> 10));
}

static void record_read_time(struct fields *body, const char *key,
                             int64_t *out)
{
    struct str text = STR_NONE;
    fields_text(body, key, RECORD_TIME_TEXT, &text);
    if (text.p && !clock_parse(text, out))
        fields_wrong(body, key, "field.time",
                     "\"%s\" has to be a time like "
                     "2026-11-20T09:26:13.510233.",
                     key);
}

/* A double such as 0.30000000000000004 is rounded; a number of at most six
 * digits after the point is exact. */
static void record_read_decimal(struct fields *body, const char *key,
                                struct decimal *out)
{
    const struct json *v = body->e ? NULL : json_get(body->obj, key);
    struct buf b = buf_make(body->arena, 64);
    if (!v || decimal_read(json_dump(body->arena, v, 64), out))
        return;
    if (json_is_number(v) && json_double(v) >= 0 &&
        json_double(v) < RECORD_AMOUNT_MAX) {
        buf_printf(&b, "%.6f", json_double(v));
        if (decimal_read(buf_text(&b), out))
            return;
    }
    fields_wrong(body, key, "field.value",
                 "\"%s\" has to be a number from 0 on, below 10^15.", key);
}

static void record_read_field(struct fields *body, const char *key,
                              const struct record_field *f, void *at)
{
    const struct str *text = at;
    switch (f->type) {
    case RECORD_IS_TEXT:
        fields_text(body, key, (size_t)f->max, at);
        if (f->filled && text->p && text->n == 0)
            fields_wrong(body, key, "field.empty",
                         "\"%s\" may not be empty.", key);
        break;
    case RECORD_IS_UUID:
        fields_uuid(body, key, at);
        break;
    case RECORD_IS_JSON:
        record_read_json(body, key, f, at);
        break;
    case RECORD_IS_COUNT:
    case RECORD_IS_NUMBER:
        fields_int(body, key, f->min, f->max, at);
        break;
    case RECORD_IS_TIME:
    case RECORD_IS_NAIVE:
        record_read_time(body, key, at);
        break;
    case RECORD_IS_FLAG:
        fields_bool(body, key, at);
        break;
    case RECORD_IS_WORD: {
        const unsigned value = vocabulary_read(f->words, body, key);
        if (value < f->words->n)
            *(unsigned *)at = value;
        break;
    }
    case RECORD_IS_DECIMAL:
        record_read_decimal(body, key, at);
        break;
    case RECORD_IS_OWN:
        break;
    }
}

void record_read(struct fields *body, const struct record *r, void *object)
{
    for (size_t i = 0; i < r->n; i++) {
        const struct record_field *f = &r->fields[i];
        /* The name that the body has for the field. */
        const char *key = record_member(f);
        if (f->other && !json_get(body->obj, key) &&
            json_get(body->obj, f->other))
            key = f->other;
        union {
            struct str text;
            struct decimal decimal;
            int64_t number;
            unsigned word;
            bool flag;
        } unused;
        if (f->in & IN_NEED)
            fields_need(body, key);
        if (f->in & (IN_BODY | IN_NEED))
            record_read_field(body, key, f, (char *)object + f->at);
        /* The second spelling does not count beside the first; it has to be
         * valid all the same. */
        if (f->other && key != f->other && json_get(body->obj, f->other))
            record_read_field(body, f->other, f, &unused);
        if (f->check && !body->e && json_get(body->obj, key))
            f->check(body, key, object);
    }
}

const struct err *record_body(struct arena *a, const struct json *body,
                              const struct record *r, void *object)
{
    struct fields f = fields(a, body, STR(""));
    record_read(&f, r, object);
    return fields_error(&f);
}

void record_only(struct fields *body, const struct record *r)
{
    struct buf names = buf_make(body->arena, 1024);
    for (size_t i = 0; i < r->n; i++) {
        const struct record_field *f = &r->fields[i];
        if (!(f->in & (IN_BODY | IN_NEED)))
            continue;
        buf_put(&names, names.n > 0 ? " " : "");
        buf_put(&names, record_member(f));
        buf_put(&names, f->other ? " " : "");
        buf_put(&names, f->other ? f->other : "");
    }
    fields_only(body, arena_z(body->arena, buf_text(&names)));
}

/* ---- objects ---------------------------------------------------------- */

static bool record_moment(const struct record_field *f)
{
    return f->type == RECORD_IS_TIME || f->type == RECORD_IS_NAIVE;
}

static bool record_given(struct arena *a, const struct record_field *f,
                         const void *object)
{
    const void *at = (const char *)object + f->at;
    if (record_moment(f))
        return *(const int64_t *)at != 0;
    return f->type == RECORD_IS_FLAG ? *(const bool *)at
                                     : record_text(a, f, object).p != NULL;
}

static const struct json *
record_value(struct arena *a, const struct record_field *f, const void *object)
{
    const void *at = (const char *)object + f->at;
    if (f->show)
        return f->show(a, object);
    if (f->type == RECORD_IS_COUNT || f->type == RECORD_IS_NUMBER)
        return json_integer(a, *(const int64_t *)at);
    if (f->type == RECORD_IS_FLAG)
        return json_boolean(a, *(const bool *)at);
    if (record_moment(f) && *(const int64_t *)at == 0)
        return NULL;
    const struct str text = f->type == RECORD_IS_NAIVE
                                ? clock_naive(a, *(const int64_t *)at)
                                : record_text(a, f, object);
    if (!text.p)
        return NULL;
    return f->type == RECORD_IS_JSON || f->type == RECORD_IS_DECIMAL
               ? json_read(a, text)
               : json_string(a, text);
}

void record_show(struct arena *a, struct json *o, const struct record *r,
                 enum record_in in, const void *object)
{
    for (size_t i = 0; i < r->n; i++) {
        const struct record_field *f = &r->fields[i];
        if (!(f->in & in) ||
            ((f->in & IN_GIVEN) && in == IN_OBJECT &&
             !record_given(a, f, object)))
            continue;
        const struct json *v = record_value(a, f, object);
        json_set_json(o, record_member(f), v);
        if (f->alias && in == IN_OBJECT)
            json_set_json(o, f->alias, v);
    }
}

struct json *record_object(struct arena *a, const struct record *r,
                           const void *object)
{
    struct json *o = json_object(a);
    record_show(a, o, r, IN_OBJECT, object);
    return o;
}

struct json *record_list(struct arena *a, const struct record *r,
                         const void *first, size_t n)
{
    struct json *list = json_array(a);
    for (size_t i = 0; i < n; i++)
        json_add_json(list, record_object(a, r, (const char *)first +
                                                    i * r->size));
    return list;
}

struct json *record_payload(struct arena *a, const struct record *r,
                            const void *object)
{
    struct json *o = json_object(a);
    record_show(a, o, r, IN_EVENT, object);
    return o;
}
