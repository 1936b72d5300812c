/* A growing text with a ceiling.
 *
 * Lives in an arena. Reaching the ceiling is an ordinary state: over becomes
 * true, further text is dropped, and the caller checks once at the end. */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include "base/arena.h"

struct buf {
    struct arena *arena;
    char *p;
    size_t n, cap, max;
    bool over;
};

/* An empty buffer that grows up to max bytes. */
struct buf buf_make(struct arena *a, size_t max);
void buf_str(struct buf *b, struct str s);
/* A NUL-terminated string. */
static inline void buf_put(struct buf *b, const char *z)
{
    buf_str(b, str_of(z));
}

/* One byte. */
void buf_char(struct buf *b, char c);
/* s with its ASCII letters in lower case. */
void buf_lower(struct buf *b, struct str s);
/* s percent-encoded, but for A-Z a-z 0-9 - . _ ~ */
void buf_escape(struct buf *b, struct str s);
void buf_int(struct buf *b, int64_t v);
/* printf for numbers and slices; untrusted text goes through buf_str. */
void buf_printf(struct buf *b, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* All of a file. false with errno set: it cannot be read, or (EFBIG) not all
 * of it fits. */
bool buf_file(struct buf *b, const char *path)
    __attribute__((warn_unused_result));
/* The text so far; valid until the next write or the arena's reset. */
struct str buf_text(const struct buf *b);
/* One code point as UTF-8. */
void buf_rune(struct buf *b, uint32_t rune);

#endif
