/* The amount that a question is about. */
#include "domain/kind/amount.h"

#include <inttypes.h>
#include <stdio.h>

#define PLACES 6 /* of a decimal */

static const struct amount none = {.unit = {NULL, 0}};

/* Of an object with an amount and a currency or a unit. */
static struct amount amount_here(const struct json *o)
{
    const struct json *value = json_get(o, "amount");
    const struct json *currency = json_get(o, "currency");
    struct amount m = {
        .unit = json_text(currency ? currency : json_get(o, "unit"))};
    char digits[JSON_DOUBLE_TEXT];
    struct str text = json_text(value);
    if (json_is(value, JSON_DOUBLE))
        text =
            (struct str){digits, json_double_text(json_double(value), digits)};
    else if (json_is(value, JSON_INT))
        text = (struct str){digits,
                            (size_t)snprintf(digits, sizeof digits, "%" PRId64,
                                             json_int(value))};
    if (!text.p || !decimal_read(text, &m.value) || !m.unit.p ||
        str_trim(m.unit).n == 0 || str_runes(m.unit) > AMOUNT_UNIT)
        return none;
    const size_t point = str_find(text, '.', 0);
    m.places = point < text.n ? (unsigned)(text.n - point - 1) : 0;
    return m;
}

static struct amount amount_of_calls(const struct json *calls)
{
    struct amount sum = none;
    for (size_t i = 0; i < json_count(calls); i++) {
        const struct json *args = json_get(json_at(calls, i), "args");
        if (!json_has(args, "amount"))
            continue;
        const struct amount one = amount_here(args);
        if (sum.unit.p)
            amount_add(&sum, &one);
        else
            sum = one;
        if (!sum.unit.p)
            return none;
    }
    return sum;
}

struct amount amount_of(enum kind kind, const struct json *subject)
{
    if (kind == KIND_APPROVAL)
        return amount_of_calls(json_get(subject, "calls"));
    return kind == KIND_COST_CONFIRMATION
               ? amount_here(json_get(subject, "limit"))
               : none;
}

void amount_add(struct amount *sum, const struct amount *one)
{
    if (!sum->unit.p || !one->unit.p || !str_eq(sum->unit, one->unit) ||
        !decimal_add(sum->value, one->value, &sum->value)) {
        *sum = none;
        return;
    }
    if (one->places > sum->places)
        sum->places = one->places;
}

struct str amount_join(struct arena *a, struct str whole,
                              const struct amount *m)
{
    int64_t part = m->value.millionths;
    struct buf b = buf_make(a, 64);
    for (unsigned i = m->places; i < PLACES; i++)
        part /= 10;
    buf_str(&b, whole);
    if (m->places)
        buf_printf(&b, ".%0*" PRId64, (int)m->places, part);
    return buf_text(&b);
}

struct str amount_plain(struct arena *a, const struct amount *m)
{
    struct buf b = buf_make(a, 32);
    buf_int(&b, m->value.whole);
    return amount_join(a, buf_text(&b), m);
}
