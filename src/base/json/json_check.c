/* The check of every untrusted JSON text before json-c parses it.
 *
 * One pass over the bytes with a stack of its own, so that depth costs no call
 * stack. Keys are compared once per object, by sorting them when it closes: no
 * text makes that slower than n log n. Builds no tree and never changes a byte.
 * An accepted text is accepted again in its canonical form. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/json/json.h"

#define INT64_DIGITS 19 /* a number with fewer characters is in range */

struct key {
    struct str name; /* unescaped */
    size_t at;
};

struct gate {
    struct arena *a;
    struct str t;
    size_t i; /* the next byte */
    size_t depth;
    struct level {
        bool object;
        size_t base; /* of its keys */
    } level[JSON_DEPTH_MAX];
    /* The keys of all open objects, those of the innermost on top. Where they
     * are many they have an arena of their own, so that none of their memory
     * stays with the caller, who may check many texts. */
    struct key few[32];
    struct key *keys;
    size_t n, cap;
    struct arena *own;
    size_t weight; /* of the tree so far */
};

static const struct err *check_refuse(const struct gate *g, size_t at,
                                      const char *code, const char *say)
{
    size_t line = 1, start = 0;
    for (size_t i = 0; i < at && i < g->t.n; i++)
        if (g->t.p[i] == '\n') {
            line++;
            start = i + 1;
        }
    const struct str place =
        arena_join(g->a, STR("line "), arena_number(g->a, (int64_t)line),
                   STR(", column "),
                   arena_number(g->a, (int64_t)(at - start) + 1));
    return err_at(g->a, ERR_BAD_REQUEST, code, place, "%s", say);
}

static const struct err *check_syntax(const struct gate *g,
                                      const char *say)
{
    return check_refuse(g, g->i, "json.syntax",
                        g->i < g->t.n ? say : "The text ends too early.");
}

/* The byte at i, or -1 after the end. */
static int check_byte(struct str t, size_t i)
{
    return i < t.n ? (unsigned char)t.p[i] : -1;
}

static int check_peek(const struct gate *g)
{
    return check_byte(g->t, g->i);
}

/* The four hexadecimal digits at i. */
static bool check_hex4(struct str t, size_t i, uint32_t *out)
{
    uint32_t v = 0;
    for (size_t end = i + 4; i < end; i++) {
        const int digit = i < t.n ? str_hex(t.p[i]) : -1;
        if (digit < 0)
            return false;
        v = v << 4 | (uint32_t)digit;
    }
    *out = v;
    return true;
}

/* An escape, or two of \u that make a pair; g->i is at the backslash. */
static const struct err *check_escape(struct gate *g)
{
    const int c = check_byte(g->t, g->i + 1);
    uint32_t high, low;
    if (c != 'u') {
        if (c <= 0 || !strchr("\"\\/bfnrt", c))
            return check_syntax(
                g, "A backslash is followed by an unknown escape.");
        g->i += 2;
        return NULL;
    }
    if (!check_hex4(g->t, g->i + 2, &high))
        return check_syntax(g, "\\u needs four hexadecimal digits.");
    if (high == 0)
        return check_refuse(g, g->i, "json.utf8",
                            "\\u0000 is not accepted.");
    if (high < 0xD800 || high > 0xDFFF) {
        g->i += 6;
        return NULL;
    }
    if (high > 0xDBFF || check_byte(g->t, g->i + 6) != '\\' ||
        check_byte(g->t, g->i + 7) != 'u' ||
        !check_hex4(g->t, g->i + 8, &low) || low < 0xDC00 || low > 0xDFFF)
        return check_refuse(
            g, g->i, "json.utf8",
            "Half of a surrogate pair is without the other half.");
    g->i += 12;
    return NULL;
}

/* A string; g->i is at its opening quote and ends after the closing one. */
static const struct err *check_string(struct gate *g)
{
    for (g->i++; check_peek(g) != '"';) {
        const int c = check_peek(g);
        if (c < 0x20)
            return check_syntax(g,
                                "A control character in a string must be "
                                "escaped.");
        const size_t at = g->i;
        if (c == '\\')
            TRY(check_escape(g));
        else if (c < 0x80)
            g->i++;
        else if (str_rune(g->t, &g->i) == 0xFFFD && g->i == at + 1)
            return check_refuse(g, at, "json.utf8",
                                "The bytes are not well-formed UTF-8.");
    }
    g->i++;
    return NULL;
}

