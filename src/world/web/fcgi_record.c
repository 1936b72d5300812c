/* FastCGI records (FastCGI 1.0, sections 3 and 5): bytes to parameters, and an
 * answer to bytes.
 *
 * Used by the process that holds waiters. The input is checked, though only
 * nginx can reach the socket. */
#include "world/web/fcgi_record.h"

enum { VERSION = 1 };
enum { BEGIN = 1, ABORT = 2, END = 3, PARAMS = 4, STDOUT = 6 };
enum { RESPONDER = 1 };

#define HEAD 8
#define OUT_MAX ((size_t)65528)

struct head {
    unsigned version, type, id;
    size_t length, padding;
};

static unsigned fcgi_record_byte(struct str s, size_t i)
{
    return (unsigned char)s.p[i];
}

static enum fcgi_record_state fcgi_record_take(struct fcgi_record *r,
                                               const struct head *h,
                                               struct str content,
                                               struct buf *params)
{
    if (r->state == FCGI_RECORD_BEGIN) {
        if (h->type != BEGIN || h->id == 0 || content.n != 8 ||
            (fcgi_record_byte(content, 0) << 8 |
             fcgi_record_byte(content, 1)) != RESPONDER)
            return FCGI_RECORD_BROKEN;
        r->id = (uint16_t)h->id;
        return FCGI_RECORD_PARAMS;
    }
    if (h->id != r->id)
        return FCGI_RECORD_BROKEN;
    if (r->state == FCGI_RECORD_READY)
        return h->type == ABORT ? FCGI_RECORD_BROKEN : FCGI_RECORD_READY;
    if (h->type != PARAMS)
        return FCGI_RECORD_BROKEN;
    if (content.n == 0)
        return FCGI_RECORD_READY;
    buf_str(params, content);
    return FCGI_RECORD_PARAMS;
}

/* Can a record of that size still be part of a request? Checked before its
 * content arrives, so that nothing waits for a record that will be refused. */
static bool fcgi_record_fits(const struct fcgi_record *r, const struct head *h,
                             const struct buf *params)
{
    if (h->version != VERSION)
        return false;
    return r->state == FCGI_RECORD_READY || h->type != PARAMS ||
           h->length <= FCGI_RECORD_PARAMS_MAX - params->n;
}

size_t fcgi_record_read(struct fcgi_record *r, struct str bytes,
                        struct buf *params)
{
    size_t at = 0;
    while (r->state != FCGI_RECORD_BROKEN && bytes.n - at >= HEAD) {
        const struct str s = str_sub(bytes, at, bytes.n);
        const struct head h = {.version = fcgi_record_byte(s, 0),
                               .type = fcgi_record_byte(s, 1),
                               .id = fcgi_record_byte(s, 2) << 8 |
                                     fcgi_record_byte(s, 3),
                               .length = fcgi_record_byte(s, 4) << 8 |
                                         fcgi_record_byte(s, 5),
                               .padding = fcgi_record_byte(s, 6)};
        if (!fcgi_record_fits(r, &h, params)) {
            r->state = FCGI_RECORD_BROKEN;
            break;
        }
        const size_t size = HEAD + h.length + h.padding;
        if (bytes.n - at < size)
            break;
        const struct str content =
            str_sub(bytes, at + HEAD, at + HEAD + h.length);
        r->state = fcgi_record_take(r, &h, content, params);
        at += size;
    }
    return at;
}

/* ---- parameters ----------------------------------------------------- */

/* 3.4: one byte, or four with the highest bit set. */
static bool record_length(struct str s, size_t *at, size_t *out)
{
    if (s.n - *at < 1)
        return false;
    if (fcgi_record_byte(s, *at) < 0x80) {
        *out = fcgi_record_byte(s, (*at)++);
        return true;
    }
    if (s.n - *at < 4)
        return false;
    *out = (size_t)(fcgi_record_byte(s, *at) & 0x7f) << 24 |
           fcgi_record_byte(s, *at + 1) << 16 |
           fcgi_record_byte(s, *at + 2) << 8 | fcgi_record_byte(s, *at + 3);
    *at += 4;
    return true;
}

struct str fcgi_record_param(struct str params, const char *name)
{
    struct str found = STR_NONE;
    size_t at = 0;
    while (at < params.n) {
        size_t key = 0, value = 0;
        if (!record_length(params, &at, &key) ||
            !record_length(params, &at, &value) ||
            key > params.n - at || value > params.n - at - key)
            return STR_NONE;
        if (str_is(str_sub(params, at, at + key), name))
            found = str_sub(params, at + key, at + key + value);
        at += key + value;
    }
    return found;
}

/* ---- answering ------------------------------------------------------ */

static void record_head(const struct fcgi_record *r, struct buf *b, int type,
                        size_t n)
{
    buf_char(b, VERSION);
    buf_char(b, (char)type);
    buf_char(b, (char)(r->id >> 8));
    buf_char(b, (char)(r->id & 0xff));
    buf_char(b, (char)(n >> 8));
    buf_char(b, (char)(n & 0xff));
    buf_str(b, (struct str){"\0\0", 2}); /* no padding; reserved */
}

void fcgi_record_out(const struct fcgi_record *r, struct buf *b,
                     struct str bytes)
{
    for (size_t at = 0; at < bytes.n; at += OUT_MAX) {
        const struct str part = str_sub(bytes, at, at + OUT_MAX);
        record_head(r, b, STDOUT, part.n);
        buf_str(b, part);
    }
}

void fcgi_record_end(const struct fcgi_record *r, struct buf *b)
{
    static const char complete[8] = {0}; /* status 0, FCGI_REQUEST_COMPLETE */
    record_head(r, b, STDOUT, 0);
    record_head(r, b, END, sizeof complete);
    buf_str(b, (struct str){complete, sizeof complete});
}

struct str fcgi_record_break(void)
{
    static const char none[HEAD] = {0}; /* a record of version 0 */
    return (struct str){none, sizeof none};
}
