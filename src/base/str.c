/* Slices of text: comparing, searching, cutting, reading.
 *
 * Owns nothing, allocates nothing, and knows no locale: letters are ASCII. */
#include "base/str.h"

static unsigned char str_lower(char c)
{
    const unsigned char u = (unsigned char)c;
    return u >= 'A' && u <= 'Z' ? (unsigned char)(u + 32) : u;
}

static bool str_same_nocase(const char *a, const char *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (str_lower(a[i]) != str_lower(b[i]))
            return false;
    return true;
}

bool str_is_nocase(struct str a, const char *z)
{
    const struct str b = str_of(z);
    return a.n == b.n && str_same_nocase(a.p, b.p, a.n);
}

bool str_visible(struct str s)
{
    bool fine = true;
    for (size_t i = 0; i < s.n; i++)
        fine = fine && s.p[i] > ' ' && s.p[i] < 0x7f;
    return fine;
}

bool str_starts(struct str s, struct str prefix)
{
    return s.n >= prefix.n && str_eq(str_sub(s, 0, prefix.n), prefix);
}

bool str_ends(struct str s, struct str suffix)
{
    return s.n >= suffix.n && str_eq(str_sub(s, s.n - suffix.n, s.n), suffix);
}

bool str_copy(char *to, size_t room, struct str s)
{
    const size_t n = s.n < room ? s.n : 0;
    if (n > 0)
        memcpy(to, s.p, n);
    to[n] = '\0';
    return s.n < room;
}

int str_cmp(struct str a, struct str b)
{
    const size_t n = a.n < b.n ? a.n : b.n;
    const int c = n ? memcmp(a.p, b.p, n) : 0;
    if (c)
        return c;
    return (a.n > b.n) - (a.n < b.n);
}

size_t str_find(struct str s, char c, size_t from)
{
    if (from >= s.n)
        return s.n;
    const char *p = memchr(s.p + from, c, s.n - from);
    return p ? (size_t)(p - s.p) : s.n;
}

size_t str_search(struct str s, struct str needle)
{
    if (needle.n == 0)
        return 0;
    if (needle.n > s.n)
        return s.n;
    const char *p = memmem(s.p, s.n, needle.p, needle.n);
    return p ? (size_t)(p - s.p) : s.n;
}

size_t str_search_nocase(struct str s, struct str needle)
{
    for (size_t i = 0; needle.n <= s.n && i <= s.n - needle.n; i++)
        if (needle.n == 0 || str_same_nocase(s.p + i, needle.p, needle.n))
            return i;
    return s.n;
}

struct str str_sub(struct str s, size_t from, size_t to)
{
    if (!s.p)
        return STR_NONE;
    if (to > s.n)
        to = s.n;
    if (from > to)
        from = to;
    return (struct str){s.p + from, to - from};
}

static bool str_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

size_t str_skip_space(struct str s, size_t from)
{
    while (from < s.n && str_blank(s.p[from]))
        from++;
    return from;
}

struct str str_trim(struct str s)
{
    while (s.n && str_blank(s.p[s.n - 1]))
        s.n--;
    const size_t from = str_skip_space(s, 0);
    return from ? (struct str){s.p + from, s.n - from} : s;
}

struct str str_cut(struct str *rest, char sep)
{
    const size_t at = str_find(*rest, sep, 0);
    const struct str part = {rest->p, at};
    if (at < rest->n)
        *rest = (struct str){rest->p + at + 1, rest->n - at - 1};
    else
        *rest = STR_NONE;
    return part;
}

bool str_listed(struct str words, struct str word)
{
    while (words.p && word.n > 0) {
        if (str_eq(str_cut(&words, ' '), word))
            return true;
    }
    return false;
}

bool str_int(struct str s, int64_t min, int64_t max, int64_t *out)
{
    const bool minus = s.n && s.p[0] == '-';
    size_t i = minus ? 1 : 0;
    if (i == s.n)
        return false;
    /* Summed up as a negative number, because INT64_MIN has no positive one. */
    int64_t v = 0;
    for (; i < s.n; i++) {
        const int digit = s.p[i] - '0';
        if (digit < 0 || digit > 9 || v < (INT64_MIN + digit) / 10)
            return false;
        v = v * 10 - digit;
    }
    if (!minus && v == INT64_MIN)
        return false;
    if (!minus)
        v = -v;
    if (v < min || v > max)
        return false;
    *out = v;
    return true;
}

/* The length of the well-formed sequence at s.p[at], its code point in *rune; 0
 * when it is malformed or cut off. RFC 3629 section 4. */
static size_t str_decode(struct str s, size_t at, uint32_t *rune)
{
    const unsigned char *p = (const unsigned char *)s.p + at;
    const size_t left = s.n - at;
    if (p[0] < 0x80) {
        *rune = p[0];
        return 1;
    }
    if (p[0] < 0xC2 || p[0] > 0xF4)
        return 0;
    const size_t n = p[0] < 0xE0 ? 2 : p[0] < 0xF0 ? 3 : 4;
    if (left < n)
        return 0;
    uint32_t r = p[0] & (0x7Fu >> n);
    for (size_t i = 1; i < n; i++) {
        if ((p[i] & 0xC0) != 0x80)
            return 0;
        r = r << 6 | (p[i] & 0x3Fu);
    }
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (r < least[n] || r > 0x10FFFF || (r >= 0xD800 && r <= 0xDFFF))
        return 0;
    *rune = r;
    return n;
}

int str_hex(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

size_t str_unescape(struct str s, bool plus, char *out)
{
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == '%') {
            const int high = s.n - i > 2 ? str_hex(s.p[i + 1]) : -1;
            const int low = s.n - i > 2 ? str_hex(s.p[i + 2]) : -1;
            if (high < 0 || low < 0)
                return SIZE_MAX;
            out[n++] = (char)(unsigned char)(high * 16 + low);
            i += 2;
        } else {
            out[n++] = plus && s.p[i] == '+' ? ' ' : s.p[i];
        }
    }
    return n;
}

bool str_utf8(struct str s)
{
    size_t at = 0;
    while (at < s.n) {
        if (s.p[at] >= ' ' && s.p[at] <= '~') {
            at++; /* nearly all of them */
            continue;
        }
        uint32_t rune;
        const size_t n = str_decode(s, at, &rune);
        if (n == 0 || rune == 0)
            return false;
        at += n;
    }
    return true;
}

uint32_t str_rune(struct str s, size_t *at)
{
    uint32_t rune = 0xFFFD;
    if (*at >= s.n)
        return rune;
    const size_t n = str_decode(s, *at, &rune);
    *at += n ? n : 1;
    return rune;
}

size_t str_count(struct str s, char c)
{
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++)
        n += s.p[i] == c;
    return n;
}

size_t str_lines(struct str s)
{
    return str_count(s, '\n') + (s.n > 0 && s.p[s.n - 1] != '\n');
}

size_t str_runes(struct str s)
{
    size_t count = 0;
    for (size_t at = 0; at < s.n; count++)
        str_rune(s, &at);
    return count;
}

struct str str_head(struct str s, size_t n)
{
    size_t at = 0;
    while (n-- && at < s.n) {
        uint32_t rune;
        const size_t len = str_decode(s, at, &rune);
        if (len == 0)
            break;
        at += len;
    }
    return str_sub(s, 0, at);
}

uint64_t str_hash(struct str s)
{
    uint64_t h = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < s.n; i++)
        h = (h ^ (unsigned char)s.p[i]) * UINT64_C(1099511628211);
    return h | 1;
}
