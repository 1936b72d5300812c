/* Decimal texts, exactly. */
#include "domain/decimal.h"

#include "base/buf.h"

#define WHOLE_DIGITS 15
#define WHOLE_END INT64_C(1000000000000000)
#define FRACTION_DIGITS 6
#define MILLION 1000000

/* The digits from *at on, at most max of them; how many there are. */
static size_t decimal_digits(struct str s, size_t *at, size_t max, int64_t *out)
{
    const size_t from = *at;
    *out = 0;
    while (*at < s.n && *at - from <= max && s.p[*at] >= '0' &&
           s.p[*at] <= '9')
        *out = *out * 10 + (s.p[(*at)++] - '0');
    return *at - from;
}

bool decimal_read(struct str text, struct decimal *out)
{
    struct decimal d = {0, 0};
    size_t at = 0;
    size_t n = decimal_digits(text, &at, WHOLE_DIGITS, &d.whole);
    if (n < 1 || n > WHOLE_DIGITS)
        return false;
    if (at < text.n) {
        if (text.p[at++] != '.')
            return false;
        n = decimal_digits(text, &at, FRACTION_DIGITS, &d.millionths);
        if (n < 1 || n > FRACTION_DIGITS || at < text.n)
            return false;
        for (; n < FRACTION_DIGITS; n++)
            d.millionths *= 10;
    }
    *out = d;
    return true;
}

int decimal_compare(struct decimal a, struct decimal b)
{
    if (a.whole != b.whole)
        return a.whole < b.whole ? -1 : 1;
    return (a.millionths > b.millionths) - (a.millionths < b.millionths);
}

bool decimal_add(struct decimal a, struct decimal b, struct decimal *sum)
{
    const int64_t millionths = a.millionths + b.millionths;
    const struct decimal d = {a.whole + b.whole + millionths / MILLION,
                              millionths % MILLION};
    if (d.whole >= WHOLE_END)
        return false;
    *sum = d;
    return true;
}

bool decimal_zero(struct decimal d)
{
    return d.whole == 0 && d.millionths == 0;
}

struct str decimal_text(struct arena *a, struct decimal d)
{
    struct buf b = buf_make(a, 64);
    buf_printf(&b, "%lld.%06lld", (long long)d.whole,
               (long long)d.millionths);
    struct str text = buf_text(&b);
    while (text.p[text.n - 1] == '0')
        text.n--;
    if (text.p[text.n - 1] == '.')
        text.n--;
    return text;
}
