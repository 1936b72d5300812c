/* The tree over all events of the server: roots, proofs and their checks by
 * the algorithms of RFC 9162, and the tiles that hold its hashes. */
#include "domain/log/tlog.h"

#include "base/arena.h"

static struct tlog_hash tlog_digest(const uint8_t *bytes, size_t n)
{
    struct tlog_hash out;
    crypt_sha256((struct str){(const char *)bytes, n}, out.b);
    return out;
}

bool tlog_equal(const struct tlog_hash *a, const struct tlog_hash *b)
{
    return memcmp(a->b, b->b, sizeof a->b) == 0;
}

struct tlog_hash tlog_leaf(const struct tlog_hash *entry)
{
    uint8_t bytes[1 + CRYPT_SHA256] = {0};
    memcpy(bytes + 1, entry->b, CRYPT_SHA256);
    return tlog_digest(bytes, sizeof bytes);
}

struct tlog_hash tlog_node(const struct tlog_hash *left,
                           const struct tlog_hash *right)
{
    uint8_t bytes[1 + 2 * CRYPT_SHA256] = {1};
    memcpy(bytes + 1, left->b, CRYPT_SHA256);
    memcpy(bytes + 1 + CRYPT_SHA256, right->b, CRYPT_SHA256);
    return tlog_digest(bytes, sizeof bytes);
}

/* ---- reading a stored tree ------------------------------------------ */

/* The leaves from lo to hi, hi excluded. */
struct tlog_range {
    int64_t lo, hi;
};

/* The largest power of two below n; n > 1. */
static int64_t tlog_split(int64_t n)
{
    int64_t k = 1;
    while (k * 2 < n)
        k *= 2;
    return k;
}

/* The root of a range that begins at a multiple of the power of two at or
 * above its size, as each range in a proof does. */
static const struct err *tlog_range_root(const struct tlog_source *s,
                                         struct tlog_range r,
                                         struct tlog_hash *out)
{
    const int64_t n = r.hi - r.lo;
    struct tlog_hash left, right;
    if ((n & (n - 1)) == 0) {
        unsigned level = 0;
        while ((int64_t)1 << level < n)
            level++;
        return s->hash(s->own, level, r.lo >> level, out);
    }
    const int64_t middle = r.lo + tlog_split(n);
    TRY(tlog_range_root(s, (struct tlog_range){r.lo, middle}, &left));
    TRY(tlog_range_root(s, (struct tlog_range){middle, r.hi}, &right));
    *out = tlog_node(&left, &right);
    return NULL;
}

const struct err *tlog_root(const struct tlog_source *s, int64_t size,
                            struct tlog_hash *out)
{
    *out = tlog_digest(NULL, 0);
    return size > 0 ? tlog_range_root(s, (struct tlog_range){0, size}, out)
                    : NULL;
}

/* Both proofs walk down from the root towards one place and note the other
 * half at each step; the proof has the lowest first. */
static const struct err *
tlog_path(const struct tlog_source *s, struct tlog_range r, int64_t at,
          bool (*ends)(struct tlog_range r, int64_t at),
          struct tlog_proof *out, struct tlog_range *end)
{
    struct tlog_range other[TLOG_PROOF_MAX];
    size_t n = 0;
    while (!ends(r, at)) {
        const int64_t middle = r.lo + tlog_split(r.hi - r.lo);
        const bool left = at < middle;
        other[n++] = left ? (struct tlog_range){middle, r.hi}
                          : (struct tlog_range){r.lo, middle};
        r = left ? (struct tlog_range){r.lo, middle}
                 : (struct tlog_range){middle, r.hi};
    }
    while (n > 0)
        TRY(tlog_range_root(s, other[--n], &out->v[out->n++]));
    *end = r;
    return NULL;
}

static bool tlog_is_leaf(struct tlog_range r, int64_t at)
{
    (void)at;
    return r.hi - r.lo == 1;
}

/* at: the last leaf of the smaller tree. */
static bool tlog_ends_with(struct tlog_range r, int64_t at)
{
    return r.hi == at + 1;
}

const struct err *tlog_inclusion(const struct tlog_source *s, int64_t position,
                                 int64_t size, struct tlog_proof *out)
{
    struct tlog_range end;
    out->n = 0;
    return tlog_path(s, (struct tlog_range){0, size}, position, tlog_is_leaf,
                     out, &end);
}

/* The proof begins with the largest whole subtree at the end of the smaller
 * tree, but where that is the smaller tree itself, which the reader has. */
const struct err *tlog_consistency(const struct tlog_source *s, int64_t from,
                                   int64_t to, struct tlog_proof *out)
{
    struct tlog_range end;
    struct tlog_proof rest = {.n = 0};
    out->n = 0;
    if (from == 0 || from == to)
        return NULL;
    TRY(tlog_path(s, (struct tlog_range){0, to}, from - 1, tlog_ends_with,
                  &rest, &end));
    if (end.lo > 0)
        TRY(tlog_range_root(s, end, &out->v[out->n++]));
    memcpy(out->v + out->n, rest.v, rest.n * sizeof rest.v[0]);
    out->n += rest.n;
    return NULL;
}

/* ---- checking without the tree -------------------------------------- */