/* Writes the escape at s.p[i] and returns where it ends. */
static size_t check_unescape_one(struct buf *b, struct str s, size_t i)
{
    static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
    uint32_t high = 0, low = 0;
    if (check_byte(s, i + 1) != 'u') {
        const char *p = memchr(from, check_byte(s, i + 1), sizeof(from) - 1);
        if (i + 1 < s.n)
            buf_char(b, p ? to[p - from] : s.p[i + 1]);
        return i + 2;
    }
    check_hex4(s, i + 2, &high);
    if (high < 0xD800 || high > 0xDFFF) {
        buf_rune(b, high);
        return i + 6;
    }
    check_hex4(s, i + 8, &low);
    buf_rune(b, 0x10000 + ((high & 0x3FF) << 10 | (low & 0x3FF)));
    return i + 12;
}

/* The value of the text between two quotes. */
static struct str check_unescape(struct arena *a, struct str s)
{
    if (str_find(s, '\\', 0) == s.n)
        return s;
    /* Unescaping only shortens, so the needed room is known here; a buffer that
     * grows would cost a text of many small keys many times its size. */
    struct buf b = {.arena = a,
                    .p = arena_alloc(a, s.n + 1),
                    .cap = s.n + 1,
                    .max = s.n};
    for (size_t i = 0; i < s.n;) {
        const size_t end = str_find(s, '\\', i);
        buf_str(&b, str_sub(s, i, end));
        i = end < s.n ? check_unescape_one(&b, s, end) : end;
    }
    return buf_text(&b);
}

/* A member's key and its colon, white space before each. */
static const struct err *check_key(struct gate *g)
{
    g->i = str_skip_space(g->t, g->i);
    const size_t at = g->i;
    if (check_peek(g) != '"')
        return check_syntax(
            g, "A member's key in double quotes is missing.");
    if (g->n - g->level[g->depth - 1].base == JSON_MEMBERS_MAX)
        return check_refuse(g, at, "json.too_many_members",
                            "An object has too many members.");
    TRY(check_string(g));
    const struct str name = str_sub(g->t, at + 1, g->i - 1);
    const struct key read = {check_unescape(g->a, name), at};
    g->weight += JSON_MEMBER_BYTES + name.n;
    if (g->n == g->cap) {
        if (!g->own)
            g->own = arena_within(g->a);
        g->cap *= 2;
        struct key *more = arena_many(g->own, g->cap, struct key);
        memcpy(more, g->keys, g->n * sizeof(*more));
        g->keys = more;
    }
    g->keys[g->n++] = read;
    g->i = str_skip_space(g->t, g->i);
    if (check_peek(g) != ':')
        return check_syntax(g, "A colon is missing after a key.");
    g->i++;
    return NULL;
}

static size_t check_digits(struct str t, size_t i)
{
    while (i < t.n && t.p[i] >= '0' && t.p[i] <= '9')
        i++;
    return i;
}

/* The end of the number at i by the grammar, or 0; *whole: it has neither
 * fraction nor exponent. */
static size_t check_number_end(struct str t, size_t i, bool *whole)
{
    *whole = true;
    i += check_byte(t, i) == '-';
    size_t end = check_byte(t, i) == '0' ? i + 1 : check_digits(t, i);
    if (end == i)
        return 0;
    if (check_byte(t, end) == '.') {
        *whole = false;
        i = end + 1;
        end = check_digits(t, i);
        if (end == i)
            return 0;
    }
    if (check_byte(t, end) == 'e' || check_byte(t, end) == 'E') {
        *whole = false;
        i = end + 1;
        i += check_byte(t, i) == '+' || check_byte(t, i) == '-';
        end = check_digits(t, i);
        if (end == i)
            return 0;
    }
    return end;
}

/* Can the server store it? A double from 2^63 up to 1e21 cannot be stored
 * either: its canonical form has no exponent and would be an integer beyond
 * int64. */
static bool check_holds(struct str digits, bool whole)
{
    char z[JSON_NUMBER_MAX + 1];
    if (whole && digits.n < INT64_DIGITS)
        return true;
    memcpy(z, digits.p, digits.n);
    z[digits.n] = '\0';
    errno = 0;
    if (whole) {
        (void)strtoll(z, NULL, 10);
        return errno != ERANGE;
    }
    /* The program never calls setlocale, so the decimal point is a point. */
    const double v = fabs(strtod(z, NULL));
    if (v < 0x1p53 || v >= 0x1p63)
        return isfinite(v) && (v < 0x1p63 || v >= 1e21);
    /* A double from 2^53 up to 2^63 is an integer, and so is its canonical
     * form, which may be another one: 222222222222222208 is written ...200. */
    char text[JSON_DOUBLE_TEXT];
    json_double_text(v, text);
    return strtoll(text, NULL, 10) == (long long)v;
}

