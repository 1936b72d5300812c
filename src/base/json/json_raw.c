/* The bytes of one member, as they were sent.
 *
 * An approved subject is stored and hashed as it was sent, so its bytes are cut
 * out of the text here and never rewritten. Only for text that json_check has
 * passed: nothing is validated here, and other text gives an empty or wrong
 * result, but never a byte from outside of it. */
#include "base/json/json.h"

static bool raw_is(struct str t, size_t i, char c)
{
    return i < t.n && t.p[i] == c;
}

/* The offset after the closing quote of the string whose opening quote is at
 * i. */
static size_t raw_string_end(struct str t, size_t i)
{
    for (i++; i < t.n && t.p[i] != '"'; i++)
        if (t.p[i] == '\\')
            i++;
    return i < t.n ? i + 1 : t.n;
}

/* Does the byte follow a value? */
static bool raw_follows(char c)
{
    return c == ',' || c == ']' || c == '}' || c == ' ' || c == '\t' ||
           c == '\r' || c == '\n';
}

/* The offset after the value at i. */
static size_t raw_value_end(struct str t, size_t i)
{
    size_t depth = 0;
    while (i < t.n) {
        const char c = t.p[i];
        if (c == '"')
            i = raw_string_end(t, i);
        else
            i++;
        if (c == '[' || c == '{')
            depth++;
        else if (c == ']' || c == '}')
            depth -= depth > 0;
        if (depth == 0 && i < t.n && raw_follows(t.p[i]))
            break;
    }
    return i;
}

/* Is the literal, a string with its quotes, equal to key after unescaping? */
static bool raw_stands_for(struct arena *a, struct str literal, struct str key)
{
    const struct str inner = str_sub(literal, 1, literal.n - 1);
    if (str_find(inner, '\\', 0) == inner.n)
        return str_eq(inner, key);
    /* An escape is at most six times as long as its character. */
    struct json *v;
    return inner.n / 6 <= key.n && !json_parse(a, literal, &v) &&
           str_eq(json_text(v), key);
}

struct str json_raw_member(struct arena *a, struct str text, struct str key)
{
    size_t i = str_skip_space(text, 0);
    if (!raw_is(text, i, '{'))
        return STR_NONE;
    do {
        const size_t at = str_skip_space(text, i + 1);
        if (!raw_is(text, at, '"'))
            return STR_NONE;
        const size_t end = raw_string_end(text, at);
        const size_t colon = str_skip_space(text, end);
        const size_t value = str_skip_space(text, colon + 1);
        i = raw_value_end(text, value);
        if (value < text.n && raw_stands_for(a, str_sub(text, at, end), key))
            return str_sub(text, value, i);
        i = str_skip_space(text, i);
    } while (raw_is(text, i, ','));
    return STR_NONE;
}

struct str json_raw_element(struct str text, size_t index)
{
    size_t i = str_skip_space(text, 0);
    if (!raw_is(text, i, '['))
        return STR_NONE;
    for (size_t n = 0;; n++) {
        const size_t value = str_skip_space(text, i + 1);
        i = raw_value_end(text, value);
        if (value >= text.n || raw_is(text, value, ']'))
            return STR_NONE;
        if (n == index)
            return str_sub(text, value, i);
        i = str_skip_space(text, i);
        if (!raw_is(text, i, ','))
            return STR_NONE;
    }
}
