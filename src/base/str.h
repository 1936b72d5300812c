/* Slices of text.
 *
 * A str is a pointer and a length; it owns nothing and need not end in NUL. All
 * code of the server passes text as slices; NUL-terminated strings exist only
 * in calls of libraries. Nothing here allocates. */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define countof(a) (sizeof(a) / sizeof((a)[0]))

struct str {
    const char *p;
    size_t n;
};

/* A slice of a string literal. */
#define STR(lit) ((struct str){(lit), sizeof(lit) - 1})
#define STR_NONE ((struct str){NULL, 0})
/* For printf: printf("%.*s", STR_FMT(s)). */
#define STR_FMT(s) (int)(s).n, (s).p

/* The slice over a NUL-terminated string; NULL gives STR_NONE. Inline, as are
 * the next two: with a literal the compiler knows the length. */
static inline struct str str_of(const char *z)
{
    return z ? (struct str){z, strlen(z)} : STR_NONE;
}

static inline bool str_eq(struct str a, struct str b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

/* Same, against a NUL-terminated string. */
static inline bool str_is(struct str a, const char *z)
{
    return str_eq(a, str_of(z));
}

/* Same, ASCII letters compared without regard to case. */
bool str_is_nocase(struct str a, const char *z);
bool str_starts(struct str s, struct str prefix);
/* Only visible ASCII characters, no space among them? */
bool str_visible(struct str s);
bool str_ends(struct str s, struct str suffix);
/* Copies s and a NUL into the room bytes at to. false: it does not fit, and to
 * is "". */
bool str_copy(char *to, size_t room, struct str s)
    __attribute__((warn_unused_result));
/* Byte order, shorter first on a common prefix: <0, 0, >0. */
int str_cmp(struct str a, struct str b);
/* Index of the first byte c at or after from, or s.n. */
size_t str_find(struct str s, char c, size_t from);
/* Index of the first occurrence of needle, or s.n. */
size_t str_search(struct str s, struct str needle);
/* Same, ASCII letters without regard to case. */
size_t str_search_nocase(struct str s, struct str needle);
/* s[from, to), both clamped to the length. */
struct str str_sub(struct str s, size_t from, size_t to);
/* The offset after the spaces, tabs, CRs and LFs at from; from itself where
 * there are none, or where s is over. */
size_t str_skip_space(struct str s, size_t from);
/* Without leading and trailing space, tab, CR and LF. */
struct str str_trim(struct str s);
/* Cuts the text before the next sep off *rest and returns it; *rest moves to
 * after the separator, and to STR_NONE (p NULL) after the last part. */
struct str str_cut(struct str *rest, char sep);
/* Is word one of words, which are separated by spaces? An empty one never
 * is. */
bool str_listed(struct str words, struct str word);
/* A whole decimal number with optional '-', nothing around it, in
 * [min, max]; false otherwise, *out untouched. */
bool str_int(struct str s, int64_t min, int64_t max, int64_t *out);
/* The value of a hexadecimal digit; -1 for any other character. */
int str_hex(char c);
/* Percent-decodes s into out, which has room for s.n bytes, with each '+' as a
 * space where plus. Returns the number of bytes written, or SIZE_MAX for a '%'
 * without two hexadecimal digits. */
size_t str_unescape(struct str s, bool plus, char *out);
/* Well-formed UTF-8 (RFC 3629: no overlong form, no surrogate, at most
 * U+10FFFF) without a NUL byte. */
bool str_utf8(struct str s);
/* Reads one code point of well-formed UTF-8 at s.p[*at] and moves *at past it.
 * U+FFFD and one byte of progress on a malformed sequence. */
uint32_t str_rune(struct str s, size_t *at);
/* The number of times that s has c. */
size_t str_count(struct str s, char c);
/* The number of lines: a line feed ends one, and so does the end of the text
 * behind anything else. */
size_t str_lines(struct str s);
/* The number of code points in well-formed UTF-8. */
size_t str_runes(struct str s);
/* The longest prefix of well-formed UTF-8 with at most n code points. */
struct str str_head(struct str s, size_t n);

/* A hash of a text (FNV-1a), never 0. Texts that have the same one are easily
 * found: for ids that the server makes, not for what a client chooses. */
uint64_t str_hash(struct str s);

#endif
