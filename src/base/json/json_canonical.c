/* The canonical form of a tree: RFC 8785, for texts that are hashed or signed.
 *
 * Reads trees only through json.h. The recursion is bounded: a tree is as deep
 * as json_check allows, plus the few levels that the server adds. */
#include <stdlib.h>

#include "base/json/json.h"

/* UTF-8 sorts like UTF-16 with one exception: characters that UTF-16 writes as
 * a pair of surrogates, lead bytes F0 to F4, come before U+E000 to U+FFFF, lead
 * bytes EE and EF. */
static int canonical_rank(char c)
{
    const int u = (unsigned char)c;
    return u == 0xEE || u == 0xEF ? u + 0x10 : u;
}

struct member {
    struct str key;
    const struct json *value;
};

static int canonical_cmp(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    size_t i = 0;
    while (i < x->key.n && i < y->key.n && x->key.p[i] == y->key.p[i])
        i++;
    if (i < x->key.n && i < y->key.n)
        return canonical_rank(x->key.p[i]) -
               canonical_rank(y->key.p[i]);
    return (x->key.n > y->key.n) - (x->key.n < y->key.n);
}

static void canonical_object(struct buf *b, const struct json *v)
{
    struct member *m = arena_many(b->arena, json_count(v), struct member);
    size_t n = 0;
    for (struct json_iter i = json_iter(v); json_next(&i);)
        m[n++] = (struct member){i.key, i.value};
    qsort(m, n, sizeof(*m), canonical_cmp);
    buf_char(b, '{');
    for (size_t i = 0; i < n && !b->over; i++) {
        if (i)
            buf_char(b, ',');
        json_write_string(b, m[i].key);
        buf_char(b, ':');
        json_write_canonical(b, m[i].value);
    }
    buf_char(b, '}');
}

void json_write_canonical(struct buf *b, const struct json *v)
{
    char text[JSON_DOUBLE_TEXT];
    switch (json_type(v)) {
    case JSON_BOOL:
        buf_put(b, json_bool(v) ? "true" : "false");
        break;
    case JSON_INT:
        buf_int(b, json_int(v));
        break;
    case JSON_DOUBLE:
        json_double_text(json_double(v), text);
        buf_put(b, text);
        break;
    case JSON_STRING:
        json_write_string(b, json_text(v));
        break;
    case JSON_ARRAY:
        buf_char(b, '[');
        for (size_t i = 0; i < json_count(v) && !b->over; i++) {
            if (i)
                buf_char(b, ',');
            json_write_canonical(b, json_at(v, i));
        }
        buf_char(b, ']');
        break;
    case JSON_OBJECT:
        canonical_object(b, v);
        break;
    case JSON_NULL:
    case JSON__MAX:
    default:
        buf_put(b, "null");
        break;
    }
}
