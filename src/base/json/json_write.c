/* Writing pieces of JSON: a string, a double, indented lines.
 *
 * Shared by every writer of JSON in the program. Reads trees only through
 * json.h and never changes one. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json/json.h"

void json_write_string(struct buf *b, struct str s)
{
    static const char from[] = "\b\t\n\f\r\"\\", to[] = "btnfr\"\\";
    buf_char(b, '"');
    for (size_t i = 0, start; i < s.n;) {
        for (start = i; i < s.n && (unsigned char)s.p[i] >= 0x20 &&
                        s.p[i] != '"' && s.p[i] != '\\';)
            i++;
        buf_str(b, str_sub(s, start, i));
        if (i == s.n)
            break;
        const char c = s.p[i++];
        const char *p = memchr(from, c, sizeof(from) - 1);
        if (p)
            buf_str(b, (struct str){(char[]){'\\', to[p - from]}, 2});
        else
            buf_printf(b, "\\u%04x", (unsigned)(unsigned char)c);
    }
    buf_char(b, '"');
}

void json_write_text(struct buf *b, const char *before, struct str s)
{
    buf_put(b, before);
    json_write_string(b, s);
}

/* A decimal: 0.DIGITS times ten to the power of point, count digits. */
struct decimal {
    char digits[20];
    int count, point;
};

/* Is digits times ten to the power of exponent equal to v as a double? */
static bool write_reads_back(uint64_t digits, int exponent, double v)
{
    char z[48];
    snprintf(z, sizeof(z), "%" PRIu64 "e%d", digits, exponent);
    const double back = strtod(z, NULL);
    return !(back < v) && !(back > v);
}

/* The shortest decimal that reads back as v, v finite and above zero. */
static struct decimal write_shortest(double v)
{
    uint64_t n = 0;
    int exponent = 0;
    for (int count = 1; count <= 17; count++) {
        /* d.ddde+xx, the correctly rounded one with so many digits. */
        char z[48];
        snprintf(z, sizeof(z), "%.*e", count - 1, v);
        n = (uint64_t)(z[0] - '0');
        for (int i = 1; i < count; i++)
            n = n * 10 + (uint64_t)(z[i + 1] - '0');
        const char *e = strchr(z, 'e');
        exponent = (int)strtol(e + 1, NULL, 10) - (count - 1);
        if (write_reads_back(n, exponent, v))
            break;
        /* A power of two has twice as much room above as below: the next
         * decimal may be v although the nearest one is not. */
        if (write_reads_back(n + 1, exponent, v)) {
            n++;
            break;
        }
    }
    struct decimal d;
    d.count = snprintf(d.digits, sizeof(d.digits), "%" PRIu64, n);
    d.point = d.count + exponent;
    return d;
}

size_t json_double_text(double v, char out[static JSON_DOUBLE_TEXT])
{
    const size_t max = JSON_DOUBLE_TEXT;
    if (!isfinite(v))
        return (size_t)snprintf(out, max, "null");
    if (!(v < 0) && !(v > 0))
        return (size_t)snprintf(out, max, "0");
    const char *sign = v < 0 ? "-" : "";
    const struct decimal d = write_shortest(fabs(v));
    const char *s = d.digits;
    const int k = d.count, n = d.point;
    int len;
    if (k <= n && n <= 21)
        len = snprintf(out, max, "%s%s%.*s", sign, s, n - k,
                       "000000000000000000000");
    else if (0 < n && n <= 21)
        len = snprintf(out, max, "%s%.*s.%s", sign, n, s, s + n);
    else if (-6 < n && n <= 0)
        len = snprintf(out, max, "%s0.%.*s%s", sign, -n, "000000", s);
    else
        len = snprintf(out, max, "%s%.1s%s%se%+d", sign, s, k > 1 ? "." : "",
                       s + 1, n - 1);
    return (size_t)len;
}

static void write_line(struct buf *b, size_t depth)
{
    buf_char(b, '\n');
    for (size_t i = 0; i < depth; i++)
        buf_put(b, "  ");
}

static void write_pretty(struct buf *b, const struct json *v, size_t depth)
{
    const bool object = json_is(v, JSON_OBJECT);
    if (json_count(v) == 0) {
        json_write(b, v);
        return;
    }
    struct json_iter m = json_iter(v);
    buf_char(b, object ? '{' : '[');
    for (size_t i = 0; i < json_count(v) && !b->over; i++) {
        if (i)
            buf_char(b, ',');
        write_line(b, depth + 1);
        if (object && json_next(&m)) {
            json_write_string(b, m.key);
            buf_put(b, ": ");
        }
        write_pretty(b, object ? m.value : json_at(v, i), depth + 1);
    }
    write_line(b, depth);
    buf_char(b, object ? '}' : ']');
}

void json_write_pretty(struct buf *b, const struct json *v)
{
    write_pretty(b, v, 0);
}