bool tlog_climb(const struct tlog_proof *p, int64_t position, int64_t size,
                const struct tlog_hash *leaf, struct tlog_hash *root)
{
    if (position < 0 || position >= size)
        return false;
    int64_t fn = position, sn = size - 1;
    struct tlog_hash r = *leaf;
    for (size_t i = 0; i < p->n; i++) {
        if (sn == 0)
            return false;
        if ((fn & 1) || fn == sn) {
            r = tlog_node(&p->v[i], &r);
            while (!(fn & 1) && fn != 0) {
                fn >>= 1;
                sn >>= 1;
            }
        } else {
            r = tlog_node(&r, &p->v[i]);
        }
        fn >>= 1;
        sn >>= 1;
    }
    *root = r;
    return sn == 0;
}

bool tlog_included(const struct tlog_proof *p, int64_t position, int64_t size,
                   const struct tlog_hash *leaf, const struct tlog_hash *root)
{
    struct tlog_hash r;
    return tlog_climb(p, position, size, leaf, &r) && tlog_equal(&r, root);
}

bool tlog_consistent(const struct tlog_proof *p, int64_t from, int64_t to,
                     const struct tlog_hash *from_root,
                     const struct tlog_hash *to_root)
{
    if (from < 0 || from > to)
        return false;
    if (from == 0)
        return p->n == 0;
    if (from == to)
        return p->n == 0 && tlog_equal(from_root, to_root);
    int64_t fn = from - 1, sn = to - 1;
    size_t i = 0;
    while (fn & 1) {
        fn >>= 1;
        sn >>= 1;
    }
    /* A power of two: the smaller root is the first hash. */
    const bool whole = (from & (from - 1)) == 0;
    if (!whole && p->n == 0)
        return false;
    struct tlog_hash fr = whole ? *from_root : p->v[i++];
    struct tlog_hash sr = fr;
    for (; i < p->n; i++) {
        if (sn == 0)
            return false;
        if ((fn & 1) || fn == sn) {
            fr = tlog_node(&p->v[i], &fr);
            sr = tlog_node(&p->v[i], &sr);
            while (!(fn & 1) && fn != 0) {
                fn >>= 1;
                sn >>= 1;
            }
        } else {
            sr = tlog_node(&sr, &p->v[i]);
        }
        fn >>= 1;
        sn >>= 1;
    }
    return sn == 0 && tlog_equal(&fr, from_root) && tlog_equal(&sr, to_root);
}

/* ---- tiles ---------------------------------------------------------- */

struct tlog_place tlog_place(unsigned level, int64_t index)
{
    const unsigned within = level % TLOG_TILE_HEIGHT;
    const int64_t first = index << within;
    return (struct tlog_place){.level = level / TLOG_TILE_HEIGHT,
                               .tile = first / TLOG_TILE,
                               .from = (size_t)(first % TLOG_TILE),
                               .n = (size_t)1 << within};
}

struct tlog_hash tlog_of_tile(const struct tlog_hash *v, size_t n)
{
    if (n == 1)
        return *v;
    const struct tlog_hash left = tlog_of_tile(v, n / 2);
    const struct tlog_hash right = tlog_of_tile(v + n / 2, n / 2);
    return tlog_node(&left, &right);
}

size_t tlog_edge_n(const struct tlog_edge *e, unsigned level)
{
    return (size_t)(e->size >> (level * TLOG_TILE_HEIGHT)) % TLOG_TILE;
}

bool tlog_append(struct tlog_edge *e, const struct tlog_hash *entry,
                 void (*full)(void *own, unsigned level, int64_t number,
                              const struct tlog_hash tile[TLOG_TILE]),
                 void *own)
{
    const struct tlog_hash leaf = tlog_leaf(entry);
    return tlog_append_leaf(e, &leaf, full, own);
}

/* A tile that is full becomes one hash of the tile above. */
bool tlog_append_leaf(struct tlog_edge *e, const struct tlog_hash *leaf,
                      void (*full)(void *own, unsigned level, int64_t number,
                                   const struct tlog_hash tile[TLOG_TILE]),
                      void *own)
{
    struct tlog_hash h = *leaf;
    if (e->size >= TLOG_SIZE_MAX - 1)
        return false;
    for (unsigned level = 0; level < TLOG_LEVELS; level++) {
        const size_t n = tlog_edge_n(e, level);
        e->tile[level][n] = h;
        if (n + 1 < TLOG_TILE)
            break;
        if (full)
            full(own, level, e->size >> ((level + 1) * TLOG_TILE_HEIGHT),
                 e->tile[level]);
        h = tlog_of_tile(e->tile[level], TLOG_TILE);
    }
    e->size++;
    return true;
}

/* The whole subtrees that the tree begins with lie in the edge, all of them.
 */
static const struct err *tlog_edge_hash(void *own, unsigned level,
                                        int64_t index, struct tlog_hash *out)
{
    const struct tlog_edge *e = own;
    const struct tlog_place p = tlog_place(level, index);
    *out = tlog_of_tile(&e->tile[p.level][p.from], p.n);
    return NULL;
}

struct tlog_hash tlog_edge_root(const struct tlog_edge *e)
{
    struct tlog_hash out;
    const struct tlog_source s = {.hash = tlog_edge_hash, .own = (void *)e};
    const struct err *none = tlog_root(&s, e->size, &out);
    (void)none;
    return out;
}