static const struct err *check_number(struct gate *g)
{
    bool whole;
    const size_t at = g->i, end = check_number_end(g->t, at, &whole);
    if (end == 0)
        return check_syntax(g, "A number is malformed.");
    if (end - at > JSON_NUMBER_MAX)
        return check_refuse(g, at, "json.number",
                            "A number has too many digits.");
    if (!check_holds(str_sub(g->t, at, end), whole))
        return check_refuse(
            g, at, "json.number",
            "A number is out of range. Send it as a string.");
    g->i = end;
    /* The tree keeps the digits of a number that is not an integer. */
    g->weight += whole ? JSON_VALUE_BYTES : JSON_TEXT_BYTES + (end - at);
    return NULL;
}

static const struct err *check_literal(struct gate *g)
{
    static const char *const words[] = {"true", "false", "null"};
    for (size_t w = 0; w < countof(words); w++) {
        const struct str word = str_of(words[w]);
        if (str_eq(str_sub(g->t, g->i, g->i + word.n), word)) {
            g->i += word.n;
            g->weight += JSON_VALUE_BYTES;
            return NULL;
        }
    }
    return check_syntax(g, "A value is missing or malformed.");
}

/* Sorted by name; equal names in the order of the text. */
static int check_key_cmp(const void *a, const void *b)
{
    const struct key *x = a, *y = b;
    const int c = str_cmp(x->name, y->name);
    return c ? c : (x->at > y->at) - (x->at < y->at);
}

static const struct err *check_close(struct gate *g)
{
    const size_t base = g->level[--g->depth].base;
    const size_t n = g->n - base;
    g->i++;
    g->n = base;
    if (n < 2)
        return NULL;
    struct key *keys = g->keys + base;
    qsort(keys, n, sizeof(*keys), check_key_cmp);
    for (size_t i = 1; i < n; i++)
        if (str_eq(keys[i - 1].name, keys[i].name))
            return check_refuse(g, keys[i].at, "json.duplicate_key",
                                "An object has the same key twice.");
    return NULL;
}

/* The text after a value: closing brackets, then a comma and a key, or the end
 * of the text. *more: another value must follow. */
static const struct err *check_after(struct gate *g, bool *more)
{
    *more = false;
    for (;;) {
        g->i = str_skip_space(g->t, g->i);
        if (g->depth == 0)
            return check_peek(g) < 0
                       ? NULL
                       : check_syntax(g,
                                      "There is text after the value.");
        const bool object = g->level[g->depth - 1].object;
        if (check_peek(g) == ',') {
            g->i++;
            *more = true;
            return object ? check_key(g) : NULL;
        }
        if (check_peek(g) != (object ? '}' : ']'))
            return check_syntax(
                g, "A comma or a closing bracket is missing.");
        TRY(check_close(g));
    }
}

static const struct err *check_all(struct gate *g)
{
    for (bool more = true; more;) {
        g->i = str_skip_space(g->t, g->i);
        const int c = check_peek(g);
        if (c == '{' || c == '[') {
            /* Opens an array or object, up to where its first value must
             * stand. */
            if (g->depth == JSON_DEPTH_MAX)
                return check_refuse(
                    g, g->i, "json.too_deep",
                    "Arrays and objects are nested too deeply.");
            const bool object = c == '{';
            g->weight += object ? JSON_OBJECT_BYTES : JSON_ARRAY_READ_BYTES;
            g->level[g->depth++] = (struct level){object, g->n};
            g->i = str_skip_space(g->t, g->i + 1);
            more = check_peek(g) != (object ? '}' : ']');
            TRY(more && object ? check_key(g) : NULL);
            if (more)
                continue;
        } else if (c == '"') {
            const size_t at = g->i;
            TRY(check_string(g));
            g->weight += JSON_TEXT_BYTES + g->i - at;
        } else if (c == '-' || (c >= '0' && c <= '9')) {
            TRY(check_number(g));
        } else {
            TRY(check_literal(g));
        }
        TRY(check_after(g, &more));
    }
    return NULL;
}

const struct err *json_weigh(struct arena *a, struct str text,
                             size_t *weight)
{
    struct gate g = {.a = a, .t = text, .cap = countof(g.few)};
    g.keys = g.few;
    const struct err *e =
        str_starts(text, STR("\xEF\xBB\xBF"))
            ? check_syntax(
                  &g, "The text begins with a byte order mark (EF BB BF). RFC "
                      "8259 8.1 forbids it: send the text without.")
            : check_all(&g);
    if (g.own)
        arena_free(g.own);
    *weight = g.weight;
    return e;
}

const struct err *json_check(struct arena *a, struct str text)
{
    size_t weight;
    return json_weigh(a, text, &weight);
}
