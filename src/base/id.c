/* Identifiers: making UUIDs, and checking those of clients.
 *
 * Keeps no state: the order of two ids of one millisecond is random. */
#include "base/id.h"

#include "base/buf.h"

#include "base/clock.h"
#include "base/crypt.h"

#define UUID_TEXT 36

static bool id_dash_at(size_t i)
{
    return i == 8 || i == 13 || i == 18 || i == 23;
}

/* As the text of a UUID of this version. */
static struct str id_text(struct arena *a, uint8_t u[static 16],
                          uint8_t version)
{
    u[6] = (uint8_t)(version << 4 | (u[6] & 0x0F));
    u[8] = (uint8_t)(0x80 | (u[8] & 0x3F));

    static const char hex[] = "0123456789abcdef";
    char *text = arena_alloc(a, UUID_TEXT + 1);
    for (size_t i = 0, nibble = 0; i < UUID_TEXT; i++) {
        if (id_dash_at(i)) {
            text[i] = '-';
            continue;
        }
        const uint8_t byte = u[nibble / 2];
        text[i] = hex[nibble++ % 2 ? byte & 0x0F : byte >> 4];
    }
    return (struct str){text, UUID_TEXT};
}

struct str id_new(struct arena *a)
{
    uint8_t u[16];
    crypt_random(u, sizeof(u));
    const uint64_t ms = (uint64_t)(clock_now() / 1000);
    for (size_t i = 0; i < 6; i++)
        u[i] = (uint8_t)(ms >> (40 - 8 * i));
    return id_text(a, u, 7);
}

struct str id_of(struct arena *a, struct str text)
{
    uint8_t digest[CRYPT_SHA256];
    crypt_sha256(text, digest);
    return id_text(a, digest, 8);
}

static bool id_digit(char c) { return c >= '0' && c <= '9'; }

static bool id_letter(char c, char last)
{
    return (c >= 'a' && c <= last) || (c >= 'A' && c <= last - 'a' + 'A');
}

bool id_uuid(struct str s)
{
    if (s.n != UUID_TEXT)
        return false;
    for (size_t i = 0; i < s.n; i++) {
        const char c = s.p[i];
        if (id_dash_at(i) ? c != '-' : !id_digit(c) && !id_letter(c, 'f'))
            return false;
    }
    return true;
}

bool id_token(struct str s)
{
    /* Clients and proxies resolve these two as parts of a path. */
    if (s.n < 1 || s.n > 64 || str_is(s, ".") || str_is(s, ".."))
        return false;
    for (size_t i = 0; i < s.n; i++) {
        const char c = s.p[i];
        if (!id_digit(c) && !id_letter(c, 'z') && c != '.' && c != '_' &&
            c != '~' && c != '-')
            return false;
    }
    return true;
}

struct str id_lower(struct arena *a, struct str uuid)
{
    struct buf b = buf_make(a, uuid.n + 1);
    buf_lower(&b, uuid);
    return buf_text(&b);
}

struct str id_respelled(struct arena *a, struct str id)
{
    const struct str lower = id_uuid(id) ? id_lower(a, id) : id;
    return str_eq(lower, id) ? STR_NONE : lower;
}
