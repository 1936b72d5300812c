/* The tree of a checkpoint (OpenIntent RFC-0019). */
#include "domain/log/merkle.h"

static struct tlog_hash merkle_parent(const struct tlog_hash *left,
                                      const struct tlog_hash *right)
{
    uint8_t bytes[2 * CRYPT_SHA256];
    struct tlog_hash out;
    memcpy(bytes, left->b, CRYPT_SHA256);
    memcpy(bytes + CRYPT_SHA256, right->b, CRYPT_SHA256);
    crypt_sha256((struct str){(const char *)bytes, sizeof bytes}, out.b);
    return out;
}

/* The number of leaves with the repeated ones: the power of two at or above
 * n. */
static size_t merkle_width(size_t n)
{
    size_t width = 1;
    while (width < n)
        width *= 2;
    return width;
}

/* The root; where out is not NULL, the siblings on the way of index to it. */
static struct tlog_hash merkle_walk(struct arena *a, const struct tlog_hash *v,
                                    size_t n, size_t index,
                                    struct merkle_proof *out)
{
    size_t width = merkle_width(n);
    struct tlog_hash *row = arena_many(a, width, struct tlog_hash);
    for (size_t i = 0; i < width; i++)
        row[i] = v[i < n ? i : n - 1];
    for (; width > 1; width /= 2, index /= 2) {
        if (out)
            out->v[out->n++] = (struct merkle_step){.hash = row[index ^ 1],
                                                    .left = index & 1};
        for (size_t i = 0; i < width / 2; i++)
            row[i] = merkle_parent(&row[2 * i], &row[2 * i + 1]);
    }
    return row[0];
}

struct tlog_hash merkle_root(struct arena *a, const struct tlog_hash *v,
                             size_t n)
{
    return merkle_walk(a, v, n, 0, NULL);
}

void merkle_prove(struct arena *a, const struct tlog_hash *v, size_t n,
                  size_t index, struct merkle_proof *out)
{
    out->n = 0;
    merkle_walk(a, v, n, index, out);
}

bool merkle_check(const struct merkle_proof *p, const struct tlog_hash *event,
                  int64_t index, int64_t event_count,
                  const struct tlog_hash *root)
{
    struct tlog_hash h = *event;
    if (index < 0 || index >= event_count || event_count > MERKLE_EVENTS_MAX ||
        (size_t)1 << p->n != merkle_width((size_t)event_count))
        return false;
    for (size_t i = 0; i < p->n; i++) {
        const struct merkle_step *s = &p->v[i];
        if (s->left != (bool)(index >> i & 1))
            return false;
        h = s->left ? merkle_parent(&s->hash, &h)
                    : merkle_parent(&h, &s->hash);
    }
    return tlog_equal(&h, root);
}
