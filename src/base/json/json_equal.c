/* Comparing two values for equality, and two numbers by size: by their digits,
 * because a double holds only some fractions.
 *
 * Reads trees only through json.h and never changes one. */
#include <inttypes.h>
#include <stdio.h>

#include "base/json/json.h"

#define DIGITS_MAX 32        /* of an int64_t, as text */
#define EXPONENT_MAX 1000000 /* no number that json_parse takes has one */

/* A number by its digits: 0.DDD * 10^point, the first digit not 0. */
struct number {
    bool negative;
    struct str digits; /* with the point in it; n == 0: zero */
    int64_t point;
};

static struct number equal_number(struct str s)
{
    struct number out = {.negative = s.n > 0 && s.p[0] == '-'};
    size_t e = 0, first = 0;
    if (s.n == 0)
        return out;
    while (e < s.n && s.p[e] != 'e' && s.p[e] != 'E')
        e++;
    const struct str mantissa = str_sub(s, out.negative, e);
    while (first < mantissa.n &&
           (mantissa.p[first] == '0' || mantissa.p[first] == '.'))
        first++;
    const size_t point = str_find(mantissa, '.', 0);
    out.digits = str_sub(mantissa, first, mantissa.n);
    int64_t n = 0; /* the exponent */
    const struct str power = str_sub(s, e + 1, s.n);
    const bool minus = power.n > 0 && power.p[0] == '-';
    for (size_t i = power.n > 0 && (minus || power.p[0] == '+'); i < power.n;
         i++)
        n = n < EXPONENT_MAX ? n * 10 + (power.p[i] - '0') : n;
    out.point = (minus ? -n : n) + (int64_t)point - (int64_t)first +
                (first > point);
    return out;
}

/* The next digit, 0 behind the last. */
static char equal_next(struct str *s)
{
    if (s->n > 0 && s->p[0] == '.')
        *s = str_sub(*s, 1, s->n);
    const char c = s->n > 0 ? s->p[0] : '0';
    *s = str_sub(*s, 1, s->n);
    return c;
}

/* Without the signs. */
static int equal_compare(struct number x, struct number y)
{
    if (x.digits.n == 0 || y.digits.n == 0)
        return (x.digits.n > 0) - (y.digits.n > 0);
    if (x.point != y.point)
        return x.point > y.point ? 1 : -1;
    while (x.digits.n > 0 || y.digits.n > 0) {
        const char a = equal_next(&x.digits), b = equal_next(&y.digits);
        if (a != b)
            return a > b ? 1 : -1;
    }
    return 0;
}

static struct number equal_read(const struct json *v,
                                char text[static DIGITS_MAX])
{
    if (!json_is(v, JSON_INT))
        return equal_number(json_digits(v));
    (void)snprintf(text, DIGITS_MAX, "%" PRId64, json_int(v));
    return equal_number(str_of(text));
}

int json_compare(const struct json *a, const struct json *b)
{
    char text[2][DIGITS_MAX];
    const struct number x = equal_read(a, text[0]);
    const struct number y = equal_read(b, text[1]);
    const bool below = x.negative && x.digits.n > 0;
    const bool other = y.negative && y.digits.n > 0;
    if (below != other)
        return below ? -1 : 1;
    const int by_size = equal_compare(x, y);
    return below ? -by_size : by_size;
}

bool json_exact(const struct json *v)
{
    char text[JSON_DOUBLE_TEXT];
    bool exact = true;
    if (json_is(v, JSON_DOUBLE)) {
        json_double_text(json_double(v), text);
        const struct number held = equal_number(str_of(text));
        const struct number sent = equal_number(json_digits(v));
        return equal_compare(held, sent) == 0;
    }
    for (size_t i = 0; json_is(v, JSON_ARRAY) && i < json_count(v); i++)
        exact = exact && json_exact(json_at(v, i));
    for (struct json_iter i = json_iter(v); exact && json_next(&i);)
        exact = json_exact(i.value);
    return exact;
}

bool json_equal(const struct json *a, const struct json *b)
{
    if (json_is_number(a) && json_is_number(b))
        return json_compare(a, b) == 0;
    if (json_type(a) != json_type(b) || json_count(a) != json_count(b))
        return false;
    switch (json_type(a)) {
    case JSON_BOOL:
        return json_bool(a) == json_bool(b);
    case JSON_STRING:
        return str_eq(json_text(a), json_text(b));
    case JSON_ARRAY:
        for (size_t i = 0; i < json_count(a); i++)
            if (!json_equal(json_at(a, i), json_at(b, i)))
                return false;
        return true;
    case JSON_OBJECT:
        for (struct json_iter i = json_iter(a); json_next(&i);)
            if (!json_has(b, i.key.p) ||
                !json_equal(i.value, json_get(b, i.key.p)))
                return false;
        return true;
    case JSON_NULL:
    case JSON_INT:
    case JSON_DOUBLE:
    case JSON__MAX:
    default:
        return true;
    }
}

bool json_lists(const struct json *list, const struct json *v)
{
    for (size_t i = 0; i < json_count(list); i++) {
        if (json_equal(json_at(list, i), v))
            return true;
    }
    return false;
}

bool json_lists_text(const struct json *list, struct str text)
{
    for (size_t i = 0; i < json_count(list); i++) {
        if (str_eq(json_text(json_at(list, i)), text))
            return true;
    }
    return false;
}
