/* The amount that a question is about. */
#include "doors/pages/inbox/amount.h"

#include "world/template/words.h"

#include <inttypes.h>
#include <stdio.h>

#define PLACES 6 /* of a decimal */

static const struct inbox_amount none = {.unit = {NULL, 0}};

/* Of an object with an amount and a currency or a unit. */
static struct inbox_amount amount_here(const struct json *o)
{
    const struct json *value = json_get(o, "amount");
    const struct json *currency = json_get(o, "currency");
    struct inbox_amount m = {
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
        str_trim(m.unit).n == 0 || str_runes(m.unit) > INBOX_AMOUNT_UNIT)
        return none;
    const size_t point = str_find(text, '.', 0);
    m.places = point < text.n ? (unsigned)(text.n - point - 1) : 0;
    return m;
}

static struct inbox_amount amount_of_calls(const struct json *calls)
{
    struct inbox_amount sum = none;
    for (size_t i = 0; i < json_count(calls); i++) {
        const struct json *args = json_get(json_at(calls, i), "args");
        if (!json_has(args, "amount"))
            continue;
        const struct inbox_amount one = amount_here(args);
        if (sum.unit.p)
            inbox_amount_add(&sum, &one);
        else
            sum = one;
        if (!sum.unit.p)
            return none;
    }
    return sum;
}

struct inbox_amount inbox_amount_of(enum kind kind, const struct json *subject)
{
    if (kind == KIND_APPROVAL)
        return amount_of_calls(json_get(subject, "calls"));
    return kind == KIND_COST_CONFIRMATION
               ? amount_here(json_get(subject, "limit"))
               : none;
}

void inbox_amount_add(struct inbox_amount *sum, const struct inbox_amount *one)
{
    if (!sum->unit.p || !one->unit.p || !str_eq(sum->unit, one->unit) ||
        !decimal_add(sum->value, one->value, &sum->value)) {
        *sum = none;
        return;
    }
    if (one->places > sum->places)
        sum->places = one->places;
}

static struct str amount_join(struct arena *a, struct str whole,
                              const struct inbox_amount *m)
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

struct str inbox_amount_text(struct arena *a, const struct inbox_amount *m)
{
    return amount_join(a, words_count(a, m->value.whole), m);
}

struct str inbox_amount_plain(struct arena *a, const struct inbox_amount *m)
{
    struct buf b = buf_make(a, 32);
    buf_int(&b, m->value.whole);
    return amount_join(a, buf_text(&b), m);
}

void inbox_amount_set(struct arena *a, struct json *o,
                      const struct inbox_amount *m)
{
    struct json *figure = m->unit.p ? json_object(a) : NULL;
    if (figure) {
        json_set_text(figure, "value", inbox_amount_text(a, m));
        json_set_text(figure, "unit", m->unit);
    }
    json_set_json(o, "figure", figure);
}
