/* A growing text with a ceiling.
 *
 * A piece that does not fit is dropped whole, and so is everything after it, so
 * that the text never ends in the middle of a character. */
#include "base/buf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

struct buf buf_make(struct arena *a, size_t max)
{
    return (struct buf){.arena = a, .max = max};
}

/* Makes room for n more bytes and a NUL that printf may want to write. */
static bool buf_room(struct buf *b, size_t n)
{
    if (b->over || n > b->max - b->n) {
        b->over = true;
        return false;
    }
    if (n < b->cap - b->n)
        return true;
    size_t cap = b->cap > b->max / 2 ? b->max : b->cap * 2;
    if (cap < 256)
        cap = 256;
    if (cap < b->n + n)
        cap = b->n + n;
    char *p = arena_alloc(b->arena, cap + 1);
    if (b->n)
        memcpy(p, b->p, b->n);
    b->p = p;
    b->cap = cap + 1;
    return true;
}

void buf_str(struct buf *b, struct str s)
{
    if (s.n == 0 || !buf_room(b, s.n))
        return;
    memcpy(b->p + b->n, s.p, s.n);
    b->n += s.n;
}

void buf_char(struct buf *b, char c)
{
    buf_str(b, (struct str){&c, 1});
}

void buf_lower(struct buf *b, struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        buf_char(b, s.p[i] >= 'A' && s.p[i] <= 'Z'
                        ? (char)(s.p[i] + 'a' - 'A')
                        : s.p[i]);
}

void buf_escape(struct buf *b, struct str s)
{
    static const char digits[] = "0123456789ABCDEF";
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        unsigned byte = (unsigned char)c;
        if ((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
            (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_' ||
            c == '~') {
            buf_char(b, c);
        } else {
            buf_char(b, '%');
            buf_char(b, digits[byte >> 4]);
            buf_char(b, digits[byte & 15]);
        }
    }
}

void buf_int(struct buf *b, int64_t v)
{
    char digits[24];
    size_t at = sizeof digits;
    uint64_t left = v < 0 ? -(uint64_t)v : (uint64_t)v;
    do
        digits[--at] = (char)('0' + left % 10);
    while (left /= 10);
    if (v < 0)
        digits[--at] = '-';
    buf_str(b, (struct str){digits + at, sizeof digits - at});
}

void buf_printf(struct buf *b, const char *fmt, ...)
{
    const size_t left = b->cap - b->n;
    va_list ap;
    va_start(ap, fmt);
    const int n = vsnprintf(left ? b->p + b->n : NULL, left, fmt, ap);
    va_end(ap);
    if (n < 0) {
        b->over = true;
        return;
    }
    if (!buf_room(b, (size_t)n))
        return;
    if ((size_t)n >= left) { /* it did not fit at once */
        va_start(ap, fmt);
        vsnprintf(b->p + b->n, (size_t)n + 1, fmt, ap);
        va_end(ap);
    }
    b->n += (size_t)n;
}

bool buf_file(struct buf *b, const char *path)
{
    char piece[4096];
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : 1;
    while (n > 0 && !b->over) {
        n = read(fd, piece, sizeof piece);
        if (n > 0)
            buf_str(b, (struct str){piece, (size_t)n});
        else if (n < 0 && errno == EINTR)
            n = 1;
    }
    const int why = b->over ? EFBIG : errno;
    if (fd >= 0)
        close(fd);
    errno = why;
    return n == 0 && !b->over;
}

struct str buf_text(const struct buf *b)
{
    return (struct str){b->p ? b->p : "", b->n};
}

void buf_rune(struct buf *b, uint32_t rune)
{
    if (rune > 0x10FFFF || (rune >= 0xD800 && rune <= 0xDFFF))
        rune = 0xFFFD;
    unsigned char u[4];
    size_t n = 0;
    if (rune < 0x80) {
        u[n++] = (unsigned char)rune;
    } else if (rune < 0x800) {
        u[n++] = (unsigned char)(0xC0 | rune >> 6);
        u[n++] = (unsigned char)(0x80 | (rune & 0x3F));
    } else {
        if (rune < 0x10000) {
            u[n++] = (unsigned char)(0xE0 | rune >> 12);
        } else {
            u[n++] = (unsigned char)(0xF0 | rune >> 18);
            u[n++] = (unsigned char)(0x80 | (rune >> 12 & 0x3F));
        }
        u[n++] = (unsigned char)(0x80 | (rune >> 6 & 0x3F));
        u[n++] = (unsigned char)(0x80 | (rune & 0x3F));
    }
    buf_str(b, (struct str){(const char *)u, n});
}
