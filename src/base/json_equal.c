/* Comparing two values for equality, and two numbers by size.
 *
 * Reads trees only through json.h and never changes one. */
#include "base/json.h"

int json_compare(const struct json *a, const struct json *b)
{
    const double x = json_double(a), y = json_double(b);
    const bool whole = json_is(a, JSON_INT), other = json_is(b, JSON_INT);
    if (x < y || x > y || (!whole && !other))
        return (x > y) - (x < y);
    /* An int64_t is never 2^63, but may be rounded to it. */
    if (whole != other && x >= 0x1p63)
        return whole ? -1 : 1;
    const int64_t i = whole ? json_int(a) : (int64_t)x;
    const int64_t k = other ? json_int(b) : (int64_t)y;
    return (i > k) - (i < k);
}

static bool same_object(const struct json *a, const struct json *b)
{
    for (struct json_iter i = json_iter(a); json_next(&i);)
        if (!json_has(b, i.key.p) || !json_equal(i.value, json_get(b, i.key.p)))
            return false;
    return json_count(a) == json_count(b);
}

static bool same_array(const struct json *a, const struct json *b)
{
    if (json_count(a) != json_count(b))
        return false;
    for (size_t i = 0; i < json_count(a); i++)
        if (!json_equal(json_at(a, i), json_at(b, i)))
            return false;
    return true;
}

bool json_equal(const struct json *a, const struct json *b)
{
    if (json_is_number(a) && json_is_number(b))
        return json_compare(a, b) == 0;
    if (json_type(a) != json_type(b))
        return false;
    switch (json_type(a)) {
    case JSON_BOOL:
        return json_bool(a) == json_bool(b);
    case JSON_STRING:
        return str_eq(json_text(a), json_text(b));
    case JSON_ARRAY:
        return same_array(a, b);
    case JSON_OBJECT:
        return same_object(a, b);
    case JSON_NULL:
    case JSON_INT:
    case JSON_DOUBLE:
    case JSON__MAX:
    default:
        return true;
    }
}
